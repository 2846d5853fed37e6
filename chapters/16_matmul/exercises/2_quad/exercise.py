"""quad: load a float of b once for four products

quad.cu is right, but each product takes two floats from shared memory. Let a thread keep four results of one column in
registers: then it needs 5 floats for 4 products.
"""

import os

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    found_by_cuda,
    last_element,
    launchers,
    limits,
    many,
    seen,
    work_is_divided,
)

MINUTES = 20
FAILS = "2 floats from shared memory for each product"


def run(mine):
    launch = launchers(mine / "quad.cu").launch_quad

    def quad(a, b):
        out = torch.empty(a.shape[0], b.shape[1], device=device)
        launch(out, a, b, a.shape[0], b.shape[1], a.shape[1])
        return out

    def matrices(m, n, k):
        return tuple(torch.randint(1, 9, shape, device=device).float() for shape in ((m, k), (k, n)))

    def fractions(k):
        return torch.randn(35, k, device=device), torch.randn(k, 35, device=device)

    def with_infinity_and_nan(k):
        a, b = matrices(35, 5, k)
        a[33], b[:, 3], b[k - 1, 4] = torch.inf, torch.inf, torch.nan
        return a, b

    sizes = (0, 1, 3, 31, 32, 33, 70)
    for name, inputs in (
        ("n = 5, k = 40, m", lambda m: matrices(m, 5, 40)),
        ("m = 5, k = 40, n", lambda n: matrices(5, n, 40)),
        ("m = 35, n = 35, k", lambda k: matrices(35, 35, k)),
    ):
        check(quad, lambda a, b: a @ b, inputs, sizes, name=name, any_n=4)
    check(quad, lambda a, b: a @ b, fractions, (1, 33), rtol=1e-5, atol=1e-4, name="fractions: m = 35, n = 35, k")
    name = "a row of a and a column of b are infinite, and a NaN is in b: m = 35, n = 5, k"
    check(quad, lambda a, b: a @ b, with_infinity_and_nan, (1, 31, 32), name=name)
    inputs = matrices(64, 64, 64)
    work_is_divided(lambda: quad(*inputs), 64 * 64)
    limits(lambda: quad(*inputs), sectors_per_request=4, wavefronts_per_request=1)
    loads = [row for row in seen(lambda: quad(*inputs)) if row.kind == "load"]
    for space, most, what in ("global", 2 / 32, "device memory"), ("shared", 5 / 4, "shared memory"):
        lines = [row for row in loads if row.space == space]
        count = sum(row.threads * row.width / 4 for row in lines) / 64**3
        if count > most:
            where = " ".join(f"{row.file}:{row.line}" for row in lines)
            said = f"{where}: {count:.4g} floats from {what} for each product, at most {most:g} allowed"
            raise Wrong(f"{said}\nEvery mention of an element counts as a load, even if nvcc would load it only once.")
        if loads:
            print(f"{'right':8}{count:g} floats from {what} for each product")
    m, n = 2**16, 2**16 + 1
    a, b = torch.zeros(m), torch.zeros(n)
    a[-1] = b[-1] = 3
    last_element(launch, many(m * n), a, b, m, n, 1, expected=9, where=f"m = {m}, n = {n}, k = 1", threads=m * n // 4)
    many_of_a(launch, 2**20, 2**12 + 1)
    many_of_b(launch, 3, 2**31 + 1)


def many_of_a(launch, m, k):
    """The last block alone, where a has more than 2^32 elements."""
    out, a = many(m), many(m * k)
    if a is None:
        return
    a[-k:] = 1
    said = f"m = {m}, n = 1, k = {k}: a has {m * k} elements, more than 2^32"
    why = "How many bits has each number that an index is computed from?"
    os.environ["CUDA_REVERSE"] = "0"
    try:
        launch(out, a, torch.ones(k), m, 1, k, threads=m, only_last=True)
    except RuntimeError as error:
        raise Wrong(f"{said}: {found_by_cuda(error)}\n{why}") from None
    if out[-1] != k:
        raise Wrong(f"{said}: the last result is {out[-1].item():g}, expected {k}\n{why}")
    print(f"{'right':8}{said}")


def many_of_b(launch, k, n):
    """The last blocks alone, where b has more than 2^32 elements."""
    if (b := many(k * n)) is not None:
        b.view(k, n)[:, -1] = 1
        said = f"m = 1, n = {n}, k = {k}, b has {k * n} elements"
        last_element(launch, many(n), torch.ones(k), b, 1, n, k, expected=k, where=said, threads=n // 4)
