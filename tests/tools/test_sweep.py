"""`make sweep`: the shapes that it draws, right, wrong, missing and refusing contenders, and what docs.py shows of it."""

import dataclasses
import itertools
import json
import math
import sys

import pytest
import torch

from common import Contest, device, timing
from tests.support import CHAPTERS, chapter, operators
from tools import chapters
from tools.maintain import drawing, sweep, swept, tables

FLOATS = torch.float32, torch.bfloat16, torch.float64
NEG = Contest(torch.neg, lambda rows, columns, dtype: (torch.ones(rows, columns, dtype=dtype),), 2, FLOATS)
SWEPT = [folder.name for folder in CHAPTERS if hasattr(chapter(folder.name), "sweep")]
without_gpu = pytest.mark.skipif(device.type == "cuda", reason="make sweep does it; CHAPTERS_DEVICE=cpu runs it")


# ---- shapes ------------------------------------------------------------------------------------------------------------
def test_drawn_shapes_fit_are_half_odd_and_begin_where_they_may():
    shapes = sweep.draw(dataclasses.replace(NEG, named=((7, 8, torch.float16),)), 400, "1")
    named, *shapes = shapes
    assert named == sweep.Shape(7, 8, torch.float16, 0)
    assert all(2 * s.rows * s.columns * s.dtype.itemsize <= sweep.LIMIT for s in shapes)
    assert all(s.rows % 2 and s.columns % 2 or 2 in (s.rows, s.columns) for s in shapes[::2])  # 2 is a prime
    assert all(n == sweep.round_below(n) for s in shapes[1::2] for n in (s.rows, s.columns))
    assert all(s.offset % s.dtype.itemsize == 0 for s in shapes)
    assert {(s.dtype, s.offset) for s in shapes} > {(torch.bfloat16, o) for o in (0, 2, 4, 8)} | {(torch.float64, 8)}
    assert {s.dtype for s in shapes} == set(FLOATS)
    logs = sorted(math.log2(s.rows) for s in shapes)
    assert logs[0] < 1 and 6 < logs[200] < 12 and logs[-1] > 24, "small, middle and large alike"


def test_a_seed_gives_the_same_shapes_and_a_longer_list_begins_with_a_shorter_one():
    assert sweep.draw(NEG, 30, "a")[:10] == sweep.draw(NEG, 10, "a") != sweep.draw(NEG, 10, "b")


def test_numbers_below():
    assert [sweep.prime_below(n) for n in (1, 2, 4, 100, 2**31)] == [1, 2, 3, 97, 2**31 - 1]
    assert [sweep.odd_below(n) for n in (1, 2, 7, 100)] == [1, 1, 7, 99]
    assert [sweep.round_below(n) for n in (1, 7, 9, 5555, 2**20)] == [1, 7, 8, 5120, 2**20]


def test_random_shapes_are_divided_among_operators_whatever_shapes_have_names():
    named = dataclasses.replace(NEG, named=((1, 1, torch.float32),) * 4)
    assert sweep.shares([NEG, named, NEG], 12) == [4, 4, 4]
    assert sweep.shares([NEG, named], 3) == [2, 1]


def test_a_slice_begins_where_it_should_and_has_the_same_values():
    matrix = torch.arange(6, dtype=torch.float16).view(2, 3)
    for x, offset in itertools.product((matrix, matrix.mT), (0, 2, 4, 8)):
        y = sweep.at_offset(x, offset)
        assert y.data_ptr() % 16 == offset and torch.equal(x, y) and y.stride() == x.stride()


# ---- every chapter -----------------------------------------------------------------------------------------------------
@without_gpu
@pytest.mark.parametrize("name", SWEPT)
def test_every_chapters_contests_are_right_at_random_shapes(name, monkeypatch):
    """Builds the chapter, unless another test has."""
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)
    for operator, contest in chapter(name).sweep().items():
        for shape in sweep.draw(dataclasses.replace(contest, named=()), 6, operator, limit=2**14):
            contest = dataclasses.replace(chapter(name).sweep()[operator], peers={})
            row = sweep.measure(sweep.operator_of(operators(name), operator, contest), contest, shape, None, {})
            assert "wrong" not in row and "failed" not in row, f"{operator} {shape}: {row}"
            assert row["ours"] > 0 and row["peers"]["torch"] > 0
            if contest.sides > 2:
                continue
            moved = contest.moves * shape.rows * shape.columns * shape.dtype.itemsize
            beside = 2 * shape.columns * shape.dtype.itemsize + 8 * 256  # weight and its gradient, the bins
            assert moved <= row["bytes"] <= moved + beside, f"{operator}: moves is not what it reads and writes"


def test_every_chapter_shows_its_shapes():
    for name in SWEPT:
        results = next(folder for folder in CHAPTERS if folder.name == name) / "RESULTS.md"
        assert f'<!--= swept("{name}") =-->' in results.read_text()


# ---- a whole sweep -----------------------------------------------------------------------------------------------------
MAIN = """
import types, torch
from common import Contest

def last_is_wrong(x):
    y = -x
    y.view(-1)[-1] += 1
    return y

def missing():
    import no_such_library

def refuses():
    def op(x):
        raise RuntimeError("only multiples of 8")
    return op

def build():
    return types.SimpleNamespace(right=lambda x: -x, wrong=last_is_wrong)

def sweep():
    inputs = lambda rows, columns, dtype: (torch.rand(rows % 5 + 1, columns % 7 + 1).to(dtype),)
    it = Contest(torch.neg, inputs, 2, (torch.float32, torch.bfloat16), named=((3, 4, torch.float32),),
                 tolerance=lambda dtype: torch.finfo(dtype).eps,
                 peers={"Missing": missing, "Refusing": refuses, "Identity": lambda: torch.clone})
    return {"right": it} | ({"wrong": it} if WRONG else {})
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """run(words, wrong) gives (what main() ends with, the file's figures) of a repository with one small chapter."""
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)
    monkeypatch.setattr(sweep, "folders", lambda function: chapters.folders(function, tmp_path))
    monkeypatch.setattr(sweep, "RESULTS", tmp_path / "results")
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(sweep, "needs_gpu", lambda: None)
    main = tmp_path / "chapters/04_small/main.py"
    main.parent.mkdir(parents=True)

    def call(words="", wrong=False):
        main.write_text(f"WRONG = {wrong}\n{MAIN}")
        monkeypatch.setattr(sys, "argv", ["sweep.py", *words.split()])
        try:
            end = sweep.main()
        except SystemExit as error:
            end = error.code
        file = next(tmp_path.glob("results/sweep/*.json"), None)
        return end, file and json.loads(file.read_text())["04_small"]

    return call


@without_gpu
def test_a_sweep_prints_and_keeps_what_it_finds(run, capsys):
    end, kept = run("--seed 7 --shapes 3")
    out = capsys.readouterr().out
    assert not end and kept["seed"] == 7
    rows = kept["tables"]["right"]
    assert [(row["rows"], row["columns"]) for row in rows[:1]] == [(3, 4)] and len(rows) == 4
    for row in rows:
        assert set(row["peers"]) == {"torch", "Identity"} and row["ours"] > 0
        assert row["failed"] == {"Refusing": "RuntimeError: only multiples of 8"}
    assert out.count("not compared with Missing: ModuleNotFoundError") == 1
    assert "seed 7" in out and "04 right, 4 shapes" in out and "the worst" in out and out.count("Refusing:") == 8


@without_gpu
def test_a_wrong_result_is_reported_loudly_and_fails_the_run(run, capsys):
    end, kept = run("--seed 7 --shapes 0", wrong=True)
    assert "WRONG RESULTS at 1 shapes:\n04_small wrong 3 x 4 float32" in end
    assert "WRONG RESULT: Tensor-likes are not close" in capsys.readouterr().out
    assert "ours" in kept["tables"]["right"][0] and "ours" not in kept["tables"]["wrong"][0]


def test_a_result_between_two_of_float16s_smallest_numbers_may_become_either():
    contest = dataclasses.replace(NEG, formula=lambda x: x / 2, tolerance=lambda dtype: 1e-3)
    x = torch.full((8,), 2**-24, dtype=torch.float16, device=device)  # the smallest: half of it becomes 0
    sweep.check(x, contest, [x], torch.float16)
    with pytest.raises(AssertionError):
        sweep.check(3 * x, contest, [x], torch.float16)


def test_an_error_is_measured_by_the_size_of_its_row_or_of_all_rows():
    contest = dataclasses.replace(NEG, tolerance=lambda dtype: 1e-2)
    x = torch.ones(100, 4, device=device)
    x[0, 1:], x[1, 0], x[2] = 1000, 0, 0
    for row, error, right in ((0, 4.0, True), (0, 20.0, False), (1, 0.5, True), (2, 0.5, True), (2, 2.0, False)):
        result = -x
        result[row, 0] += error
        try:
            sweep.check(result, contest, [x], torch.float32)
        except AssertionError:
            assert not right, f"{error} in row {row}"
        else:
            assert right, f"{error} in row {row}"


@without_gpu
def test_times_that_cannot_be_true_count_for_nobody_and_short_memory_is_no_mistake(monkeypatch):
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)

    def row(ours=torch.neg, peak=1e30):
        return sweep.measure(ours, NEG, sweep.Shape(99, 99, torch.float32), (peak, 0.0), {})

    assert row()["ours"] > 0 and "failed" not in row()
    assert row(peak=1.0)["wrong"].startswith("suspect: the memory's peak")
    monkeypatch.setattr(sweep, "suspicion", lambda timing, *limits: "suspect" if timing.name == "torch" else "")
    assert row()["peers"] == {} and row()["failed"] == {"torch": "suspect"} and swept.ratio(row()) is None
    assert "TypeError" in row(lambda: None)["wrong"]

    def short(*_):
        raise torch.OutOfMemoryError("too little")

    assert row(short)["wrong"] == "OutOfMemoryError: too little"
    monkeypatch.setattr(sweep, "check", short)
    assert row()["ours"] > 0 and "not checked: too little memory" in swept.line(row())


@without_gpu
def test_when_time_is_over_it_says_what_is_left(run, capsys):
    assert run("--minutes 0 --shapes 4") == (None, None)
    assert "5 of 5 shapes left" in capsys.readouterr().out


@without_gpu
def test_what_an_operator_has_no_time_for_is_measured_at_the_end(run, monkeypatch, capsys):
    whole = sweep.sweep_operator

    def only_one(main, module, operator, shapes, *more):
        return whole(main, module, operator, shapes[:1], *more)

    monkeypatch.setattr(sweep, "sweep_operator", only_one)
    end, kept = run("--seed 7 --shapes 2")
    assert not end and len(kept["tables"]["right"]) == 2
    assert "time is over: 1 of 3 shapes left" in capsys.readouterr().out


def test_a_list_needs_no_gpu_and_an_unknown_chapter_is_named(run, capsys):
    assert run("--list --shapes 2") == (None, None)
    assert capsys.readouterr().out.count("\n    ") == 3
    assert "No sweep() in chapter 99" in run("--chapters 99")[0]


@without_gpu
def test_without_a_gpu_it_says_so_in_a_line(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["sweep.py"])
    with pytest.raises(SystemExit, match="^make sweep measures a GPU, and this run has none; .*$"):
        sweep.main()


# ---- figures -----------------------------------------------------------------------------------------------------------
def rows_of(*figures):
    """Each figure: (bytes, our seconds, torch's)."""
    shape = {"rows": 5, "columns": 3, "dtype": "float32", "offset": 4}
    return [shape | {"bytes": b, "ours": t, "peers": {"torch": peer, "slow": 9.0}} for b, t, peer in figures]


def test_what_is_good_and_what_misses_its_target():
    rows = rows_of((2**24, 1.0, 1.2), (2**25, 1.0, 0.85), (2**26, 1.0, 1.1), (2**23, 1.0, 0.75), (2**10, 1.0, 3.0))
    assert [*swept.cells(rows).values()] == ["1.10", "0.85 *", "0.75 *"]
    assert [*swept.cells(rows[-1:]).values()] == ["", "", "3.00"]
    text = swept.report({("04_small", "op"): rows * 3})
    assert text.index("0.75  ours") < text.index("0.85  ours") < text.index("1.10  ours")
    assert text.count("begins at byte 4") == 10


def test_docs_show_a_table_and_a_picture_for_each_machine(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert swept.swept("04_small", folder=tmp_path).startswith(tables.NOTHING) and not swept.is_stale("04_small")
    here = {"gpu": "Some GPU", "driver": "1", "torch": "2", "nvcc": "13", "date": "today", "commit": "abc"}
    measured = here | {"tables": {"op": rows_of((2**24, 1.0, 1.2), (2**10, 1.0, 3.0))}}
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep/some-gpu.json").write_text(json.dumps({"04_small": measured, "05_other": measured}))
    text = swept.swept("04_small", folder=tmp_path)
    assert "| op | 2 | 1.20 | 1.20 | 3.00 |" in text and "Some GPU" in text and "[sweep/some-gpu.json](sweep/" in text
    assert swept.is_stale("04_small")
    swept.draw("04_small")
    assert not swept.is_stale("04_small")
    for theme in drawing.COLOURS:
        svg = (tmp_path / f"pictures/sweep-some-gpu-04_small-{theme}.svg").read_text()
        assert "ours, GB/s" in svg and f"pictures/sweep-some-gpu-04_small-{theme}.svg" in text
