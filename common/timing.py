"""bench(): how fast is this operator, beside another one, and beside what the memory can do?"""

import dataclasses
import os
import random
import re
import shutil
import statistics
import time
from unittest import mock

import torch

from . import BUILD
from .checking import check_at
from .guarded import Inputs, tensors_in
from .machine import device

# Bytes to overwrite before each call: more than any GPU's L2 cache holds. Zeroing them takes some 0.2 ms, in which the host
# queues the next call, so that the GPU does not wait for the host between the two events. With 256 MiB it waited, for what
# torch.compile makes of a small sum.
FLUSHED = 768 * 2**20


@dataclasses.dataclass(frozen=True)
class Timing:
    """One row of the table. Seconds; `kernel` is the GPU's own time (in CPU mode, the time of the whole call)."""

    name: str
    n: int
    kernel: float  # mean of the middle half of the samples: see middle()
    spread: float  # the middle half of the samples lies in a band this wide, as a fraction of their mean
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


def bench(ops, inputs, sizes=(2**20,), flops=0, reference=None, rtol=None, atol=None, rate="GB/s") -> list[Timing]:
    """Times every operator at every size, prints a table and returns its rows.

    ops     name -> callable; the first is ours, the others are what it is compared with
    inputs  n -> tuple of arguments
    flops   arithmetic operations for each of n elements, or a callable: n -> those of one call; for the roofline
    reference, rtol, atol    as in check(); without a reference, the operator named "torch" is it
    rate    "TFLOP/s" for operators that the cores limit, not the memory: their speed is then beside torch's, not a copy's

    A figure of a wrong operator is worth nothing. So each one, except torch's ("torch", "torch.compile", ...), is checked
    before and after it is timed, at this size and in the memory that is timed, and AssertionError says what check() would.
    The second check is needed because the timed calls have the same arguments again and again: an operator that has kept
    its result by then returns it for other values as well. A check takes about five times the memory of a call. If a GPU
    has less, or if there is no reference, nothing is checked, and the table says so.

    On a GPU: CUDA events around each of many calls, after a warm-up, with other data in the L2 cache. triton.testing.do_bench
    does the same, and the two agree within 5 % (tests/common/test_harness_gpu.py). In addition, operators of one launch and
    of several are treated alike here: see times_in_turns(). The bandwidth counts the bytes that the function must move. A copy
    of 1 GiB in the same run says what the memory can do. Events see only the work on torch's current stream. A time that
    this memory does not allow is marked: see suspicion().
    """
    on_gpu = device.type == "cuda"
    limit = copy_bandwidth() if on_gpu else None
    peak, nothing = (peak_bandwidth(limit), time_of_nothing()) if on_gpu else (None, None)
    reference = reference or ops.get("torch")
    rows = []
    for n in sizes:
        held, args = _inputs(inputs(n))
        kind = str(tensors_in(args)[0].dtype).removeprefix("torch.")
        operations = flops(n) if callable(flops) else flops * n
        beside = "of copy" if rate == "GB/s" else "of torch"
        heads = ["kernel", "spread", rate, beside, "call"] if on_gpu else ["CPU time", "spread"]
        print(f"{'time':8}{f'n = {n}, {kind}':<33}" + "".join(f"{head:>10}" for head in heads))
        ours = [name for name in ops if reference and not re.match(r"torch\b", name)]
        doubts = {name: _check(n, ops[name], reference, held, inputs, name, rtol, atol) for name in ours}
        args = held.args if held else args
        timed = measure_in_turns(ops, n, args)
        of_torch = next((row.kernel for row in timed if row.name == "torch"), None)
        for row in timed:
            doubt = doubts.get(row.name, "")
            if row.name in ours and not doubt:
                what = f"after it was timed, {row.name}"
                doubt = _check(n, ops[row.name], reference, held, inputs, what, rtol, atol)
            row = dataclasses.replace(row, flops=operations, copy=limit, dtype=kind)
            cells = [format_seconds(row.kernel), f"{row.spread:.0%}"]
            if on_gpu:
                row = dataclasses.replace(row, suspect=suspicion(row, peak, nothing) or doubt)
                speed = f"{row.bandwidth / 1e9:.0f}", f"{row.bandwidth / limit:.0%}"
                if rate == "TFLOP/s":
                    row.more.update(tflops=operations / row.kernel / 1e12, of_torch=of_torch / row.kernel)
                    speed = f"{row.more['tflops']:.1f}", f"{row.more['of_torch']:.2f}"
                cells += [*speed, format_seconds(row.call)]
            rows.append(row)
            said = "".join(f"{cell:>10}" for cell in cells) + (row.suspect and f"  {row.suspect}")
            print(f"{'':8}{row.name:<33}{said}")
    last = f"copy: {limit / 1e9:.0f} GB/s" if on_gpu else "CPU times: they say nothing about a GPU."
    print(f"{'':8}{last}{'' if reference else '  The results were not checked.'}")
    return rows


def autograd_of(function):
    """(grad, *inputs) -> the gradients of all inputs, as autograd computes them: torch's side of a bench() of a backward
    kernel. The forward pass runs in the first call only, so that it is not timed: give it the same tensors in each."""
    kept = []

    def backward(grad, *inputs):
        if not kept:
            leaves = [x.detach().requires_grad_() for x in inputs]
            kept[:] = function(*leaves), leaves
        return torch.autograd.grad(*kept, grad, retain_graph=True)

    return backward


def _inputs(values):
    """These arguments as Inputs, whose memory check_at() needs; without a copy, and None, where memory is short."""
    try:
        held = Inputs(values)
    except torch.OutOfMemoryError:
        return None, values
    return held, held.args


def _check(n, op, reference, held, inputs, name, rtol, atol) -> str:
    """check_at() in this memory. Returns why it could not be done, or ""."""
    try:
        if held:
            check_at(n, op, reference, held, inputs(n), inputs(n), name, rtol, atol)
            return ""
    except torch.OutOfMemoryError:
        pass
    return "not checked: too little memory"


def suspicion(row, peak, nothing) -> str:
    """Why the GPU cannot have done this in that time, or "": a row of bench(), bytes a second, seconds.

    L2 hits cannot explain it: before each call bench() fills the cache with other data, all of it changed. What a call reads
    comes from memory, and what it writes to the cache drives some of that data out to memory. Data that stays in the cache
    may be faster (`make chapter06 ARGS=--cached`), and bench() does not measure that.
    """
    # Both contain delays (see times_in_turns()); the shortest kernel takes more than twice as long.
    if row.nbytes and row.kernel <= 1.4 * nothing:
        return "suspect: no work on this stream"
    if row.bandwidth > peak:
        return f"suspect: the memory's peak is {peak / 1e9:.0f} GB/s"
    return ""


def measure(name, n, op, args) -> Timing:
    """Times op(*args). See bench for the method."""
    return measure_in_turns({name: op}, n, args)[0]


def measure_in_turns(ops, n, args) -> list[Timing]:
    """Times each of these operators with the same arguments: {name: op}."""
    rows = []
    for name, samples in times_in_turns(ops, args).items():
        nbytes = sum(t.nbytes for t in tensors_in((args, ops[name](*args))))
        kernel, spread = middle(samples)
        call = call_time(ops[name], args) if device.type == "cuda" else kernel
        rows.append(Timing(name, n, kernel, spread, call, nbytes))
    return rows


def middle(samples) -> tuple[float, float]:
    """The mean of the middle half of the samples, and the width of this half as a fraction of the mean.

    Outliers do not count, as in the median. But if samples fall into groups (see times_in_turns()), the median jumps from one
    group to the other when a few samples change, and this mean does not. It is also called the interquartile mean.
    """
    samples = sorted(samples)
    half = samples[len(samples) // 4 : len(samples) - len(samples) // 4]
    mean = statistics.fmean(half)
    return mean, (half[-1] - half[0]) / mean


def copy_bandwidth() -> float:
    """Bytes a second, read plus written, of torch's copy of 1 GiB (less on a small GPU) within the GPU's memory."""
    nbytes = min(2**30, torch.cuda.get_device_properties(device).total_memory // 16)
    source = torch.ones(nbytes, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * source.nbytes / middle(gpu_times(target.copy_, (source,)))[0]


def peak_bandwidth(copy) -> float:
    """Bytes a second that this GPU's memory cannot exceed: its bus, and two transfers in each cycle of its clock.

    The formula is that of NVIDIA's sample deviceQuery. Some machines report no clock, or one that a copy exceeds. A copy
    reaches more than four fifths of the peak, so there the peak is taken to be a quarter more than the copy.
    """
    gpu = torch.cuda.get_device_properties(device)
    peak = 2 * gpu.memory_clock_rate * 1e3 * gpu.memory_bus_width / 8  # kHz, bits
    return peak if peak > copy else 1.25 * copy


def time_of_nothing() -> float:
    """Seconds between two events with no work between them."""
    return middle(gpu_times(lambda: None, ()))[0]


def seconds_to_build(name, build) -> float:
    """Seconds of build(folder) from clean, in a folder of that name below build/, without a compiler cache."""
    folder = BUILD / "build_times" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    no_cache = {"CCACHE_DISABLE": "1", "TORCH_NO_COMPILER_WRAPPER": "1"}
    with mock.patch.dict(os.environ, no_cache):
        start = time.perf_counter()
        build(folder)
        return time.perf_counter() - start


def times_in_turns(ops, args, budget=0.2, launches_before=lambda i: i % 4 == 3) -> dict[str, list[float]]:
    """Seconds that each of these operators needs, many times: {name: samples}. budget: seconds for each operator.

    Under load a GPU's clock drifts, and whoever is timed last would look slow. So the operators take turns: in every round
    each is called once, in an order that is shuffled anew. An operator whose budget is used up takes no further part, but each
    has 10 samples at least.

    launches_before: how many small launches come before sample i. On an H200 each fourth launch takes up to 1 us longer than
    the others. If all samples launched the same, an operator of three launches and the one that overwrites the L2 cache
    would have the slow one at the same place in every sample: inside in one run, outside in the next. With one more launch
    before every fourth sample, each of 16 samples in a row begins at another place, four times at each of the four. So
    every operator has its average share of slow launches, however many launches it makes: tools/maintain/launch_delays.py.
    """
    order = random.Random(0)

    def rounds(repeats):
        turns = []
        for done in range(max(repeats.values())):
            names = [name for name in repeats if repeats[name] > done]
            turns += order.sample(names, len(names))
        samples = {name: [] for name in repeats}
        for name, seconds in zip(turns, _seconds([ops[name] for name in turns], args, launches_before), strict=True):
            samples[name].append(seconds)
        return samples

    rounds(dict.fromkeys(ops, 1))  # warm-up: loads the kernels and fills the allocator
    fit = {name: _repeats(budget, lambda repeats, name=name: rounds({name: repeats})) for name in ops}
    block = 16 if device.type == "cuda" else 1
    return rounds({name: -(-repeats // block) * block for name, repeats in fit.items()})


def gpu_times(op, args) -> list[float]:
    """Seconds that one operator needs, many times."""
    return times_in_turns({"": op}, args)[""]


def _seconds(calls, args, launches_before) -> list[float]:
    """What each of these calls takes, on a GPU with other data in the L2 cache."""
    if device.type == "cpu":
        return [_cpu_seconds(op, args) for op in calls]
    launch, flush = _overwrite(1), _overwrite(FLUSHED)
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in calls]
    for i, (op, (start, end)) in enumerate(zip(calls, events, strict=True)):
        for _ in range(launches_before(i)):
            launch()
        flush()
        start.record()
        op(*args)
        end.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(end) / 1e3 for start, end in events]


def _cpu_seconds(op, args) -> float:
    start = time.perf_counter()
    op(*args)
    return time.perf_counter() - start


def _overwrite(nbytes):
    """A function that launches a kernel which zeroes so many bytes."""
    return torch.empty(nbytes, dtype=torch.uint8, device=device).zero_


def call_time(op, args, wait=torch.cuda.synchronize, clock=time.perf_counter, budget=0.5) -> float:
    """Seconds until op returns to Python, without waiting for the GPU. budget: seconds after which no further round starts.

    A GPU takes about a thousand launches in advance; when its queue is full, a launch waits until the GPU has finished
    one. How many calls fill the queue depends on what op launches. So this times rounds of 1, 2, 4, ... 64 calls, each after
    wait() has emptied the queue, and takes the fastest kind of round: its calls have not waited.
    """

    def one_round(calls):
        wait()
        start = clock()
        for _ in range(calls):
            op(*args)
        return (clock() - start) / calls

    fastest, end = float("inf"), clock() + budget
    for calls in (2**k for k in range(7)):
        median = statistics.median(one_round(calls) for _ in range(10))
        if median > 2 * fastest:  # the queue is full: longer rounds only wait longer
            break
        fastest = min(fastest, median)
        if clock() > end:
            break
    return fastest


def _repeats(budget, timed) -> int:
    """How many samples fit into so many seconds: at least 10, at most 1000."""
    if os.environ.get("CHAPTERS_SANITIZE"):  # this run looks for mistakes, and its times mean nothing
        return 2
    start = time.perf_counter()
    timed(5)
    return max(10, min(1000, int(budget / ((time.perf_counter() - start) / 5))))


def format_seconds(t: float) -> str:
    """0.0000089 as '8.9 us', 0.00112 as '1.12 ms'."""
    for unit, scale in ("us", 1e6), ("ms", 1e3):
        if t * scale < 1000:
            digits = 0 if t * scale >= 100 else 2 if unit == "ms" and t * scale < 10 else 1
            return f"{t * scale:.{digits}f} {unit}"
    return f"{t:.2f} s"
