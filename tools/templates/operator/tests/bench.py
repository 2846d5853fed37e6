"""Times my_op on a GPU, beside its reference, torch.compile of the reference, and a copy of as many bytes:

    python tests/bench.py

triton, which comes with torch for CUDA, empties the L2 cache before each call, and gives the median of many.
"""

import torch
from test_my_op import arguments, is_tensor, my_op, reference

SHAPES = [(1024, 1024), (2**14 + 1, 1000), (8192, 8192)]


def main():
    if not torch.cuda.is_available():
        raise SystemExit("bench.py needs a GPU: times on a CPU say nothing about a GPU")
    from triton.testing import do_bench

    for shape in SHAPES:
        args = arguments(*shape)
        moved = sum(x.nbytes for x in (*args, my_op(*args)) if is_tensor(x))
        half = torch.empty(moved // 2, dtype=torch.uint8, device="cuda")  # is read, and written
        functions = {"ours": my_op, "reference": reference, "torch.compile": torch.compile(reference)}
        calls = {name: lambda f=f, args=args: f(*args) for name, f in functions.items()} | {"copy": half.clone}
        print(f"{shape}, {args[0].dtype}: {moved / 1e6:.1f} MB")
        for name, call in calls.items():
            seconds = do_bench(call, return_mode="median") / 1e3
            print(f"    {name:15}{seconds * 1e6:9.1f} us{moved / seconds / 1e9:9.0f} GB/s")


if __name__ == "__main__":
    main()
