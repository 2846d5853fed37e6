"""How the blog notes time add2: 10 warm-ups, then 10 runs, each with a synchronize before and after it.

Started by `python chapters/03_add2/main.py --notes`. The lesson says what this measures: mostly the way to the GPU and back.
"""

import time

import torch

from common import device

N = 1024 * 1024


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


def show_time(func):
    """The mean of ten runs, in seconds."""
    for _ in range(10):
        func()
    times = []
    for _ in range(10):
        synchronize()
        start = time.perf_counter()
        func()
        synchronize()
        times.append(time.perf_counter() - start)
    return sum(times) / len(times)


def main(module):
    c, a, b = (torch.rand(N, device=device) for _ in range(3))

    def run_cuda():
        module.torch_launch_add2(c, a, b, N)

    def run_torch():
        return a + b

    print(
        f"{'time':8}n = {N}, show_time(): add2 {show_time(run_cuda) * 1e6:.1f} us, torch {show_time(run_torch) * 1e6:.1f} us"
    )
