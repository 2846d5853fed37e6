"""bias: add a number to each score, which may be -infinity

Attention often adds a bias to the scores: by how far a key is away, or -infinity for a key that must not be seen. bias.cu
adds none. Let it add `bias` after the scale, and give 0 where a query sees no key.
"""

import math

import torch

from grader.checks import check, device, launchers, work_is_divided

MINUTES = 25
FAILS = "a finite bias"


def run(mine):
    launch = launchers(mine / "bias.cu").launch_bias

    def attention(q, k, v, bias):
        out = torch.empty_like(q)
        launch(out, q, k, v, bias, len(q), len(k))
        return out

    def reference(q, k, v, bias):
        scores = q.double() @ k.double().T / math.sqrt(32) + bias
        sees_a_key = (bias > -torch.inf).any(-1, keepdim=True)
        return (scores.softmax(-1).where(sees_a_key, 0) @ v.double()).float()

    def inputs(queries, keys):
        q, k, v = (torch.randn(rows, 32, device=device) for rows in (queries, keys, keys))
        return q, k, v, torch.randn(queries, keys, device=device)

    def compare(name, sizes, change=lambda q, bias: None):
        def changed(keys):
            q, k, v, bias = inputs(5, keys)
            change(q, bias)
            return q, k, v, bias

        # A score of 1000 is rounded to a multiple of 6e-5, so its weight differs by as much.
        check(attention, reference, changed, sizes, name=f"{name}, keys", rtol=1e-3, atol=1e-4)

    compare("a finite bias", (1, 31, 33, 100))
    compare("a bias of about 1000", (1, 100), lambda q, bias: bias.add_(1000))
    compare("a bias of about -1000", (1, 100), lambda q, bias: bias.sub_(1000))
    compare("half of all pairs masked", (100,), lambda q, bias: bias.masked_fill_(bias < 0, -torch.inf))
    compare("the first 40 keys masked", (100,), lambda q, bias: bias[:, :40].fill_(-torch.inf))
    compare("all keys after the first 30 masked", (100,), lambda q, bias: bias[:, 30:].fill_(-torch.inf))
    compare("no key for the first two queries", (1, 100), lambda q, bias: bias[:2].fill_(-torch.inf))
    compare("a NaN in the last query", (1, 100), lambda q, bias: q[-1, 7:8].fill_(torch.nan))
    # Without scores, and with whole numbers, nothing is rounded.
    compare("biases of about -20000", (1, 40), lambda q, bias: (q.zero_(), bias.round_().sub_(2e4)))
    compare("a bias of -3e38", (1, 40), lambda q, bias: bias.fill_(-3e38))
    compare("no key at all", (0,))
    check(attention, reference, lambda n: inputs(n, 3), (0, 1, 70), name="queries", rtol=1e-4, atol=1e-5)
    arguments = inputs(64, 64)
    least = 64 * (2 * 64 * 32 + 32 + 64)  # for each query its keys and values, itself, and its biases
    most = least + 2 * 64 * 64  # a bias may be mentioned in three lines
    work_is_divided(lambda: attention(*arguments), most, "load", least=least, warps=64)
