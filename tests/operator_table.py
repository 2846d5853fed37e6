"""Every operator of every chapter in a few words, from which test_operators.py makes its cases. A new one adds a row."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

SIZES = [0, 1, 3, 255, 256, 257, 2**20 + 3]


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensor arguments, all float32, contiguous and of one shape."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    sizes: tuple = tuple(SIZES)

    def __str__(self):
        return f"{self.chapter}.{self.name}"


OPERATORS = [
    Operator("02_square", "square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3)),
    Operator("02_square", "custom_operation", ("input",), lambda x: 2 * x),
    Operator("02_square", "add_cuda", ("a", "b"), torch.add),
    Operator("03_add2", "add2", ("a", "b"), torch.add),
    Operator("03_add2", "vector_add", ("a", "b"), torch.add),
]
