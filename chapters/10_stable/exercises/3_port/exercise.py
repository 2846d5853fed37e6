"""port: bind by the stable ABI instead of TORCH_LIBRARY

axpy.cpp binds by TORCH_LIBRARY, and works only for the torch that compiled it. Port it to the stable ABI. The check compiles
it for torch 2.11 and all later versions.
"""

import ctypes
import math
import re
import struct
import subprocess

import torch

from grader.checks import (
    WATCH,
    Wrong,
    check,
    device,
    extension,
    found_by_cuda,
    launches_rightly,
    library,
    many,
    place,
    refuses,
    without_comments,
)
from grader.launchers import LaunchProbe

MINUTES = 30
MEMORY_CHECK = False
FAILS = "should not be included"
WIDTH = "\nC++ reads 32 bits of factor. In the schema it is a float of Python, of 64 bits: which type is that in C++?"
HALVES = struct.unpack("<d", struct.pack("<fL", 3.0, 0x3FE00000))[
    0
]  # 0.5 and a little; half of its bits are the float 3


def run(mine):
    extension(mine, ["axpy.cpp", "axpy.cu", WATCH], stable=True)
    try:
        axpy = torch.ops.exercise.axpy
    except AttributeError:
        raise Wrong("torch.ops.exercise has no axpy: no schema was entered under this name") from None
    if re.search(r"\bk?CPU\b", without_comments(mine / "axpy.cpp")):
        raise Wrong(
            "axpy.cpp names the key CPU: on a GPU, axpy would have no kernel; KERNEL_DISPATCH_KEY is right for both"
        )
    tied(place(mine) / f"{place(mine).name}.so")
    for shape in (0,), (1,), (3,), (257,), (2, 3):
        x = torch.arange(math.prod(shape), device=device, dtype=torch.float32).view(shape) + 1
        y = torch.ones(shape, device=device)
        given, expected = y.clone(), 0.5 * x + y
        try:
            found = axpy(0.5, x, given)
        except NotImplementedError:
            raise Wrong(f"axpy has no function for tensors on {device.type}") from None
        if not torch.equal(given, y):
            raise Wrong(f"axpy(factor=0.5, x={x.tolist()}, y={y.tolist()}) has changed y to {given.tolist()}")
        if not torch.equal(found, expected):
            half = torch.equal(axpy(HALVES, x, y), 3 * x + y)
            x, y, found, expected = (t.tolist()[:4] for t in (x, y, found, expected))
            raise Wrong(f"axpy(factor=0.5, x={x}, y={y}) is {found}, expected {expected}" + half * WIDTH)
    one = torch.ones(1, device=device)
    if not torch.allclose(found := axpy(0.3, one, one), 0.3 * one + one):
        raise Wrong(f"axpy(factor=0.3, x=[1.0], y=[1.0]) is {found.item():g}, expected 1.3")
    matrix = torch.ones(4, 4, device=device)
    refuses(lambda: axpy(1.0, matrix.double(), matrix.double()), RuntimeError, "", "float64")
    refuses(lambda: axpy(1.0, matrix.int(), matrix.int()), RuntimeError, "", "int32")
    refuses(lambda: axpy(1.0, matrix, matrix.double()), RuntimeError, "", "y of float64")
    refuses(lambda: axpy(1.0, matrix.double(), matrix), RuntimeError, "", "x of float64")
    refuses(lambda: axpy(1.0, matrix[:, :2], matrix[:, 2:]), RuntimeError, "contiguous", "two columns of a matrix")
    refuses(lambda: axpy(1.0, matrix, matrix.T), RuntimeError, "contiguous", "y transposed")
    refuses(lambda: axpy(1.0, matrix, matrix[:2]), RuntimeError, "shape", "other shapes")
    refuses(lambda: axpy(1.0, matrix[:2], matrix), RuntimeError, "shape", "y with more rows than x")
    refuses(lambda: axpy(1.0, matrix, matrix.view(2, 8)), RuntimeError, "shape", "4 x 4 and 2 x 8, as many elements")
    refuses(lambda: axpy(1.0, matrix, matrix.view(4, 2, 2)), RuntimeError, "shape", "4 x 4 and 4 x 2 x 2")
    of_stream_and_device(mine, axpy)
    print("right   compiled for torch 2.11 and later; values; refused tensors; stream and device")


def tied(library):
    """torch's C++ names are of one version; those of the stable ABI are C functions."""
    names = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True).stdout
    if found := re.search(r"\b_ZNK?(2at|3c10|5torch)\w*", names):
        raise Wrong(f"the library takes {found[0]} from torch, a C++ name, which is tied to this version of torch")


def of_stream_and_device(mine, axpy):
    """On a GPU check() tries another stream; without one, and for the device, CUDA on CPU looks at the launch."""
    x = torch.rand(257, device=device)
    if device.type == "cuda":
        check(
            lambda x, y: axpy(0.5, x, y),
            lambda x, y: 0.5 * x + y,
            lambda n: (torch.rand(n, device=device),) * 2,
            (257,),
        )
        return
    launches_rightly(mine, lambda: axpy(0.5, x, x), "axpy", x)
    many_elements(axpy, library(mine))


def many_elements(axpy, built):
    """The last blocks alone, of more than 2^31 and 2^32 elements; where there is no memory for so many, this looks at
    nothing."""
    for n in 2**31 + 10, 2**32 + 10:
        x, y = many(n), many(n)
        watch = LaunchProbe(has_stream=1, only_last=n)
        built.watch(ctypes.byref(watch))
        try:
            axpy(0.5, x, y)
        except torch.OutOfMemoryError:
            return
        except RuntimeError as error:
            if "alloc" in str(error):
                return
            raise Wrong(f"x with {n} elements: {found_by_cuda(error)}\n{BITS}") from None
        finally:
            built.watch(None)
        if watch.most_threads < n:
            raise Wrong(f"x with {n} elements: the kernel has {watch.most_threads} threads\n{BITS}")


BITS = "How many bits has the number of elements on its way to the launcher?"
