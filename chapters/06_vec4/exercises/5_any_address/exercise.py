"""any address: head, float4 and tail, in place

scale.h says what the launcher does. No line of scale.cu is there yet.
"""

import torch

from common.exercises import Wrong, check, device, launchers, seen

MINUTES = 40
HINTS = [
    "add_kernel_aligned_middle and launch_add_forward in vec4.cu do this for a sum. Here one pointer decides all, so no load "
    "has to go float by float because of another one.",
    "The launcher counts the head: while (head < n && the address of x + head is no multiple of 16) head++.",
    "Thread t takes the float4 at head + 4 * t, if four floats are left there. Threads 0 to 2 also take one float of the head "
    "each, if there is one, and one of the tail, which has (n - head) % 4 floats.",
    "A grid of 0 blocks is refused, so launch one block at least: n may be less than four.",
]
FAILS = "undefined reference to `launch_scale"
WRONG = {
    "no_head": "misaligned",
    "head_beyond_the_end": "n = 1",
    "no_tail": "wrong result",
    "float_by_float": "one by one",
}


def run(mine):
    launch = launchers(mine / "scale.cu").launch_scale

    def scaled(x, before):
        """before ones, then 2 * x, which was at an address of before floats behind a multiple of 16 bytes"""
        memory = torch.cat((torch.ones(before, device=device), x))
        launch(memory[before:], 2.0, x.numel())
        return memory

    def reference(x, before):
        return torch.cat((torch.ones(before, device=device), 2 * x))

    for before in range(4):
        name = f"x[{before}:] *= 2 (an index counts from x[0] on), n" if before else "x *= 2, n"
        inputs = lambda n, before=before: (torch.randint(1, 9, (n,), device=device).float(), before)  # noqa: E731
        check(scaled, reference, inputs, sizes=(0, 1, 2, 3, 4, 5, 8, 11, 1000, 1025, 4099), name=name)
    for before in 0, 1:
        n = 4099
        rows = seen(lambda before=before, n=n: scaled(torch.ones(n, device=device), before))
        for kind in "load", "store":
            alone = sum(row.threads * row.width // 4 for row in rows if row.kind == kind and row.width < 16)
            if alone > 6:
                line = next(row.line for row in rows if row.kind == kind and row.width < 16)
                raise Wrong(f"scale.cu:{line}: {alone} of {n} floats have a {kind} of their own, one by one, and 6 may")
    if rows:
        print(f"{'right':8}all but six floats go as float4")
