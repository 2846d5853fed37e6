"""What torch/extension.h costs: the same operator, built from clean as it is here, and with that header in both files.

Started by `python chapters/03_add2/main.py --build-times`; takes a few minutes.
"""

import shutil
import time
from pathlib import Path

from common.cpp_extension import load

here = Path(__file__).resolve().parent
HEADER = "#include <torch/extension.h>\n"


def build_time(name, header):
    """Seconds for a build from clean of copies of add2.cpp and add2.cu that begin with that header."""
    folder = here.parents[1] / "build" / "build_times" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in "add2.cpp", "add2.cu":
        (folder / file).write_text(header + (here / file).read_text())
    start = time.perf_counter()
    load(
        name=name,
        sources=[str(folder / "add2.cpp"), str(folder / "add2.cu")],
        extra_include_paths=[str(here), str(here.parents[1])],
        extra_cflags=["-O2"],
        build_directory=str(folder),
    )
    return time.perf_counter() - start


def main():
    lean = build_time("add2_lean", "")
    heavy = build_time("add2_with_extension_h", HEADER)
    print(
        f"{'time':8}from clean: {lean:.1f} s as it is, "
        f"{heavy:.1f} s with torch/extension.h in both files: {heavy / lean:.1f} times"
    )
