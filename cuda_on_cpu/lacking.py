"""What CUDA on CPU does not cover: the one table. README.md shows it, and the translator refuses what it can see of it.

A header of this table that include/ lacks, and a name of it, end the compilation with one error that says so, in the reader's
own line. It is the error of an #include, because compilers stop there: hundreds of others would follow. #if may leave it
out, and __has_include tells the truth.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from pathlib import Path
from typing import NamedTuple

INCLUDE = Path(__file__).resolve().parent / "include"
SAID = "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no {}"
# Of an instruction: a compiler's error, which #if may leave out. A lambda stands wherever a statement may.
NO_INSTRUCTION = '[] {{ static_assert(false, "CUDA on CPU (see its README) has no PTX instruction {}"); }}()'


class Lacking(NamedTuple):
    what: str
    instead: str
    headers: str = ""  # patterns; whatever include/ has of them is covered
    names: str = ""  # regular expression; a name with :: is looked for with what stands before it
    family: str = ""  # what an error calls these names; else it has the name itself


CUB = r"cub::(Device\w+|Block(RadixSort|RadixRank|MergeSort|Exchange|Histogram|Discontinuity|AdjacentDifference|"
CUB += r"Shuffle|RunLengthDecode)|Warp(Scan|Exchange|MergeSort|Load|Store))"
TEXTURES = r"cuda(TextureObject_t|SurfaceObject_t|MallocArray|Malloc3DArray|ResourceDesc|TextureDesc|ChannelFormatDesc|"
TEXTURES += r"CreateChannelDesc|BindTexture\w*)|(tex|surf)(1D|2D|3D|Cubemap)\w*"
NODES = r"cudaGraphAddMem(Alloc|Free)Node|cudaMemAllocNodeParams\w*|cudaDevice(Get|Set)GraphMemAttribute|"
NODES += r"cudaDeviceGraphMemTrim|cudaGraphMemAttributeType|cudaGraphConditional\w+|cudaGraphSetConditional|"
NODES += r"cudaConditionalNodeParams"
DRIVER = r"CU(deviceptr|module|function|context)|cu(Init|(Mem(Alloc|Free|cpy|set|Get)|Module|LaunchKernel|Ctx)\w*)"

TABLE = [
    Lacking("Thrust (`thrust/`), except its complex numbers", "a kernel, or `#ifndef CUDA_ON_CPU`", "thrust/*"),
    Lacking("CUB's (`cub/`) device-wide functions, sorts, exchanges, `WarpScan`",
            "`cub::BlockReduce`, ..., or `#ifndef CUDA_ON_CPU`", "cub/*", CUB),
    Lacking("cuBLAS: `cublas_v2.h` and `cublasLt.h` are there, and a function that computes throws", "loops, or a kernel",
            "cublas.h cublasXt.h nvblas.h"),
    Lacking("cuDNN, cuFFT, cuRAND, cuSOLVER, cuSPARSE", "torch's functions, or a kernel",
            "cudnn*.h cufft*.h curand*.h cusolver*.h cusparse*.h"),
    Lacking("NVML, NVRTC, NPP, nvJPEG, nvJitLink, CUPTI, NCCL", "nothing",
            "nvml.h nvrtc.h npp*.h nvjpeg*.h nvJitLink.h cupti*.h nccl*.h"),
    Lacking("textures and surfaces", "read the array through a pointer", "texture_*.h surface_*.h", TEXTURES,
            "textures and surfaces"),
    Lacking("kernels that launch kernels", "launch from the host"),
    Lacking("the driver API (`cuMemAlloc()`, `cuLaunchKernel()`, ...) but for `cuTensorMapEncodeTiled()`",
            "the runtime's functions", "cudaProfiler.h", DRIVER, "driver API"),
    Lacking("`tcgen05`, sparse `mma` and `wgmma`, 4-bit and 1-bit matrices, carry chains, `cp.reduce.async.bulk`, "
            "`tensormap.replace`",
            "C++, `mma.sync` or `#ifndef CUDA_ON_CPU`; an unknown instruction is named in one line"),
    Lacking("tensor maps that are interleaved or made by `cuTensorMapEncodeIm2col()`, and what is not known of a GPU: rows "
            "of a box that are shorter than its swizzle, element strides in stores, the NaN of a fill", "another box"),
    Lacking("FP6, FP4, E8M0; `__nv_*` functions; `__shfl()` without `_sync` and other names older than CUDA 13",
            "today's names", "cuda_fp4.h cuda_fp6.h"),
    Lacking("of `cuda/ptx` everything but mbarriers, bulk copies, TMA, their fences, `st_async()`, cluster barriers, `mapa()` "
            "and `getctarank()`", "the same as inline PTX"),
    Lacking("mdspan, ranges and some others of `cuda/` and `cuda/std/`; atomics of more than 8 bytes",
            "the host's header under `#ifdef CUDA_ON_CPU`", "cuda/*"),
    Lacking("graph nodes that allocate or decide", "nothing", "", NODES, "graph nodes that allocate or decide"),
    Lacking("IPC, peer access, `multi_grid_group`", "nothing"),
    Lacking("graphics", "nothing", "cudaGL.h cudaEGL.h cudaVDPAU.h cuda_*_interop.h"),
    Lacking("what nvcc refuses is accepted: in a kernel a host variable or function that a header declares, or that a "
            "macro names; a host's method or operator, unless the kernel names the object's class; a constexpr array, the "
            "address of a host's constant; what the device's methods of a class use of the host; one `extern __shared__` "
            "name with two types", "compile with nvcc as well"),
    Lacking("launches and `__shared__` in headers outside of the build's own folders (`-I`)", "include them with quotes"),
    Lacking("a loop that waits for another thread, where a macro of a header makes the kernel (`KERNEL(f) {`)",
            "`#define` it in the `.cu`"),
    Lacking("`__cluster_dims__` at a declaration", "write it at the definition"),
    Lacking("a pointer of `map_shared_rank()` that one block hands to another", "each block calls it itself"),
    Lacking("the last bits: nvcc fuses `a * b + c` (half too), and `__expf()` is exact here",
            "compare with a tolerance; `__hfma()`"),
    Lacking("the limit for static shared memory, `__launch_bounds__`, registers in `cudaFuncGetAttributes()`",
            "`nvcc -Xptxas -v`"),
    Lacking("the limit that `cudaFuncSetAttribute()` gave one kernel holds for overloaded names as well",
            "give each kernel its own name"),
    Lacking("more than 256 KB of stack for a thread: the launch ends", "less on the stack"),
    Lacking("an integer divided by 0: the launch ends (on x86-64), where a GPU goes on with some number", "test the divisor"),
    Lacking("host code that must not see `__CUDA_ARCH__` in a `.cu`; `__NVCC__` is not defined", "ask for `CUDA_ON_CPU`"),
    Lacking("on macOS, the time limit for endless loops", "stop the process"),
]  # fmt: skip


def lacks_header(name: str) -> bool:
    """Whether the table has a header that include/ does not. CUDA's names in cuda/ have no dot: cuda/mine.h is a reader's."""
    if (INCLUDE / name).is_file() or re.match(r"cuda/.*\.", name):
        return False
    return any(fnmatch.fnmatchcase(name, pattern) for row in TABLE for pattern in row.headers.split())


@functools.cache  # it is asked for each word of a file
def lacking_name(name: str) -> str | None:
    """What an error calls it, or the family that it belongs to; None for a name that the table does not have."""
    return next((row.family or name for row in TABLE if row.names and re.fullmatch(row.names, name)), None)


def markdown() -> str:
    """The table as README.md has it."""
    lines = []
    for what, instead, headers, *_ in TABLE:
        shown = ", ".join(f"`{pattern}`" for pattern in headers.split() if "/" not in pattern)
        lines.append(f"- {what}{f' ({shown})' * bool(shown)}: {instead}.\n")
    return "".join(lines)
