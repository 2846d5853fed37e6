"""What these exercises' checks share: they build the reader's CMakeLists.txt as a part of the project in project/."""

import os
from pathlib import Path

from common import cmake
from grader.checks import place

PROJECT = Path(__file__).resolve().parent / "project"


def build(mine: Path, sources: list[str], targets: list[str]) -> Path:
    """Builds these targets of mine/CMakeLists.txt and returns the folder that has them. Raises BuildError."""
    os.environ["EXERCISE"] = str(mine)
    for old in place(mine).glob(
        "cmake/**/exercise/*.so"
    ):  # of an earlier CMakeLists.txt, which may have named it otherwise
        old.unlink()
    return cmake.build(targets[-1], sources, targets, PROJECT, place(mine) / "cmake") / "exercise"
