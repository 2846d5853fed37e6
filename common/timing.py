"""bench(): how fast is this operator, beside another one, and beside what the memory can do?"""

import dataclasses
import os
import re
import shutil
import statistics
import time
from pathlib import Path
from unittest import mock

import torch
from torch.utils._pytree import tree_flatten

from .checking import check_at
from .device import device


@dataclasses.dataclass(frozen=True)
class Timing:
    """One row of the table. Seconds; `kernel` is the GPU's own time (in CPU mode, the time of the whole call)."""

    name: str
    n: int
    kernel: float  # median
    spread: float  # half of the samples lie in a band this wide, as a fraction of the median
    call: float  # the host's time until the call returns; the GPU may still be at work
    nbytes: int  # every input read once and every output written once
    flops: float = 0  # arithmetic operations of one call
    copy: float | None = None  # bytes a second of a copy in the same run; None without a GPU
    dtype: str = ""  # of the first argument
    more: dict = dataclasses.field(default_factory=dict)  # what else a table or a picture shows: name -> value
    suspect: str = ""  # why this time is not to be believed; mostly nothing

    @property
    def bandwidth(self) -> float:
        """Bytes a second."""
        return self.nbytes / self.kernel


def bench(ops, inputs, sizes=(2**20,), flops=0, reference=None, rtol=None, atol=None) -> list[Timing]:
    """Times every operator at every size, prints a table and returns its rows.

    ops     name -> callable; the first is ours, the others are what it is compared with
    inputs  n -> tuple of arguments
    flops   arithmetic operations for each of n elements, or a callable: n -> those of one call; for the roofline
    reference, rtol, atol    as in check(); without a reference, the operator named "torch" is it

    A figure of a wrong operator is worth nothing: each one, but for torch's ("torch", "torch.compile", ...), is checked
    before and after it is timed, at this size and in the memory that is timed, and AssertionError says what check() would.
    After it, because the timed calls have the same arguments again and again: an operator that has kept its result by then
    still has it when other values come. A check takes about five times the memory of a call; where a GPU has not so
    much, or there is no reference, nothing is checked, and the table says so.

    On a GPU: CUDA events around each of many calls, after warm-up, none of its data in the L2 cache, median. This is
    what triton.testing.do_bench does, and they agree within 5 % (tests/common/test_harness_gpu.py). The bandwidth counts the
    bytes that the function must move; a copy of 1 GiB in the same run says what the memory can do. Events see the work
    on torch's current stream only; a time that this memory does not allow is marked: see suspicion().
    """
    on_gpu = device.type == "cuda"
    limit = copy_bandwidth() if on_gpu else None
    peak, nothing = (peak_bandwidth(limit), time_of_nothing()) if on_gpu else (None, None)
    reference = reference or ops.get("torch")
    rows = []
    for n in sizes:
        args = inputs(n)
        kind = str(args[0].dtype).removeprefix("torch.")
        operations = flops(n) if callable(flops) else flops * n
        heads = ["kernel", "spread", "GB/s", "of copy", "call"] if on_gpu else ["CPU time", "spread"]
        print(f"{'time':8}{f'n = {n}, {kind}':<33}" + "".join(f"{head:>10}" for head in heads))
        for name, op in ops.items():
            ours = reference and not re.match(r"torch\b", name)
            doubt = _check(n, op, reference, args, inputs, name, rtol, atol) if ours else ""
            row = dataclasses.replace(measure(name, n, op, args), flops=operations, copy=limit, dtype=kind)
            if ours and not doubt:
                doubt = _check(n, op, reference, args, inputs, f"after it was timed, {name}", rtol, atol)
            cells = [_seconds(row.kernel), f"{row.spread:.0%}"]
            if on_gpu:
                row = dataclasses.replace(row, suspect=suspicion(row, peak, nothing) or doubt)
                cells += [f"{row.bandwidth / 1e9:.0f}", f"{row.bandwidth / limit:.0%}", _seconds(row.call)]
            rows.append(row)
            print(f"{'':8}{name:<33}" + "".join(f"{cell:>10}" for cell in cells) + (row.suspect and f"  {row.suspect}"))
    last = f"copy: {limit / 1e9:.0f} GB/s" if on_gpu else "CPU times: they say nothing about a GPU."
    print(f"{'':8}{last}{'' if reference else '  The results were not checked.'}")
    return rows


def _check(n, op, reference, args, inputs, name, rtol, atol) -> str:
    """check_at() with other inputs(n). Returns why it could not be done, or ""."""
    try:
        check_at(n, op, reference, args, inputs(n), name, rtol, atol)
    except torch.OutOfMemoryError:
        return "not checked: too little memory"
    return ""


def suspicion(row, peak, nothing) -> str:
    """Why the GPU cannot have done this in that time, or "": a row of bench(), bytes a second, seconds.

    The L2 cache is no excuse: before each call bench() fills it with other data, all of it changed. So what a call reads
    comes from the memory, and for what it writes to the cache, some of that data must go there. Data that stays in the
    cache may be faster (`make chapter06 ARGS=--cached`), and bench() does not measure that.
    """
    if row.nbytes and row.kernel <= 1.1 * nothing:  # a tenth, because both are measured
        return "suspect: no work on this stream"
    if row.bandwidth > peak:
        return f"suspect: the memory's peak is {peak / 1e9:.0f} GB/s"
    return ""


def measure(name, n, op, args) -> Timing:
    """Times op(*args). See bench for the method."""
    result = op(*args)
    nbytes = sum(t.nbytes for t in tree_flatten((args, result))[0] if isinstance(t, torch.Tensor))
    del result
    samples = sorted(_gpu_times(op, args) if device.type == "cuda" else _cpu_times(op, args))
    median = statistics.median(samples)
    spread = (samples[len(samples) * 3 // 4] - samples[len(samples) // 4]) / median
    call = _call_time(op, args) if device.type == "cuda" else median
    return Timing(name, n, median, spread, call, nbytes)


def copy_bandwidth() -> float:
    """Bytes a second, read plus written, of torch's copy of 1 GiB (less on a small GPU) within the GPU's memory."""
    nbytes = min(2**30, torch.cuda.get_device_properties(device).total_memory // 16)
    source = torch.ones(nbytes, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * source.nbytes / statistics.median(_gpu_times(target.copy_, (source,)))


def peak_bandwidth(copy) -> float:
    """Bytes a second that this GPU's memory cannot exceed: its bus, and two transfers in each cycle of its clock.

    The formula is that of NVIDIA's sample deviceQuery. Some machines do not tell their clock, or less than a copy reaches:
    then it is a quarter more than the copy, as a copy reaches more than four fifths of the peak.
    """
    gpu = torch.cuda.get_device_properties(device)
    peak = 2 * gpu.memory_clock_rate * 1e3 * gpu.memory_bus_width / 8  # kHz, bits
    return peak if peak > copy else 1.25 * copy


def time_of_nothing() -> float:
    """Seconds between two events with no work between them."""
    return statistics.median(_gpu_times(lambda: None, ()))


def seconds_to_build(name, build) -> float:
    """Seconds of build(folder) from clean, in a folder of that name below build/, without a compiler cache."""
    folder = Path(__file__).parents[1] / "build" / "build_times" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    no_cache = {"CCACHE_DISABLE": "1", "TORCH_NO_COMPILER_WRAPPER": "1"}
    with mock.patch.dict(os.environ, no_cache):
        start = time.perf_counter()
        build(folder)
        return time.perf_counter() - start


def _gpu_times(op, args, budget=0.2) -> list[float]:
    """Seconds that the GPU spends in op, many times. budget: seconds for all of them."""
    # Larger than any GPU's L2. And while it is zeroed, some 0.2 ms, the host queues the next call, so that the GPU does not
    # wait for the host between the two events: after 256 MiB it did, for what torch.compile has made of a small sum.
    flush = torch.empty(768 * 2**20, dtype=torch.uint8, device=device).zero_

    def timed(repeats):
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
        for start, end in events:
            flush()
            start.record()
            op(*args)
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) / 1e3 for start, end in events]

    timed(3)  # warm-up: loads the kernel, fills the allocator, raises the clocks
    half = _repeats(budget / 2, timed)
    # On an H200 each second launch takes 0.7 us longer between its events, and op is always the second of two here, or
    # always the first, whatever was launched before. So do both, and take the half that was not unlucky.
    halves = [timed(half)]
    flush()
    halves.append(timed(half))
    return min(halves, key=statistics.median)


def _cpu_times(op, args, budget=0.3) -> list[float]:
    def timed(repeats):
        samples = []
        for _ in range(repeats):
            start = time.perf_counter()
            op(*args)
            samples.append(time.perf_counter() - start)
        return samples

    return timed(_repeats(budget, timed))


def _call_time(op, args, calls=100) -> float:
    """Seconds until op returns to Python, without waiting for the GPU; the median of ten rounds of calls."""

    def one_round():
        torch.cuda.synchronize()  # an empty queue: a full one makes the host wait
        start = time.perf_counter()
        for _ in range(calls):
            op(*args)
        return (time.perf_counter() - start) / calls

    return statistics.median(one_round() for _ in range(10))


def _repeats(budget, timed) -> int:
    """How many samples fit into so many seconds: at least 10, at most 1000."""
    start = time.perf_counter()
    timed(5)
    return max(10, min(1000, int(budget / ((time.perf_counter() - start) / 5))))


def _seconds(t: float) -> str:
    """0.0000089 as '8.9 us', 0.00112 as '1.12 ms'."""
    for unit, scale in ("us", 1e6), ("ms", 1e3):
        if t * scale < 1000:
            digits = 0 if t * scale >= 100 else 2 if unit == "ms" and t * scale < 10 else 1
            return f"{t * scale:.{digits}f} {unit}"
    return f"{t:.2f} s"
