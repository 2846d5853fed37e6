"""What torch's headers cost: an empty module, compiled with each of them.

Started by `python chapters/07_autograd/main.py --build-times`; takes about a minute.
"""

from common.cpp_extension import load
from common.timing import seconds_to_build

HEADERS = ["torch/csrc/Exceptions.h", "torch/csrc/autograd/custom_function.h", "torch/extension.h"]


def build(name, headers, folder):
    includes = "".join(f"#include <{header}>\n" for header in headers)
    (folder / "empty.cpp").write_text(f"{includes}PYBIND11_MODULE({name}, m) {{}}\n")
    load(name=name, sources=[str(folder / "empty.cpp")], extra_cflags=["-O2"], build_directory=str(folder))


def main():
    cases = {"only_binding": HEADERS[:1], "binding_and_function": HEADERS[:2], "extension": HEADERS[2:]}
    seconds = {name: seconds_to_build(name, lambda f, n=name, h=h: build(n, h, f)) for name, h in cases.items()}
    for name, headers in cases.items():
        print(f"{'time':8}{seconds[name]:5.1f} s   {' and '.join(headers)}")
