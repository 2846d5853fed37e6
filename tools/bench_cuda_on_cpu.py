"""How fast CUDA on CPU is: 2^20 floats in blocks of 256, added, and summed up in two ways. One core, median of 15.

python3 tools/bench_cuda_on_cpu.py [compiler flags, default: g++ -O3 -std=c++17]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "common"))  # not `common` itself, which needs torch

from cuda_on_cpu import CFLAGS, INCLUDE, translate_file

compiler = sys.argv[1:] or ["g++", "-O3", "-std=c++17"]
with tempfile.TemporaryDirectory() as folder:
    cpp, program = Path(folder, "speed.cpp"), Path(folder, "speed")
    translate_file(ROOT / "tests/cuda_on_cpu/programs/speed.cu", cpp)
    subprocess.run([*compiler, *CFLAGS, f"-I{INCLUDE}", cpp, "-o", program, "-pthread"], check=True)
    print(" ".join(compiler), flush=True)
    subprocess.run([program], check=True)
