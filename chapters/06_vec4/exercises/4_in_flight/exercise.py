"""in flight: start four pairs of loads before the first store

add.cu is right, but each thread has one pair of loads in flight. Let each thread have four. The check says how many pairs it
has seen: it lets the arrays overlap, so that a store which comes early changes what a later load returns.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, limits, many, refuse_32_bits, work_is_divided

MINUTES = 30
PAIRS, THREADS = 4, 256
FAILS = "at most 1 pair"


def some(n):
    return torch.randint(-9, 9, (n,), device=device) / 4


def run(mine):
    launch = launchers(mine / "add.cu").launch_add

    def add(a, b):
        c = torch.empty_like(a)
        launch(c, a, b, a.numel())
        return c

    check(add, torch.add, lambda n: (some(n), some(n)))
    work_is_divided(lambda: add(some(4096), some(4096)), 4096, warps=16)
    limits(lambda: add(some(4096), some(4096)), sectors_per_request=4)
    refuse_32_bits(mine / "add.cu")
    a, c = many(n := 2**32 + 10), many(n)
    if a is not None:
        a[-1] = 3
        last_element(launch, c, a, a, n, expected=6, where=f"n = {n}, in a grid as large", threads=n // PAIRS,
                     blocks=-(-n // (PAIRS * THREADS)))  # fmt: skip

    # What thread t stores in c[t] lies where it loads a[t + 256] from; no other thread uses that place. Then the same with b,
    # and with c[t + 256] where it loads a[t] from, for a thread that begins with its last element. One block: two would race.
    n = PAIRS * THREADS
    for name, ahead in ("a", 1), ("b", 1), ("a", -1), ("b", -1):
        memory, other = some(n + THREADS), torch.full((n,), 100.0, device=device)
        aliased, c = (memory[:n], memory[THREADS:]) if ahead > 0 else (memory[THREADS:], memory[:n])
        expected = aliased + other
        launch(c, *((aliased, other) if name == "a" else (other, aliased)), n)
        wrong = (c != expected).nonzero()
        if len(wrong):
            i = int(wrong[0 if ahead > 0 else -1])
            t, k = i % THREADS, i // THREADS
            loaded = k if ahead > 0 else PAIRS - 1 - k
            raise Wrong(
                f"at most {loaded} pair{'s' * (loaded > 1)} in flight, {PAIRS} are expected: thread {t} stores "
                f"c[{i - ahead * THREADS}] before it loads {name}[{i}]\n"
                f"The check saw it because c begins {THREADS} floats {'past' if ahead > 0 else 'before'} {name} here, so "
                f"c[{i - ahead * THREADS}] is {name}[{i}]."
            )
    print(f"{'right':8}{PAIRS} pairs in flight")
