"""check(): is this operator right? Written so that an operator which only looks right does not pass."""

import contextlib
import dataclasses
import functools
import os
from collections.abc import Callable

import torch

from .guarded import NAN, OTHER, Guarded, Inputs, tensors_in
from .machine import device
from .torch_private import sleep_on_gpu, tree_map_only

SIZES = (0, 1, 3, 255, 256, 257, 2**20 + 3)  # nothing, less than a warp, around one block, many blocks and a bit


def check(op, reference, inputs, sizes=SIZES, rtol=None, atol=None, name=None, gradients=False):
    """Compares op(*inputs(n)) with reference(*inputs(n)) for every n in sizes, and prints one line.

    op         the operator under test; returns a tensor of its own, or a tuple of them
    reference  the same function in torch ops, slow and obviously right
    inputs     n -> tuple of arguments: tensors of any strides, numbers, and lists, tuples and dicts of them. Called anew for
               each use, after torch.manual_seed(); only the values may differ from call to call
    rtol, atol as in torch.testing.assert_close; rtol=0, atol=0 asks for the same bits (and NaN where the reference has NaN)
    gradients  also compares the gradients: of the inputs that require one, or of all floating-point inputs if no input does

    Raises AssertionError, with the operator's inputs in the message, also when the operator
    - leaves a part of its output unwritten, or writes beside it, however the output was allocated,
    - writes beside an input, or between the elements of a strided one; or computes with what lies there,
    - changes its inputs, or returns memory of theirs,
    - returns a tensor that was made without a device, as torch::empty(x.sizes()) is: it is on the CPU, wherever x is,
    - remembers: gives an old result for new data at an old address, or overwrites a result it gave before,
    - on a GPU, does not keep to torch's current stream, or leaves an error for a later call to find,
    and, with gradients=True, when its backward pass
    - gives a wrong gradient, or one of a wrong shape, or none where the reference has one,
    - takes a grad_output for contiguous that is not (sum() gives one that repeats a single element), or changes it,
    or does in the backward pass what is forbidden above.

    What it cannot see: sizes that are not among `sizes`, what an operator does in its thousandth call, and reads beside an
    input that change nothing. bench() catches the first two. The dtype of a gradient is not compared: torch converts each
    gradient to its input's dtype. tests/common/wrong_operators.py has an operator for each of these sentences.
    """
    name = name or getattr(op, "__name__", str(op))
    largest = 0.0
    for n in sizes:
        torch.manual_seed(n)
        first, second = inputs(n), inputs(n)
        error = check_at(n, op, reference, Inputs(first), first, second, name, rtol, atol, gradients)
        largest = max(largest, error)
    print(f"{'check':8}{name}: n = {' '.join(map(str, sizes))}".ljust(58) + f"  ok, largest error {largest:.2g}")


def rounded_once(formula):
    """A reference for bench(): the formula computed in float64, and each result rounded to the first argument's dtype. What
    torch computes in that dtype differs from it by more, in the worst of many elements."""

    def exact(*args):
        results = formula(*tree_map_only(torch.Tensor, torch.Tensor.double, args))
        return tree_map_only(torch.Tensor, lambda x: x.to(args[0].dtype), results)

    return exact


def check_at(n, op, reference, held, first, second, name, rtol=None, atol=None, gradients=False) -> float:
    """check() for one size, with the values of first and then of second in the memory of held, which are Inputs.

    Returns the largest error.
    """
    prefix = f"{name}({', '.join(map(_describe, first))}), n = {n}: "
    case = _Case(op, reference, held, prefix, rtol, atol)
    result, expected = case.forward(first, NAN, "")
    error = _largest_error(result, expected)
    case.forward(second, OTHER, " in the second call, with other values in the same memory")  # at the same addresses
    case.close(result, expected, "the second call overwrote the first call's result")
    if device.type == "cuda":
        case.close(_on_side_stream(op, held, first, prefix), expected, "wrong result on a side stream")
    if gradients:
        del result, expected
        found, wanted = case.backward(first, NAN, torch.randn_like)
        error = max(error, _largest_error(found, wanted))
        case.backward(second, OTHER, _as_sum_gives)
        case.close(found, wanted, "the second backward pass overwrote the gradients of the first")
    return error


@dataclasses.dataclass(frozen=True)
class _Case:
    """An operator, what it is compared with, and the memory of its inputs."""

    op: Callable
    reference: Callable
    held: Inputs
    prefix: str
    rtol: float | None
    atol: float | None

    def forward(self, values, pattern, when):
        """The results of the operator and of the reference for these values, which agree."""
        args = self.held.set(values, pattern)
        result = self.guarded(pattern, lambda: self.op(*args))
        _assert_no_shared_memory(result, args, self.prefix)
        expected = self.reference(*values)
        self.close(result, expected, f"wrong result{when}")
        self.unchanged(self.held, values, f"changed its inputs{when}")
        return result, expected

    def backward(self, values, pattern, grad_output):
        """The operator's gradients and the reference's, which agree, for these values and for what grad_output(result)
        returns."""
        values = _requiring_gradients(values)
        expected = self.reference(*values)
        outputs = [grad_output(t.detach()) for t in tensors_in(expected) if _has_gradient(t)]
        wanted = _gradients(expected, values, outputs)

        args, held_outputs = self.held.set(values, pattern), Inputs(outputs, pattern)
        result = self.guarded(pattern, lambda: self.op(*args))
        self.close(result, expected, "wrong result where gradients are required")
        try:
            found = self.guarded(pattern, lambda: _gradients(result, args, held_outputs.args))
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # torch refuses a gradient of a wrong shape, for example
            raise AssertionError(f"{self.prefix}the backward pass failed\n{error}") from error
        pairs = []
        for place, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
            if theirs is None and mine is None:
                continue
            if mine is None:
                raise AssertionError(f"{self.prefix}no gradient of input {place}, and the reference has one")
            theirs = torch.zeros_like(mine) if theirs is None else theirs
            self.close(mine, theirs, f"wrong gradient of input {place}")
            pairs.append((mine, theirs))
        self.unchanged(self.held, values, "changed its inputs in the backward pass")
        self.unchanged(held_outputs, outputs, "changed its grad_output")
        return [mine for mine, _ in pairs], [theirs for _, theirs in pairs]

    def guarded(self, pattern, call):
        with Guarded(self.prefix, pattern) as guard, _on_a_side_stream_of_cuda_on_cpu():
            result = call()
            if device.type == "cuda":
                _surface_errors(self.prefix)
        guard.refuse_default_device(result)
        return result

    def unchanged(self, held, values, what):
        for region in held.regions:
            if where := region.written():
                raise AssertionError(f"{self.prefix}the operator wrote {where} an input {region}")
        if held.replaced():
            raise AssertionError(f"{self.prefix}the operator {what}: a list or dict has other elements now")
        self.close(tensors_in(held.args), tensors_in(values), f"the operator {what}", exact=True)

    def close(self, actual, expected, what, exact=False):
        rtol, atol = (0, 0) if exact else (self.rtol, self.atol)
        actual, expected = tree_map_only(torch.Tensor, torch.Tensor.detach, (actual, expected))
        torch.testing.assert_close(
            actual, expected, rtol=rtol, atol=atol, equal_nan=True, msg=lambda m: f"{self.prefix}{what}\n{m}"
        )


def _has_gradient(value) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _requiring_gradients(values):
    """The same values, as leaves: those require a gradient that did; all floating-point ones if none did."""
    chosen = any(t.requires_grad for t in tensors_in(values))

    def leaf(t):
        return t.detach().requires_grad_(t.requires_grad if chosen else _has_gradient(t))

    return tree_map_only(torch.Tensor, leaf, values)


def _gradients(result, args, outputs):
    """The gradient of each tensor in args, None where it has none; outputs: grad_output of each floating-point result."""
    results = [t for t in tensors_in(result) if _has_gradient(t)]
    pairs = [(r, g) for r, g in zip(results, outputs, strict=True) if r.requires_grad]
    leaves = [t for t in tensors_in(args) if t.requires_grad]
    if not pairs or not leaves:
        return [None] * len(tensors_in(args))
    results, outputs = zip(*pairs, strict=True)
    found = iter(torch.autograd.grad(results, leaves, outputs, allow_unused=True))
    return [next(found) if t.requires_grad else None for t in tensors_in(args)]


def _as_sum_gives(result):
    """A grad_output as that of result.sum() is: one element in memory, and strides of 0."""
    return torch.randn((), dtype=result.dtype, device=result.device).expand(result.shape)


def _surface_errors(prefix):
    """CUDA keeps an error until a call asks for it. Ask here, where the operator's name is known."""
    try:
        torch.cuda.synchronize()  # kernels that crashed while they ran
        torch.ones(1, device=device)  # launches that were refused: torch asks after each launch of its own
    except RuntimeError as error:
        raise AssertionError(f"{prefix}the operator left an error for a later call\n{error}") from error


def _on_side_stream(op, held, values, prefix):
    """The result of op on a side stream, which writes the values of the inputs late and then reads the result at once.

    An operator that launches on the default stream reads the inputs before their values are there. An operator that works
    on yet another stream, and does not wait for it, has not written the result when it is read.
    """
    torch.cuda.synchronize()
    stream = _side_stream()
    with torch.cuda.stream(stream):
        sleep_on_gpu(20_000_000)  # about 10 ms of GPU time
        args = held.set(values)
        with Guarded(prefix):
            result = tree_map_only(torch.Tensor, torch.clone, op(*args))  # before Guarded waits for the stream
    stream.synchronize()
    return result


@contextlib.contextmanager
def _on_a_side_stream_of_cuda_on_cpu():
    """Inside, torch's current stream is not the default stream, and a launch on the default stream raises RuntimeError: see
    cuda_on_cpu/include/cuda_on_cpu/watch.h."""
    os.environ["CUDA_ON_CPU_SIDE_STREAM"] = "1"
    try:
        yield
    finally:
        del os.environ["CUDA_ON_CPU_SIDE_STREAM"]


@functools.cache
def _side_stream():
    """Always the same stream, because torch keeps freed memory for the stream that used it.

    torch has 32 streams of each priority and hands them out in turn. An operator with a stream of its own would get ours
    once in 32 times, and pass. So ours has the greatest priority, which operators do not ask for.
    """
    return torch.cuda.Stream(priority=torch.cuda.Stream.priority_range()[1])


def _assert_no_shared_memory(result, args, prefix):
    theirs = {a.untyped_storage().data_ptr() for a in tensors_in(args) if a.numel()}
    if any(r.numel() and r.untyped_storage().data_ptr() in theirs for r in tensors_in(result)):
        raise AssertionError(f"{prefix}the result is memory of an input")


def _largest_error(actual, expected) -> float:
    """The largest absolute difference; places where both are NaN or the same infinity do not count."""
    largest = 0.0
    for pair in zip(tensors_in(actual), tensors_in(expected), strict=True):
        for a, e in zip(
            *(t.detach().flatten().split(2**24) for t in pair), strict=True
        ):  # in float64, so a bit at a time
            if a.numel():
                wide = torch.promote_types(a.dtype, torch.float64)  # or complex128
                largest = max(largest, float((a.to(wide) - e.to(wide)).nan_to_num(0, 0, 0).abs().max()))
    return largest


def _describe(arg) -> str:
    if isinstance(arg, (list, tuple)):
        return f"[{', '.join(map(_describe, arg))}]"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key!r}: {_describe(value)}' for key, value in arg.items())}}}"
    if not isinstance(arg, torch.Tensor):
        return repr(arg)
    strides = "" if arg.is_contiguous() else f" with strides {list(arg.stride())}"
    return f"{str(arg.dtype).removeprefix('torch.')}{list(arg.shape)}{strides} on {arg.device}"
