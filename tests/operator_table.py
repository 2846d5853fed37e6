"""Every operator of every chapter in a few words, from which test_operators.py makes its cases. A new one adds a row."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from conftest import operators

from common.checking import SIZES


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensor arguments, all of one dtype, contiguous and of one shape.
    tolerance: rtol and atol of its float32 results against the reference; 0 asks for the same bits.
    dtypes: what it takes; differentiable: whether it takes tensors that require grad.
    build: the function of main.py whose module has the operator.
    aligned: it refuses arguments that do not begin at a multiple of 16 bytes."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    sizes: tuple = SIZES
    tolerance: float = 0
    dtypes: tuple = (torch.float32,)
    differentiable: bool = False
    build: str = "build"
    aligned: bool = False

    def __call__(self, *args, **kwargs):
        return getattr(operators(self.chapter, self.build), self.name)(*args, **kwargs)

    def __str__(self):
        return f"{self.chapter}.{self.name}"


def swiglu(a, b):
    return torch.nn.functional.silu(a) * b


def swiglu_backward(grad, a, b):
    return torch.ops.aten.silu_backward(grad * b, a), grad * torch.nn.functional.silu(a)


both = {"dtypes": (torch.float32, torch.float64)}
both_rounded = both | {"tolerance": 1e-6}  # exp() is rounded in its own way on each machine

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
]

# What has other arguments than tensors of one shape, and so a test file of its own.
TESTED_ELSEWHERE = {"01_hello.hello", "01_hello.hello_gpu", "03_add2.torch_launch_add2", "06_vec4.threads_per_sm"}
