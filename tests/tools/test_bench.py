"""`make bench`: what it keeps as data, and what happens to the file when a measurement fails."""

import functools
import importlib
import json
import sys

import pytest

from common import device, timing
from common.timing import Timing
from tests.chapters.opinfo import FUNCTIONS
from tests.support import CHAPTERS, chapter, operators
from tools import chapters
from tools.maintain import bench, results

FIELDS = {"op", "n", "dtype", "kernel", "spread", "call", "bytes", "flops"}
ONLY_MOVES = {op.chapter for op in FUNCTIONS if op.rearranges}  # elements, without arithmetic
WITH_BENCHMARK = [folder.name for folder in CHAPTERS if hasattr(chapter(folder.name), "benchmark")]


@pytest.mark.skipif(device.type == "cuda", reason="make bench does it; CHAPTERS_DEVICE=cpu runs it")
@pytest.mark.parametrize("name", WITH_BENCHMARK)
def test_every_benchmark_gives_tables(name, monkeypatch):
    """Builds the chapter, unless another test has."""
    main = chapter(name)
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)
    small = getattr(importlib.import_module(f"tests.chapters.{name}.operators"), "SMALL", {})
    for constant, value in small.items():
        monkeypatch.setattr(main, constant, value)
    for table, rows in main.benchmark(operators(name)).items():
        data = json.loads(json.dumps(bench.rounded(rows)))
        assert data and "NaN" not in json.dumps(data)
        timed = isinstance(rows, list) and isinstance(rows[0], Timing)
        for row, timing_of_row in zip(data, rows, strict=True) if timed else []:
            assert set(row) == FIELDS | set(timing_of_row.more), row
            assert row["kernel"] > 0 and row["bytes"] > 0 and row["dtype"], row
            assert row["flops"] > 0 or table == "call" or name in ONLY_MOVES, row  # no place in the roofline


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs `make bench` in a repository of three small chapters and gives (error, figures in the file)."""
    monkeypatch.setattr(bench, "folders", lambda function: chapters.folders(function, tmp_path))
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(bench, "machine", lambda: "small")
    monkeypatch.setattr(bench, "circumstances", dict)
    for name, text in {
        "01_nothing": "",
        "02_first": "def benchmark(module): return {'t': [module]}\ndef build(): return 1.23456",
        "03_second": "import sys\nsys.path.insert(0, __file__[:-8])\nimport beside\n"
        "def benchmark(module): return {'t': beside.rows}\ndef build(): pass",
    }.items():
        (tmp_path / "chapters" / name).mkdir(parents=True)
        (tmp_path / "chapters" / name / "main.py").write_text(text)
    (tmp_path / "chapters/03_second/beside.py").write_text("rows = [3]")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["bench.py", *arguments])
        monkeypatch.setattr(sys, "path", [*sys.path])  # which chapter 03 extends
        monkeypatch.setattr(bench, "load", functools.cache(chapters.load.__wrapped__))  # as in a new process
        sys.modules.pop("beside", None)
        try:
            error = bench.main()
        except SystemExit as end:
            error = end.code
        figures = json.loads((tmp_path / "results/small.json").read_text())
        return error, {name: measured["tables"]["t"] for name, measured in figures.items()}

    return call


def test_chapters_are_measured_one_by_one(run):
    assert run("03") == (None, {"03_second": [3]})
    assert run() == (None, {"02_first": [1.235], "03_second": [3]})


@pytest.mark.parametrize("failure", ["raise RuntimeError('the GPU is gone')", "import sys; sys.exit('does not build')"])
def test_a_chapter_that_fails_keeps_its_figures(run, tmp_path, failure, capsys):
    run()
    (tmp_path / "chapters/02_first/main.py").write_text(f"def build(): {failure}\ndef benchmark(module): pass")
    (tmp_path / "chapters/03_second/beside.py").write_text("rows = [44]")
    error, after = run()
    assert "02_first" in error and failure.split("'")[1] in capsys.readouterr().err
    assert after == {"02_first": [1.235], "03_second": [44]}


@pytest.mark.skipif(device.type == "cuda", reason="about a machine without a GPU")
def test_without_a_gpu_the_figures_are_a_cpus():
    assert bench.machine() == "cpu" and "gpu" not in bench.circumstances()


def test_a_copy_is_told_its_commit(monkeypatch):
    monkeypatch.setenv("COMMIT", "4f2a91c")
    assert results.commit() == "4f2a91c"
