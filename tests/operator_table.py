"""Every operator of every chapter in a few words, from which test_operators.py makes its cases. A new one adds a row."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from conftest import operators

from common.checking import SIZES


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensor arguments, all of one dtype, contiguous and of one shape.
    others: its other arguments, by name.
    dtypes: those that it takes; `dtype`, the first, is what most tests use.
    tolerance: rtol and atol of its results against the reference; 0 asks for the same bits.
    differentiable: it takes tensors that require grad.
    aligned: it refuses arguments that do not begin at a multiple of 16 bytes.
    build: the function of main.py whose module has the operator."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    sizes: tuple = SIZES
    others: dict = field(default_factory=dict)
    dtypes: tuple = (torch.float32,)
    tolerance: float = 0
    differentiable: bool = False
    aligned: bool = False
    build: str = "build"

    @property
    def dtype(self):
        return self.dtypes[0]

    def __call__(self, *args, **kwargs):
        return getattr(operators(self.chapter, self.build), self.name)(*args, **kwargs, **self.others)

    def __str__(self):
        return f"{self.chapter}.{self.name}"


def swiglu(a, b):
    return torch.nn.functional.silu(a) * b


def swiglu_backward(grad, a, b):
    return torch.ops.aten.silu_backward(grad * b, a), grad * torch.nn.functional.silu(a)


both = {"dtypes": (torch.float32, torch.float64)}
both_rounded = both | {"tolerance": 1e-6}  # exp() is rounded in its own way on each machine


def gray(img):  # in integers; in steps that are small enough for a GPU's memory
    parts = [part.int() for part in img.flatten(0, -2).split(2**28)]
    sums = [299 * part[:, 0] + 587 * part[:, 1] + 114 * part[:, 2] for part in parts]
    return torch.cat([((total + 500) // 1000).to(torch.uint8) for total in sums]).view(img.shape[:-1])


def thousandths(volume):  # on a GPU, torch divides by a number as 1 / 1000 times, and is off by a bit
    return volume.float() / torch.tensor(1000.0, device=volume.device)


IMAGE = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint8,)}
VOLUME = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint16,), "others": {"maxVal": 1000.0}}

OPERATORS = [
    Operator("02_square", "square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3)),
    Operator("02_square", "custom_operation", ("input",), lambda x: 2 * x),
    Operator("02_square", "add_cuda", ("a", "b"), torch.add),
    Operator("03_add2", "add2", ("a", "b"), torch.add),
    Operator("03_add2", "vector_add", ("a", "b"), torch.add),
    Operator("03_add2", "custom_operation", ("input",), lambda x: 2 * x, build="build_one_file"),
    Operator("04_package", "my_cuda_function", ("input",), lambda x: 2 * x),
    Operator("05_cmake", "axpy", ("x", "y"), torch.add),  # alpha is 1, unless one says otherwise
    Operator("06_vec4", "add_scalar", ("a", "b"), torch.add),
    Operator("06_vec4", "add_grid_stride", ("a", "b"), torch.add),
    Operator("06_vec4", "add_unrolled", ("a", "b"), torch.add),
    Operator(
        "06_vec4", "add_vec4", ("a", "b"), torch.add, lambda n: (n, 4), (0, 1, 63, 64, 65, 2**16 + 3), aligned=True
    ),
    Operator("06_vec4", "add_forward", ("a", "b"), torch.add),
    Operator("07_autograd", "add_forward", ("a", "b"), torch.add, **both),
    Operator("07_autograd", "add", ("a", "b"), torch.add, **both, differentiable=True),
    Operator("07_autograd", "swiglu_forward", ("a", "b"), swiglu, **both_rounded),
    Operator("07_autograd", "swiglu_backward", ("grad", "a", "b"), swiglu_backward, **both_rounded),
    Operator("07_autograd", "swiglu", ("a", "b"), swiglu, **both_rounded, differentiable=True),
    Operator("08_image", "rgb_to_gray", ("img",), gray, **IMAGE),
    Operator("08_image", "normalize_volume", ("volume",), thousandths, **VOLUME),
    Operator("08_image", "normalize_volume_naive", ("volume",), thousandths, **VOLUME),
]

# What has other arguments than tensors of one shape, and so a test file of its own.
TESTED_ELSEWHERE = {
    "01_hello.hello",
    "01_hello.hello_gpu",
    "03_add2.torch_launch_add2",
    "06_vec4.threads_per_sm",
    "08_image.rgb_to_gray_naive",
}
