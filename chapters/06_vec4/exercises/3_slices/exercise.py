"""slices: find the access that a GPU refuses, and fix it

The launcher of subtract.cu starts the kernel with float4 where the addresses allow that. For some slices its condition is
wrong, and the kernel would end all work on a GPU. The check names the line and the address.
"""

import itertools

import torch

from grader.checks import Wrong, check, device, found_by_cuda, last_element, launchers, many, seen
from grader.launchers import TooFewThreads

MINUTES = 10
FAILS = "misaligned"


def run(mine):
    launch = launchers(mine / "subtract.cu").launch_subtract

    def into(third):
        """c = z[third:]"""

        def subtract(a, b):
            c = torch.empty(third + a.numel(), device=device)[third:]
            launch(c, a, b, a.numel())
            return c

        return subtract

    def inputs(first, second):
        """a = x[first:], b = y[second:]"""

        def of(n):
            x, y = torch.randint(-9, 9, (2, n + 4), device=device).float().clone().unbind()
            return x.clone()[first : first + n], y.clone()[second : second + n]

        return of

    def named(first, second, third):
        parts = ("a = x", first), ("b = y", second), ("c = z", third)
        return ", ".join(whole + f"[{begin}:]" * (begin > 0) for whole, begin in parts)

    for first, second, third in (0, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (0, 2, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1):
        name = f"{named(first, second, third)}, n"
        check(into(third), torch.sub, inputs(first, second), (0, 1, 3, 4, 5, 8, 1027, 1028), name=name, any_n=4)
    # All of them, for a condition that is right by chance: with one call each.
    for offsets in itertools.product(range(4), repeat=3):
        a, b = inputs(*offsets[:2])(8)
        try:
            c = into(offsets[2])(a, b)
        except RuntimeError as error:
            raise Wrong(f"{named(*offsets)}, n = 8: {found_by_cuda(error)}") from None
        if not torch.equal(c, a - b):
            raise Wrong(f"{named(*offsets)}, n = 8: wrong result: {c.tolist()}, expected {(a - b).tolist()}")
    print(f"{'right':8}each of x, y and z from element 0, 1, 2 or 3 on, n = 8")
    for what, begin, n in ("whole tensors", 0, 4096), ("whole tensors", 0, 4099), ("slices [4:]", 4, 7):
        a, b = inputs(begin, begin)(n)
        rows = seen(lambda a=a, b=b, begin=begin: into(begin)(a, b))
        single = [row for row in rows if row.width < 16]
        if (count := sum(row.threads for row in single)) > (expected := 3 * (n % 4)):
            where = " ".join(dict.fromkeys(f"subtract.cu:{row.line}" for row in single))
            every = sum(row.threads for row in rows)
            raise Wrong(
                f"{where}: {what} of {n} elements: {count} of {every} loads and stores take one float at a time, "
                f"expected: {expected}"
            )
    n = 2**32 + 10
    arrays = [many(n + 1) for _ in range(3)]
    if arrays[2] is not None:
        c, a, b = (array[1:] for array in arrays)
        a[:1000], a[-1] = 5, 3  # an index of 32 bits leads to the first of these
        last_element(launch, c, a, b, n, expected=3, where=f"a = x[1:], b = y[1:], c = z[1:], n = {n}")
    few_threads(launch, 2**33 + 10)


def few_threads(launch, n):
    """Of whole tensors, each thread but three takes four elements: also of so many that n / 4 needs more than 31 bits."""
    arrays = [many(n) for _ in range(3)]
    if arrays[2] is None:
        return
    threads = n
    try:
        launch(*arrays, n, threads=n, only_last=True)  # no block runs
    except TooFewThreads as error:
        threads = error.threads
    except RuntimeError as error:
        raise Wrong(f"whole tensors of {n} elements: {found_by_cuda(error)}") from None
    if not n // 4 <= threads <= n // 4 + 1024:
        raise Wrong(
            f"whole tensors of {n} elements: {threads} threads or more, expected: {n // 4} for four elements each\n"
            "How many bits has each number that is computed from n?"
        )
