"""compute-sanitizer over every kernel of every chapter, on this machine's GPU: `make gpu-sanitize`.

`make gpu-sanitize ARGS=memcheck` takes only one of its tools. What runs are the tests marked `kernels`: each kernel at the
sizes and addresses where it is most likely to go wrong. First without a sanitizer, to see that no kernel is missing among
them; then under each tool. An error that a tool finds is an error of this program. initcheck leaves two chapters out: see
LEFT_OUT. `make planted` runs kernels that are wrong on purpose: see planted.py.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from common import toolkit

from ..chapters import ROOT, kernels

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]  # see docs.nvidia.com/compute-sanitizer
SANITIZER = shutil.which("compute-sanitizer", path=f"{os.environ['PATH']}:{toolkit.cuda_home()}/bin")
# initcheck does not see what TMA reads and writes. Of a product of 256 x 256 in chapter 18, it calls all 65 536 results
# uninitialised when torch reads them; of a product whose operands nobody has written, it says nothing.
LEFT_OUT = {"initcheck": ["-k", "not 18_wgmma and not 19_attention"]}
PYTEST = ["-q", "-m", "kernels", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]


def launched(tests) -> set[str]:
    """Runs the tests and returns the names of all kernels that they launched."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        if status := pytest.main([*PYTEST, tests]):
            sys.exit(f"The tests fail without a sanitizer already: {status!r}")
    return {name for event in profile.key_averages() for name in re.findall(r"\w+", event.key)}


def finds_errors(tool, tests, names) -> bool:
    """Runs the tests under that tool, which looks at the kernels of those names, and prints what it says."""
    # initcheck has to see who writes what, so it looks at all kernels, torch's included.
    only = [f"--kernel-name=kns={name}" for name in names] if tool != "initcheck" else []
    # Without torch's cache every tensor is an allocation of its own, and its end is where memcheck looks.
    environment = os.environ | {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    command = [SANITIZER, "--tool", tool, "--error-exitcode", "9", *only, sys.executable, "-m", "pytest"]
    options = [*PYTEST, *LEFT_OUT.get(tool, [])]
    run = subprocess.run([*command, *options, tests], cwd=ROOT, env=environment, capture_output=True, text=True)
    print(f"\n{tool}\n{run.stdout}{run.stderr}", flush=True)
    return run.returncode != 0


def main(tools, tests=str(ROOT / "tests")):
    if not torch.cuda.is_available():
        sys.exit("compute-sanitizer needs a GPU; without one, `make sanitizeNN` runs a chapter with AddressSanitizer.")
    if SANITIZER is None:
        sys.exit("compute-sanitizer not found. It comes with a system's CUDA toolkit; put its bin/ on PATH.")
    every = sorted(kernels())
    if missing := sorted(set(every) - launched(tests)):
        sys.exit(f"No test marked `kernels` launches {', '.join(missing)}")
    print(f"These tests launch all {len(every)} kernels", flush=True)
    with ThreadPoolExecutor() as pool:  # at the same time: each is mostly a host that waits
        found = pool.map(lambda tool: finds_errors(tool, tests, every), tools)
        failed = [tool for tool, errors in zip(tools, found, strict=True) if errors]
    sys.exit(f"\nErrors: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:] or TOOLS)
