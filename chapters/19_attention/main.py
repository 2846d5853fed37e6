"""Chapter 19, attention: softmax(q @ k.T) @ v without the scores

python chapters/19_attention/main.py              build, check, time the steps of the ladder, forward and backward
python chapters/19_attention/main.py --puzzle     three calls of torch beside one without a matrix of scores
python chapters/19_attention/main.py --rows 4096  time sequences of that many rows
python chapters/19_attention/main.py --train      a language model learns this course, with our operators and with torch's
"""

import argparse
import functools
import random
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that rules.py and `common` are found, wherever you start this file from

from common import Contest, autograd_of, bench, check, device, has_wgmma, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing
from torch.nn.attention import SDPBackend, sdpa_kernel

import rules
import train
from rules import STEPS, WITH_GROUPS

ON_GPU = device.type == "cuda"
DTYPES = [torch.float16, torch.bfloat16]
# batch, heads, heads of k and v, rows, elements of a row, causal
SHAPES = [
    (4, 16, 16, 8192, 128, False),
    (4, 16, 16, 8192, 128, True),
    (4, 16, 16, 8192, 64, False),
    (4, 16, 16, 8192, 64, True),
    (16, 16, 16, 2048, 128, False),
    (32, 16, 16, 512, 64, True),
    (4, 32, 8, 4096, 128, True),
    (4, 16, 16, 4095, 128, True),
    (64, 12, 12, 1024, 64, True),
] if ON_GPU else [(1, 2, 1, 100, 64, True)]  # fmt: skip
FEW_TILES = [(1, 2, 2, 4174, 64, True), (1, 4, 4, 4096, 64, False), (1, 1, 1, 8192, 128, True)] if ON_GPU else SHAPES


@functools.cache  # torch takes a registration once in a process
def build():
    kernels = "attention", "ladder", "hopper_forward", "backward", "hopper_backward", "hopper_grad_q"
    sources = [str(here / "attention.cpp"), *(str(here / f"{name}.cu") for name in kernels)]
    load_stable("attention_stable", sources, wgmma=True)
    rules.register(device.type)
    return torch.ops.chapter19


def steps_here():
    """Those that this device can run."""
    return STEPS if has_wgmma() else STEPS[: STEPS.index("first")]


def with_groups(d):
    """The step hopper with each number of warpgroups that rows of d elements allow, if this device can run it."""
    return WITH_GROUPS[: 4 - d // 64] if has_wgmma() else []


# ---- the same by torch -----------------------------------------------------------------------------------------------
def torch_attention(q, k, v, causal=False):
    return torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
    )


def three_calls(q, k, v):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    weights = scores.softmax(-1)
    return weights @ v


def inputs(n, shape=None, dtype=torch.bfloat16, keys=None):
    """q, k and v of normal random numbers: 2 heads of n rows, or batch, heads, heads of k, rows, elements of a row."""
    batch, heads, of_k, rows, d = shape or (1, 2, 2, n, 64)
    normal = partial(torch.randn, dtype=dtype, device=device)
    return normal(batch, heads, rows, d), *(normal(batch, of_k, keys or rows, d) for _ in "kv")


def torchs(causal):
    """torch's own choice, and the two kernels that it chooses from on a Hopper: cuDNN's, and FlashAttention 2."""
    ops = {"torch": partial(torch_attention, causal=causal)}
    if ON_GPU:
        ops["torch: cuDNN"] = chosen(SDPBackend.CUDNN_ATTENTION, ops["torch"])
        ops["torch: FlashAttention 2"] = chosen(SDPBackend.FLASH_ATTENTION, ops["torch"])
    return ops


def chosen(backend, function):
    def run(*tensors):
        with sdpa_kernel(backend):
            return function(*tensors)

    return run


def operators(module, steps=("auto",), causal=False):
    return {step: partial(module.attention, causal=causal, step=step) for step in steps} | torchs(causal)


def tolerance(dtype):
    """Weights and results are rounded to half precision. The tests have a closer yardstick."""
    eps = torch.finfo(dtype).eps
    return {"rtol": 4 * eps, "atol": 4 * eps}


# ---- the puzzle ------------------------------------------------------------------------------------------------------
def puzzle(module):
    torch.manual_seed(0)
    heads, rows = (16, 8192) if ON_GPU else (4, 512)
    q, k, v = inputs(rows, (1, heads, heads, rows, 64))
    exact = three_calls(q[:, :1].double(), k[:, :1].double(), v[:, :1].double())
    print(f"puzzle  attention of {heads} heads of {rows} rows, bfloat16")
    for name, function, matrices in (
        ("three calls of torch", three_calls, 2),
        ("one call, attention()", module.attention, 0),
    ):
        error = (function(q, k, v)[:, :1].double() - exact).norm() / exact.norm()
        print(f"{'':8}{name:24}scores and weights in memory: {matrices * 2 * heads * rows**2 / 1e6:7.1f} MB"
              f"   error {error.item():.1e}")  # fmt: skip


# ---- times -----------------------------------------------------------------------------------------------------------
def flops(shape, backward=False):
    """Of two products, or, backward, five. causal: half of the scores are needed."""
    batch, heads, _, rows, d, causal = shape
    return (10 if backward else 4) * batch * heads * rows * rows * d // (2 if causal else 1)


def bench_forward(module, shapes, steps=("auto",)):
    """Steps beside torch's attention. Returns the rows."""
    rows = []
    for shape in shapes:
        print(f"{'':8}{named(shape)}")
        ops = operators(module, steps, causal=shape[-1])
        timed = bench(ops, lambda n, s=shape: inputs(n, s[:-1]), [shape[0] * shape[1] * shape[3] * shape[4]],
                      lambda _, s=shape: flops(s), ops["torch"], **tolerance(torch.bfloat16), rate="TFLOP/s")  # fmt: skip
        rows += [replace(row, name=f"{named(shape)}: {row.name}") for row in timed]
    return rows


def backward_of(function):
    kept = autograd_of(function)
    return lambda grad, q, k, v, out, lse: kept(grad, q, k, v)


def bench_backward(module, shapes):
    """Our backward operator beside torch's gradients of all three tensors. Returns the rows."""
    rows = []
    for shape in shapes:
        print(f"{'':8}gradients, {named(shape)}")
        causal = shape[-1]

        def gradients(grad, q, k, v, *_, causal=causal):
            leaves = [x.detach().requires_grad_() for x in (q, k, v)]
            return torch.autograd.grad(torch_attention(*leaves, causal), leaves, grad)

        def of_shape(n, s=shape, causal=causal):
            q, k, v = inputs(n, s[:-1])
            return torch.randn_like(q), q, k, v, *module.attention_forward(q, k, v, causal=causal)

        ops = {
            "attention": partial(module.attention_backward, causal=causal),
            "attention: deterministic": partial(module.attention_backward, causal=causal, deterministic=True),
        }
        ops |= {name: backward_of(function) for name, function in torchs(causal).items()}
        timed = bench(ops, of_shape, [shape[0] * shape[1] * shape[3] * shape[4]],
                      lambda _, s=shape: flops(s, backward=True), gradients, rtol=0.1, atol=0.1, rate="TFLOP/s")  # fmt: skip
        rows += [replace(row, name=f"{named(shape)}: {row.name}") for row in timed]
    return rows


def named(shape):
    batch, heads, of_k, rows, d, causal = shape
    return f"{batch} x {heads}{f' ({of_k})' * (of_k != heads)} x {rows} x {d}{', causal' * causal}"


def benchmark(module):
    """For `make bench19`: {table: rows}."""
    return {
        "forward": bench_forward(module, SHAPES),
        "steps": bench_forward(module, SHAPES[4:6] if ON_GPU else SHAPES, steps_here()[1:]),
        "groups": [row for shape in FEW_TILES for row in bench_forward(module, [shape], with_groups(shape[4]))],
        "backward": bench_backward(module, SHAPES),
    }


def sweep():
    """For `make sweep`: {operator: Contest}. Rows are those of q, columns are heads * D. All else is drawn from these two."""

    def of_shape(rows, columns, dtype):
        dice = random.Random(f"{rows} {columns}")
        rows, d = min(rows, 16384), dice.choice((64, 128))
        heads = max(1, min(columns // d, 2**38 // (rows**2 * d)))  # a call of at most some milliseconds
        of_k = dice.choice([count for count in (1, 2, 4, 8, heads) if heads % count == 0])
        keys = min(16384, max(1, int(rows * 2 ** dice.uniform(-2, 2)))) if dice.random() < 0.3 else rows
        return inputs(rows, (1, heads, of_k, rows, d), dtype, keys)

    def shapes(seed, count=20):
        dice = random.Random(seed)
        for number in range(count):
            rows, columns = int(16384 ** dice.random()), 64 * int(64 ** dice.random())
            yield rows - rows % 2 + number % 2 or 2, columns, dice.choice(DTYPES)

    def contest(causal):
        named = tuple((*shape, dtype) for shape in ((8192, 2048), (512, 1024), (4095, 2048)) for dtype in DTYPES)
        return Contest(partial(torch_attention, causal=causal), of_shape, 4, tuple(DTYPES), sides=4,
                       keywords={"causal": causal}, tolerance=lambda dtype: 4 * torch.finfo(dtype).eps,
                       named=(*named, *shapes(19 + causal)))  # fmt: skip

    return {"attention": contest(False), "attention, causal": contest(True)}


def launch_each_kernel(module):
    """For `make microscope19`: each kernel once."""
    for d in 64, 128:
        for step in [*steps_here()[1:], *with_groups(d)]:
            q, k, v = inputs(128, (1, 2, 1, 128, d))
            out, lse = module.attention_forward(q, k, v, causal=True, step=step)
        for options in {"step": "portable"}, {"step": "hopper"}, {"step": "hopper", "deterministic": True}:
            if options["step"] in steps_here():
                module.attention_backward(out, q, k, v, out, lse, causal=True, **options)


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module):
    for step in steps_here():
        dtype = DTYPES[STEPS.index(step) % 2]
        for causal in False, True:
            check(partial(module.attention, causal=causal, step=step), partial(torch_attention, causal=causal),
                  lambda n, d=dtype: inputs(n, (1, 4, 2, n, 64), d, keys=n + 3), sizes=(1, 65, 130),
                  name=f"attention, {step}, {str(dtype)[6:]}{', causal' * causal}", **tolerance(dtype))  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--puzzle", action="store_true", help="three calls of torch beside one")
    options.add_argument("--rows", type=int, metavar="N", help="time sequences of N rows")
    options.add_argument(
        "--train", action="store_true", help="train a small model, beside the same one of torch's operators"
    )
    options = options.parse_args()

    title(19, "attention", "stable ABI")
    module = build()
    if options.puzzle:
        return puzzle(module)
    if options.train:
        train.train(module.attention)
        return
    check_all(module)
    shapes = SHAPES[4:6] if ON_GPU else SHAPES
    if options.rows:
        shapes = [(1, 16, 16, options.rows, 128, causal) for causal in (False, True)]
    bench_forward(module, shapes, steps_here()[1:])
    bench_backward(module, shapes)


if __name__ == "__main__":
    main()
