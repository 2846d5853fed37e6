"""Runs a lesson as CUDA on CPU with the memory check, which looks at each access of each kernel.

    python tools/memory_check.py chapters/03_add2/main.py

A kernel with a data race, or one that reads memory without a value, ends with an error that names the lines of the .cu.
common/cuda_on_cpu/README.md says what is found. The times that the lesson prints are those of a checked run. Linux, g++ or
clang++.
"""

import os
import subprocess
import sys

os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory")  # common/cpp_extension.py reads them
status = subprocess.run([sys.executable, *sys.argv[1:]]).returncode
if status == 0:
    print(f"{'memory':8}nothing found: each access of each kernel was looked at")
sys.exit(status)
