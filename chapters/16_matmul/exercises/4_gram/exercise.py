"""gram: multiply a matrix by itself, 4 x 4 results a thread

Write the kernel of out = a.T @ a, with tiles in shared memory and 4 x 4 results a thread; the launch is given. You need not
compute what lies above the diagonal: out[j][i] is out[i][j]. But store no result twice.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, seen, work_is_divided

MINUTES = 40
FAILS = "never written"


def run(mine):
    launch = launchers(mine / "gram.cu").launch_gram

    def gram(a):
        out = torch.empty(a.shape[1], a.shape[1], device=device)
        launch(out, a, *a.shape)
        return out

    def matrix(k, n):
        return (torch.randint(-9, 9, (k, n), device=device).float(),)

    def with_infinity(k):
        a = matrix(k, 70)[0].abs() + 1
        a[:, 66] = torch.inf
        return (a,)

    def with_nan(k):
        a = matrix(k, 70)[0]
        a[k - 1, 69] = torch.nan
        return (a,)

    def fractions(k):
        return (torch.randn(k, 70, device=device),)

    def product(a):
        return a.T @ a

    check(gram, product, lambda n: matrix(5, n), (0, 1, 2, 15, 17, 63, 64, 65, 130), name="k = 5, n")
    check(gram, product, lambda k: matrix(k, 70), (0, 1, 15, 16, 17, 33), name="n = 70, k")
    check(gram, product, with_infinity, (1, 16, 17), name="column 66 of a is infinite, n = 70, k")
    check(gram, product, with_nan, (1, 16, 17), name="a NaN in column 69 of a, n = 70, k")
    check(gram, product, fractions, (1, 33), rtol=1e-5, atol=1e-4, name="fractions, n = 70, k")
    k, n = 32, 128
    (a,) = matrix(k, n)
    work_is_divided(lambda: gram(a), n * n, warps=24)
    loads = [row for row in seen(lambda: gram(a)) if row.kind == "load"]
    for row in loads:
        for what, count, enough in (
            ("sectors of device memory", row.sectors, row.least_sectors),
            ("passes of shared memory", row.wavefronts, 2 * row.least_wavefronts),
        ):
            if count > enough:
                each = f"{count / row.requests:.3g} {what}, but at most {enough / row.requests:.3g} are allowed"
                raise Wrong(f"{row.file}:{row.line}: a load of a warp takes {each}")
    for space, most, what in ("global", 2 / 64, "device memory"), ("shared", 8 / 16, "shared memory"):
        lines = [row for row in loads if row.space == space]
        count = sum(row.threads * row.width / 4 for row in lines) / (k * n * n)
        if count > most:
            where = " ".join(f"{row.file}:{row.line}" for row in lines)
            said = f"{where}: {count:.4g} floats from {what} for each product, at most {most:g} allowed"
            raise Wrong(f"{said}\nEvery mention of an element counts as a load, even if nvcc would load it only once.")
        if loads:
            print(f"{'right':8}{count:.4g} floats from {what} for each product")
    n = 2**16 + 1
    out, a = many(n * n), torch.zeros(1, n)
    a[0, -1] = 3
    last_element(launch, out, a, 1, n, expected=9, where=f"k = 1, n = {n}", threads=n * n // 16)
