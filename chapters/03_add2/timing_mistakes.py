"""How timing goes wrong: one operator, one size, timed in seven ways in one run. Each answers another question.

Started by `python chapters/03_add2/main.py --timing`. On the CPU a call returns when its kernel is done: the rows measure
the same there, and differ by what else the machine does.
"""

import time

import torch

from common import device
from common.timing import measure

N = 1024 * 1024  # as in the notes: three arrays of 4 MiB, which fit into the L2 cache of a large GPU


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


def host_time(func, repeats, wait):
    """Seconds a call by the host's clock; with wait=True the clock waits for the GPU."""
    synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        func()
    if wait:
        synchronize()
    return (time.perf_counter() - start) / repeats


def show_time(func):
    """As in the notes: 10 warm-ups, then 10 runs, each with a synchronize before and after it. Returns seconds."""
    for _ in range(10):
        func()
    return sum(host_time(func, 1, wait=True) for _ in range(10)) / 10


def event_time(func, repeats=100):
    """Seconds a call by the GPU's clock, calls back to back: inputs and output stay in the L2 cache."""
    if device.type == "cpu":
        return host_time(func, repeats, wait=True)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(5_000_000)  # keeps the GPU busy for about 3 ms, while the host queues all calls
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
        ("notes: show_time", show_time, "kernel + launch + synchronize, mostly the host"),
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
