"""check() and bench() reject every operator in wrong_operators.py, and accept right ones; impossible times are marked."""

import functools
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from common import bench, check, checking, device, timing
from common.guarded import NAN, OTHER, Guarded, Inputs
from tests.common import wrong_operators
from tests.common.wrong_operators import WRONG_OPERATORS, pair, right
from tests.support import ROOT

ODD = 2**16 + 3  # no multiple of anything, and no size of check()'s
HERE = [wrong for wrong in WRONG_OPERATORS if wrong.needs != "GPU of its own"]


@pytest.fixture(params=HERE, ids=lambda wrong: wrong.what.replace(" ", "-"))
def wrong(request):
    if request.param.needs and device.type == "cpu":
        pytest.skip(f"{request.param.what}: needs a {request.param.needs}")
    wrong_operators._kept.clear()
    yield request.param
    wrong_operators._kept.clear()


def test_check_rejects(wrong, capsys):
    if wrong.words is None:  # what check() cannot see; bench() must
        return check(wrong.operator, wrong.reference, wrong.inputs)
    with pytest.raises(AssertionError, match=wrong.words) as info:
        check(wrong.operator, wrong.reference, wrong.inputs, gradients=wrong.gradients)
    said = str(info.value)
    assert said.startswith(f"{wrong.operator.__name__}(") and "float32[" in said, "the message describes the inputs"


def test_bench_rejects(wrong, capsys):
    if wrong.gradients:  # bench() calls no backward pass
        return
    with pytest.raises(AssertionError, match=wrong.words or "wrong result") as info:
        bench({"wrong": wrong.operator}, wrong.inputs, [ODD], reference=wrong.reference)
    assert "wrong(" in str(info.value) and f"n = {ODD}" in str(info.value)
    assert not re.search(r"wrong +\d", capsys.readouterr().out), "no time of a wrong operator is printed"
    late = wrong.operator is wrong_operators.remembers_after_ten_calls
    assert str(info.value).startswith("after it was timed, ") == late, "the others are not even timed"


def test_right_operators_are_accepted(capsys):
    check(right, torch.add, pair, rtol=0, atol=0)
    assert "right: n = 0 1 3 255 256 257 1048579" in capsys.readouterr().out
    w, sizes = wrong_operators, (0, 1, 257)
    for inputs in w.strided, w.square_pair:
        check(torch.add, lambda *args: right(*args), inputs, sizes, rtol=0, atol=0)
    for op, inputs in (w.row_sums, w.rows), (w.sum_of_list, w.listed), (w.sum_of_dict, w.named):
        check(op, op, inputs, sizes)
    check(w.largest_neighbour_torch, w.largest_neighbour_torch, pair, (1, 257))
    check(w.right_product, torch.mul, pair, sizes, gradients=True, rtol=0, atol=0)
    bench({"right": right, "torch": torch.add}, pair, [ODD], rtol=0, atol=0)
    bench({"list": w.sum_of_list}, w.listed, [3], reference=w.sum_of_list)
    assert "not checked" not in capsys.readouterr().out


@pytest.mark.xdist_group("crash")  # groups begin first, and this takes 12 s
def test_the_crash_of_a_kernel_is_put_down_to_its_operator():
    """In a process of its own: after it, this GPU does nothing more for the process."""
    if device.type == "cpu":
        pytest.skip("asynchronous error swallowed: needs a GPU of its own")
    (wrong,) = set(WRONG_OPERATORS) - set(HERE)
    for judge in "check(wrong, torch.add, pair)", "bench({'wrong': wrong}, pair, [1000], reference=torch.add)":
        code = "from common import bench, check\nimport torch\nfrom tests.common.wrong_operators import pair, "
        code += f"{wrong.operator.__name__} as wrong\n"
        done = subprocess.run([sys.executable, "-c", code + judge], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode != 0 and re.search(f"AssertionError: .*{wrong.words}", done.stderr), done.stderr


def test_an_error_that_surfaces_later_is_named(monkeypatch):
    """The same with a GPU that is only said to be there."""

    def crashed():
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(checking, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "synchronize", crashed)
    said = r"right\(float32.*n = 3: the operator left an error for a later call\n.*assert"
    with pytest.raises(AssertionError, match=said):
        check(right, torch.add, pair, sizes=[3])


def test_the_largest_error_of_many_elements():
    x = torch.zeros(2**24 + 1, device=device)
    y = x.clone()
    y[0] = -0.5
    assert checking._largest_error((x, x[:0]), (y, x[:0])) == 0.5


def several(n):
    """Two tensors of one memory, and one element repeated n times."""
    q, k = torch.rand(2, n, device=device).unbind()
    return q, [k], {"alpha": 2.0, "x": torch.rand(1, device=device).expand(n)}


def test_inputs_of_all_kinds_keep_their_layout_and_their_addresses():
    def sum_of_all(q, others, more):
        assert q.untyped_storage().data_ptr() == others[0].untyped_storage().data_ptr()
        assert more["x"].stride() == (0,) and more["alpha"] == 2.0
        return q + others[0] * more["x"]

    check(sum_of_all, lambda q, others, more: q + others[0] * more["x"], several, (3, 257))
    check(sum_of_all, lambda q, others, more: q + others[0] * more["x"], several, (3, 257), gradients=True)
    leaf = torch.rand(5, 3, device=device, requires_grad=True)
    check(torch.neg, torch.neg, lambda n: (leaf[1:4].t(),), (1,), gradients=True)
    with pytest.raises(ValueError, match="differ in shape"):
        check(torch.neg, torch.neg, lambda n: (torch.rand(int(torch.randint(1, 2**30, ())) % 1000),), (1,))

    held = Inputs((torch.arange(6, device=device)[1:4],))
    before = held.args[0]
    held.set((torch.arange(10, 16, device=device)[1:4],), OTHER)
    assert held.args[0] is before and before.tolist() == [11, 12, 13] and before.data_ptr() % 16 == 8
    assert before.as_strided((1,), (1,), before.storage_offset() + 3).item() == 0x4242424242424242, "not 14: margin"


def test_only_the_chosen_inputs_get_gradients():
    def chosen(n):
        return torch.rand(n, device=device, requires_grad=True), torch.rand(n, device=device)

    half, product = wrong_operators.no_gradient, wrong_operators.right_product
    check(half, torch.mul, chosen, (3,), gradients=True)  # of b there need be none
    with pytest.raises(AssertionError, match="no gradient of input 1"):
        check(half, torch.mul, pair, (3,), gradients=True)
    with pytest.raises(
        AssertionError, match="wrong gradient of input 1"
    ):  # the reference has none: it stands for zeros
        check(product, lambda a, b: a * b.detach(), pair, (3,), gradients=True)
    with pytest.raises(AssertionError, match="no gradient of input 0"):  # not connected at all
        check(lambda a, b: (a * b).detach(), torch.mul, pair, (3,), gradients=True)
    check(product, torch.mul, chosen, (3,))  # inputs that require gradients, and nobody asks for them


ALLOCATIONS = {
    "empty": lambda x: torch.empty(len(x), device=x.device),
    "new_empty": lambda x: x.new_empty(len(x)),
    "empty_strided": lambda x: torch.empty_strided((len(x),), (1,), device=x.device),
    "zeros": lambda x: torch.zeros(len(x), device=x.device),
    "ones_like": torch.ones_like,
    "full": lambda x: torch.full((len(x),), 7.0, device=x.device),
    "new_full": lambda x: x.new_full((len(x),), 7.0),
    "clone": torch.clone,
    "a sum": lambda x: x + x,
    "one of two": lambda x: torch.sort(x)[0],
    "resized": lambda x: torch.empty(0, device=x.device).resize_(len(x)),
    "resized by out=": lambda x: torch.add(x, x, out=torch.empty(0, device=x.device)),
}


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_memory_from_any_allocation_is_guarded_and_keeps_its_values(name):
    x = torch.arange(5.0, device=device)
    with Guarded():
        result = ALLOCATIONS[name](x)
    if "empty" in name:
        assert result.isnan().all()
    elif name != "resized":
        assert_close(result, ALLOCATIONS[name](x))
    for place, at in ("1 byte after", 20), ("1 byte before", -1), ("5 bytes after", 24), ("9 bytes before", -9):
        with pytest.raises(AssertionError, match=f"the operator wrote {place} a tensor of 20 bytes"), Guarded():
            result = ALLOCATIONS[name](x)
            byte = torch.empty(0, dtype=torch.uint8, device=device)
            byte.set_(result.untyped_storage(), 4 * result.storage_offset() + at, (1,), (1,)).zero_()


def test_strides_views_and_other_tensors_come_through_guarded_as_they_are():
    x = torch.rand(4, 6, device=device)
    with Guarded():
        y = torch.zeros(4, 6, device=device)
        row, columns = y[1], y.t()
        same = y.add_(1)
        channels_last = torch.rand(2, 3, 4, 5, device=device).to(memory_format=torch.channels_last)
        small = torch.empty(0, device=device)
        sparse = x.to_sparse()
        meta = torch.empty(3, device="meta")
        halves = torch.zeros(4, device=device).split(2)
    assert same is y and row.data_ptr() == y.data_ptr() + 24 and columns.data_ptr() == y.data_ptr()
    assert (row == 1).all() and columns.stride() == (1, 6)
    assert channels_last.is_contiguous(memory_format=torch.channels_last)
    assert small.numel() == 0 and sparse.layout == torch.sparse_coo and meta.is_meta
    assert halves[1].data_ptr() == halves[0].data_ptr() + 8
    assert y.data_ptr() % 256 == x.data_ptr() % 256 or device.type == "cpu"


def test_patterns():
    with Guarded():
        x, i = torch.empty(5, device=device), torch.empty(5, dtype=torch.int32, device=device)
        halves = [torch.empty(1, dtype=t, device=device) for t in (torch.half, torch.bfloat16, torch.float64)]
    assert x.isnan().all() and (i == -1).all() and all(t.isnan() for t in halves)
    with Guarded(pattern=OTHER):
        assert (torch.empty(5, dtype=torch.uint8, device=device) == 0x42).all()
    assert NAN != OTHER


def test_an_unwritten_output_that_holds_the_right_byte_by_chance():
    """Both patterns, one after the other: a right result can be one of them, and not both."""
    for value in NAN, OTHER:
        with pytest.raises(AssertionError, match="wrong result"):
            check(
                lambda x: torch.empty(3, dtype=torch.uint8, device=device),
                lambda x, value=value: torch.full((3,), value, dtype=torch.uint8, device=device),
                lambda n: (torch.rand(n, device=device),),
                (3,),
            )


@pytest.mark.parametrize("key", [device.type.upper(), "CompositeExplicitAutograd"])
def test_operators_of_a_library_are_guarded_inside(key):
    """TORCH_LIBRARY's operators reach check() as one call of torch's dispatcher."""
    library = torch.library.Library(f"wrong_{key}", "DEF")
    library.define("neg(Tensor x, int mistake) -> Tensor")
    kept = {}

    def neg(x, mistake):
        if mistake == 3:
            return torch.neg(x, out=kept.setdefault(len(x), torch.empty_like(x)))
        out = torch.empty_like(x)
        torch.neg(x[mistake == 1 :], out=out[mistake == 1 :])
        if mistake == 2:
            wrong_operators.after(out).zero_()
        return out

    library.impl("neg", neg, key)

    def inputs(n):
        return (torch.rand(n, device=device),)

    words = ["", "wrong result", "wrote 1 byte after a tensor", "overwrote the first call's result"]
    for mistake, said in enumerate(words):
        op = functools.partial(getattr(torch.ops, f"wrong_{key}").neg, mistake=mistake)
        if not said:
            check(op, torch.neg, inputs, (0, 3), name="neg")
            continue
        with pytest.raises(AssertionError, match=said):
            check(op, torch.neg, inputs, (3,), name="neg")


def test_an_input_that_only_the_second_call_changes():
    calls = []

    def second_changes(a, b):
        c = right(a, b)
        calls.append(c)
        a[: len(calls) - 1] = 2  # of none, then of one
        return c

    with pytest.raises(AssertionError, match="the operator changed its inputs in the second call"):
        check(second_changes, torch.add, pair, sizes=[3])


# A GPU of 4000 GB/s, whose copy reaches 3600, seen through a clock that says what a test wants.
@pytest.fixture
def fake_gpu(monkeypatch):
    clock = {}
    properties = SimpleNamespace(memory_clock_rate=2_500_000, memory_bus_width=6400, L2_cache_size=50_000_000)
    monkeypatch.setattr(timing, "device", torch.device("cuda"))
    monkeypatch.setattr(timing, "copy_bandwidth", lambda: 3.6e12)
    monkeypatch.setattr(timing, "call_time", lambda op, args: 5e-6)
    monkeypatch.setattr(
        timing, "times_in_turns", lambda ops, args: {name: [clock.get(op, 2e-6)] * 10 for name, op in ops.items()}
    )
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    return SimpleNamespace(clock=clock, properties=properties)


@pytest.mark.parametrize(
    "nbytes, seconds, said",
    [
        (12 * 2**20, 12 * 2**20 / 3.9e12, ""),  # above the copy, and below the peak
        (12 * 2**20, 12 * 2**20 / 4.1e12, "suspect: the memory's peak is 4000 GB/s"),
        (64, 4e-6, ""),
        (64, 2.7e-6, "suspect: no work on this stream"),  # as long as nothing, more or less
        (64, 2.9e-6, ""),
        (0, 2e-6, ""),  # nothing to do takes as long as nothing
    ],
)
def test_a_time_that_is_too_good_is_suspect(nbytes, seconds, said):
    assert timing.suspicion(timing.Timing("x", 1, seconds, 0, 0, nbytes), 4e12, 2e-6) == said


@pytest.mark.parametrize("seconds, said", [(1e-5, ""), (2.1e-6, "  suspect: no work on this stream")])
def test_bench_prints_and_keeps_what_is_suspect(seconds, said, fake_gpu, capsys):
    fake_gpu.clock[right] = seconds
    (row,) = bench({"right": right}, pair, [16], reference=torch.add)
    assert row.suspect == said.strip()
    assert re.search(rf"right .* 5.0 us{said}\n", capsys.readouterr().out)


def test_bench_says_when_a_check_does_not_fit(fake_gpu, monkeypatch, capsys):
    def no_memory(*args):
        raise torch.OutOfMemoryError

    fake_gpu.clock[right] = 1e-5
    monkeypatch.setattr(timing, "check_at", no_memory)
    rows = bench({"right": right, "torch": torch.add}, pair, [16])
    assert rows[0].suspect == "not checked: too little memory"
    assert "5.0 us  not checked: too little memory\n" in capsys.readouterr().out


def test_bench_checks_all_but_torchs(capsys):
    for name in "torch", "torch.compile", "torch: x[1:]":
        bench({name: wrong_operators.never_launched}, pair, [16], reference=torch.add)
    with pytest.raises(AssertionError, match=r"torch_launch_add2\(float32.*wrong result"):
        bench({"torch_launch_add2": wrong_operators.never_launched}, pair, [16], reference=torch.add)


@pytest.mark.parametrize("clock, bus, peak", [(2_500_000, 6400, 4e12), (0, 6400, 4.5e12), (2_500_000, 64, 4.5e12)])
def test_the_peak_of_the_memory(clock, bus, peak, fake_gpu):
    """From clock and bus; a quarter more than the copy where they are not told, or cannot be true."""
    fake_gpu.properties.memory_clock_rate, fake_gpu.properties.memory_bus_width = clock, bus
    assert timing.peak_bandwidth(3.6e12) == pytest.approx(peak)


def test_bench_says_when_it_has_nothing_to_check_with(capsys):
    bench({"wrong": wrong_operators.never_launched}, pair, [16])
    assert "The results were not checked" in capsys.readouterr().out


def test_each_is_named_once_and_in_both_languages():
    names = [wrong.what for wrong in WRONG_OPERATORS]
    assert len(set(names)) == len(names)
    assert set(names) - set(wrong_operators.cpp_words()) == {wrong.what for wrong in WRONG_OPERATORS if wrong.no_cpp}
