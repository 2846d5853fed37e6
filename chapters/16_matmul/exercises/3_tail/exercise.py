"""tail: find out why some sums are too large

tail.cu never loads out of bounds, and is right where k is a multiple of 16. Otherwise its results are wrong. Compare the
results with the expected ones for k = 1, find the reason, and fix the four lines that copy the tiles.
"""

import torch

from grader.checks import check, device, last_element, launchers, limits, many, work_is_divided

MINUTES = 20
FAILS = "other k: m = 70, n = 5, k = 1"


def run(mine):
    launch = launchers(mine / "tail.cu").launch_tail

    def tail(a, b):
        out = torch.empty(a.shape[0], b.shape[1], device=device)
        launch(out, a, b, a.shape[0], b.shape[1], a.shape[1])
        return out

    def product(a, b):
        return a @ b

    def matrices(m, n, k):
        return tuple(torch.randint(1, 9, shape, device=device).float() for shape in ((m, k), (k, n)))

    def with_infinity(k):
        a, b = matrices(70, 5, k)
        a[66], b[:, 3] = torch.inf, torch.inf
        return a, b

    def with_nan(k):
        a, b = matrices(70, 5, k)
        a[69, 0], b[k - 1, 4] = torch.nan, torch.nan
        return a, b

    def fractions(k):
        return torch.randn(70, k, device=device), torch.randn(k, 5, device=device)

    shape = "m = 70, n = 5, k"
    check(tail, product, lambda k: matrices(70, 5, k), (0, 16, 32, 48), name=shape)
    check(tail, product, lambda k: matrices(70, 5, k), (1, 5, 15, 17, 30, 33), name=f"other k: {shape}")
    check(tail, product, lambda m: matrices(m, 5, 19), (0, 1, 63, 64, 65), name="n = 5, k = 19, m")
    check(tail, product, lambda n: matrices(5, n, 19), (0, 1, 63, 64, 65), name="m = 5, k = 19, n")
    check(tail, product, with_infinity, (1, 16, 17, 40), name=f"a row of a and a column of b are infinite: {shape}")
    check(tail, product, with_nan, (1, 16, 17, 40), name=f"a NaN in a, and one in b: {shape}")
    check(tail, product, fractions, (1, 33), rtol=1e-5, atol=1e-4, name=f"fractions: {shape}")
    inputs = matrices(64, 64, 32)
    work_is_divided(lambda: tail(*inputs), 2 * 64 * 32, "load", warps=8)
    limits(lambda: tail(*inputs), sectors_per_request=4, wavefronts_per_request=1)
    many_elements(launch, 65535 * 64, 1025, 1025)  # more rows do not fit into a grid
    many_of_b(launch, 3, 2**31 + 1)


def many_elements(launch, m, n, k):
    """The last blocks alone, where out and a have more than 2^32 elements."""
    if (a := many(m * k)) is not None:
        a[:m], a[-k:] = 2, 1  # an index that lacks its upper bits finds 2
        last_element(launch, many(m * n), a, torch.ones(k, n), m, n, k, expected=k, where=f"m = {m}, n = {n}, k = {k}",
                     threads=m * n // 16)  # fmt: skip


def many_of_b(launch, k, n):
    """The same for b."""
    if (b := many(k * n)) is not None:
        b.view(k, n)[:, -1] = 1
        said = f"m = 1, n = {n}, k = {k}, b has {k * n} elements"
        last_element(launch, many(n), torch.ones(k), b, 1, n, k, expected=k, where=said, threads=n // 16)
