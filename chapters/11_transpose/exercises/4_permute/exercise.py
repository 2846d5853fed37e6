"""permute: reverse the order of three dimensions, with 4 sectors and 1 pass for each access

permute.cu computes x.permute(2, 1, 0), and is right, but a store of a warp touches 32 sectors. Which two dimensions have to
share a tile? Each access may touch 4 sectors and take 1 pass.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, limits, many, same_bits, work_is_divided

MINUTES = 30
FAILS = "each store of a warp touches 32 sectors"


def run(mine):
    launch = launchers(mine / "permute.cu").launch_permute

    def permute(x):
        a, b, c = x.shape
        out = torch.empty(c, b, a, device=device)
        launch(out, x, a, b, c)
        return out

    def numbered(a, b, c):  # the element [i][j][k] is 10000.5 i + 100 j + k
        i, j, k = (torch.arange(n, device=device) for n in (a, b, c))
        return (10000.5 * i[:, None, None] + 100 * j[:, None] + k,)

    def reference(x):
        return x.permute(2, 1, 0).contiguous()

    check(
        permute,
        reference,
        lambda a: numbered(a, 2, 5),
        (0, 1, 2, 3, 31, 32, 33, 70),
        name="b = 2, c = 5, a",
        any_n=True,
    )
    check(
        permute,
        reference,
        lambda c: numbered(5, 3, c),
        (0, 1, 2, 3, 31, 32, 33, 70),
        name="a = 5, b = 3, c",
        any_n=True,
    )
    check(permute, reference, lambda b: numbered(5, b, 3), (0, 1, 9, 300), name="a = 5, c = 3, b")
    # Here threads in a small grid go on to another tile.
    for a, b, c in (2**15 + 40, 1, 2), (2, 1100, 2), (1, 1, 2**15 + 40):
        (x,) = numbered(a, b, c)
        if wrong := (permute(x) != reference(x)).sum():
            raise Wrong(f"a = {a}, b = {b}, c = {c}: {wrong} of {x.numel()} elements wrong")
    same_bits(permute, reference, torch.rand(5, 3, 40, device=device))
    limits(lambda: permute(torch.rand(32, 3, 64, device=device)), sectors_per_request=4, wavefronts_per_request=1)
    x = torch.rand(64, 3, 64, device=device)
    work_is_divided(lambda: permute(x), x.numel())
    # In the first, b * c and k * b + j have more than 32 bits, in the second k, in the third i * b + j. In the
    # others, b, a or c needs more blocks than a capped grid has.
    shapes = (2, 3, 2**32 // 3 + 1), (1, 1, 2**32 + 33), (2**16 + 64, 65535, 1), (32, 65535, 2**11 + 1)
    for a, b, c in *shapes, (2**20, 1, 2**12 + 1), (2**15 + 1, 1, 2**17):
        out, x = many(a * b * c), many(a * b * c)
        if x is not None:
            x[:1000], x[-1] = 5, 3  # an index of 32 bits leads to the first of these
            last_element(launch, out, x, a, b, c, expected=3, where=f"a = {a}, b = {b}, c = {c}")
