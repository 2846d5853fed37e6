"""The tensors of CUDA on CPU are the CPU's. So where an operator's source names CUDA to torch, the CPU is meant:

    TORCH_CHECK(x.is_cuda());                  x.is_cpu(); and so for x.type().is_cuda()
    torch::empty(n, torch::kCUDA);             torch::kCPU
    at::checkAllSameGPU(where, {x, y});        at::checkAllDefined(where, {x, y})
    x.device().type() == DeviceType::CUDA      DeviceType::CPU; and so for Backend and DispatchKey
    TORCH_LIBRARY_IMPL(mine, CUDA, m)          TORCH_LIBRARY_IMPL(mine, CPU, m)

A file with the word CUDA_ON_CPU says by itself what it means on which device, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokens import Tokens

NAMES = {"kCUDA": "kCPU", "checkAllSameGPU": "checkAllDefined"}
ENUMS = {"DeviceType", "DispatchKey", "Backend"}
LIBRARIES = {"TORCH_LIBRARY_IMPL", "STABLE_TORCH_LIBRARY_IMPL"}
TYPE = ["type", "(", ")", "."]  # x.type() knows is_cuda(), and no is_cpu()


def renamed(t: Tokens) -> Iterator[tuple[int, int, str]]:
    """Tokens, from the first to the last, and what stands for them."""
    if any(token.text == "CUDA_ON_CPU" for token in t.tokens):
        return
    for i, token in enumerate(t.tokens):
        if token.text in NAMES:
            yield i, i, NAMES[token.text]
        elif token.text == "is_cuda" and t.is_text(i + 1, "(") and t.text(i - 1) in (".", "->"):
            yield i - 4 * ([t.text(k) for k in range(i - 4, i)] == TYPE), i, "is_cpu"
        elif token.text == "CUDA" and (
            (t.is_text(i - 1, "::") and t.text(i - 2) in ENUMS)
            or (t.is_text(i - 1, ",") and t.text(i - 4) in LIBRARIES)
        ):
            yield i, i, "CPU"
