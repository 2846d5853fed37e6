"""The READMEs show what was recorded and measured, docs.py notices every difference, and mends it.

The first tests look at what is committed, which covers every kind of table; the others work in a temporary repository.
"""

import copy
import json
import re
import shutil
import sys

import pytest

from tests.support import ROOT, write
from tools import chapters

pytest.importorskip("cogapp")
from tools.maintain import charts, course, docs, drawing, planted, tables  # noqa: E402


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


# Chapters whose texts have places for what no GPU has recorded yet. Leave this empty.
AWAITED = ()


def test_what_is_recorded_is_shown_and_what_is_shown_is_there():
    calls = []
    for readme in docs.readmes():
        here = []
        docs.filled(readme, here)
        calls += [(readme.parent.name, function, arguments) for function, arguments in here]
    shown = {docs.recorded(*arguments) for _, function, arguments in calls if function is docs.run}
    missing = {
        (chapter, function.__name__, *arguments)
        for chapter, function, arguments in calls
        if function in (docs.run, tables.table, charts.picture, planted.who_finds_what)
        and function(*arguments, folder=ROOT).startswith(tables.NOTHING)
    }
    assert not [call for call in missing if call[0] not in AWAITED]
    assert set(ROOT.glob("results/*/*.txt")) == {file for file in shown if file.exists()}
    diagrams = [drawing.picture_file(*arguments) for _, function, arguments in calls if function is drawing.diagram]
    there = set(ROOT.glob("chapters/**/pictures/*.svg"))
    assert there == {file(theme) for file in diagrams for theme in drawing.COLOURS}


def test_no_line_of_a_translated_file_is_shown():
    """By the microscope or the memory check: what a compiler adds has a place in that file, and no reader has seen it."""
    assert not [file for file in ROOT.glob("results/cpu/m*.txt") if ".cu.cpp" in file.read_text()]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A function that writes a README with these parts, beside a copy of the committed figures."""
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results")
    shutil.copytree(ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("pictures", "*.md"))

    def write(*parts):
        readme = tmp_path / "README.md"
        readme.write_text("".join(f"before\n<!--= {part} =-->\nold\n<!--end-->\nafter\n" for part in parts))
        return readme

    return write


def test_every_difference_is_named_and_mended(repository, monkeypatch, capsys):  # 8 s, for pictures
    pytest.importorskip("matplotlib")
    pictures = '"06_vec4", "sweep"', '"06_vec4", "flight"', '"07_autograd", "training"', '"roofline"'
    parts = ['table("nvidia-h200", "06_vec4", "sizes")', 'run("nvidia-h200", "make chapter03")']
    readme = repository(*parts, *(f'picture("nvidia-h200", {which})' for which in pictures))
    figures, run = tables.RESULTS / "nvidia-h200.json", docs.recorded("nvidia-h200", "make chapter03")

    def says(readmes, pictures):
        """--check names so many, docs.py mends them, and once more --check finds nothing."""
        assert main(monkeypatch, "--check")
        said = capsys.readouterr().out
        assert (said.count("README.md is out of date"), said.count("The picture ")) == (readmes, pictures), said
        assert not main(monkeypatch) and not main(monkeypatch, "--check")
        return readme.read_text(), {file.name: file.read_bytes() for file in tables.RESULTS.glob("pictures/*")}

    text, drawn = says(1, len(pictures))
    assert re.fullmatch("(before\n<!--= .* =-->\n(.|\n)+?<!--end-->\nafter\n)+", text) and "\nold\n" not in text
    readme.write_text(text.replace("| add_vec4 |", "| add_vec5 |"))
    says(1, 0)
    run.write_text(run.read_text() + "one more line\n")
    assert "one more line" in says(1, 0)[0]
    before = json.loads(figures.read_text())
    (changed := copy.deepcopy(before))["06_vec4"]["tables"]["sweep"][0]["call"] *= 2
    for data in changed, before:
        figures.write_text(json.dumps(data))
        after = says(0, 3)  # two of that chapter, and the roofline
    assert after[1] == drawn


@pytest.mark.parametrize("part, command", [
    ('run("gpu", "make chapter99")', "make chapter99"), ('table("nvidia-h200", "06_vec4", "others")', "make bench06"),
    ('picture("gpu", "roofline")', "make bench"), ('swept("99_none")', "make sweep"),
])  # fmt: skip
def test_what_is_not_there_yet_is_said_with_the_command_for_it(repository, monkeypatch, part, command):
    readme = repository(part)
    assert not main(monkeypatch) and not main(monkeypatch, "--check")
    assert f"\n*Not measured yet: `{command}` does it.*\n" in readme.read_text()


@pytest.mark.parametrize("kind", ["table", "picture"])
def test_cpu_times_are_never_shown(repository, kind):
    (tables.RESULTS / "any.json").write_text('{"06_vec4": {"tables": {"sweep": []}}}')
    with pytest.raises(Exception, match="was not measured on a GPU"):
        docs.filled(repository(f'{kind}("any", "06_vec4", "sweep")'), [])


def test_runs_are_recorded_from_one_machine(repository, monkeypatch):
    command = "make chapter03 ARGS='--a 1'"
    readme = repository(f'run("cpu", "{command}")', 'run("gpu", "python3 tools/say.py")')
    say, kept = docs.ROOT / "chapters/03_say/main.py", docs.recorded("cpu", command)
    say.parent.mkdir(parents=True)
    say.write_text("import os, sys; print(__file__, sys.argv[1:], os.environ['CHAPTERS_DEVICE'])")
    assert not main(monkeypatch, "--record", "cpu") and not main(monkeypatch)
    assert re.search(r"# \d{4}-\d\d-\d\d\nchapters/03_say/main.py \['--a', '1'\] cpu\n```", readme.read_text())
    assert tables.NOTHING in readme.read_text()  # from the other machine
    before = kept.read_text()
    say.write_text("print(7); raise SystemExit(1)")
    assert main(monkeypatch, "--record", "cpu") and kept.read_text() == before
    say.write_text("print('wrong   shown on purpose'); raise SystemExit(1)")
    assert not main(monkeypatch, "--record", "cpu") and "on purpose" in kept.read_text()
    assert docs.recorded("cpu", "python -m cuda_on_cpu check in/a.cu").name == "cuda_on_cpu-check-in-a.cu.txt"


BUILDS = """
import os, pathlib
built = pathlib.Path(os.environ["CHAPTERS_BUILD"], "a.so")
print(built, "again" if built.exists() else "from clean")
built.parent.mkdir(parents=True, exist_ok=True)
built.touch()
assert os.environ["CUDA_ON_CPU_CACHE"] == f"{built.parent}/cuda_on_cpu"
"""


def test_builds_are_recorded_from_clean_and_chapter_by_chapter(repository, monkeypatch):
    commands = "make chapter03 ARGS=--new", "make microscope03", "make chapter04 ARGS=--new"
    repository(*(f'run("cpu", "{command}")' for command in commands))
    for name in "03_add", "04_more":
        write(docs.ROOT / "chapters" / name / "main.py", BUILDS)
    write(docs.ROOT / "tools/lesson.py", "print('counted')")
    mine = write(docs.ROOT / "build" / "mine.so", "")
    kept = [docs.recorded("cpu", command) for command in commands]
    for _ in range(2):
        assert not main(monkeypatch, "--record", "cpu", "03") and mine.exists()
        assert [file.exists() for file in kept] == [True, True, False]
        assert kept[0].read_text().partition("\n")[2] == "build/a.so from clean\n"
    assert not main(monkeypatch, "--record", "cpu", "04", "05") and kept[2].exists()
    assert main(monkeypatch, "--record", "cpu", "05") and main(monkeypatch, "--record", "gpu")


SOURCE = """
template <class T>
__global__ void first(T* x) {
#pragma unroll 1
    if (x) {

        *x = 1;
    }
}
void second() { first<float><<<1, 1>>>(nullptr); }
int third(
    int a
);
"""


def test_code_is_a_whole_definition(tmp_path):
    (tmp_path / "a.cu").write_text(SOURCE)
    second, third = SOURCE.index("void second"), SOURCE.index("int third")
    first, second, third = SOURCE[1:second], SOURCE[second:third], SOURCE[third:]
    assert docs.code("a.cu", "__global__ void first", folder=tmp_path) == f"```cpp\n{first}```\n"
    assert docs.code("a.cu", "void second", "int third", folder=tmp_path) == f"```cpp\n{second}\n{third}```\n"
    (tmp_path / "main.py").write_text("class A:\n    def f(self):\n        return 1\n\n    def g(self): pass\nx = 1\n")
    assert docs.code("main.py", "def f", folder=tmp_path) == "```python\ndef f(self):\n    return 1\n```\n"
    for start in "void fourth", "int":
        (tmp_path / "a.cu").write_text(SOURCE + "int fifth;\n")
        with pytest.raises(ValueError, match="lines start with"):
            docs.code("a.cu", start, folder=tmp_path)


def test_a_diagram_is_drawn_again_when_its_script_changes(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(drawing, "CHAPTERS", tmp_path)
    script = write(
        tmp_path / "03_add2" / "pictures" / "diagrams.py",
        "def boxes(canvas):\n    'Two\\n    boxes.'\n    canvas.height(9)\n    canvas.box(1, 1, 5, 5, 'one')\n",
    )

    def drawn():
        return {file.name: file.read_bytes() for file in script.parent.glob("*.svg")}

    assert drawing.is_stale("03_add2", "boxes")
    drawing.draw("03_add2", "boxes")
    assert set(before := drawn()) == {"boxes-light.svg", "boxes-dark.svg"}
    shown = drawing.diagram("03_add2", "boxes", folder=tmp_path / "03_add2")
    assert 'alt="Two boxes." src="pictures/boxes-light.svg"' in shown
    assert not drawing.is_stale("03_add2", "boxes")
    drawing.draw("03_add2", "boxes")
    assert drawn() == before
    script.write_text(script.read_text().replace("one", "two"))
    assert drawing.is_stale("03_add2", "boxes")


def test_a_chart_is_drawn_again_when_its_script_changes(repository, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(drawing, "CHAPTERS", tmp_path)
    sweep = "def sweep(axes, data, rows):\n    axes.plot([1], label='one')\n"
    script = write(tmp_path / "06_vec4/pictures/charts.py", sweep)
    which = "nvidia-h200", "06_vec4", "sweep"
    for label in "one", "two":
        script.write_text(script.read_text().replace("one", label))
        assert charts.is_stale(*which)
        charts.draw(*which)
        assert not charts.is_stale(*which)
        svgs = [file.read_text() for file in tables.RESULTS.glob("pictures/*.svg")]
        assert len(svgs) == 2 and all(f">{label}<" in svg for svg in svgs)


@pytest.fixture
def three_chapters(tmp_path, monkeypatch):
    """The folders of a course: 00 is on both tracks, 01 on one, 02 on the other."""
    tracks = {"00_zero": "kernels, PyTorch", "01_one": "PyTorch", "02_two": "kernels"}
    for name, of in tracks.items():
        write(tmp_path / name / "README.md", f"# {name}\n<!-- tracks: {of} -->\n")
        write(tmp_path / name / "main.py", f'"""Chapter {name[:2]}, {name[3:]}: about {name[3:]}\n\nmore\n"""\n')
    monkeypatch.setattr(chapters, "folders", lambda: {name[:2]: tmp_path / name for name in tracks})
    return [tmp_path / name for name in tracks]


def test_a_chapter_is_where_its_tracks_say(three_chapters, tmp_path):
    zero, one, two = three_chapters
    assert course.course_table(folder=tmp_path).splitlines() == [
        "| chapter | what you learn | track |",
        "|---|---|---|",
        "| [00 zero](00_zero) | about zero | kernels, PyTorch |",
        "| [01 one](01_one) | about one | PyTorch |",
        "| [02 two](02_two) | about two | kernels |",
    ]
    both = "- kernels track: [02 two](../02_two)\n- PyTorch track: [01 one](../01_one)\n"
    assert course.next_chapters(folder=zero) == both
    assert course.next_chapters(folder=two) == "- kernels track: this is the last lesson so far\n"
    (one / "README.md").write_text("# one\n")
    assert chapters.tracks_of(one) == [] and one not in chapters.tracks()["PyTorch"]


def test_the_glossary_has_the_terms_of_all_chapters(three_chapters, tmp_path):
    zero, _, two = three_chapters
    table = "\n| term | what it is |\n|---|---|\n"
    write(
        zero / "REFERENCE.md", f"# zero\n\n## Terms{table}| warp | 32 threads. |\n\n## More{table}| no | No term. |\n"
    )
    write(two / "REFERENCE.md", f"# two\n\n## Terms{table}| ABI | A \\| B. |\n| barrier | All wait. |\n")
    head, rule, *rows = course.glossary(folder=tmp_path).splitlines()
    assert (head, rule) == ("| term | what it is | lesson |", "|---|---|---|")
    assert rows == [
        "| ABI | A \\| B. | [02](02_two) |", "| barrier | All wait. | [02](02_two) |", "| warp | 32 threads. | [00](00_zero) |"
    ]  # fmt: skip


def test_the_map_is_drawn_from_the_tracks(three_chapters, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    script = write(tmp_path / "pictures/diagrams.py", (drawing.CHAPTERS / "pictures/diagrams.py").read_text())
    monkeypatch.setattr(drawing, "CHAPTERS", tmp_path)

    def alt():
        return drawing.diagram("", "map", folder=tmp_path)

    drawing.draw("", "map")
    assert "kernels: 00 zero, 02 two. PyTorch: 00 zero, 01 one. They share 00 zero." in alt()
    svg = script.with_name("map-light.svg").read_text()
    assert all(f">{word}<" in svg for word in ("kernels", "PyTorch", "zero", "one", "two"))
    write(three_chapters[1] / "README.md", "# one\n<!-- tracks: kernels, PyTorch -->\n")
    assert drawing.is_stale("", "map") and "They share 00 zero, 01 one." in alt()


def test_a_table_of_one_shape_has_its_rows_alone():
    table = tables.table("nvidia-h100-80gb-hbm3", "18_wgmma", "rungs", "4096 x 4096 x 4096", folder=ROOT)
    first = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert first[2:] == ["first", "larger", "ring", "auto", "torch"]
