"""How fast CUDA on CPU is: 2^20 floats in blocks of 256, added, and summed up in two ways. One core, median of 15.

python -m tools.maintain.bench_cuda_on_cpu [compiler flags, default: g++ -O3 -std=c++17]
python -m tools.maintain.bench_cuda_on_cpu --memory-check [...]     beside the memory check: the best of 3 medians
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cuda_on_cpu import CFLAGS, INCLUDE, programs, translate_file

from ..chapters import ROOT

CU = ROOT / "tests/cuda_on_cpu/programs/speed.cu"
checks = "--memory-check" in sys.argv
compiler = [word for word in sys.argv[1:] if word != "--memory-check"] or ["g++", "-O3", "-std=c++17"]


def medians(program: Path) -> dict[str, float]:
    """{kernel: ms}"""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: float(ms) for name, ms in re.findall(r"^(\w+) +([\d.]+) ms", output, re.MULTILINE)}


with tempfile.TemporaryDirectory() as folder:
    cpp, program, checked = Path(folder, "speed.cpp"), Path(folder, "speed"), Path(folder, "checked")
    translate_file(CU, cpp)
    subprocess.run([*compiler, *CFLAGS, f"-I{INCLUDE}", cpp, "-o", program, "-pthread"], check=True)
    print(" ".join(compiler), flush=True)
    if not checks:
        subprocess.run([program], check=True)
        sys.exit()
    programs.build([CU], checked, compiler[:1], checked=True)
    runs = [(medians(program), medians(checked)) for _ in range(3)]  # in turn: both see the same machine
    print("               plain    memory check")
    for name in runs[0][0]:
        plain, slow = (min(run[which][name] for run in runs) for which in (0, 1))
        print(f"{name:11} {plain:6.1f} ms {slow:12.1f} ms   {slow / plain:4.1f} times")
