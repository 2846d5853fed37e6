"""Markdown for docs.py that shows how the chapters follow one another: what tools/chapters.py finds in their folders."""

import os

from grader import exercises as grader

from .. import chapters


def link(chapter, folder):
    """[03 add2](chapters/03_add2), for a README in that folder."""
    return f"[{chapter.name.replace('_', ' ', 1)}]({os.path.relpath(chapter, folder)})"


def course_table(*, folder):
    """The chapters, each with its title and its tracks."""
    rows = [
        f"| {link(chapter, folder)} | {chapters.title(chapter)} | {', '.join(chapters.tracks_of(chapter))} |\n"
        for chapter in chapters.folders().values()
    ]
    return "".join(["| chapter | what you learn | track |\n|---|---|---|\n", *rows])


def next_chapters(*, folder):
    """Where each track goes on from the chapter in that folder."""
    lines = []
    for track, those in chapters.tracks().items():
        if folder in those:
            following = those[those.index(folder) + 1 :]
            after = link(following[0], folder) if following else "this is the last lesson so far"
            lines.append(f"- {track} track: {after}\n")
    return "".join(lines)


def exercises(*, folder):
    """The exercises of the chapter in that folder: their titles, and how long each takes. The command prints the task."""
    lines = []
    for it in grader.find():
        if it.folder.parents[1] == folder:
            name, _, what = it.title.partition(": ")
            what = f"predict {what} (" if name == "predict" else f"{what} ({name}, "
            gpu = ", needs a GPU" if it.needs_gpu else ""
            lines.append(f"1. `make exercise{it.number}`: {what}{it.minutes} minutes{gpu})\n")
    return "".join(lines)


def glossary(*, folder):
    """The terms of all chapters."""
    rows = {
        term: f"| {term} | {meaning} | [{number}]({os.path.relpath(chapter, folder)}) |\n"
        for number, chapter in chapters.folders().items()
        for term, meaning in chapters.terms(chapter).items()
    }
    lines = [rows[term] for term in sorted(rows, key=str.lower)]
    return "".join(["| term | what it is | lesson |\n|---|---|---|\n", *lines])
