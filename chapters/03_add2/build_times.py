"""What torch/extension.h costs: builds the operator from clean as it is, and then with that header in both files.

Started by `python chapters/03_add2/main.py --build-times`. It takes a few minutes.
"""

from pathlib import Path

from common.cpp_extension import load
from common.timing import seconds_to_build

here = Path(__file__).resolve().parent


def build(name, header, folder):
    """Builds copies of add2.cpp and add2.cu that begin with that header."""
    for file in "add2.cpp", "add2.cu":
        (folder / file).write_text(header + (here / file).read_text())
    load(
        name=name,
        sources=[str(folder / "add2.cpp"), str(folder / "add2.cu")],
        extra_include_paths=[str(here), str(here.parents[1])],
        extra_cflags=["-O2"],
        build_directory=str(folder),
    )


def main():
    lean, heavy = (
        seconds_to_build(name, lambda folder, name=name, header=header: build(name, header, folder))
        for name, header in [("add2_lean", ""), ("add2_with_extension_h", "#include <torch/extension.h>\n")]
    )
    print(
        f"{'time':8}from clean: {lean:.1f} s as it is, "
        f"{heavy:.1f} s with torch/extension.h in both files: {heavy / lean:.1f} times"
    )
