"""results/: figures as data, the tables and pictures made from them, and what happens when a measurement fails.

The figures in here are invented, and stay in a temporary folder.
"""

import json
import math
import re
import shutil
import subprocess
import sys

import pytest
import torch
from support import CHAPTERS, ROOT, chapter, operators

from common import device, timing
from common.timing import Timing

sys.path.insert(0, str(ROOT / "tools"))
import bench
import charts
import files
import notes
import tables

FIELDS = {"op", "n", "dtype", "kernel", "spread", "call", "bytes", "flops", "copy", "of_copy"}
WITH_BENCHMARK = [folder.name for folder in CHAPTERS if hasattr(chapter(folder.name), "benchmark")]
COMMITTED = [file for file in sorted((ROOT / "results").glob("*.json")) if file.name != "cpu.json"]


def row(op, k, kernel, **others):
    return Timing(op, 2**k, kernel, 0.0312345, 5e-6, 12 * 2**k, 2**k, 4e12, **{"dtype": "float32"} | others)


def invented():
    """The figures of a GPU that does not exist."""
    made_with = {"gpu": "Imaginary", "driver": "1.2", "torch": "2.11.0", "nvcc": "13.0", "date": "2026-01-02"}
    limits = {"copy": 4e12, "flops": 5e13, "l2_bytes": 50 * 2**20}
    sweep = [row(op, k, t * 2**k) for op, t in (("add", 3.1e-12), ("torch", 4.1e-12)) for k in (10, 20, 28)]
    flight = [row(f"{n} x float", 28, 1e-3 / n, more={"width": w, "loads": n, "in_flight": 2**14 * n * w})
              for w in (1, 4) for n in (1, 2)]  # fmt: skip
    curves = {"C++": [0.7, 0.4, 0.2, 0.1], "linear": [0.7, 0.69, 0.69, 0.69]}
    training = {"steps": 4, "losses": curves, "seconds": {"C++": 1e-3, "linear": 2e-3}}
    memory = [{"op": "add", "n": 4, "dtype": "float32", "saved": 0, "held": 2**22, "peak": 2**23}]
    batch = [{"op": "gray", "images": 64, "seconds": 1e-3}]
    made = {"sweep": sweep, "flight": flight, "training": training, "memory": memory, "batch": batch}
    return {"06_vec4": made_with | {"commit": "abc1234", "limits": limits, "tables": bench.rounded(made)}}


@pytest.fixture
def imaginary(tmp_path, monkeypatch):
    """results/imaginary.json in a temporary folder, where tables and pictures now look for it."""
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    monkeypatch.setattr(charts, "PICTURES", tmp_path / "pictures")
    files.write(tmp_path / "imaginary.json", bench.as_json(invented()))
    return tmp_path / "imaginary.json"


def change(file, edit):
    data = json.loads(file.read_text())
    edit(data["06_vec4"])
    files.write(file, bench.as_json(data))


def block(kind, what, machine="imaginary"):
    return f"before\n<!-- {kind} from {machine}: {what} -->\n<!-- end of {kind} -->\nafter\n"


# ---- what is committed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", COMMITTED, ids=lambda file: file.name)
def test_committed_figures_are_complete(file):
    for name, measured in json.loads(file.read_text()).items():
        assert (ROOT / "chapters" / name).is_dir()
        assert all(isinstance(measured[key], str) and measured[key] not in ("", "unknown") for key in tables.MADE_WITH)
        assert re.fullmatch(r"[0-9a-f]{7,40}(, changed)?", measured["commit"])
        assert measured["limits"].keys() == {"copy", "flops", "l2_bytes"}
        timings = [row for rows in measured["tables"].values() for row in rows if "kernel" in row]
        assert timings
        for row in timings:
            assert set(row) >= FIELDS, row
            assert math.isclose(row["of_copy"], row["bytes"] / row["kernel"] / row["copy"], rel_tol=1e-3), row


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_no_cpu_times_are_committed():
    listed = subprocess.run(["git", "ls-files", "results/cpu.json"], cwd=ROOT, capture_output=True, text=True).stdout
    ignored = "results/cpu.json" in (ROOT / ".gitignore").read_text().split()
    assert not listed and ignored


# ---- tables and pictures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what, expected", [
    ("06_vec4 sweep", "| 2^28 | add | 832 us | 3% | 3871 | 0.97 | 5.0 us |"),
    ("06_vec4 memory", "| add | 0 MiB | 4 MiB | 8 MiB |"),
    ("06_vec4 batch", "| gray | 64 | 1.00 ms | 64000 |"),
    ("06_vec4 training", "| C++ | 0.7 | 0.4 | 0.2 | 0.1 | 1.00 ms |"),
    ("roofline", "| 06 | add | 2^28 | 0.083 | 323 | memory | 0.97 |"),
])  # fmt: skip
def test_a_table_says_figures_and_where_they_are_from(imaginary, what, expected):
    text = notes.filled(block("table", what), imaginary.parent)
    assert text.startswith("before\n<!--") and text.endswith("<!-- end of table -->\nafter\n")
    assert expected in text
    assert "Imaginary, driver 1.2, torch 2.11.0, nvcc 13.0; 2026-01-02, commit abc1234. Data: [imaginary.json]" in text
    assert notes.filled(text, imaginary.parent) == text


def test_a_table_that_differs_by_a_digit_is_noticed(imaginary):
    text = notes.filled(block("table", "06_vec4 sweep"), imaginary.parent)
    for figure in "832 us", "0.97", "3871", "abc1234":
        changed = text.replace(figure, figure.replace(figure[0], "9" if figure[0] != "9" else "8", 1), 1)
        assert changed != text and notes.filled(changed, imaginary.parent) == text
    change(imaginary, lambda measured: measured["tables"]["sweep"][2].update(kernel=8.33e-4))
    assert notes.filled(text, imaginary.parent) != text


def test_variations_and_float64_are_not_in_the_roofline():
    data = invented()
    more = [row("add: x[1:]", 30, 1e-3), row("add", 29, 1e-3, dtype="float64"), row("torch.compile", 30, 1e-3)]
    data["06_vec4"]["tables"]["others"] = bench.rounded(more)
    shown = [(row["op"], row["n"], row["dtype"]) for _, row, *_ in tables.roofline_rows(data)]
    assert shown == [(op, 2**28, "float32") for op in ("add", "1 x float", "2 x float")]


def test_the_limit_that_holds_is_the_lower_one():
    data = invented()
    data["06_vec4"]["tables"] = {"sizes": bench.rounded([row("much arithmetic", 20, 1e-3)])}
    data["06_vec4"]["tables"]["sizes"][0]["flops"] = 1000 * 12 * 2**20
    ((_, _, intensity, _, limit),) = tables.roofline_rows(data)
    assert intensity == 1000 and limit == 5e13


@pytest.mark.parametrize("what", ["06_vec4 sweep", "06_vec4 flight", "06_vec4 training", "roofline"])
def test_a_picture_is_drawn_again_when_its_figures_change(imaginary, what):
    pytest.importorskip("matplotlib")
    which = ("imaginary", *what.split(), *[None] * (2 - len(what.split())))
    assert charts.is_stale(*which)
    charts.draw(*which)
    assert not charts.is_stale(*which)
    first = {file: file.read_bytes() for file in charts.PICTURES.iterdir()}
    charts.draw(*which)
    assert first == {file: file.read_bytes() for file in charts.PICTURES.iterdir()} and len(first) == 2
    name = what.split()[-1] if what != "roofline" else "sweep"

    def by_a_digit(measured):
        rows = measured["tables"][name]
        if name == "training":
            rows["losses"]["C++"][3] += 0.001
        else:
            rows[2]["kernel"] *= 1.001

    change(imaginary, by_a_digit)
    assert charts.is_stale(*which)


def test_the_markup_of_a_picture(imaginary):
    text = notes.filled(block("picture", "06_vec4 sweep"), imaginary.parent / "chapter")
    assert '<source media="(prefers-color-scheme: dark)" srcset="../pictures/imaginary-06_vec4-sweep-dark.svg">' in text
    alt, src = re.search('<img alt="([^"]+)" src="([^"]+)">', text).groups()
    assert src == "../pictures/imaginary-06_vec4-sweep-light.svg"
    assert "At the largest size: add 3871, torch 2926; a copy 4000." in alt
    assert "[imaginary.json](../imaginary.json)" in text


def test_without_matplotlib_a_clear_message(imaginary, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match="pip install matplotlib"):
        charts.draw("imaginary", "06_vec4", "sweep")
    assert charts.is_stale("imaginary", "06_vec4", "sweep")  # and this needs none


@pytest.mark.parametrize("what", ["06_vec4 others", "03_add2 sizes"])
@pytest.mark.parametrize("kind", ["table", "picture"])
def test_what_is_not_measured_yet_is_left_and_named(imaginary, kind, what):
    for text in block(kind, what), block(kind, what, "unheard-of"), block(kind, "roofline", "unheard-of"):
        assert notes.filled(text) == text
        assert notes.missing(text) == [text.split("\n")[1]]


@pytest.mark.parametrize("kind", ["table", "picture"])
def test_cpu_times_are_refused(imaginary, kind):
    imaginary.with_name("cpu.json").write_text(imaginary.read_text())
    with pytest.raises(ValueError, match="times without a GPU say nothing"):
        notes.filled(block(kind, "06_vec4 sweep", "cpu"))
    change(imaginary, lambda measured: measured.pop("gpu"))  # under another name
    with pytest.raises(ValueError, match="was not measured on a GPU"):
        notes.filled(block(kind, "06_vec4 sweep"))


def test_check_says_what_differs(imaginary, monkeypatch, capsys):
    readme = imaginary.with_name("README.md")
    readme.write_text(block("table", "06_vec4 sweep"))
    monkeypatch.setattr(notes, "readmes", lambda: [readme])
    monkeypatch.setattr(notes, "ROOT", imaginary.parent)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["notes.py", *arguments])
        try:
            notes.main()
        except SystemExit as end:
            return bool(end.code), capsys.readouterr().out
        return False, capsys.readouterr().out

    assert run("--check") == (True, "README.md differs from results/: run `python tools/notes.py`\n")
    assert run() == (False, "")
    assert run("--check") == (False, "")
    readme.write_text(block("table", "03_add2 sizes"))
    said = "README.md <!-- table from imaginary: 03_add2 sizes -->: results/ has nothing for it yet\n"
    assert run() == (False, said) and run("--check") == (True, said)
    readme.write_text(notes.filled(block("picture", "06_vec4 sweep"), imaginary.parent))
    assert run("--check") == (
        True,
        "the picture of imaginary 06_vec4 sweep differs from results/: run `python tools/notes.py`\n",
    )


# ---- measuring ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(device.type == "cuda", reason="make bench does it; CHAPTERS_DEVICE=cpu runs it")
@pytest.mark.parametrize("name", WITH_BENCHMARK)
def test_every_benchmark_gives_tables(name, monkeypatch):
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
            assert FIELDS - {"copy", "of_copy"} == set(row), row
            assert row["kernel"] > 0 and row["bytes"] > 0 and row["flops"] > 0 and row["dtype"], row


@pytest.mark.parametrize("flops, expected", [(2, [6, 10]), (lambda n: n**3, [27, 125])])
def test_operations_for_an_element_or_a_call(monkeypatch, flops, expected):
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 2)
    rows = timing.bench({"square": torch.square}, lambda n: (torch.rand(n, device=device),), [3, 5], flops)
    assert [row.flops for row in rows] == expected


def test_digits_and_the_fraction_of_a_copy():
    data = bench.rounded(row("add", 20, 3.14159265e-6, more={"in_flight": 16384}))
    assert set(data) == FIELDS | {"in_flight"}
    assert data["kernel"] == 3.142e-6 and data["spread"] == 0.03123 and data["n"] == 2**20
    assert data["of_copy"] == float(f"{12 * 2**20 / 3.142e-6 / 4e12:.4g}")


def test_a_mark_is_kept_and_shown():
    rows = bench.rounded([row("add", 20, 1e-6, suspect="suspect: why"), row("torch", 20, 4e-6)])
    assert [data.get("suspect") for data in rows] == ["suspect: why", None]
    assert [line[5] for line in tables._timings(rows)] == ["of copy", "3.15 (suspect: why)", "0.79"]


def test_a_row_is_a_line():
    data = invented()
    text = bench.as_json(data)
    assert json.loads(text) == data
    assert sum('"kernel"' in line for line in text.splitlines()) == text.count('"kernel"')


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A repository with chapters of straw; returns a function that runs `make bench` in it and gives what is written."""
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(bench, "machine", lambda: "straw")
    monkeypatch.setattr(bench, "limits", dict)
    monkeypatch.setenv("COMMIT", "abc1234")
    for name, text in {
        "01_nothing": "",
        "02_first": "def benchmark(module): return {'t': [module]}\ndef build(): return 1.23456",
        "03_second": "import beside\ndef benchmark(module): return {'t': beside.rows}\ndef build(): pass",
    }.items():
        (tmp_path / "chapters" / name).mkdir(parents=True)
        (tmp_path / "chapters" / name / "main.py").write_text(text)
    (tmp_path / "chapters" / "03_second" / "beside.py").write_text("rows = [3]")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bench.py", *arguments])
        sys.modules.pop("beside", None)
        try:
            bench.main()
            code = None
        except SystemExit as end:
            code = end.code
        file = tmp_path / "results" / "straw.json"
        written = json.loads(file.read_text()) if file.exists() else {}
        return code, {name: measured["tables"]["t"] for name, measured in written.items()}

    return run


def test_chapters_are_measured_one_by_one(folders):
    assert folders("03") == (None, {"03_second": [3]})
    assert folders() == (None, {"02_first": [1.235], "03_second": [3]})
    assert "has nothing to measure" in folders("01")[0]
    assert folders("99")[0] == "There is no chapter 99"


@pytest.mark.parametrize("failure", ["raise RuntimeError('the GPU is gone')", "import sys; sys.exit('does not build')"])
def test_a_chapter_that_fails_leaves_the_rest(folders, tmp_path, failure, capsys):
    before = folders()[1]
    main = tmp_path / "chapters" / "02_first" / "main.py"
    main.write_text(f"def build(): {failure}\ndef benchmark(module): pass")
    (tmp_path / "chapters" / "03_second" / "beside.py").write_text("rows = [44]")
    code, after = folders()
    assert "02_first" in code and failure.split("'")[1] in capsys.readouterr().err
    assert after == before | {"03_second": [44]}


def test_interrupted_while_measuring(folders, tmp_path):
    before = folders()[1]
    (tmp_path / "chapters/02_first/main.py").write_text("def build(): raise KeyboardInterrupt\nbenchmark = print")
    with pytest.raises(KeyboardInterrupt):
        folders()
    assert folders("03")[1] == before


# What ends a program when it has written a file but for the last step.
STOPS = {
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "interrupted": "raise KeyboardInterrupt",
    "full disk": "raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))",
}


@pytest.mark.parametrize("stop", STOPS)
def test_a_file_is_written_whole_or_not_at_all(tmp_path, stop):
    file = tmp_path / "sizes.txt"
    write = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import files, pathlib\n"
    write += f"files.rewrite(pathlib.Path({str(file)!r}), lambda old: old + '0123456789' * 10**5)"
    stopped = f"import errno, os, signal\ndef stop(*_):\n    {STOPS[stop]}\nos.fsync = stop\n{write}"
    subprocess.run([sys.executable, "-c", write], check=True)
    done = subprocess.run([sys.executable, "-c", stopped], stderr=subprocess.PIPE, text=True)
    assert done.returncode and file.stat().st_size == 10**6
    if stop == "full disk":
        assert done.stderr == f"{file} could not be written, and is what it was: No space left on device\n"
        assert list(tmp_path.iterdir()) == [file]
    subprocess.run([sys.executable, "-c", write], check=True)
    assert file.stat().st_size == 2 * 10**6 and list(tmp_path.iterdir()) == [file]


def test_two_that_write_one_file(tmp_path):
    add = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import files, pathlib\n"
    add += f"for _ in range(50): files.rewrite(pathlib.Path({str(tmp_path / 'sum')!r}), lambda n: str(int(n or 0) + 1))"
    both = [subprocess.Popen([sys.executable, "-c", add]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert (tmp_path / "sum").read_text() == "100"


@pytest.mark.parametrize("tool", ["bench", "notes", "charts", "tables", "doctor"])
def test_results_are_written_in_no_other_way(tool):
    text = (ROOT / "tools" / f"{tool}.py").read_text()
    assert not re.findall(r"write_(?:text|bytes)\(|open\(|savefig\(file", text)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit(tmp_path, monkeypatch):
    root = tmp_path / "copy"
    (root / "chapters").mkdir(parents=True)
    (root / "chapters" / "main.py").write_text("1")
    monkeypatch.setattr(bench, "ROOT", root)
    monkeypatch.delenv("COMMIT", raising=False)

    def commit(folder):
        for arguments in ["init", "-q"], ["add", "."], ["commit", "-qm", "one"]:
            subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=folder, check=True)

    commit(tmp_path)
    assert bench.commit() == "unknown"  # that of a folder above is another one's
    commit(root)
    clean = bench.commit()
    assert re.fullmatch("[0-9a-f]{7,}", clean)
    (root / "chapters" / "README.md").write_text("a table")  # decides about no figure
    assert bench.commit() == clean
    (root / "chapters" / "main.py").write_text("2")
    assert bench.commit() == f"{clean}, changed"
    monkeypatch.setenv("COMMIT", "from elsewhere")
    assert bench.commit() == "from elsewhere"


@pytest.mark.skipif(device.type == "cuda", reason="about a machine without a GPU")
def test_a_machine_without_a_gpu_is_called_cpu():
    assert bench.machine() == "cpu" and bench.limits() == {} and "gpu" not in bench.circumstances()


def test_the_name_of_a_gpu(monkeypatch):
    monkeypatch.setattr(bench, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA A100-SXM4-40GB (x)")
    assert bench.machine() == "nvidia-a100-sxm4-40gb-x"


@pytest.mark.parametrize(
    "number, message", [("99", "There is no chapter 99"), ("01", "01_hello (it has nothing to measure")]
)
def test_make_says_why_it_does_not_measure(number, message):
    command = ["make", f"bench{number}", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode and message in done.stderr, done.stderr
