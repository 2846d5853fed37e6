"""Operators that are wrong, one for each way to look right: what check() and bench() catch, and in whose words.

python tests/common/wrong_operators.py    prints the table that chapter 03's README shows (test_wrong_operators.py compares the two)

The launchers of the same names are in tests/common/wrong_launchers.cu, for check_launch.h.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))
from common import device

CPP = Path(__file__).parent / "wrong_launchers.cu"
USUAL = 256  # the size of a block: many test nothing but multiples of it


def pair(n):
    return torch.rand(n, device=device), torch.rand(n, device=device)


def rows(n):
    return (torch.rand(n, 64, device=device),)


def right(a, b):
    return torch.add(a, b, out=torch.empty_like(a))


def nan_in_the_last(a, b):
    c = right(a, b)
    c[-1:] = float("nan")
    return c


def off_by_one_in_the_last(a, b):
    c = right(a, b)
    c[-1:] += 1
    return c


def last_block_missing(a, b):
    c = torch.empty_like(a)
    n = len(a) // USUAL * USUAL
    torch.add(a[:n], b[:n], out=c[:n])
    return c


def never_launched(a, b):
    return torch.empty_like(a)


def stale_output(a, b):
    """Returns what the call before has computed, as an operator with two buffers may that mixes them up."""
    old, _kept[len(a)] = _kept.get(len(a)), right(a, b)
    return _kept[len(a)] if old is None else old


def right_at_multiples(a, b):
    return right(a, b) if len(a) % USUAL == 0 else right(a, b) + 1


def right_at_checks_own_sizes(a, b):
    from common.checking import SIZES

    return right(a, b) if len(a) in SIZES else right(a, b) + 1


def on_the_default_stream(a, b):
    with torch.cuda.stream(torch.cuda.default_stream()):
        return right(a, b)


def returns_too_early(a, b):
    """Works on a stream of its own, which waits for torch's; but nobody waits for it."""
    c, stream = torch.empty_like(a), _kept.setdefault("stream", torch.cuda.Stream())
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(1_000_000)  # about half a millisecond
        return torch.add(a, b, out=c)


def leaves_an_error(a, b):
    c = right(a, b)
    torch.cuda.cudart().cudaHostUnregister(0)  # fails, as a refused launch does; nobody looks at what it returns
    return c


def crashes_while_it_runs(a, b):
    """The kernel of the indexing stops with an error long after Python has gone on. The GPU is lost to this process."""
    c = right(a, b)
    if len(a):
        torch.cuda._sleep(1_000_000)
        a[torch.full((1,), len(a) + 1, device=device)]
    return c


def beyond_the_end(a, b):
    c = right(a, b)
    c.as_strided((len(c) + 1,), (1,))[-1] = 0
    return c


def before_the_start(a, b):
    c = right(a, b)
    c.as_strided((1,), (1,), c.storage_offset() - 1).zero_()
    return c


def changes_its_input(a, b):
    c = right(a, b)
    a[:1] = 2
    return c


def returns_its_input(a, b):
    return a.add_(b)


_kept = {}


def remembers_addresses(a, b):
    return _kept.setdefault((a.data_ptr(), len(a)), right(a, b))


def remembers_after_ten_calls(a, b):
    """Compares like with like in a test that calls it twice; in a benchmark it does nothing."""
    key = a.data_ptr(), len(a)
    calls, c = _kept.get(key, (0, None))
    _kept[key] = calls + 1, c if calls >= 10 else right(a, b)
    return _kept[key][1].clone()


def one_output_for_all(a, b):
    return torch.add(a, b, out=_kept.setdefault(len(a), torch.empty_like(a)))


def wrong_dtype(a, b):
    return right(a, b).double()


def float16_inside(a, b):
    return (a.half() + b.half()).float()


def row_sums(x):
    return x.sum(1)


def float16_accumulation(x):
    total = torch.zeros(len(x), dtype=torch.half, device=x.device)
    for column in x.unbind(1):
        total += column.half()
    return total.float()


@dataclass(frozen=True)
class Liar:
    """lie: what is wrong. words: those of check() (and of bench(), which checks); None where check() must let it pass.
    needs: what a machine without has no way to get wrong. no_cpp: why a launcher cannot tell this lie."""

    lie: str
    operator: Callable
    words: str | None
    needs: str = ""
    no_cpp: str = ""
    reference: Callable = torch.add
    inputs: Callable = pair


LIARS = [
    Liar("NaN in the last element", nan_in_the_last, "wrong result"),
    Liar("off by one in the last element", off_by_one_in_the_last, "wrong result"),
    Liar("last partial block missing", last_block_missing, "wrong result"),
    Liar("never launched", never_launched, "wrong result"),
    Liar("stale output of the previous call", stale_output, "wrong result in the second call"),
    Liar("right at multiples of 256 only", right_at_multiples, "wrong result"),
    Liar("right at check's own sizes only", right_at_checks_own_sizes, None),
    Liar("wrong stream", on_the_default_stream, "wrong result on a side stream", "GPU"),
    Liar("returns before another stream is done", returns_too_early, "wrong result on a side stream", "GPU"),
    Liar("an error is left for a later call", leaves_an_error, "left an error", "GPU"),
    Liar("asynchronous error swallowed", crashes_while_it_runs, "left an error", "GPU of its own"),
    Liar("writes one element beyond the end", beyond_the_end, "behind a tensor"),
    Liar("writes one element in front", before_the_start, "before a tensor"),
    Liar("input modified", changes_its_input, "the operator changed its inputs"),
    Liar("output aliases the input", returns_its_input, "the result is memory of an input"),
    Liar("cached result for the same pointer", remembers_addresses, "wrong result in the second call"),
    Liar("cached result from the tenth call on", remembers_after_ten_calls, None),
    Liar("one output for all calls", one_output_for_all, "overwrote", no_cpp="the caller brings the output"),
    Liar("another dtype", wrong_dtype, "dtype", no_cpp="does not compile"),
    Liar("float16 arithmetic", float16_inside, "wrong result"),
    Liar("float16 accumulation", float16_accumulation, "wrong result", reference=row_sums, inputs=rows),
]


def cpp_words():
    """{lie: the words that check_launch.h must reject it with}, as the table in wrong_launchers.cu has them."""
    return dict(re.findall(r'^    \{"([^"]+)",\s+"([^"]*)",', CPP.read_text(), re.M))


def table():
    """Markdown: each lie, and the words with which the checks of Python and C++ reject it."""
    cpp = cpp_words()
    lines = ["| the lie | `check`, and `bench` | `check_launch`, and `bench_launch` |", "|---|---|---|"]
    for liar in LIARS:
        lie = f"{liar.lie} (needs a GPU)" if liar.needs else liar.lie
        here = liar.words or "passes; **bench rejects it**"
        there = cpp.get(liar.lie, f"*{liar.no_cpp}*") or "passes; **bench_launch rejects it**"
        lines.append(f"| {lie} | {here} | {there} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
