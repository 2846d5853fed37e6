"""port: a binding by TORCH_LIBRARY becomes one by the stable ABI

axpy.cpp works for the torch that it was compiled with. The check compiles it for torch 2.11 and all later ones.
"""

import ctypes
from pathlib import Path

import torch

from grader.checks import Wrong, check, device, extension, place, refuses
from grader.launchers import Watch

MINUTES = 30
MEMORY_CHECK = False
FAILS = "should not be included"


def run(mine):
    extension(mine, ["axpy.cpp", "axpy.cu", Path(__file__).with_name("watch.cu")], stable=True)
    try:
        axpy = torch.ops.exercise.axpy
    except AttributeError:
        raise Wrong("torch.ops.exercise has no axpy: no schema was entered under this name") from None
    for n in 0, 1, 3, 257:
        x = torch.arange(n, device=device, dtype=torch.float32) + 1
        y = torch.ones(n, device=device)
        try:
            found = axpy(0.5, x, y)
        except NotImplementedError:
            raise Wrong(f"axpy has no function for tensors on {device.type}") from None
        if not torch.equal(found, expected := 0.5 * x + y):
            lost = torch.equal(found, y)  # the factor's 64 bits, read as 32, are 0
            x, y, found, expected = (t.tolist()[:4] for t in (x, y, found, expected))
            raise Wrong(
                f"axpy(factor=0.5, x={x}, y={y}) is {found}, expected {expected}"
                + "\nfactor has arrived as 0. In the schema it is a float of Python, of 64 bits: which type is that in C++?"
                * lost
            )
    matrix = torch.ones(4, 4, device=device)
    refuses(lambda: axpy(1.0, matrix.double(), matrix.double()), RuntimeError, "", "float64")
    refuses(lambda: axpy(1.0, matrix[:, :2], matrix[:, 2:]), RuntimeError, "contiguous", "two columns of a matrix")
    refuses(lambda: axpy(1.0, matrix, matrix[:2]), RuntimeError, "shape", "other shapes")
    of_stream_and_device(mine, axpy)
    print("right   compiled for torch 2.11 and later; values; refused tensors; stream and device")


def of_stream_and_device(mine, axpy):
    """On a GPU check() tries another stream; without one, and for the device, CUDA on CPU looks at the launch."""
    x = torch.ones(257, device=device)
    if device.type == "cuda":
        check(
            lambda x, y: axpy(0.5, x, y),
            lambda x, y: 0.5 * x + y,
            lambda n: (torch.rand(n, device=device),) * 2,
            (257,),
        )
        return
    library = ctypes.CDLL(next(path for path in torch.ops.loaded_libraries if place(mine).name in path))
    watch = Watch(has_stream=1)
    library.watch(ctypes.byref(watch))
    try:
        axpy(0.5, x, x)
    except RuntimeError as error:
        if "is on the default stream" not in str(error):
            raise
        raise Wrong("axpy launches on the default stream, expected: on torch's current one, of x's device") from None
    finally:
        library.watch(None)
    if watch.unguarded:
        raise Wrong(
            "when axpy launches, no DeviceGuard is there: with several GPUs the kernel would run on the current one, and not "
            "on x's"
        )
