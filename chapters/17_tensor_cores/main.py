"""Chapter 17, tensor_cores: 2048 multiplications in one instruction

python chapters/17_tensor_cores/main.py                        build, check, time the steps of the ladder
python chapters/17_tensor_cores/main.py --puzzle               multiply with one warp, and look at what a lane has
python chapters/17_tensor_cores/main.py --size 4096            time square matrices of that side
python chapters/17_tensor_cores/main.py --size 4095 4097 4093  ... of an M x K and a K x N matrix, given M, N and K
"""

import argparse
import functools
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here.parent / "16_matmul"), str(root)]  # so that products.py and `common` are found

from common import check, device, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

# From chapter 16. The tests ask for `operators` here.
import product_times
import products
from product_times import contest, exact, matrices, operators, shapes_of, tolerance  # noqa: F401

ON_GPU = device.type == "cuda"
DTYPES = [torch.float16, torch.bfloat16]
STEPS = ["auto", "fragments", "ldmatrix", "stages", "large", "small", "divided"]
LARGE_BYTES = 3 * (128 + 256) * 64 * 2  # of shared memory that a block of `large` has: three stages
SIDES = [1024, 2048, 4096, 8192] if ON_GPU else [64]
LONG = [(136, 1176, 8352), (120, 72, 3160), (40, 1696, 7440)] if ON_GPU else [(8, 8, 1024)]  # few tiles, and a long k
ODD = [(4095, 4097, 4093), (1000, 3001, 777), (249, 490, 614), (2002, 34, 2157)] if ON_GPU else [(47, 49, 51)]


def steps_here(k=8):
    """The steps that this GPU can run, of matrices of k columns and k rows."""
    odd = ["auto", "fragments", "ldmatrix"]  # the others copy 16 bytes at a time
    room = torch.cuda.get_device_properties(device).shared_memory_per_block_optin if ON_GPU else LARGE_BYTES
    return [step for step in STEPS if (k % 8 == 0 or step in odd) and (step != "large" or room >= LARGE_BYTES)]


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("tensor_cores_stable", [str(here / "tensor_cores.cpp"), str(here / "tensor_cores.cu")])
    products.register("chapter17", DTYPES, STEPS, device.type)
    return torch.ops.chapter17


# ---- what a lane has -------------------------------------------------------------------------------------------------
def fragments(lane):
    """Where in a (16 x 16), b (16 x 8) and their product the elements lie that a lane has in its registers."""
    row, pair = lane // 4, lane % 4 * 2
    a = [(row + i % 2 * 8, pair + i // 2 * 8 + j) for i in range(4) for j in range(2)]
    b = [(pair + i * 8 + j, row) for i in range(2) for j in range(2)]
    return a, b, [(row + i // 2 * 8, pair + i % 2) for i in range(4)]


def puzzle(module, lane=5):
    torch.manual_seed(0)
    a, b = (torch.randint(1, 10, shape, device=device).half() for shape in ((16, 16), (16, 8)))
    out = module.matmul(a, b, step="fragments")
    print(f"puzzle  a warp multiplies 16 x 16 by 16 x 8 elements; lane {lane} of it")
    for what, name, x, places in zip(
        ("loads", "loads", "stores"), ("a", "b", "out"), (a, b, out), fragments(lane), strict=True
    ):
        print(f"{'':8}{what:7}" + " ".join(f"{name}[{i}][{j}]={x[i, j].item():g}" for i, j in places))
    (row, column), expected = fragments(lane)[2][0], a.float() @ b.float()
    print(f"{'':8}out[{row}][{column}] is the sum of 16 products: {expected[row, column].item():g}")
    if not torch.equal(out.float(), expected):
        raise AssertionError("the product is wrong")


# ---- times -----------------------------------------------------------------------------------------------------------
bench_products = partial(product_times.bench_products, dtype=torch.bfloat16)


def inputs(n):
    return matrices((n, n, n), torch.bfloat16)


def benchmark(module):
    """For `make bench17`: {table: rows}."""
    squares = [(side, side, side) for side in SIDES]
    return {
        # with many tiles, `divided` is `small`
        "steps": bench_products(module, squares, steps_here()[1:-1], b_transposed=True),
        "layouts": bench_products(module, squares) + bench_products(module, squares, b_transposed=True),
        "float16": bench_products(module, squares, dtype=torch.float16),
        "odd": bench_products(module, ODD),
        "long": bench_products(module, LONG, ["small", "divided"]),
    }


def sweep():
    """For `make sweep`: {operator: Contest}."""
    return {"matmul": contest(DTYPES)}


def launch_each_kernel(module):
    """For `make microscope17`: each kernel once, with b as it is and transposed."""
    for step in steps_here()[1:-1]:
        module.matmul(*matrices((128, 256, 64), torch.bfloat16), step=step)
        module.matmul(*matrices((128, 256, 64), torch.bfloat16, b_transposed=True), step=step)
    module.matmul(*matrices((64, 64, 1024), torch.bfloat16), step="divided")
    module.matmul(*matrices((129, 257, 65), torch.bfloat16))


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module):
    for step in steps_here():
        op = partial(module.matmul, step=step)
        dtype = DTYPES[STEPS.index(step) % 2]
        odd = step in steps_here(k=37)
        for a_transposed in False, True:
            of_size = partial(matrices, dtype=dtype, a_transposed=a_transposed, b_transposed=not a_transposed)
            check(op, exact, lambda n, f=of_size, odd=odd: f((n, n + (3 if odd else 8), 37 if odd else 72)),
                  sizes=(1, 5, 130) if odd else (8, 136), name=f"matmul, {step}{', a transposed' * a_transposed}",
                  **tolerance(72, dtype))  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--puzzle", action="store_true", help="one warp, one instruction")
    options.add_argument("--size", type=int, nargs="+", metavar="N", help="M, N and K, or one number for all three")
    options = options.parse_args()
    shapes = shapes_of(options.size, 4096 if ON_GPU else 64)

    title(17, "tensor_cores", "stable ABI")
    module = build()
    if options.puzzle:
        return puzzle(module)
    check_all(module)
    bench_products(module, shapes, steps_here(k=shapes[0][2]), b_transposed=True)


if __name__ == "__main__":
    main()
