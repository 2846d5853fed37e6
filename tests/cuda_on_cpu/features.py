"""What CUDA on CPU covers, and the test of each: namespaces of programs/*.cu, or programs without one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Feature(NamedTuple):
    group: str
    what: str
    since: str  # year and month
    tests: str  # "device.cu: warps, types; host.cu"


class Lacking(NamedTuple):
    what: str
    instead: str


FEATURES = [
    Feature(
        "launches",
        "grids and blocks of 1 to 3 dimensions, templates, overloads, pointers to kernels, launches in macros "
        "and lambdas; a GPU's errors for what it refuses",
        "2026-11",
        "host.cu: launches, runtime",
    ),
    Feature(
        "launches",
        "`cudaLaunchKernel()` with `(void*)kernel`, `cudaFuncGetAttributes()`, occupancy",
        "2026-11",
        "runtime.cu: by_address",
    ),
    Feature("memory", "static and dynamic shared memory", "2026-11", "device.cu: shared_memory"),
    Feature("memory", "`cudaMalloc()`, `cudaMemcpy()`, managed and pinned memory", "2026-11", "host.cu: runtime"),
    Feature(
        "memory",
        "`cudaMallocPitch()`, `cudaMalloc3D()`, `cudaMemcpy2D()`, `cudaMemcpy3D()`, `cudaMemset2D()`; "
        "`cudaMemcpyToSymbol()` and its relatives; `cudaHostRegister()`, `cudaPointerGetAttributes()`; pools",
        "2026-11",
        "runtime.cu: memory",
    ),
    Feature(
        "streams",
        "streams and events with flags and priorities, `cudaStreamWaitEvent()`, `cudaLaunchHostFunc()`, "
        "`cudaStreamAddCallback()`; everything is done when a call returns",
        "2026-11",
        "host.cu: runtime; runtime.cu: streams",
    ),
    Feature(
        "streams",
        "graphs captured from streams, with forks and joins; replay, update; what a capture forbids",
        "2026-11",
        "runtime.cu: capture",
    ),
    Feature(
        "streams",
        "graphs made of nodes: kernel, memcpy, memset, host function, child graph",
        "2026-11",
        "runtime.cu: graphs",
    ),
    Feature(
        "device functions",
        "barriers, `__syncthreads_count()` and its relatives, warp functions",
        "2026-11",
        "device.cu: warps",
    ),
    Feature(
        "device functions",
        "vector types, atomics, mathematics, conversions, bits of integers",
        "2026-11",
        "device.cu: types",
    ),
    Feature(
        "device functions",
        "rounding modes (`__fadd_rz()`, `__dsqrt_ru()`, ...), `math_constants.h`",
        "2026-11",
        "runtime.cu: rounding",
    ),
    Feature(
        "device functions",
        "`__dp4a()`, `__dp2a_lo()`, two 16-bit or four 8-bit numbers in a word (`__vadd4()`, ...)",
        "2026-11",
        "runtime.cu: packed",
    ),
    Feature(
        "names",
        "`__CUDACC__` and `__CUDA_ARCH__` (900) in a .cu; all errors, attributes and fields of `cudaDeviceProp`",
        "2026-11",
        "host.cu: runtime; runtime.cu: streams",
    ),
]

LACKING = [
    Lacking("textures and surfaces", "read the array through a pointer"),
]


def named_tests(feature: Feature) -> list[tuple[str, str]]:
    """(program, namespace) of each test; the namespace is "" where none is named."""
    found = []
    for part in feature.tests.split(";"):
        program, _, names = part.strip().partition(":")
        found += [(program, name.strip()) for name in names.split(",")]
    return found


def missing(feature: Feature) -> list[str]:
    """The tests that are named and do not exist."""
    lacking = []
    for program, name in named_tests(feature):
        path = PROGRAMS / program
        pattern = rf"namespace {re.escape(name)}\b" if name else ""
        if not path.is_file() or not re.search(pattern, path.read_text()):
            lacking.append(f"{program}: {name}".rstrip(": "))
    return lacking


def table() -> str:
    """Markdown: what is covered, since when, and where its test is; the groups in the order in which they first come."""
    lines = ["| what | since | test |", "|---|---|---|"]
    for group in dict.fromkeys(feature.group for feature in FEATURES):
        lines += [f"| **{group}** | | |"]
        lines += [f"| {f.what} | {f.since} | {f.tests} |" for f in FEATURES if f.group == group]
    return "\n".join(lines) + "\n"


def lacks() -> str:
    """Markdown: what is not covered, and what to do instead."""
    return "".join(f"- {row.what}: {row.instead}.\n" for row in LACKING)
