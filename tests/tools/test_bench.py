"""`make bench`: what it keeps as data, and what happens to the file when a measurement fails."""

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support import CHAPTERS, ROOT, chapter, operators

from common import device, timing
from common.timing import Timing

sys.path.insert(0, str(ROOT / "tools"))
import bench

FIELDS = {"op", "n", "dtype", "kernel", "spread", "call", "bytes", "flops"}
WITH_BENCHMARK = [folder.name for folder in CHAPTERS if hasattr(chapter(folder.name), "benchmark")]


def test_committed_figures_are_complete():
    for file in (ROOT / "results").glob("nvidia-*.json"):
        for name, measured in json.loads(file.read_text()).items():
            assert (ROOT / "chapters" / name).is_dir()
            assert all(measured[key] != "unknown" for key in ("gpu", "driver", "torch", "nvcc", "date", "commit"))
            assert measured["limits"].keys() == {"copy", "flops", "l2_bytes"}
            for row in (row for rows in measured["tables"].values() for row in rows if "kernel" in row):
                assert set(row) >= FIELDS, row
                assert math.isclose(row["of_copy"], row["bytes"] / row["kernel"] / row["copy"], rel_tol=1e-3), row


def test_no_cpu_times_are_committed():
    assert "results/cpu.json" in (ROOT / ".gitignore").read_text().split()


@pytest.mark.skipif(device.type == "cuda", reason="make bench does it; CHAPTERS_DEVICE=cpu runs it")
@pytest.mark.parametrize("name", WITH_BENCHMARK)
def test_every_benchmark_gives_tables(name, monkeypatch):
    """Builds the chapter, unless another test has."""
    main = chapter(name)
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)
    small = {"SIDES": [8], "SIZES": [16], "LARGE": 2**11, "STEPS": 10, "IMAGES": [(8, 16)], "VOLUMES": [(2, 8, 8)]}
    for constant, value in small.items():
        if hasattr(main, constant):
            monkeypatch.setattr(main, constant, value)
    monkeypatch.setattr(sys, "path", [str(main.here), *sys.path])
    for rows in main.benchmark(operators(name)).values():
        data = json.loads(bench.as_json(bench.rounded(rows)))
        assert data and "NaN" not in json.dumps(data)
        for row in data if isinstance(rows[0] if isinstance(rows, list) else None, Timing) else []:
            assert set(row) == FIELDS, row
            assert row["kernel"] > 0 and row["bytes"] > 0 and row["flops"] > 0 and row["dtype"], row


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs `make bench` in a repository of three small chapters and gives (error, figures in the file)."""
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(bench, "machine", lambda: "small")
    monkeypatch.setattr(bench, "circumstances", dict)
    for name, text in {
        "01_nothing/main.py": "",
        "02_first/main.py": "def benchmark(module): return {'t': [module]}\ndef build(): return 1.23456",
        "03_second/main.py": "import beside\ndef benchmark(module): return {'t': beside.rows}\ndef build(): pass",
        "03_second/beside.py": "rows = [3]",
    }.items():
        (tmp_path / "chapters" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "chapters" / name).write_text(text)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["bench.py", *arguments])
        sys.modules.pop("beside", None)
        error = None
        try:
            bench.main()
        except SystemExit as end:
            error = end.code
        file = tmp_path / "results" / "small.json"
        return error, {name: measured["tables"]["t"] for name, measured in json.loads(file.read_text()).items()}

    return call


def test_chapters_are_measured_one_by_one(run):
    assert run("03") == (None, {"03_second": [3]})
    assert run() == (None, {"02_first": [1.235], "03_second": [3]})
    assert "has nothing to measure" in run("01")[0]
    assert run("99")[0] == "There is no chapter 99"


@pytest.mark.parametrize("failure", ["raise RuntimeError('the GPU is gone')", "import sys; sys.exit('does not build')"])
def test_a_chapter_that_fails_keeps_its_figures(run, tmp_path, failure, capsys):
    run()
    (tmp_path / "chapters/02_first/main.py").write_text(f"def build(): {failure}\ndef benchmark(module): pass")
    (tmp_path / "chapters/03_second/beside.py").write_text("rows = [44]")
    error, after = run()
    assert "02_first" in error and failure.split("'")[1] in capsys.readouterr().err
    assert after == {"02_first": [1.235], "03_second": [44]}


def test_interrupted_it_keeps_the_file(run, tmp_path, monkeypatch):
    before = run()[1]
    with monkeypatch.context() as patch:  # while the new file is written

        def half(file, text):
            file.write_bytes(text[: len(text) // 2].encode())
            raise KeyboardInterrupt

        patch.setattr(Path, "write_text", half)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert run("03")[1] == before
    (tmp_path / "chapters/02_first/main.py").write_text("def build(): raise KeyboardInterrupt\nbenchmark = print")
    with pytest.raises(KeyboardInterrupt):
        run()
    assert run("03")[1] == before


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit(tmp_path, monkeypatch):
    main = tmp_path / "copy" / "chapters" / "main.py"
    main.parent.mkdir(parents=True)
    main.write_text("1")
    monkeypatch.setattr(bench, "ROOT", tmp_path / "copy")
    monkeypatch.delenv("COMMIT", raising=False)

    def commit(folder):
        for arguments in ["init", "-q"], ["add", "."], ["commit", "-qm", "one"]:
            subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=folder, check=True)

    commit(tmp_path)
    assert bench.commit() == "unknown"  # the folder above is another repository
    commit(tmp_path / "copy")
    clean = bench.commit()
    main.with_name("README.md").write_text("changes no figure")
    assert re.fullmatch("[0-9a-f]{7,}", clean) and bench.commit() == clean
    main.write_text("2")
    assert bench.commit() == f"{clean}, changed"
    monkeypatch.setenv("COMMIT", "from elsewhere")
    assert bench.commit() == "from elsewhere"


def test_the_machine(monkeypatch):
    if device.type == "cpu":
        assert bench.machine() == "cpu" and "gpu" not in bench.circumstances()
    monkeypatch.setattr(bench, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA A100-SXM4-40GB (x)")
    assert bench.machine() == "nvidia-a100-sxm4-40gb-x"
