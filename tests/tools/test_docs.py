"""The READMEs show what was recorded and measured, and docs.py notices every difference.

All but the first two tests work in a temporary repository, with the figures of a GPU that does not exist.
"""

import json
import re
import sys

import pytest
from support import ROOT

pytest.importorskip("cogapp")
sys.path.insert(0, str(ROOT / "tools"))
import bench
import charts
import docs
import tables


def main(monkeypatch, *arguments):
    """Runs docs.py with these arguments; returns whether it ended with an error."""
    monkeypatch.setattr(sys, "argv", ["docs.py", *arguments])
    try:
        docs.main()
    except SystemExit as end:
        return bool(end.code)
    return False


def test_readmes_are_up_to_date(monkeypatch, capsys):
    assert not main(monkeypatch, "--check"), capsys.readouterr().out


def test_every_recorded_run_is_shown_somewhere():
    calls = []
    for readme in docs.readmes():
        docs.filled(readme, calls)
    shown = {docs.recorded(*arguments) for _, function, arguments, _ in calls if function is docs.run}
    assert set(ROOT.glob("results/*/*.txt")) <= shown  # and the other way round is what --check says


def row(op, n, kernel, **others):
    copied = {"spread": 0.03123, "call": 5e-6, "bytes": 12 * n, "flops": n, "copy": 4e12}
    of_copy = 12 * n / kernel / 4e12
    return {"op": op, "n": n, "dtype": "float32", "kernel": kernel} | copied | {"of_copy": of_copy} | others


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A function that writes a README with these parts, and results/gpu.json with what `edit` makes of its figures."""
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results")
    made_with = {"gpu": "Imaginary", "driver": "1.2", "nvcc": "13.0", "torch": "2.11.0", "date": "2026-01-02"}
    flight = [row(f"{n}x", 2**28, 1e-3 / n, width=w, loads=n, in_flight=2**14 * n * w) for w in (1, 4) for n in (1, 2)]
    losses = {"C++": [0.7, 0.4, 0.2, 0.1], "linear": [0.7, 0.69, 0.69, 0.69]}
    of_chapter = {
        "sweep": [row(op, 2**k, t * 2**k) for op, t in (("add", 3.1e-12), ("torch", 4.1e-12)) for k in (10, 28)],
        "flight": flight,
        "training": {"steps": 4, "losses": losses, "seconds": {"C++": 1e-3, "linear": 2e-3}},
        "memory": [{"op": "add", "n": 4, "dtype": "float32", "saved": 0, "held": 2**22, "peak": 2**23}],
        "batch": [{"op": "gray", "images": 64, "seconds": 1e-3}],
    }
    limits = {"copy": 4e12, "flops": 5e13, "l2_bytes": 50 * 2**20}
    (tmp_path / "results").mkdir()
    (tmp_path / "chapters").mkdir()
    readme = tmp_path / "chapters" / "README.md"

    def write(*parts, edit=lambda measured: None, machine="gpu"):
        measured = json.loads(json.dumps(made_with | {"commit": "abc1234", "limits": limits, "tables": of_chapter}))
        edit(measured)
        (tmp_path / "results" / f"{machine}.json").write_text(bench.as_json({"06_vec4": measured}))
        if parts:
            readme.write_text("".join(f"before\n<!--= {part} =-->\nold\n<!--end-->\nafter\n" for part in parts))
        return readme

    return write


@pytest.mark.parametrize("part, expected", [
    ('table("gpu", "06_vec4", "sweep")', "| 2^28 | add | 832 us | 3% | 3871 | 0.97 | 5.0 us |"),
    ('table("gpu", "06_vec4", "memory")', "| add | 0 MiB | 4 MiB | 8 MiB |"),
    ('table("gpu", "06_vec4", "batch")', "| gray | 64 | 1.00 ms | 64000 |"),
    ('table("gpu", "06_vec4", "training")', "| C++ | 0.7 | 0.4 | 0.2 | 0.1 | 1.00 ms |"),
    ('table("gpu", "roofline")', "| 06 | add | 2^28 | 0.083 | 323 | memory | 0.97 |"),
    ('picture("gpu", "06_vec4", "sweep")', 'srcset="../results/pictures/gpu-06_vec4-sweep-dark.svg">'),
    ('picture("gpu", "roofline")', 'src="../results/pictures/gpu-roofline-light.svg">'),
])  # fmt: skip
def test_a_part_shows_figures_and_where_they_are_from(repository, part, expected):
    readme = repository(part)
    text = docs.filled(readme, [])
    assert text.startswith(f"before\n<!--= {part} =-->\n") and text.endswith("\n<!--end-->\nafter\n")
    assert expected in text and "\nold\n" not in text
    assert "Imaginary, driver 1.2, torch 2.11.0, nvcc 13.0; 2026-01-02, commit abc1234. Data: [gpu.json]" in text
    readme.write_text(text)
    assert docs.filled(readme, []) == text


def test_a_difference_is_named_and_mended(repository, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    parts = 'table("gpu", "06_vec4", "sweep")', 'picture("gpu", "06_vec4", "sweep")', 'run("gpu", "make x")'
    readme = repository(*parts)
    (run := docs.recorded("gpu", "make x")).parent.mkdir()
    run.write_text("2026-01-02\nx 1.5 us\n")

    def says(*expected):
        """--check names exactly these; docs.py mends them."""
        wrong = main(monkeypatch, "--check")
        out = capsys.readouterr().out
        assert wrong == bool(expected) and len(out.splitlines()) == len(expected) and all(e in out for e in expected)
        assert not main(monkeypatch) and not main(monkeypatch, "--check")

    says("chapters/README.md is", "picture gpu, 06_vec4, sweep is")
    says()
    assert "```text\n$ make x    # 2026-01-02\nx 1.5 us\n```\n" in readme.read_text()
    readme.write_text(readme.read_text().replace("1.5 us", "1.4 us"))
    says("chapters/README.md is")
    text, pictures = readme.read_text(), {file: file.read_bytes() for file in tables.RESULTS.glob("pictures/*")}
    repository(edit=lambda measured: measured["tables"]["sweep"][1].update(kernel=8.33e-4))
    says("chapters/README.md is", "picture gpu, 06_vec4, sweep is")
    repository()
    says("chapters/README.md is", "picture gpu, 06_vec4, sweep is")  # what was there before, to the byte
    assert readme.read_text() == text and len(pictures) == 2
    assert pictures == {file: file.read_bytes() for file in tables.RESULTS.glob("pictures/*")}


@pytest.mark.parametrize("part", [
    'run("gpu", "make chapter99")', 'table("gpu", "06_vec4", "others")', 'picture("gpu", "03_add2", "sizes")',
    'table("unheard_of", "06_vec4", "sweep")', 'picture("unheard_of", "roofline")',
])  # fmt: skip
def test_what_is_not_there_yet_stays_and_is_named(repository, monkeypatch, capsys, part):
    text = repository(part).read_text()
    for arguments, error in ([], False), (["--check"], True):
        assert main(monkeypatch, *arguments) == error
        said = part.partition('"')[0] + part.partition("(")[2].replace('"', "'")
        assert capsys.readouterr().out == f"chapters/README.md {said}: results/ has nothing for it yet\n"
    assert repository(part).read_text() == text


@pytest.mark.parametrize("kind", ["table", "picture"])
def test_cpu_times_are_never_shown(repository, kind):
    with pytest.raises(docs.CogError, match="times without a GPU say nothing"):
        docs.filled(repository(f'{kind}("cpu", "06_vec4", "sweep")', machine="cpu"), [])
    with pytest.raises(docs.CogError, match="was not measured on a GPU"):  # under another name
        docs.filled(repository(f'{kind}("gpu", "06_vec4", "sweep")', edit=lambda measured: measured.pop("gpu")), [])


def test_variations_and_float64_are_not_in_the_roofline():
    sizes = [row("add", 2**k, 1e-3) for k in (20, 28)] + [row(op, 2**30, 1e-3) for op in ("add: x[1:]", "torch")]
    sizes += [row("add", 2**29, 1e-3, dtype="float64"), row("busy", 2**20, 1e-3, flops=1000 * 12 * 2**20)]
    data = {"06_vec4": {"limits": {"copy": 4e12, "flops": 5e13}, "tables": {"sizes": sizes}}}
    shown = [(row["op"], row["n"], limit) for _, row, _, _, limit in tables.roofline(data)]
    assert shown == [("add", 2**28, 4e12 / 12), ("busy", 2**20, 5e13)]  # of the two limits the lower one


@pytest.mark.parametrize("kind", ["flight", "training", "roofline"])
def test_every_kind_of_picture_is_drawn(repository, kind):
    pytest.importorskip("matplotlib")
    repository()
    which = ("gpu", "roofline") if kind == "roofline" else ("gpu", "06_vec4", kind)
    charts.draw(*which)
    assert not charts.is_stale(*which)


def test_without_matplotlib_a_clear_message(repository, monkeypatch):
    repository()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SystemExit, match="pip install matplotlib"):
        charts.draw("gpu", "06_vec4", "sweep")
    assert charts.is_stale("gpu", "06_vec4", "sweep")  # and this needs none


def test_runs_are_recorded_from_one_machine(repository, monkeypatch, capsys):
    readme = repository('run("cpu", "python3 tools/say.py --a=1")', 'run("gpu", "python3 tools/say.py")')
    (tools := docs.ROOT / "tools").mkdir()
    (tools / "say.py").write_text("import os, sys; print(__file__, sys.argv[1:], os.environ['CHAPTERS_DEVICE'])")
    assert not main(monkeypatch, "--record", "cpu") and not main(monkeypatch)
    assert re.search(r"# \d{4}-\d\d-\d\d\ntools/say.py \['--a=1'\] cpu\n```", readme.read_text())
    assert readme.read_text().count("\nold\n") == 1  # the other machine's
    (tools / "say.py").write_text("print(7); raise SystemExit(1)")
    text = docs.recorded("cpu", "python3 tools/say.py --a=1").read_text()
    assert main(monkeypatch, "--record", "cpu")
    assert docs.recorded("cpu", "python3 tools/say.py --a=1").read_text() == text


def test_readmes_are_found_by_looking(repository):
    readme = repository()
    for name in "README.md", "new/folder/NOTES.md", "build/copy/README.md", ".venv/lib/README.md", "chapters/README.md":
        (docs.ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (docs.ROOT / name).write_text("text\n")
    assert docs.readmes() == [docs.ROOT / "README.md", readme, docs.ROOT / "new/folder/NOTES.md"]


def test_what_operators_take_follows_the_tests(repository):
    text = docs.filled(repository("what_operators_take()"), [])
    assert "| 06 `add_vec4` | `a`, `b` | float32 | any, 4n elements |" in text
