"""Every operator of every chapter in a few words, from which test_operators.py makes its cases. A new one adds a row."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from conftest import operators

from common.checking import SIZES


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensor arguments, all of one dtype and one shape, and contiguous.
    build: the function of main.py whose module has the operator. others: arguments that are no tensors."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    sizes: tuple = SIZES
    build: str = "build"
    dtype: torch.dtype = torch.float32
    others: dict = field(default_factory=dict)

    def __call__(self, *args, **kwargs):
        return getattr(operators(self.chapter, self.build), self.name)(*args, **kwargs, **self.others)

    def __str__(self):
        return f"{self.chapter}.{self.name}"


def gray(img):  # in integers; in steps that are small enough for a GPU's memory
    parts = [part.int() for part in img.flatten(0, -2).split(2**28)]
    sums = [299 * part[:, 0] + 587 * part[:, 1] + 114 * part[:, 2] for part in parts]
    return torch.cat([((total + 500) // 1000).to(torch.uint8) for total in sums]).view(img.shape[:-1])


def thousandths(volume):  # on a GPU, torch divides by a number as 1 / 1000 times, and is off by a bit
    return volume.float() / torch.tensor(1000.0, device=volume.device)


IMAGE = {"shape": lambda n: (n, 2, 3), "dtype": torch.uint8}
VOLUME = {"shape": lambda n: (n, 2, 3), "dtype": torch.uint16, "others": {"maxVal": 1000.0}}

OPERATORS = [
    Operator("02_square", "square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3)),
    Operator("02_square", "custom_operation", ("input",), lambda x: 2 * x),
    Operator("02_square", "add_cuda", ("a", "b"), torch.add),
    Operator("03_add2", "add2", ("a", "b"), torch.add),
    Operator("03_add2", "vector_add", ("a", "b"), torch.add),
    Operator("03_add2", "custom_operation", ("input",), lambda x: 2 * x, build="build_one_file"),
    Operator("04_package", "my_cuda_function", ("input",), lambda x: 2 * x),
    Operator("05_cmake", "axpy", ("x", "y"), torch.add),  # alpha is 1, unless one says otherwise
    Operator("08_image", "rgb_to_gray", ("img",), gray, **IMAGE),
    Operator("08_image", "normalize_volume", ("volume",), thousandths, **VOLUME),
    Operator("08_image", "normalize_volume_naive", ("volume",), thousandths, **VOLUME),
]

# What has other arguments than tensors of one shape, and so a test file of its own.
TESTED_ELSEWHERE = {"01_hello.hello", "01_hello.hello_gpu", "03_add2.torch_launch_add2", "08_image.rgb_to_gray_naive"}
