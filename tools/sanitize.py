"""Runs a lesson as CUDA on CPU with AddressSanitizer, which stops at the first read or write outside of an array.

    python tools/sanitize.py chapters/03_add2/main.py

The report names the kernel's line in the .cu, and the line that allocated the array. Linux, g++ or clang++.
"""

import os
import subprocess
import sys

import environment


def library(*names):
    """The path of the first of these libraries that the C++ compiler has."""
    compiler = environment.compiler()
    for name in names:
        path = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        if os.path.isabs(path):
            return path
    sys.exit(f"{compiler[0]} has no AddressSanitizer ({names[0]}). On Debian and Ubuntu: sudo apt-get install g++")


# Python is not built with AddressSanitizer, so its runtime has to be there first; libstdc++ behind it, or the runtime would
# not see exceptions. Python frees little at its end, so leaks are none. common/cpp_extension.py reads CHAPTERS_SANITIZE.
asan = library("libasan.so", f"libclang_rt.asan-{os.uname().machine}.so")
os.environ.update(LD_PRELOAD=f"{asan} {library('libstdc++.so.6')}", ASAN_OPTIONS="detect_leaks=0")
os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="address")
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
