"""Every operator of every chapter in a few words, from which test_operators.py makes its cases. A new one adds a row."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from conftest import operators

from common.checking import SIZES


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensor arguments, all float32, contiguous and of one shape.
    build: the function of main.py whose module has the operator.
    aligned: it refuses arguments that do not begin at a multiple of 16 bytes."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    sizes: tuple = SIZES
    build: str = "build"
    aligned: bool = False

    def __call__(self, *args, **kwargs):
        return getattr(operators(self.chapter, self.build), self.name)(*args, **kwargs)

    def __str__(self):
        return f"{self.chapter}.{self.name}"


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
]

# What has other arguments than tensors of one shape, and so a test file of its own.
TESTED_ELSEWHERE = {"01_hello.hello", "01_hello.hello_gpu", "03_add2.torch_launch_add2", "06_vec4.threads_per_sm"}
