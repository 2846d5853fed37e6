"""merge: join the attention of two halves of the keys

Two GPUs each have half of the keys, and each has computed attention with its own half: a result and a log-sum-exp for each
query. Complete the kernel that makes the result for all keys, and its log-sum-exp.
"""

import torch

from grader.checks import check, device, launchers, work_is_divided

MINUTES = 25
FAILS = "never written"


def run(mine):
    launch = launchers(mine / "merge.cu").launch_merge

    def merge(a, a_lse, b, b_lse):
        out, lse = torch.empty_like(a), torch.empty_like(a_lse)
        launch(out, lse, a, a_lse, b, b_lse, len(a))
        return out, lse

    def reference(a, a_lse, b, b_lse):
        lse = torch.logaddexp(a_lse.double(), b_lse.double())
        base = lse.masked_fill(lse == -torch.inf, 0)
        of_a, of_b = ((x.double() - base).exp()[:, None] for x in (a_lse, b_lse))
        return (of_a * a.double() + of_b * b.double()).float(), lse.float()

    def inputs(rows, size=1.0, a_sees=True, b_sees=True):
        """A half that sees no key has a result of 0 and a log-sum-exp of -infinity."""

        def half(sees):
            out, lse = torch.randn(rows, 32, device=device), size * torch.randn(rows, device=device)
            return (out, lse) if sees else (out * 0, lse - torch.inf)

        return *half(a_sees), *half(b_sees)

    def mixed(rows):
        """Of four rows, one sees keys in both halves, two in one of them, and one in neither."""
        a, a_lse, b, b_lse = inputs(rows)
        for out, lse, blind in (a, a_lse, (1, 3)), (b, b_lse, (2, 3)):
            for i in blind:
                out[i::4], lse[i::4] = 0, -torch.inf
        return a, a_lse, b, b_lse

    def low(rows):
        a, a_lse, b, b_lse = inputs(rows, a_sees=False)
        return a, a_lse, b, b_lse - 5000

    near = {"rtol": 1e-5, "atol": 1e-5}
    check(merge, reference, inputs, (0, 1, 7, 300), name="rows", **near)
    check(merge, reference, lambda n: inputs(n, 200), (1, 50), name="scores of hundreds, rows", **near)
    check(merge, reference, lambda n: inputs(n, a_sees=False), (1, 50), name="no key in the first half, rows", **near)
    check(merge, reference, lambda n: inputs(n, 1, False, False), (1, 50), name="no key in either, rows", **near)
    check(merge, reference, mixed, (4, 50), name="rows that see keys in both halves, one or none, rows", **near)
    check(merge, reference, low, (1, 50), name="log-sum-exps of -5000, no key in the first half, rows", **near)
    arguments = inputs(64)
    work_is_divided(lambda: merge(*arguments), 64 * 33, least=64 * 33, warps=64)
