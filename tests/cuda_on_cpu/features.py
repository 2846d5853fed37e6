"""What CUDA on CPU covers, and the test of each: namespaces of programs/*.cu, or programs without one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Feature(NamedTuple):
    group: str
    what: str
    tests: str  # "device.cu: warps, types; host.cu"


# Group, feature, tests.
ROWS = """
launches | grids and blocks of 1 to 3 dimensions, templates, overloads, pointers to kernels; launches in macros, \
lambdas \
and headers that the `.cu` includes; `kernel<<<...>>>(NULL)` | host.cu: launches, runtime; ptx.cu: memory, arguments
launches | `cudaLaunchKernel()` with `(void*)kernel`, `cudaFuncGetAttributes()`, occupancy | runtime.cu: by_address
launches | cooperative launches with a barrier of the grid; clusters of up to 8 blocks with distributed shared memory: \
`cudaLaunchKernelEx()`, `__cluster_dims__` | grid.cu: cooperative, clusters
launches | threads and blocks that spin until another writes: volatile, atomics, fences, locks, look-back | grid.cu: \
spinning
memory | static and dynamic shared memory | device.cu: shared_memory
memory | `cudaMalloc()`, `cudaMemcpy()`, managed and pinned memory | host.cu: runtime
memory | pitched and 3D memory and copies, copies to and from symbols, `cudaHostRegister()`, \
`cudaPointerGetAttributes()`, pools | runtime.cu: memory
streams | streams and events with flags and priorities, functions of the host in a stream; everything is done when a \
call returns | host.cu: runtime; runtime.cu: streams
streams | graphs captured from streams, with forks and joins; replay, update; what a capture forbids | runtime.cu: \
capture
streams | graphs made of nodes: kernel, memcpy, memset, host function, child graph | runtime.cu: graphs
device functions | barriers, `__syncthreads_count()` and its relatives, warp functions | device.cu: warps
device functions | vector types, atomics, mathematics, conversions, bits of integers | device.cu: types
device functions | arithmetic with a rounding (`__fadd_rz()`, `__dsqrt_ru()`, ...), `math_constants.h` | runtime.cu: \
rounding
device functions | `__dp4a()`, `__vadd4()` and other functions of packed integers, `cuComplex.h` | runtime.cu: packed
device functions | `assert` and `__trap()`: CUDA's message and error; the next launch works here | grid.cu: failing
half precision | `cuda_fp16.h`, `cuda_bf16.h`: every conversion with its rounding, arithmetic, comparisons: a GPU's \
bits; \
`cuda_fp8.h`: conversions of E4M3 and E5M2 | half.cu
half precision | `hexp()`, `hsin()` and their relatives: the nearest number; a GPU may give its neighbour | half.cu
half precision | `half2` and `__nv_bfloat162`; shuffles, atomics, `__ldg()` of all four types | half_kernels.cu: \
types, pairs, threads
half precision | operators and implicit conversions, and none with the macros that torch passes | half_kernels.cu: \
operators
cooperative groups | `thread_block`, `thread_group`, ranks, sizes, barriers | groups.cu: blocks
cooperative groups | tiles of 1 to 1024 threads, tiles of tiles, meta groups; shuffles of any type, votes, matches | \
groups.cu: tiles, large
cooperative groups | `coalesced_threads()`, `labeled_partition()`, `binary_partition()`, `invoke_one()` | groups.cu: \
coalesced
cooperative groups | `reduce()`, `inclusive_scan()`, `exclusive_scan()` in CUDA's order | groups.cu: sums
cooperative groups | `grid_group`, `cluster_group`: barriers, ranks, `map_shared_rank()` | groups.cu: several_blocks
asynchronous copies | `cuda_pipeline.h`, `cuda_awbarrier.h` and their primitives | async.cu: primitives
asynchronous copies | `cuda/pipeline` of a thread and of a block, with roles; `memcpy_async()` of `cuda::` and of \
cooperative groups | async.cu: pipelines
asynchronous copies | `cuda/barrier` of every scope, with parity and completion functions; \
`cuda::device::memcpy_async_tx()` | async.cu: barriers
asynchronous copies | of `cuda/ptx`: mbarriers, and `st_async()` into the shared memory of another block of the \
cluster | exchange.cu: sums, forms
asynchronous copies | `cp.async.bulk`: from global memory, also to several blocks of a cluster, from block to block, and \
back in groups; `st.async`, `mapa`, `barrier.cluster` | tma.cu: bulk
asynchronous copies | TMA: `cuTensorMapEncodeTiled()` with the driver's checks, boxes of 1 to 5 dimensions both ways, \
swizzles, edges, `.multicast::cluster`; by PTX, by `cuda::ptx`, and by CUDA 12's `cuda::device::experimental` | tma.cu: \
boxes, multicast, names, maps
asynchronous copies | `cuda/atomic` of 1 to 8 bytes on host and device, `cuda/latch`, `cuda/semaphore` | async.cu: \
atomics
asynchronous copies | of `cuda/std`: `array`, `span`, `tuple`, `complex`, `limits`, `type_traits`, ... | async.cu: \
standard
CUB | `BlockReduce`, `BlockScan`, `BlockLoad`, `BlockStore`, `WarpReduce` | cub.cu: reduce, scan, load_and_store
tensor cores | `mma.h`: half, bfloat16, tf32, 8-bit integers, double; every documented shape and layout | \
tensor_cores.cu: wmma_fragments
tensor cores | `mma.sync`, `ldmatrix`, `stmatrix`, `movmatrix` as inline PTX | tensor_cores.cu: mma_sync
tensor cores | `wgmma`: f16, bf16, tf32, e4m3, e5m2, 8-bit integers; the left matrix in shared memory or in registers; \
every layout and swizzle, groups | wgmma.cu: types, layouts, groups
tensor cores | a product of matrices and attention as they are written for Hopper: stages of TMA, a warp that loads, \
`setmaxnreg` | hopper_kernels.cu: product, attention
inline PTX | special registers: `%laneid`, `%smid`, `%lanemask_lt`, `%globaltimer`, ... | ptx.cu: special_registers
inline PTX | `ld`, `st`, 32-bit shared addresses, `cp.async`, `atom`, `red`; hints for caches do nothing | ptx.cu: memory
inline PTX | registers, predicates, jumps; arithmetic with rounding, `lop3`, `prmt`, `cvt`, `setp`, ... | ptx.cu: \
arithmetic
inline PTX | asm statements whose text or operands macros complete | wgmma.cu: types, groups
inline PTX | `shfl.sync`, `vote.sync`, `bar.sync` with numbers, `mbarrier`, fences | ptx.cu: warp, barriers
names | `__CUDACC__` and `__CUDA_ARCH__` (900) in a `.cu`; all errors, attributes and fields of `cudaDeviceProp`; \
NVTX, which does nothing | \
host.cu: runtime; runtime.cu: streams
"""


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in text.strip().splitlines()]


FEATURES = [Feature(*row) for row in rows(ROWS)]


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
    """Markdown: what is covered, and where its test is; the groups in the order in which they first come."""
    lines = ["| what | test |", "|---|---|"]
    for group in dict.fromkeys(feature.group for feature in FEATURES):
        lines += [f"| **{group}** | |"]
        lines += [f"| {f.what} | {f.tests} |" for f in FEATURES if f.group == group]
    return "\n".join(lines) + "\n"
