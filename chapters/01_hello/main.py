"""Chapter 01, hello: from a string of C++ to a Python function

python chapters/01_hello/main.py              build, call, show what load_inline wrote
python chapters/01_hello/main.py --headers    what no_implicit_headers=True saves (builds twice from scratch)
"""

import argparse
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import title
from common.cpp_extension import load_inline
from common.timing import seconds_to_build


def build(name="hello", functions=("hello", "hello_gpu"), no_implicit_headers=True, build_directory=None):
    return load_inline(
        name=name,
        cpp_sources=[(here / "hello.cpp").read_text()],  # any string; editors can highlight a file
        cuda_sources=[(here / "hello.cu").read_text()],
        functions=list(functions),  # the C++ functions that Python may call
        extra_include_paths=[str(here), str(root)],  # for hello.h and common/
        build_directory=build_directory,  # None: a folder in build/
        no_implicit_headers=no_implicit_headers,  # our sources include what they need
    )


def launch_each_kernel(module):
    """For `make microscope01`: the kernel, once."""
    module.hello_gpu()


def show_files(folder):
    """The files of the build directory, and who made them."""
    print(f"{'files':8}{folder.relative_to(root) if folder.is_relative_to(root) else folder}")
    makers = {"load_inline()": (".cpp", ".cu", ".ninja"), "the compilers": (".o",), "the linker": (".so",)}
    for maker, suffixes in makers.items():
        names = sorted(file.name for file in folder.iterdir() if file.suffix in suffixes)
        print(f"{'':8}by {maker:<15}{'  '.join(names)}")
    binding = (folder / "main.cpp").read_text().partition("PYBIND11_MODULE")
    print(f"{'':8}main.cpp ends with the binding, which load_inline() wrote from functions=[...]:")
    print("\n".join(f"{'':12}{line}" for line in "".join(binding[1:]).splitlines()))


def compare_headers():
    """Builds the same sources from scratch, without and with the headers that load_inline() adds by default."""
    lean = seconds_to_build("hello_lean_headers", lambda folder: build("hello_lean", build_directory=str(folder)))
    heavy = seconds_to_build(
        "hello_implicit_headers",
        lambda folder: build("hello_implicit", no_implicit_headers=False, build_directory=str(folder)),
    )
    print(f"{'time':8}from clean: {lean:.1f} s, with the implicit headers {heavy:.1f} s: {heavy / lean:.1f} times")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--headers", action="store_true", help="compare build times with and without implicit headers")
    options = options.parse_args()

    title(1, "hello", "load_inline()")
    if options.headers:
        return compare_headers()
    module = build()
    print(f"{'call':8}{'hello()':<33}{module.hello()}")
    print(f"{'':8}{'hello_gpu()':<33}{module.hello_gpu()}")
    show_files(Path(module.__file__).parent)


if __name__ == "__main__":
    main()
