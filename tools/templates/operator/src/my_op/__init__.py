"""my_op(x, factor): factor * x by a CUDA kernel, as an operator of torch.

The library beside this file registers it with torch's dispatcher, as torch.ops.my_op.my_op.
This file adds what the library leaves open: what torch.compile asks for, and the gradient.
"""

from pathlib import Path
from typing import Any

import torch

__version__ = "0.1.0"
__all__ = ["my_op"]

torch.ops.load_library(Path(__file__).with_name("_C.abi3.so"))


def my_op(x: torch.Tensor, factor: float) -> torch.Tensor:
    """factor * x, a new tensor. x: float32, float16 or bfloat16, contiguous, of any shape."""
    return torch.ops.my_op.my_op(x, factor)


@torch.library.register_fake("my_op::my_op")
def _shape_of_result(x: torch.Tensor, factor: float) -> torch.Tensor:
    """torch.compile calls this with tensors that have a shape and no memory. It refuses what the kernel refuses."""
    dtypes = torch.float32, torch.float16, torch.bfloat16
    torch._check(x.dtype in dtypes, lambda: f"x must have dtype Float or Half or BFloat16, got {x.dtype}")
    torch._check(x.is_contiguous(), lambda: f"x must be contiguous, got strides {x.stride()}; pass x.contiguous()")
    return torch.empty_like(x)


def _save(ctx: Any, inputs: tuple[torch.Tensor, float], output: torch.Tensor) -> None:
    _, ctx.factor = inputs


def _backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
    """The derivative of factor * x is factor; the factor itself gets no gradient."""
    return my_op(grad.contiguous(), ctx.factor), None


torch.library.register_autograd("my_op::my_op", _backward, setup_context=_save)
