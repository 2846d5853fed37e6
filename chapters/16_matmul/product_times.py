"""What chapters 16 to 18 time: their matmul beside torch's, for squares, for other shapes, and for random ones."""

import random
import warnings
from dataclasses import replace
from functools import partial

import torch

from common import Contest, bench, device

ON_GPU = device.type == "cuda"


def torch_matmul(a, b):
    return a @ b


def exact(a, b):
    """Added in float32, and rounded once: torch's own may add parts of a sum in half precision."""
    return (a.float() @ b.float()).to(a.dtype)


def matrices(shape, dtype=torch.float32, a_transposed=False, b_transposed=False):
    """a [M, K] and b [K, N] of normal random numbers, or transposed views of such. shape: M, N and K."""
    m, n, k = shape
    normal = partial(torch.randn, dtype=dtype, device=device)
    a, b = normal((k, m) if a_transposed else (m, k)), normal((n, k) if b_transposed else (k, n))
    return a.mT if a_transposed else a, b.mT if b_transposed else b


def tolerance(k, dtype=torch.float32):
    """A unit in the last place; where a result is almost 0, what sums of k products differ by. Tensor cores cut digits off,
    always towards 0: what k / 16 such steps lose adds up."""
    return {"rtol": max(torch.finfo(dtype).eps, 1e-5), "atol": 2e-5 * max(k, 16) ** 0.5 * max(1, k / 2048)}


def operators(module, steps=("auto",)):
    ops = {step: partial(module.matmul, step=step) for step in steps} | {"torch": torch_matmul}
    if ON_GPU:
        warnings.filterwarnings("ignore", "TensorFloat32 tensor cores")  # torch.compile advises a less exact product
        torch.compiler.reset()
        ops["torch.compile"] = torch.compile(torch_matmul, dynamic=False)
    return ops


def bench_products(module, shapes, steps=("auto",), dtype=torch.float32, **layout):
    """Steps beside torch's product, of these (M, N, K). Returns the rows."""
    rows = []
    for shape in shapes:
        m, n, k = shape
        of_b = ", b transposed" * layout.get("b_transposed", False)
        print(f"{'':8}{m} x {k} by {k} x {n}{of_b}")
        timed = bench(operators(module, steps), lambda _, shape=shape: matrices(shape, dtype, **layout), [m * n], 2 * k,
                      exact, **tolerance(k, dtype), rate="TFLOP/s")  # fmt: skip
        rows += named(shape, timed, of_b)
    return rows


def named(shape, rows, layout=""):
    return [replace(row, name=f"{' x '.join(map(str, shape))}{layout}: {row.name}") for row in rows]


def shapes_of(size, default):
    """What --size asks for: one number for all three sides, or M, N and K."""
    size = size or [default]
    if len(size) not in (1, 3):
        raise SystemExit("--size takes one number, or M, N and K")
    return [tuple(size * 3 if len(size) == 1 else size)]


# ---- random shapes ---------------------------------------------------------------------------------------------------
def contest(dtypes, smallest=32, largest=9400, count=60):
    """For `make sweep`: so many random shapes with sides between these. Half of the shapes have multiples of 8, as models have
    them, the others any sides. In half of them, b is transposed."""

    def product(rows, columns, dtype):
        return matrices((rows, columns, inner(rows, columns)), dtype, b_transposed=rows % 16 < 8)

    def inner(rows, columns):  # the sweep draws two sides; less where an operand would have more than 2^29 numbers
        most = max(1, min(largest, 2**29 // max(rows, columns, 1)))
        least = min(smallest, most)
        k = int(least * (most / least) ** random.Random(f"{rows} {columns}").random())
        return k if rows % 8 or columns % 8 else max(8, k // 8 * 8)

    def shapes():
        dice = random.Random(16)
        for number in range(count):
            sides = [int(smallest * (largest / smallest) ** dice.random()) for _ in range(2)]
            yield *(side // 8 * 8 if number % 2 else side for side in sides), dtypes[-1]

    def error(dtype):
        return max(torch.finfo(dtype).eps, 1e-5)

    return Contest(torch_matmul, product, 3, tuple(dtypes), sides=3, tolerance=error, named=tuple(shapes()))
