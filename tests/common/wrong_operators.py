"""Operators that are wrong, one for each way to look right, and the words with which check() and bench() reject them.

The launchers of the same names are in tests/common/wrong_launchers.cu, for checking.h. common/README.md shows the table.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from common import device

CPP = Path(__file__).parent / "wrong_launchers.cu"
USUAL = 256  # the size of a block: many test nothing but multiples of it


def pair(n):
    return torch.rand(n, device=device), torch.rand(n, device=device)


def rows(n):
    return (torch.rand(n, 64, device=device),)


def strided(n):
    """Every second element of one tensor, the first column of another."""
    return torch.rand(2 * n, device=device)[::2], torch.rand(n, 3, device=device)[:, 0]


def square_pair(n):
    """A matrix of about n elements that is transposed, and one that is not."""
    rows = round(n**0.5)
    return torch.rand(rows, rows, device=device).t(), torch.rand(rows, rows, device=device)


def listed(n):
    return (list(pair(n)),)


def named(n):
    return (dict(zip("ab", pair(n), strict=True)),)


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
    """Works on a stream of its own, which waits for torch's; torch's does not wait for it."""
    c, stream = torch.empty_like(a), _kept.setdefault("stream", torch.cuda.Stream())
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(1_000_000)  # about half a millisecond
        return torch.add(a, b, out=c)


def leaves_an_error(a, b):
    c = right(a, b)
    torch.cuda.cudart().cudaHostUnregister(0)  # fails, as a refused launch does; the error is ignored
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


def chooses_no_device(a, b):
    """What torch::empty(a.sizes()) is in C++."""
    return torch.add(a, b, out=torch.ops.aten.empty.memory_format(a.shape))


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


def after(tensor):
    """the element after a contiguous tensor. What it belongs to is not the operator's business."""
    return tensor.as_strided((1,), (1,), tensor.storage_offset() + tensor.numel())


def beyond_zeros(a, b):
    """As an operator does that adds to an output of zeros, and has one thread too many."""
    c = torch.zeros_like(a)
    c += a + b
    after(c).add_(1)
    return c


def beyond_an_input(a, b):
    c = right(a, b)
    after(a).zero_()
    return c


def before_an_input(a, b):
    c = right(a, b)
    b.as_strided((1,), (1,), b.storage_offset() - 1).zero_()
    return c


def between_the_elements(a, b):
    """Changes a row of memory and not the elements of a."""
    c = right(a, b)
    if len(a) > 1:
        a.as_strided((1,), (1,), a.storage_offset() + 1).zero_()
    return c


def reads_after(a, b):
    c = right(a, b)
    c[-1:] += 0 * after(a)[: len(a)]
    return c


def largest_neighbour(a, b):
    """Of each element and the next; the last one has none, and what lies after it is taken."""
    c = a.clone()
    torch.maximum(a[:-1], a[1:], out=c[:-1])
    torch.maximum(a[-1:], after(a)[: len(a)], out=c[-1:])
    return c


def largest_neighbour_torch(a, b):
    return torch.cat([torch.maximum(a[:-1], a[1:]), a[-1:]])


def takes_strides_for_contiguous(a, b):
    return right(a.as_strided(a.shape, b.stride()), b)


def sum_of_list(tensors):
    return tensors[0] + tensors[-1]


def forgets_the_last_of_a_list(tensors):
    return tensors[0] + tensors[0]


def changes_a_list(tensors):
    c = sum_of_list(tensors)
    tensors.reverse()
    return c


def sum_of_dict(tensors):
    return tensors["a"] + tensors["b"]


def changes_a_dicts_tensor(tensors):
    c = sum_of_dict(tensors)
    tensors["b"][:1] = 2
    return c


def product(backward):
    """Makes an operator a * b with this backward pass: (grad_output, a, b) -> the gradients of a and b."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    def operator(a, b):
        return Product.apply(a, b)

    operator.__name__ = backward.__name__
    return operator


@product
def right_product(grad, a, b):
    return grad * b, grad * a


@product
def wrong_gradient(grad, a, b):
    return grad * b, grad * b


@product
def no_gradient(grad, a, b):
    return grad * b, None


@product
def gradient_of_a_wrong_shape(grad, a, b):
    return grad * b, (grad * a)[:, None].expand(-1, 2)[1:]


@product
def gradient_in_float16(grad, a, b):
    return grad * b, (grad.half() * a.half()).float()


@product
def gradient_half_written(grad, a, b):
    c = torch.empty_like(b)
    torch.mul(grad[:-1], a[:-1], out=c[:-1])
    return grad * b, c


@product
def gradient_written_beyond(grad, a, b):
    c = grad * a
    after(c).zero_()
    return grad * b, c


@product
def takes_grad_output_for_contiguous(grad, a, b):
    grad = grad.as_strided(grad.shape, a.stride()) if len(grad) <= USUAL else grad.contiguous()
    return grad * b, grad * a


@product
def changes_grad_output(grad, a, b):
    c = grad * a
    return grad.mul_(b) if grad.is_contiguous() else grad * b, c


@product
def one_gradient_for_all(grad, a, b):
    return grad * b, torch.mul(grad, a, out=_kept.setdefault(("gradient", len(a)), torch.empty_like(a)))


@product
def changes_an_input_backward(grad, a, b):
    gradients = grad * b, grad * a
    a[:1] = 2
    return gradients


@dataclass(frozen=True)
class WrongOperator:
    """what: what is wrong. words: those of check() (and of bench(), which checks); None where check() must let it pass.
    needs: what a machine without has no way to get wrong. no_cpp: why there is no launcher that is wrong in this way."""

    what: str
    operator: Callable
    words: str | None
    needs: str = ""
    no_cpp: str = ""
    reference: Callable = torch.add
    inputs: Callable = pair
    gradients: bool = False  # seen with check(gradients=True) only


POINTERS = "a launcher has pointers only"
FORWARD = "has no backward pass"

WRONG_OPERATORS = [
    WrongOperator("NaN in the last element", nan_in_the_last, "wrong result"),
    WrongOperator("off by one in the last element", off_by_one_in_the_last, "wrong result"),
    WrongOperator("last partial block missing", last_block_missing, "wrong result"),
    WrongOperator("never launched", never_launched, "wrong result"),
    WrongOperator("stale output of the previous call", stale_output, "wrong result in the second call"),
    WrongOperator("right at multiples of 256 only", right_at_multiples, "wrong result"),
    WrongOperator("right at check's own sizes only", right_at_checks_own_sizes, None),
    WrongOperator("wrong stream", on_the_default_stream, "wrong result on a side stream", "GPU"),
    WrongOperator("returns before another stream is done", returns_too_early, "wrong result on a side stream", "GPU"),
    WrongOperator("an error is left for a later call", leaves_an_error, "left an error", "GPU"),
    WrongOperator("asynchronous error swallowed", crashes_while_it_runs, "left an error", "GPU of its own"),
    WrongOperator("writes one element past the end", beyond_the_end, "after a tensor"),
    WrongOperator("writes one element before the beginning", before_the_start, "before a tensor"),
    WrongOperator(
        "writes after an output of zeros", beyond_zeros, "after a tensor", no_cpp="the caller brings the output"
    ),
    WrongOperator(
        "writes after an input", beyond_an_input, "wrote 1 byte after an input", no_cpp="the inputs are const"
    ),
    WrongOperator(
        "writes before an input", before_an_input, "wrote 1 byte before an input", no_cpp="the inputs are const"
    ),
    WrongOperator(
        "writes between the elements of an input",
        between_the_elements,
        "between the elements of an input",
        no_cpp=POINTERS,
        inputs=strided,
    ),
    WrongOperator("computes with what lies after an input", reads_after, "wrong result", no_cpp="not looked for"),
    WrongOperator(
        "takes the maximum with what lies after an input",
        largest_neighbour,
        "wrong result",
        no_cpp="not looked for",
        reference=largest_neighbour_torch,
    ),
    WrongOperator(
        "takes a transposed input for contiguous",
        takes_strides_for_contiguous,
        "wrong result",
        no_cpp=POINTERS,
        inputs=square_pair,
    ),
    WrongOperator(
        "forgets a tensor of a list",
        forgets_the_last_of_a_list,
        "wrong result",
        no_cpp=POINTERS,
        reference=sum_of_list,
        inputs=listed,
    ),
    WrongOperator(
        "input list modified",
        changes_a_list,
        "changed its inputs: a list or dict",
        no_cpp=POINTERS,
        reference=sum_of_list,
        inputs=listed,
    ),
    WrongOperator(
        "tensor of an input dict modified",
        changes_a_dicts_tensor,
        "the operator changed its inputs",
        no_cpp=POINTERS,
        reference=sum_of_dict,
        inputs=named,
    ),
    WrongOperator("input modified", changes_its_input, "the operator changed its inputs"),
    WrongOperator("output aliases the input", returns_its_input, "the result is memory of an input"),
    WrongOperator(
        "output on the default device",
        chooses_no_device,
        "the result was made without a device",
        no_cpp="the caller brings the output",
    ),
    WrongOperator("cached result for the same pointer", remembers_addresses, "wrong result in the second call"),
    WrongOperator("cached result from the tenth call on", remembers_after_ten_calls, None),
    WrongOperator("one output for all calls", one_output_for_all, "overwrote", no_cpp="the caller brings the output"),
    WrongOperator("another dtype", wrong_dtype, "dtype", no_cpp="does not compile"),
    WrongOperator("float16 arithmetic", float16_inside, "wrong result"),
    WrongOperator("float16 accumulation", float16_accumulation, "wrong result", reference=row_sums, inputs=rows),
    *(
        WrongOperator(what, operator, words, no_cpp=FORWARD, reference=torch.mul, gradients=True)
        for what, operator, words in (
            ("wrong gradient", wrong_gradient, "wrong gradient of input 1"),
            ("no gradient", no_gradient, "no gradient of input 1, and the reference has one"),
            ("gradient of a wrong shape", gradient_of_a_wrong_shape, "the backward pass failed"),
            ("gradient with float16 arithmetic", gradient_in_float16, "wrong gradient of input 1"),
            ("last element of a gradient unwritten", gradient_half_written, "wrong gradient of input 1"),
            ("writes after a gradient", gradient_written_beyond, "wrote 1 byte after a tensor"),
            ("takes grad_output for contiguous", takes_grad_output_for_contiguous, "wrong gradient of input 0"),
            ("grad_output modified", changes_grad_output, "the operator changed its grad_output"),
            ("one gradient for all calls", one_gradient_for_all, "overwrote the gradients of the first"),
            ("input modified in the backward pass", changes_an_input_backward, "changed its inputs in the backward"),
        )
    ),
]


def cpp_words():
    """{what is wrong: the words with which checking.h must reject it}, as wrong_launchers.cu has them."""
    return dict(re.findall(r'^    \{"([^"]+)",\s+"([^"]*)",', CPP.read_text(), re.M))


def table():
    """Markdown: what is wrong with each operator, and the words with which Python and C++ reject it."""
    cpp = cpp_words()
    lines = ["| what is wrong | `check`, and `bench` | `check_launch`, and `bench_launch` |", "|---|---|---|"]
    for wrong in WRONG_OPERATORS:
        what = f"{wrong.what} (needs a GPU)" if wrong.needs else wrong.what
        here = wrong.words or "passes; **bench rejects it**"
        here += ": `check` with `gradients=True`" * wrong.gradients
        there = cpp.get(wrong.what, f"*{wrong.no_cpp}*") or "passes; **bench_launch rejects it**"
        lines.append(f"| {what} | {here} | {there} |")
    return "\n".join(lines) + "\n"
