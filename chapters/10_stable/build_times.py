"""What a build costs for each way to bind: chapter 09's kernels and a binding, compiled from clean.

Started by `python chapters/10_stable/main.py --build-times`; takes some minutes.
"""

from pathlib import Path

from common.timing import seconds_to_build

here = Path(__file__).resolve().parent
CHAPTER_09 = here.parent / "09_library"
# The two by pybind11 bind only bias_gelu(). The others also bind its backward and bias_gelu_().
WAYS = {  # the binding, and the first line of each file
    "stable ABI": (here / "bias_gelu.cpp", ""),
    "TORCH_LIBRARY": (CHAPTER_09 / "bias_gelu.cpp", ""),
    "pybind11": (CHAPTER_09 / "binding.cpp", ""),
    "torch/extension.h in both": (CHAPTER_09 / "binding.cpp", "#include <torch/extension.h>\n"),
}


def measure(load_library, way):
    """(seconds for the .cpp, seconds for all)."""
    binding, first_line = WAYS[way]
    folders = []

    def build(folder):
        folders.append(folder)
        for file in binding, CHAPTER_09 / "bias_gelu.cu", CHAPTER_09 / "bias_gelu.h":
            (folder / file.name).write_text(first_line + file.read_text())
        load_library("bias_gelu_way", folder, [binding.name, "bias_gelu.cu"], binding.parent == here, folder)

    together = seconds_to_build(f"bias_gelu {way}".replace(" ", "_").replace("/", "_"), build)
    for line in (folders[0] / ".ninja_log").read_text().splitlines():  # where ninja keeps its times, in milliseconds
        begin, end, _, output, *_ = [*line.split("\t"), "", "", ""]
        if output == f"{binding.stem}.o":
            return (int(end) - int(begin)) / 1000, together
    raise RuntimeError(f"{folders[0]}/.ninja_log does not have {binding.name}")


def main(load_library):
    seconds = {way: measure(load_library, way) for way in WAYS}
    binding, together = seconds["stable ABI"]
    print(f"{'time':8}{'from clean':<27}{'binding':>9}{'with kernels':>23}")
    for way, (one, both) in seconds.items():
        print(f"{'':8}{way:<27}{one:7.1f} s{one / binding:6.1f} times{both:9.1f} s{both / together:6.1f} times")
