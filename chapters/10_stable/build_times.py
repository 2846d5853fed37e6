"""What a build costs by each way to bind: chapter 09's kernels and a binding, from clean.

Started by `python chapters/10_stable/main.py --build-times`; takes some minutes.
"""

from pathlib import Path

from common.timing import seconds_to_build

here = Path(__file__).resolve().parent
CHAPTER_09 = here.parent / "09_library"
# The two by pybind11 bind bias_gelu() alone; the others its backward and bias_gelu_(), too.
WAYS = {
    "stable ABI": (here, ["bias_gelu.cpp", "bias_gelu_kernel.cu"], ""),
    "TORCH_LIBRARY": (CHAPTER_09, ["bias_gelu.cpp", "bias_gelu.cu"], ""),
    "pybind11": (CHAPTER_09, ["binding.cpp", "bias_gelu.cu"], ""),
    "torch/extension.h in both": (CHAPTER_09, ["binding.cpp", "bias_gelu.cu"], "#include <torch/extension.h>\n"),
}


def measure(load_library, way):
    """(seconds for the .cpp, seconds for all)."""
    source, files, first_line = WAYS[way]
    folders = []

    def build(folder):
        folders.append(folder)
        for file in [*files, "bias_gelu.h"]:
            (folder / file).write_text(first_line + (source / file).read_text())
        load_library("bias_gelu_way", folder, files, source == here, folder)

    together = seconds_to_build(f"bias_gelu {way}".replace(" ", "_").replace("/", "_"), build)
    for line in (folders[0] / ".ninja_log").read_text().splitlines():  # where ninja keeps its times, in milliseconds
        begin, end, _, output, *_ = [*line.split("\t"), "", "", ""]
        if output == files[0].replace(".cpp", ".o"):
            return (int(end) - int(begin)) / 1000, together
    raise RuntimeError(f"{folders[0]}/.ninja_log does not have {files[0]}")


def main(load_library):
    seconds = {way: measure(load_library, way) for way in WAYS}
    binding, together = seconds["stable ABI"]
    print(f"{'time':8}{'from clean':<27}{'binding':>9}{'with kernels':>23}")
    for way, (one, both) in seconds.items():
        print(f"{'':8}{way:<27}{one:7.1f} s{one / binding:6.1f} times{both:9.1f} s{both / together:6.1f} times")
