"""The READMEs show what was recorded and measured, docs.py notices every difference, and mends it.

The first tests look at what is committed, which covers every kind of table; the others work in a temporary repository.
"""

import json
import re
import shutil
import sys

import pytest
from support import ROOT

pytest.importorskip("cogapp")
sys.path.insert(0, str(ROOT / "tools"))
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


def shown(function):
    """The arguments of all calls of it in the READMEs."""
    calls = []
    for readme in docs.readmes():
        docs.filled(readme, calls)
    return [arguments for _, called, arguments, _ in calls if called is function]


def test_readmes_are_up_to_date(monkeypatch, capsys):
    assert not main(monkeypatch, "--check"), capsys.readouterr().out


def test_every_recorded_run_is_shown_somewhere():
    assert set(ROOT.glob("results/*/*.txt")) <= {docs.recorded(*arguments) for arguments in shown(docs.run)}


def test_every_picture_is_drawn(tmp_path, monkeypatch):  # 4 s
    pytest.importorskip("matplotlib")
    pictures = shown(charts.picture)
    for file in ROOT.glob("results/*.json"):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    for which in pictures:
        assert charts.is_stale(*which)
        charts.draw(*which)
        assert not charts.is_stale(*which)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A function that writes a README with these parts, and results/<machine>.json of a GPU that does not exist."""
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results")
    for folder in "results", "chapters", "tools":
        (tmp_path / folder).mkdir()
    made_with = {"gpu": "Imaginary", "driver": "1", "nvcc": "13.0", "torch": "2.11.0", "date": "2026-01-02"}
    made_with |= {"commit": "abc1234", "limits": {"copy": 4e12, "flops": 5e13, "l2_bytes": 2**25}}

    def write(*parts, machine="gpu", kernel=8e-4, without=None):
        rows = [{"op": "add", "n": 2**28, "dtype": "float32", "kernel": kernel, "spread": 0.03, "call": 5e-6}]
        rows[0] |= {"bytes": 12 * 2**28, "flops": 2**28, "copy": 4e12, "of_copy": 0.97}
        measured = made_with | {"tables": {"sweep": rows}}
        measured.pop(without, None)
        (tmp_path / "results" / f"{machine}.json").write_text(json.dumps({"06_vec4": measured}))
        readme = tmp_path / "chapters" / "README.md"
        if parts:
            readme.write_text("".join(f"before\n<!--= {part} =-->\nold\n<!--end-->\nafter\n" for part in parts))
        return readme

    return write


def test_a_difference_is_named_and_mended(repository, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    parts = 'table("gpu", "06_vec4", "sweep")', 'picture("gpu", "06_vec4", "sweep")', 'run("gpu", "make x")'
    readme = repository(*parts)
    (run := docs.recorded("gpu", "make x")).parent.mkdir()
    run.write_text("2026-01-02\nx 1.5 us\n")
    the_readme, the_picture = "chapters/README.md is out of date", "The picture gpu, 06_vec4, sweep is out of date"

    def says(*expected):
        """--check names exactly these, docs.py mends them, and once more --check finds nothing."""
        wrong = main(monkeypatch, "--check")
        assert wrong and re.findall(r"^.* is out of date", capsys.readouterr().out, re.M) == [*expected]
        assert not main(monkeypatch) and not main(monkeypatch, "--check")
        return readme.read_text(), {file.name: file.read_bytes() for file in tables.RESULTS.glob("pictures/*")}

    text, pictures = says(the_readme, the_picture)
    assert re.fullmatch("(before\n<!--= .* =-->\n(.|\n)+?<!--end-->\nafter\n){3}", text) and "\nold\n" not in text
    assert "| 2^28 | add | 800 us | 3% | 4027 | 0.97 | 5.0 us |" in text
    assert (
        "Imaginary, driver 1, torch 2.11.0, nvcc 13.0; 2026-01-02, commit abc1234. Data: [gpu.json](../results/" in text
    )
    assert "```text\n$ make x    # 2026-01-02\nx 1.5 us\n```\n" in text
    readme.write_text(text.replace("1.5 us", "1.4 us"))
    says(the_readme)
    repository(kernel=8.01e-4)
    says(the_readme, the_picture)
    repository()
    assert says(the_readme, the_picture) == (text, pictures) and len(pictures) == 2


@pytest.mark.parametrize("part", [
    'run("gpu", "make chapter99")', 'table("gpu", "06_vec4", "others")', 'picture("gpu", "03_add2", "sizes")',
    'table("unheard_of", "06_vec4", "sweep")', 'picture("unheard_of", "roofline")',
])  # fmt: skip
def test_what_is_not_there_yet_stays_and_is_named(repository, monkeypatch, capsys, part):
    text = repository(part).read_text()
    for arguments, error in ([], False), (["--check"], True):
        assert main(monkeypatch, *arguments) == error
        said = part.replace('"', "'")
        assert capsys.readouterr().out == f"chapters/README.md {said}: results/ has nothing for it yet\n"
    assert repository().read_text() == text


@pytest.mark.parametrize("kind", ["table", "picture"])
def test_cpu_times_are_never_shown(repository, kind):
    with pytest.raises(docs.CogError, match="times without a GPU say nothing"):
        docs.filled(repository(f'{kind}("cpu", "06_vec4", "sweep")', machine="cpu"), [])
    with pytest.raises(docs.CogError, match="was not measured on a GPU"):  # under another name
        docs.filled(repository(f'{kind}("gpu", "06_vec4", "sweep")', without="gpu"), [])


def test_the_roofline_has_each_kernel_once_and_the_lower_limit():
    measured = [("add", 2**20, "float32"), ("add", 2**28, "float32"), ("add", 2**29, "float64"), ("busy", 1, "float32")]
    measured += [("add: x[1:]", 2**30, "float32"), ("torch", 2**30, "float32")]
    rows = [{"op": op, "n": n, "dtype": dtype, "kernel": 1e-3, "copy": 4e12} for op, n, dtype in measured]
    rows = [row | {"bytes": 12 * row["n"], "flops": (12000 if row["op"] == "busy" else 1) * row["n"]} for row in rows]
    data = {"06_vec4": {"limits": {"copy": 4e12, "flops": 5e13}, "tables": {"sizes": rows}}}
    points = [(row["op"], row["n"], limit) for _, row, _, _, limit in tables.roofline(data)]
    assert points == [("add", 2**28, 4e12 / 12), ("busy", 1, 5e13)]


def test_without_matplotlib_a_clear_message(repository, monkeypatch):
    repository()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert charts.is_stale("gpu", "06_vec4", "sweep")  # this needs none
    with pytest.raises(SystemExit, match="pip install matplotlib"):
        charts.draw("gpu", "06_vec4", "sweep")


def test_runs_are_recorded_from_one_machine(repository, monkeypatch):
    readme = repository('run("cpu", "python3 tools/say.py --a=1")', 'run("gpu", "python3 tools/say.py")')
    say, kept = docs.ROOT / "tools" / "say.py", docs.recorded("cpu", "python3 tools/say.py --a=1")
    say.write_text("import os, sys; print(__file__, sys.argv[1:], os.environ['CHAPTERS_DEVICE'])")
    assert not main(monkeypatch, "--record", "cpu") and not main(monkeypatch)
    assert re.search(r"# \d{4}-\d\d-\d\d\ntools/say.py \['--a=1'\] cpu\n```", readme.read_text())
    assert readme.read_text().count("\nold\n") == 1  # that of the other machine
    before = kept.read_text()
    say.write_text("print(7); raise SystemExit(1)")
    assert main(monkeypatch, "--record", "cpu") and kept.read_text() == before


def test_readmes_are_found_by_looking(repository):
    for name in "README.md", "new/folder/NOTES.md", "build/copy/README.md", ".venv/lib/README.md":
        (docs.ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (docs.ROOT / name).write_text("text\n")
    assert docs.readmes() == [docs.ROOT / "README.md", docs.ROOT / "new/folder/NOTES.md"]
