"""What each lesson keeps to: its length, the order of its parts, where it leads, words that were explained before. 0.1 s"""

import re

import pytest

from tests.support import CHAPTERS, ROOT
from tools import chapters

TRACKS = [[folder.name[:2] for folder in track] for track in chapters.tracks().values()]
PARTS = ["The code", "The run", "What goes wrong", "Exercises", "Next"]
TERMS = [(term, number) for number, folder in chapters.folders().items() for term in chapters.terms(folder)]
LESSONS = {folder.name[:2]: folder / "README.md" for folder in CHAPTERS}
each_lesson = pytest.mark.parametrize("number", LESSONS)


def spoken(number):
    """The text that a reader reads: without code, generated parts, addresses of links and names in `code`."""
    text = re.sub(r"^```.*?^```|<!--=.*?<!--end-->|^    .*?$", "", LESSONS[number].read_text(), flags=re.M | re.S)
    return re.sub(r"\]\(.*?\)|\]: .*|`[^`]*`", "", text)


def uses(term):
    return re.compile(rf"(?<![\w-]){re.escape(term)}(s|es)?(?![\w-])", re.I)


@each_lesson
def test_the_title_is_that_of_main(number):
    """`make` and the tables of the course take it from there."""
    folder = LESSONS[number].parent
    title = f"{folder.name[3:]}: {chapters.title(folder)}"
    first, lesson = ((folder / name).read_text().splitlines()[0] for name in ("main.py", "README.md"))
    assert first == f'"""Chapter {number}, {title}'
    assert lesson == f"# {number} · {title}"
    assert len(title) <= 60


def seen(text):
    """The lines that a reader sees."""
    return [line for line in text.splitlines() if not line.startswith("<")]


def test_the_front_page_is_short():
    assert len(seen((ROOT / "README.md").read_text())) <= 110


@pytest.mark.thorough  # a new chapter's code works before its lesson is written: `make test` asks for the code alone
@each_lesson
def test_length_and_order(number):
    text = LESSONS[number].read_text()
    left = re.findall("<!-- write: (.*?) -->", text)  # tools/new.py begins a lesson with these
    assert not left, f"{LESSONS[number]} is unfinished. To be written:\n" + "\n".join(left)
    assert len(seen(text)) <= 230
    assert re.findall("^## (.*)", text, re.M) == PARTS
    assert "<!--= diagram(" in text.partition("## The code")[0] or "<!--= picture(" in text.partition("## The code")[0]
    assert "<!--= code(" in text.partition("## The run")[0]


@each_lesson
def test_lists_commands_and_marks_have_lines_of_their_own(number):
    """Where a paragraph is wrapped anew, they may slip into it."""
    slipped = r"[.:;)] - [A-Z*`]|^make .* make (test|chapter)|^[^<|\n].*<!--"
    assert not re.search(slipped, LESSONS[number].read_text(), re.M)


@each_lesson
def test_it_is_on_a_track(number):
    of = chapters.tracks_of(LESSONS[number].parent)
    assert of and set(of) <= set(chapters.TRACKS)


@each_lesson
def test_next_leads_forward_on_each_track(number):
    section = LESSONS[number].read_text().partition("## Next")[2]
    assert "<!--= next() =-->" in section
    assert all(link > number for link in re.findall(r"\]\(\.\./(\d\d)_", section))


@each_lesson
def test_a_term_is_explained_before_it_is_used(number):
    """Where it is explained, it is bold: in the lesson, or in its REFERENCE.md if one looks it up there."""
    text, early = spoken(number), []
    pages = "\n".join(file.read_text() for file in LESSONS[number].parent.glob("RE[AF]*.md"))
    known = [set(track[: track.index(number) + 1]) for track in TRACKS if number in track]
    for term, chapter in TERMS:
        if not all(chapter in chapters for chapters in known) and uses(term).search(text):
            early.append(f"{term} ({chapter})")
        if chapter == number:
            bold = re.findall(r"\*\*(.+?)\*\*", pages.replace("`", ""), re.S)
            assert any(uses(term).search(" ".join(words.split())) for words in bold), f"{term} is not bold"
    assert not early, f"explained later, or on the other track only: {', '.join(early)}"


def test_each_term_is_explained_by_one_lesson():
    names = [term for term, _ in TERMS]
    assert TERMS and [name for name in names if names.count(name) > 1] == []


def test_what_a_text_names_is_there():
    """Files that it links to, and tests."""
    for file in [*ROOT.glob("*.md"), *ROOT.glob("[!.b]*/**/*.md")]:
        text = re.sub("```.*?```", "", file.read_text(), flags=re.S)
        for link in re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)", text):
            assert (file.parent / link).exists(), f"{file.relative_to(ROOT)} links to {link}"
        for path, test in re.findall(r"(tests/(?!chapters/NN)[\w/]+\.\w+)(?:::(\w+))?", text):
            there = (ROOT / path).exists() and (not test or f"def {test}(" in (ROOT / path).read_text())
            assert there, f"{file} names {path}::{test}"
