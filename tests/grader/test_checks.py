"""grader/checks.py: what the reader of an exercise is told. The exercises themselves: tests/grader/test_exercises.py."""

import contextlib
import os
import re
import sys

import pytest
import torch

from common import device
from cuda_on_cpu.microscope import Row
from grader import checks, exercises
from grader.checks import Wrong


@pytest.fixture(autouse=True)
def the_order_before(monkeypatch):
    monkeypatch.setenv("CUDA_REVERSE", os.environ.get("CUDA_REVERSE", "0"))


def inputs(n):
    return (10 * torch.arange(n, device=device),)


def told(op, reference=torch.clone, inputs=inputs, sizes=(0, 1, 2, 5, 20), **options) -> list[str]:
    """The lines, without the space before and in them."""
    with pytest.raises(Wrong) as error:
        checks.check(op, reference, inputs, sizes, **options)
    return [" ".join(line.split()) for line in str(error.value).splitlines()]


def test_a_right_operator_passes(capsys):
    checks.check(torch.clone, torch.clone, inputs, (0, 3), name="rows")
    assert capsys.readouterr().out == "right   rows = 0 3\n"


def test_the_smallest_size_that_fails_is_shown_around_the_first_wrong_element():
    assert told(lambda x: x + (x == 20)) == [
        "n = 5: wrong result",
        "1 of 5 elements wrong",
        "index 0 1 2 3 4",
        "input 0 10 20 30 40",
        "expected 0 10 20 30 40",
        "yours 0 10 21 30 40",
        "^",
    ]
    assert told(lambda x: x + (x == 120))[2] == "index 8 9 10 11 12 13 14 15"


def test_what_is_not_written_is_shown():
    def op(x):
        out = torch.empty_like(x)
        out[::2] = x[::2] + (x[::2] == 40)
        return out

    lines = told(op, lambda x: x.clone(), sizes=(6,))
    assert "x 0 10 20 30 40 50" in lines and "yours 0 ? 20 ? 41 ?" in lines
    assert lines[1] == "4 of 6 elements wrong; ? was never written"


def test_of_a_matrix_there_is_a_map():
    def op(x):
        out = torch.empty_like(x)
        out[:-1], out[-1, 1:] = x[:-1], x[-1, 1:]
        out[0, 2] = -1
        return out

    lines = told(op, inputs=lambda n: (torch.arange(3 * n, device=device).view(n, 3),), sizes=(2,))
    assert lines[0] == "n = 2 (input: 2 rows, 3 columns): wrong result"
    assert lines[2:5] == ["row 0 . . x", "row 1 ? . .", "index (0, 0) (0, 1) (0, 2)"]
    deep = told(lambda x: x + (x >= 90), inputs=lambda n: (torch.arange(3 * n, device=device).view(n, 3),), sizes=(40,))
    alike = ["row 22 . . .", "...", "row 29 . . .", "row 30 x x x", "...", "row 37 x x x"]
    assert deep[2:8] == alike and deep[8].startswith("index")


@pytest.mark.skipif(device.type == "cuda", reason="there it is on another device")
def test_a_result_on_the_default_device():
    """Python's empty() has the CPU's device then, as of x.device."""
    words = "n = 1: the result was made without a device, so it is on the CPU, wherever the inputs are"
    assert told(lambda x: torch.empty(len(x), dtype=x.dtype).copy_(x)) == [words]
    checks.check(lambda x: torch.empty(len(x), dtype=x.dtype, device=x.device).copy_(x), torch.clone, inputs, (3,))


@pytest.mark.skipif(device.type == "cuda", reason="a GPU has no order of threads")
def test_both_orders_of_the_threads_are_tried():
    lines = told(lambda x: x + int(os.environ["CUDA_REVERSE"]))
    assert lines[0] == "n = 1 with the threads in reverse order (CUDA_REVERSE=1): wrong result"


def test_an_error_of_the_operator_names_the_size():
    def op(x):
        if len(x) == 2:
            raise RuntimeError("CUDA on CPU: kernel k: data race")
        return x.clone()

    assert told(op) == ["n = 2: kernel k: data race"]


def test_of_several_results_the_wrong_one_is_named():
    def op(x):
        return x.clone(), x + (x == 10)

    assert told(op, lambda x: (x, x), outputs=("same", "next"))[1] == "1 of 2 elements of next wrong"
    assert told(op, lambda x: (x, x))[1:3] == ["output 1", "1 of 2 elements wrong"]
    lines = told(lambda x: (x + 1, x - 1), lambda x: (x, x), outputs=("same", "next"))
    assert [line for line in lines if "wrong" in line][1:] == [
        "1 of 1 element of same wrong",
        "1 of 1 element of next wrong",
    ]


def test_of_findings_of_one_kind_the_first_is_shown():
    def op(x):
        raise RuntimeError(
            "CUDA on CPU: kernel k: \n  data race: a\n  data race: b\n  out of bounds: c\n  data race: d"
        )

    assert told(op) == ["n = 0: kernel k: data race: a; 2 more like this", "out of bounds: c"]


def test_a_wrong_gradient_is_that_of_a_name():
    factor = 2

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            return grad, factor and factor * grad

    def inputs(n):
        return torch.randn(n, device=device), torch.randn(n, device=device)

    def reference(left, right):
        return left + right

    lines = told(Wrong.apply, reference, inputs, (3,), gradients=True)
    assert lines[0] == "n = 3: wrong gradient of right"
    lines = told(lambda pair: Wrong.apply(*pair), lambda pair: sum(pair), lambda n: (inputs(n),), (3,), gradients=True)
    assert lines[0] == "n = 3: wrong gradient of pair[1]"
    factor = None
    lines = told(Wrong.apply, reference, inputs, (3,), gradients=True)
    assert lines[0] == "n = 3: no gradient of right, and the reference has one"


def test_a_launch_that_fails_has_to_be_reported(monkeypatch):
    refused = []

    def refuse_launch(number, call):
        refused.append(call())
        if number == 3:
            raise checks.Unchecked("f() does not say so")
        return True

    monkeypatch.setattr(checks, "refuse_launch", refuse_launch)
    assert told(torch.clone, sizes=(2,)) == ["launch 3 was made to fail: f() does not say so"] and len(refused) == 3
    monkeypatch.setattr(checks, "refuse_launch", lambda number, call: number < 2)
    checks.check(torch.clone, torch.clone, inputs, (2,))


def row(line, kind="load", threads=32, requests=1, sectors=16, step=32, warps=1):
    """Of the microscope: each lane asks for a word, `step` bytes after the one before."""
    counts = dict.fromkeys(("bytes_used", "least_sectors", "wavefronts", "least_wavefronts", "at_one_address"), 0)
    example = tuple(step * lane for lane in range(32))
    return Row(
        "k",
        "a.cu",
        line,
        "global",
        kind,
        requests,
        threads,
        sectors=sectors,
        width=4,
        warps=warps,
        example=example,
        **counts,
    )


def test_limits_say_what_a_warp_does_and_draw_little(monkeypatch, capsys):
    monkeypatch.setattr(checks, "seen", lambda call: [row(7, sectors=4), row(8)])
    with pytest.raises(Wrong) as error:
        checks.limits(None, sectors_per_request=4)
    lines = [" ".join(line.split()) for line in str(error.value).splitlines()]
    assert lines[0] == "a.cu:8: each load of a warp touches 16 sectors of device memory, at most 4 allowed"
    assert lines[1] == "32 sectors of 32 bytes; the lanes ask for 32 of 256 words." and len(lines) == 7
    assert lines[3:] == [f"sector {k} {k} . . . . . . ." for k in range(3)] + ["... and 29 lines like these"]
    checks.limits(None, sectors_per_request=16)
    assert capsys.readouterr().out == "right   at most 16 sectors for each access of a warp\n"
    assert len(checks.drawn(row(8, step=4)).splitlines()) == 6, "four lines are all shown"
    assert len(checks.drawn(row(8, step=36)).splitlines()) == 2 + 12 + 1, "of lines that differ, twelve are shown"


def test_a_limit_on_an_average_says_so(monkeypatch):
    monkeypatch.setattr(checks, "seen", lambda call: [row(7, requests=16, sectors=65)])
    with pytest.raises(
        Wrong, match="each load of a warp touches on average 4.06 sectors of device memory, at most 4 allowed"
    ):
        checks.limits(None, sectors_per_request=4)


def test_threads_share_out_the_elements(monkeypatch, capsys):
    rows = [row(5, threads=90), row(6, "store", threads=40), row(7, "store", threads=60)]
    monkeypatch.setattr(checks, "seen", lambda call: rows)
    monkeypatch.setattr(checks, "can_see", lambda: True)
    checks.work_is_divided(None, 100)
    assert "100 elements, 100 stores" in capsys.readouterr().out
    checks.work_is_divided(None, 90, "load")
    assert "90 elements, 90 loads" in capsys.readouterr().out
    checks.work_is_divided(None, 200, "load", least=90)
    with pytest.raises(Wrong, match="a.cu:6 a.cu:7: 99 elements, and 100 stores"):
        checks.work_is_divided(None, 99)
    with pytest.raises(Wrong, match="a.cu:5: 89 elements, and 90 loads"):
        checks.work_is_divided(None, 89, "load")
    with pytest.raises(Wrong, match="a.cu:6 a.cu:7: 101 elements, and stores of 100: the kernels have to do all"):
        checks.work_is_divided(None, 101)
    with pytest.raises(Wrong, match="100 elements, and stores of 50:"):
        checks.work_is_divided(None, 100, itemsize=8)
    with pytest.raises(Wrong, match="100 stores, all by 1 warp; expected: by 2 or more"):
        checks.work_is_divided(None, 100, warps=2)
    rows[:] = [row(6, "store", threads=16, requests=16)]
    with pytest.raises(Wrong, match="a.cu:6: 16 stores, each by one lane alone"):
        checks.work_is_divided(None, 16)
    rows.clear()
    with pytest.raises(Wrong, match="the kernels: 16 elements, and stores of 0"):
        checks.work_is_divided(None, 16)
    monkeypatch.setattr(checks, "can_see", lambda: False)
    checks.work_is_divided(None, 16)


@pytest.mark.skipif(device.type == "cuda", reason="a GPU does not say how many threads there are")
def test_more_elements_come_than_a_grid_has_threads(monkeypatch):
    """As of a kernel with 8 threads for any n, and of one whose grid grows."""
    tried = []

    def op(x):
        tried.append(len(x))
        return torch.where(torch.arange(len(x)) < 8, x, -1)

    monkeypatch.setattr(checks, "threads_launched", lambda: 8)
    lines = told(op, sizes=(1, 5), any_n=True)
    assert lines[0] == "n = 10: wrong result" and lines[-1] == "The launcher starts 8 threads for n = 5 and for n = 10"
    assert told(op, sizes=(5,), any_n=3)[0] == "n = 40: wrong result"
    checks.check(op, torch.clone, inputs, (1, 5))
    monkeypatch.setattr(checks, "SIZES", sizes := (1, 5))
    assert told(op, sizes=sizes)[0] == "n = 10: wrong result"
    monkeypatch.setattr(checks, "threads_launched", lambda: 2**23)
    assert told(op, sizes=sizes)[0] == "n = 5: 5 elements, and 8388608 threads: does the grid grow?"
    # A launch with fewer threads than elements has loops, of two turns for example.
    monkeypatch.setattr(checks, "threads_launched", lambda: 4)
    assert told(op, sizes=(1, 5), any_n=True)[0] == "n = 20: wrong result"
    tried.clear()
    monkeypatch.setattr(checks, "threads_launched", lambda: tried[-1])
    checks.check(lambda x: tried.append(len(x)) or x.clone(), torch.clone, inputs, (1, 5), any_n=True)
    assert set(tried) == {1, 5, 10}, "a grid that grows is looked at once more, and not twice"


def test_a_row_of_a_crop_stands_alone(monkeypatch):
    announced = []
    monkeypatch.setattr(checks, "announce", lambda *args: announced.append(args))
    crop = torch.zeros(3, 30, dtype=torch.uint8)[1:, 5:15]
    first = crop.data_ptr()
    says = r"outside of the row, .*\nkernel k: out of bounds: a reads 2 bytes, 0 bytes past the 10 bytes of a row$"
    found = "CUDA on CPU: kernel k: \n  out of bounds: a reads 2 bytes, 0 bytes past the 10 bytes of a tensor"
    with pytest.raises(Wrong, match=says), checks.only_rows(crop):
        assert announced == [(first, 10, 10), (first + 30, 10, 10)]
        raise RuntimeError(found)
    assert announced[2:] == [(first, 0, 0), (first + 30, 0, 0)]
    with pytest.raises(RuntimeError, match="data race"), checks.only_rows(crop):
        raise RuntimeError("data race")


def test_what_has_to_be_refused(capfd):
    def refuses(error):
        def call():
            os.write(2, b"a trace")
            if error:
                raise error

        checks.refuses(call, ValueError, "contiguous", "a matrix")

    refuses(ValueError("x must be contiguous"))
    for error, words in [
        (None, "a matrix: ValueError is expected, and there was no error"),
        (RuntimeError("x"), "a matrix: ValueError is expected, got RuntimeError"),
        (ValueError("x is wrong"), "does not say 'contiguous'"),
    ]:
        with pytest.raises(Wrong, match=words):
            refuses(error)
    os.write(2, b"and what follows")
    assert capfd.readouterr().err == "and what follows"


@pytest.mark.skipif(device.type == "cuda" or sys.platform != "linux", reason="of CUDA on CPU, on Linux")
def test_an_index_of_32_bits_shows_at_the_end(capsys, monkeypatch):
    count = 2**32 + 10

    def last_element(write, threads=count, value=1, refused="", **more):
        def launch(out, **options):
            assert options == {"threads": count, "only_last": True}
            if refused:
                raise RuntimeError(refused)
            out[write] = value
            if threads < count:
                error = checks.TooFewThreads()
                error.threads = threads
                raise error

        checks.last_element(launch, checks.many(count), expected=1, where="here", **more)
        return capsys.readouterr().out

    assert last_element(-1) == "right   here: 4294967306 elements, more than 2^32\n"
    assert last_element([5, -1]).startswith("right")
    last_element(count // 2)  # the last blocks of a larger grid have no element
    with pytest.raises(Wrong, match="here: .* the last blocks write element 9, and not the last one, 4294967305"):
        last_element(9)
    assert last_element(9, threads=1 << 20) == "", "a loop in each thread"
    with pytest.raises(Wrong, match="256 threads, as for 10: how many bits"):
        last_element(9, threads=256)
    with pytest.raises(Wrong, match="65536 threads: each element needs a thread of its own"):
        last_element(9, threads=65536, may_loop=False)
    with pytest.raises(Wrong, match="here: .* the last one is 2, expected 1"):
        last_element(-1, value=2)
    with pytest.raises(Wrong, match="here: .* the last one is 0, expected 1"):
        last_element(-1, value=0)  # of an index that leads to zeros, wherever the system has put them
    with pytest.raises(Wrong, match="(?s)here: .*past the end.*How many bits"):
        last_element(-1, refused="past the end")
    checks.last_element(None, None, expected=1, where="no such memory")
    monkeypatch.setattr(checks, "threads_launched", lambda: count + 246)  # no grid that is larger than it needs to be
    with pytest.raises(Wrong, match="here: .* the last blocks write nothing\nHow many bits"):
        last_element(count // 2)


@pytest.mark.skipif(device.type == "cuda" or sys.platform != "linux", reason="of CUDA on CPU, on Linux")
@pytest.mark.parametrize("threads, grid, requests, lost", [
    (16384, [64, 1, 1], 1, "here: 4294967306 elements, more than 2^32, 16384 threads, and each computes one element"),
    (16384, [64, 1, 1], 64, ""),  # a loop: of 2^18 blocks each has so many turns
    (2**24, [2**16, 1, 1], 1, "16777216 threads"),
    (2**22, [16, 1024, 1], 1, "4194304 threads"),
    (2**22, [16, 1024, 1], 1024, ""),
    (2**21, [16, 512, 1], 1, ""),  # a loop would make too many turns
])  # fmt: skip
def test_a_capped_grid_needs_a_loop(monkeypatch, threads, grid, requests, lost):
    """The launch of a grid along x gets 2^18 blocks at least."""
    launched = []

    def launch(out, blocks=0, **asked):
        launched.append(blocks)
        if asked["threads"] > 1:
            error = checks.TooFewThreads()
            error.threads, error.grid = threads, grid
            raise error

    def seen(call):
        call()
        return [row(5, "store", threads=32 * requests, requests=requests)]

    monkeypatch.setattr(checks, "can_see", lambda: True)
    monkeypatch.setattr(checks, "seen", seen)
    monkeypatch.setattr(checks, "threads_launched", lambda: 256 * launched[-1] or threads)
    with pytest.raises(Wrong, match=re.escape(lost)) if lost else contextlib.nullcontext():
        checks.last_element(launch, checks.many(2**32 + 10), expected=1, where="here")
    assert launched == ([0, 2**18] if grid[1] == 1 else [0] if threads < 2**22 else [0, 0])


@pytest.mark.parametrize("file, text, words", [
    ("saxpy.h", None, "saxpy.h is given, and not there"),
    ("saxpy.h", "// more comments\n", ""),
    ("saxpy.h", "int more;\n", "saxpy.h:1: this is given, and not as it was: git diff --no-index /"),
    ("saxpy.cu", "#include <cmath>\n", ""),
    ("saxpy.cu", "\n__device__ int more;\n", "saxpy.cu:2: this is outside of the place for your code, and not as it was: git"),
    ("saxpy.cu", "// atomicAdd_block\n", ""),
    ("saxpy.cu", "\natomicAdd_block", r"saxpy.cu:2: atomicAdd_block: it is for the threads of one block"),
    ("saxpy.cu", "int x = __cluster_barrier_arrive_relaxed", "it orders no memory"),
    ("saxpy.cu", "\n\n__activemask()", "saxpy.cu:3: __activemask() gives the lanes that happen to be there"),
    ("saxpy.cu", "#ifdef CUDA_ON_CPU", "a GPU would run other code"),
])  # fmt: skip
def test_what_is_looked_at_after_a_check(tmp_path, file, text, words):
    """A given file that has changed, and words that no run on a CPU can judge."""
    it = next(it for it in exercises.find() if it.number == "03.1")
    for name, given in exercises.texts(it.folder / "skeleton").items():
        (tmp_path / name).write_text((text or "") + given if str(name) == file else given)
    if text is None:
        (tmp_path / file).unlink()
    said = exercises.what_no_run_shows(it, tmp_path) or exercises.given_is_changed(it, tmp_path)
    assert words in said and bool(words) == bool(said)


@pytest.mark.parametrize("old, new, line", [
    ("<<<blocks_for(rows, warps)", "<<<16", 44),
    ("<<<blocks_for(rows, warps)", "<<<\nmin(blocks_for(rows, warps), 64u)", 45),
    ("x, int64_t rows, int n, cuda", "x, int n, int64_t rows, cuda", 42),
    ("warps = 4;", "warps = 8;", 10),
    ("CHECK_LAUNCH();\n}", "CHECK_LAUNCH();\n}\n\nint more;", 48),
    ("    // your code\n", "", 0),
    ("    // your code\n", "    // your code\n<<<16", 0),
])  # fmt: skip
def test_given_text_stays_outside_of_the_marks(tmp_path, old, new, line):
    it = next(it for it in exercises.find() if it.number == "13.2")
    for name, text in exercises.texts(it.folder / "skeleton", it.folder / "solution").items():
        assert str(name) != "log_softmax.cu" or text.count(old) == 1
        (tmp_path / name).write_text(text.replace(old, new))
    said = exercises.given_is_changed(it, tmp_path)
    assert said.startswith(f"log_softmax.cu:{line}: this is outside") if line else not said


@pytest.mark.parametrize("it", exercises.find(), ids=lambda it: it.number)
def test_a_solution_without_marks_has_all_that_is_given(it, tmp_path):
    for name, text in exercises.texts(it.folder / "skeleton", it.folder / "solution").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(re.sub("^ *(//|#) (end of )?your code$", "", text, flags=re.M))
    assert exercises.given_is_changed(it, tmp_path) == ""


def test_words_of_the_solution_are_no_mistake():
    for it in exercises.find():
        assert not exercises.what_no_run_shows(it, it.folder / "solution")


def test_comments_are_left_out(tmp_path):
    (tmp_path / "k.cu").write_text("a; // b\n/* c\n   d */ e;\n")
    assert checks.without_comments(tmp_path / "k.cu").split() == ["a;", "e;"]
    assert checks.without_comments(tmp_path / "k.cu").splitlines()[2].strip() == "e;"


@pytest.mark.parametrize("text, wrong", [
    ("for (int i = 0; i < n; i++) {}", True),
    ("const unsigned i = 1;\nif (i < n) {}", True),
    ("for (int i = 16; i > 0; i /= 2) {}\nfor (int64_t i = 0; i < n; i++) {}", False),
    ("for (int64_t i = 0; i < n; i++) {}\nfor (int i = 16; i > 0; i /= 2) {}", False),
], ids=["loop", "if", "a loop before", "a loop after"])  # fmt: skip
def test_an_index_of_32_bits_beside_another_of_its_name(tmp_path, text, wrong):
    file = tmp_path / "sum.cu"
    file.write_text(text)
    with pytest.raises(Wrong, match="i has 32 bits") if wrong else contextlib.nullcontext():
        checks.refuse_32_bits(file)


def test_answers(tmp_path, capsys):
    (tmp_path / "answers.py").write_text("A = None\nB = 3\nC = '3'\n")
    with pytest.raises(Wrong, match="A is None: write your answer into .*answers.py"):
        checks.answer(tmp_path, "A", 1, "look")
    with pytest.raises(Wrong, match="B = 3 is not right\nlook"):
        checks.answer(tmp_path, "B", 1, "look")
    with pytest.raises(Wrong, match="C = '3' is a string: write a number, without quotes"):
        checks.answer(tmp_path, "C", 3, "look")
    (tmp_path / "answers.py").write_text("A = ['b', 'a']\nB = 3\nC = ('a', 'b')\n")
    with pytest.raises(Wrong, match="has the right entries, but not in the order"):
        checks.answer(tmp_path, "A", ["a", "b"], "look")
    with pytest.raises(Wrong, match="is not right\nlook"):
        checks.answer(tmp_path, "A", ["a", "c"], "look")
    checks.answer(tmp_path, "C", ["a", "b"], "look")
    assert capsys.readouterr().out == "right   C = ['a', 'b']\n"
    checks.answer(tmp_path, "B", 3, "look")
    assert capsys.readouterr().out == "right   B = 3\n"
    (tmp_path / "answers.py").write_text("from unittest.mock import ANY\nA = ['a', ANY]\nB = ANY\nC = True\n")
    for name, right in ("A", ["a", "b"]), ("B", 3), ("C", 1):
        with pytest.raises(Wrong, match=f"{name} = .* is not right\nlook"):
            checks.answer(tmp_path, name, right, "look")


def test_a_program_that_fails_shows_its_end(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print('first'); sys.exit('last')")
    with pytest.raises(Wrong, match=r"^python program.py ended with status 1\n(first\nlast|last\nfirst)$"):
        checks.run(tmp_path, ["python", "program.py"])
    assert checks.run(tmp_path, ["python", "-c", "print(1)"]) == "1\n"
