"""How timing goes wrong: one operator, one size, timed in six ways in one run. Each answers another question.

Started by `python chapters/03_add2/main.py --timing`. On the CPU a call returns when its kernel is done, so all rows measure
the same there, and differ only by what else the machine does.
"""

import time

import torch

from common import device
from common.timing import measure
from common.torch_private import sleep_on_gpu

N = 1024 * 1024  # three arrays of 4 MiB, which fit into the L2 cache of a large GPU


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


def host_time(func, repeats, wait):
    """Seconds for each call, by the host's clock. With wait=True the clock stops when the GPU has finished."""
    synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        func()
    if wait:
        synchronize()
    return (time.perf_counter() - start) / repeats


def event_time(func, repeats=100):
    """Seconds for each call, by the GPU's clock. The calls follow each other at once, so all arrays stay in the L2 cache."""
    if device.type == "cpu":
        return host_time(func, repeats, wait=True)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    sleep_on_gpu(5_000_000)  # for about 3 ms, in which the host queues all calls
    start.record()
    for _ in range(repeats):
        func()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3 / repeats


def main(module):
    a, b = torch.rand(N, device=device), torch.rand(N, device=device)

    def run_cuda():
        return module.add2(a, b)

    def run_torch():
        return torch.add(a, b)

    print(f"{'time':8}{'n = ' + str(N) + ', one call':<33}{'add2':>12}{'torch':>12}   what it really tells")
    rows = [
        ("first call", lambda f: host_time(f, 1, wait=True), "loading the kernel, and maybe getting memory"),
        ("no synchronize", lambda f: host_time(f, 100, wait=False), "how fast the host hands out work"),
        ("one run", lambda f: host_time(f, 1, wait=True), "one sample, whatever else the machine did then"),
        ("synchronize once, 100 calls", lambda f: host_time(f, 100, wait=True), "the slower of the two, host and GPU"),
        ("events around 100 calls", event_time, "the kernel, from L2 cache to L2 cache"),
        (
            "events, cold L2 (bench)",
            lambda f: measure("", N, f, ()).kernel,
            "the kernel, from memory to memory, and its launch",
        ),
    ]
    for name, method, meaning in rows:
        ours, theirs = method(run_cuda), method(run_torch)
        print(f"{'':8}{name:<33}{ours * 1e6:9.1f} us{theirs * 1e6:9.1f} us   {meaning}")
    if device.type == "cpu":
        print(f"{'':8}CPU times: they say nothing about a GPU. A call returns when its kernel is done.")
