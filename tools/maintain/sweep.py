"""Compares our operators with their peers at random shapes: `make sweep`, which needs a GPU.

A chapter takes part if its main.py has sweep(), which returns {operator: Contest} (common/contest.py). For each operator a
seed draws rows and columns, log-uniform over all that fits into LIMIT: the bytes of a call's inputs and outputs together. Half
of the shapes are odd or prime, and half are round, as people choose them. The inputs begin 0, 2, 4 or 8 bytes into a buffer.

At each shape our result is checked first. Then the contenders, that is ours, torch, torch.compile for exactly this shape, and
the chapter's peers, take turns with a cold L2 cache (common/timing.py). After each operator the figures go to
results/sweep/<machine>.json; a chapter's RESULTS.md shows them by tools/maintain/swept.py.

Every operator gets its share of the minutes, by how many shapes it has. What does not fit into it is measured at the end, if
time is left. Building counts: `--minutes 0` builds and measures nothing.
"""

import argparse
import functools
import gc
import math
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from common import device
from common.guarded import tensors_in
from common.timing import Timing, middle, peak_bandwidth, suspicion, time_of_nothing, times_in_turns

from ..chapters import ROOT, folders, load
from . import swept
from .bench import circumstances, rounded
from .results import RESULTS, keep, machine

LIMIT = 2**32
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}


# ---- shapes ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Shape:
    rows: int
    columns: int
    dtype: torch.dtype
    offset: int = 0  # bytes from the begin of a buffer to the begin of the tensor in it

    def row(self):
        """As JSON has it."""
        return {"rows": self.rows, "columns": self.columns, "dtype": str(self.dtype)[6:], "offset": self.offset}


def draw(contest, count, seed, limit=LIMIT):
    """The named shapes and so many random ones. A longer list begins with a shorter one of the same seed."""
    dice = random.Random(seed)
    return [Shape(*named) for named in contest.named] + [_random_shape(contest, k, dice, limit) for k in range(count)]


def _random_shape(contest, k, dice, limit):
    dtype = dice.choice(contest.dtypes)
    most = math.log2(limit / (contest.moves * dtype.itemsize))
    logs = [most, most]
    while sum(logs) > most:
        logs = [dice.uniform(0, most) for _ in logs]
    kind = round_below if k % 2 else dice.choice([odd_below, prime_below])
    offsets = [0, 0, 0] + [offset for offset in (2, 4, 8) if offset % dtype.itemsize == 0]
    return Shape(*(kind(int(2**log)) for log in logs), dtype, dice.choice(offsets))


def odd_below(n):
    return n - 1 + n % 2


def prime_below(n):
    """The largest prime that is not larger than n; 1 for 1."""
    while any(n % k == 0 for k in range(2, math.isqrt(n) + 1)):
        n -= 1
    return n


def round_below(n):
    """Three leading bits, then zeros: 5120, 14336, 2^20."""
    zeros = max(0, n.bit_length() - 3)
    return n >> zeros << zeros


def shares(contests, shapes):
    """How many of so many random shapes each contest gets."""
    return [shapes // len(contests) + (k < shapes % len(contests)) for k in range(len(contests))]


def operator_of(module, operator, contest):
    """The operator of that contest, as a function of its inputs."""
    return functools.partial(getattr(module, operator.partition(",")[0]), **contest.keywords)


# ---- one shape ---------------------------------------------------------------------------------------------------------
def at_offset(x, offset):
    """The tensor x, also a transposed one, in a larger buffer from so many bytes on; what is no tensor stays."""
    if not isinstance(x, torch.Tensor):
        return x
    buffer = torch.empty(offset + x.nbytes, dtype=torch.uint8, device=x.device)
    return buffer[offset:].view(x.dtype).as_strided(x.shape, x.stride()).copy_(x)


def check(result, contest, args, dtype):
    """Raises AssertionError where the result is not the formula's, computed in a wider dtype and rounded once."""
    wide = [x.to(WIDER.get(x.dtype, x.dtype)) if isinstance(x, torch.Tensor) else x for x in args]
    share = contest.tolerance(dtype)
    for ours, right in zip(tensors_in(result), tensors_in(contest.formula(*wide)), strict=True):
        rounded = right.to(ours.dtype)
        if share:
            # An error is measured by the size of its row: the first rows of causal attention are much larger than the others.
            # Or by that of all rows, if that is more, or by the step between the dtype's smallest numbers.
            step, squares = torch.finfo(ours.dtype).smallest_normal * torch.finfo(ours.dtype).eps, right.square()
            size = squares.mean(-1, keepdim=True).clamp(min=squares.mean()).sqrt().clamp(min=step / share)
            ours, rounded = ours / size, rounded / size
        torch.testing.assert_close(ours, rounded, rtol=share, atol=share)


def contenders(contest, missing):
    """{name: callable} beside ours. A library that cannot be imported goes to missing: {name: why}."""
    ops = {"torch": contest.torch or contest.formula}
    if device.type == "cuda":
        torch.compiler.reset()  # or torch.compile would give up after eight shapes
        ops["torch.compile"] = torch.compile(contest.formula, dynamic=False)
    for name, make in contest.peers.items():
        try:
            ops[name] = make()
        except (ImportError, AttributeError) as error:  # the latter: another version of it
            missing[name] = one_line(error)
    return ops


def one_line(error):
    """Without this machine's folder: the text goes to a file."""
    return f"{type(error).__name__}: {error}".strip().partition("\n")[0].replace(f"{ROOT}/", "")


def measure(ours, contest, shape, limits, missing):
    """A row of the results. limits: what suspicion() asks for, or None without a GPU.

    A row with "wrong" has no times: our operator raised an error, gave a wrong result, or took less time than it can have
    taken. "failed" says which peers did not take part, and why."""
    torch.manual_seed(0)
    args = [at_offset(x, shape.offset) for x in contest.inputs(shape.rows, shape.columns, shape.dtype)]
    row = shape.row()
    try:
        result = ours(*args)  # before the reference: memory that was the reference's would hold the right result
        row["bytes"] = sum(x.nbytes for x in tensors_in((args, result)))
    except Exception as error:
        return row | {"wrong": one_line(error)}
    try:
        check(result, contest, args, shape.dtype)
    except torch.OutOfMemoryError:
        row["unchecked"] = "too little memory for the reference"
    except (AssertionError, RuntimeError) as error:
        return row | {"wrong": str(error)}
    del result
    ops, failed, start = {"ours": ours}, {}, time.monotonic()
    for name, op in contenders(contest, missing).items():
        try:
            op(*args)
            synchronize()
            ops[name] = op
        except Exception as error:  # theirs, of any kind: too little memory, an odd shape, an unknown dtype
            failed[name] = one_line(error)
            synchronize()  # raises the error once more if this peer has crashed the GPU: then the sweep ends here
    row["prepared"] = time.monotonic() - start  # seconds, most of them torch.compile's
    times = {name: middle(samples)[0] for name, samples in times_in_turns(ops, args, budget=0.05).items()}
    for name, seconds in times.items() if limits else ():
        if doubt := suspicion(Timing(name, 0, seconds, 0, 0, row["bytes"]), *limits):
            failed[name] = doubt
    if "ours" in failed:
        return row | {"wrong": failed["ours"]}
    row |= {"ours": times.pop("ours"), "peers": {name: t for name, t in times.items() if name not in failed}}
    return row | ({"failed": failed} if failed else {})


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


# ---- all of them -------------------------------------------------------------------------------------------------------
def sweep_operator(main, module, operator, shapes, until, limits, missing):
    """The rows of one operator, which it prints; fewer than there are shapes where the time is over."""
    rows, slowest = [], 0
    for shape in shapes:
        start = time.monotonic()
        if start + slowest >= until:
            break
        contest = main.sweep()[operator]
        row = measure(operator_of(module, operator, contest), contest, shape, limits, missing)
        rows.append(rounded(row))
        gc.collect()  # an autograd graph is as large as its shape
        slowest = max(slowest, time.monotonic() - start)
        print(f"{'':4}{swept.line(row)}   {time.monotonic() - start:.1f} s, prepared in {row.get('prepared', 0):.1f}",
              flush=True)  # fmt: skip
    return rows


def sweep(chosen: dict[str, Path], shapes, seed, minutes, file):
    """{(chapter, operator): rows} of these chapters, after each operator also in that file."""
    end = time.monotonic() + 60 * minutes
    mains = {folder.name: load(folder / "main.py") for folder in chosen.values()}
    modules = {name: main.build() for name, main in mains.items()}
    print(f"built, {(end - time.monotonic()) / 60:.1f} of {minutes:g} minutes left", flush=True)
    here, limits = circumstances() | {"seed": seed}, None
    if device.type == "cuda":
        limits = peak_bandwidth(here["limits"]["copy"]), time_of_nothing()
    found, missing, kept = {}, {}, {name: {} for name in mains}
    drawn = drawings(mains, shapes, seed)

    def to_do(which):
        return drawn[which][len(found.get(which, [])) :]

    def measure_operator(which, until):
        name, operator = which
        print(f"{name[:2]} {operator}: {len(to_do(which))} shapes", flush=True)
        rows = sweep_operator(mains[name], modules[name], operator, to_do(which), until, limits, missing)
        if rows:
            found[which] = kept[name][operator] = found.get(which, []) + rows
            keep(file, name, here | {"tables": kept[name]})
        torch.cuda.empty_cache()

    left = sum(map(len, drawn.values()))
    for which, of_operator in drawn.items():
        now = time.monotonic()
        until = now + (end - now) * len(of_operator) / max(1, left)
        left -= len(of_operator)
        measure_operator(which, until)
    for which in drawn:
        if to_do(which) and time.monotonic() < end:
            measure_operator(which, end)
    for (name, operator), of_operator in drawn.items():
        if there := to_do((name, operator)):
            print(f"{name[:2]} {operator}: time is over: {len(there)} of {len(of_operator)} shapes left", flush=True)
    for peer, why in missing.items():
        print(f"not compared with {peer}: {why}")
    return found


def drawings(mains, shapes, seed):
    """{(chapter, operator): its shapes}."""
    contests = {(name, operator): it for name, main in mains.items() for operator, it in main.sweep().items()}
    counts = shares([*contests.values()], shapes)
    return {
        which: draw(contest, count, f"{seed} {' '.join(which)}")
        for (which, contest), count in zip(contests.items(), counts, strict=True)
    }


def needs_gpu():
    if device.type == "cpu":
        sys.exit("make sweep measures a GPU, and this run has none; ARGS=--list prints the shapes.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chapters", nargs="+", metavar="NN", help="only these; all by default")
    parser.add_argument(
        "--shapes", type=int, default=150, help="how many random ones in all, beside those with names; 150 by default"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the same shapes again")
    parser.add_argument(
        "--minutes", type=float, default=10, help="stop after so many, and say what is left; 10 by default"
    )
    parser.add_argument("--list", action="store_true", help="only print the shapes; needs no GPU")
    options = parser.parse_args()
    there = folders("sweep")
    if unknown := set(options.chapters or ()) - set(there):
        sys.exit(f"No sweep() in chapter {', '.join(sorted(unknown))}; there is one in {', '.join(there)}")
    if not options.list:
        needs_gpu()
    chosen = {number: there[number] for number in options.chapters or there}
    print(f"seed {options.seed}")
    if options.list:
        mains = {folder.name: load(folder / "main.py") for folder in chosen.values()}
        for (name, operator), shapes in drawings(mains, options.shapes, options.seed).items():
            print(f"{name[:2]} {operator}", *(f"\n    {swept.shape_of(shape.row())}" for shape in shapes), sep="")
        return
    file = RESULTS / "sweep" / f"{machine()}.json"
    found = sweep(chosen, options.shapes, options.seed, options.minutes, file)
    print(swept.report(found))
    if wrong := swept.wrong(found):
        sys.exit(wrong)


if __name__ == "__main__":
    main()
