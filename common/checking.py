"""check(): is this operator right? Written so that an operator which only looks right does not pass."""

import functools

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

from .device import device

SIZES = (0, 1, 3, 255, 256, 257, 2**20 + 3)  # nothing, less than a warp, around one block, many blocks and a bit


def check(op, reference, inputs, sizes=SIZES, rtol=None, atol=None, name=None):
    """Compares op(*inputs(n)) with reference(*inputs(n)) for every n in sizes, and prints one line.

    op         the operator under test; returns a tensor (or a tuple of them) of its own
    reference  the same function in torch ops, slow and obviously right
    inputs     n -> tuple of arguments; called anew for each use, after torch.manual_seed()
    rtol, atol as in torch.testing.assert_close; rtol=0, atol=0 asks for the same bits (and NaN where the reference has NaN)

    Raises AssertionError, with the operator's inputs in the message, also when the operator
    - leaves a part of its output unwritten, or writes beyond its end (its outputs come from Guarded, below),
    - changes its inputs, or returns memory of theirs,
    - remembers: gives an old result for new data at an old address, or overwrites a result it gave before,
    - on a GPU, does not keep to torch's current stream, or leaves an error for a later call to find.

    What it cannot see: sizes that are not among `sizes`, and what an operator does in its thousandth call. bench() has
    an eye on both. tests/common/wrong_operators.py has an operator for each of these sentences.
    """
    name = name or getattr(op, "__name__", str(op))
    largest = 0.0
    for n in sizes:
        torch.manual_seed(n)
        args, fresh = inputs(n), inputs(n)
        largest = max(largest, check_at(n, op, reference, args, fresh, name, rtol, atol))
    print(f"{'check':8}{name}: n = {' '.join(map(str, sizes))}".ljust(58) + f"  ok, largest error {largest:.2g}")


def check_at(n, op, reference, args, fresh, name, rtol=None, atol=None) -> float:
    """check() for one size and these arguments, whose memory then holds the values of fresh. Returns the largest error."""
    before = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    said = f"{name}({', '.join(map(_describe, args))}), n = {n}: "

    def compare(actual, expected, what, rtol=rtol, atol=atol):
        torch.testing.assert_close(
            actual, expected, rtol=rtol, atol=atol, equal_nan=True, msg=lambda m: f"{said}{what}\n{m}"
        )

    result = _call(op, args, said)
    _assert_no_shared_memory(result, args, said)
    expected = reference(*before)
    compare(result, expected, "wrong result")
    compare(args, tuple(before), "the operator changed its inputs", rtol=0, atol=0)
    error = _largest_error(result, expected)

    _overwrite(args, fresh)  # other values at the same addresses
    what = "wrong result in the second call, with other values in the same memory"
    compare(_call(op, args, said), reference(*fresh), what)
    compare(args, tuple(fresh), "the second call changed its inputs", rtol=0, atol=0)
    compare(result, expected, "the second call overwrote the first call's result")

    if device.type == "cuda":
        compare(_on_side_stream(op, args, before, said), expected, "wrong result on a side stream")
        _overwrite(args, fresh)
    return error


def _call(op, args, said):
    with Guarded(said):
        result = op(*args)
        if device.type == "cuda":
            _surface_errors(said)
    return result


def _surface_errors(said):
    """An error of the GPU waits for a later call that asks. Ask here, where the operator's name is known."""
    try:
        torch.cuda.synchronize()  # kernels that crashed while they ran
        torch.ones(1, device=device)  # launches that were refused: torch asks for those after each of its own
    except RuntimeError as error:
        raise AssertionError(f"{said}the operator left an error for a later call\n{error}") from error


class Guarded(TorchDispatchMode):
    """Inside `with Guarded():` every tensor made by an empty function is filled with a pattern, and so is the memory
    before and behind it. On leaving, memory outside the tensors must still hold the pattern.

    C++ operators are covered, because at::empty goes through torch's dispatcher. What an operator forgets to write
    reads NaN (floating point) or 0x5A bytes, not some earlier result that happens to be right.
    """

    MARGIN = 1024  # bytes on each side: a multiple of every alignment that a vector load asks for
    PATTERN = 0x5A

    def __init__(self, said: str = ""):
        super().__init__()
        self.said = said
        self.allocations = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if "empty" not in func.name() or not isinstance(result, torch.Tensor) or result.layout != torch.strided:
            return result
        nbytes = result.untyped_storage().nbytes()
        memory = torch.full((nbytes + 2 * self.MARGIN,), self.PATTERN, dtype=torch.uint8, device=result.device)
        self.allocations.append((memory, nbytes))
        inside = memory[self.MARGIN : self.MARGIN + nbytes].view(result.dtype)
        if result.dtype.is_floating_point or result.dtype.is_complex:
            inside.fill_(float("nan"))
        return inside.as_strided(result.shape, result.stride(), inside.storage_offset())

    def __exit__(self, *exception):
        super().__exit__(*exception)
        if exception[0] is not None:
            return
        for memory, nbytes in self.allocations:
            for place, margin in ("before", memory[: self.MARGIN]), ("behind", memory[self.MARGIN + nbytes :]):
                written = (margin != self.PATTERN).nonzero()
                if len(written):
                    at = self.MARGIN - int(written[-1]) if place == "before" else int(written[0])
                    raise AssertionError(f"{self.said}the operator wrote {at} bytes {place} a tensor of {nbytes} bytes")


def _on_side_stream(op, args, values, said):
    """The result of op where its inputs get their values late, on a stream of their own, read by that stream's next work.

    An operator that launches on the default stream reads the inputs too early; one that has its work done on another
    stream, and does not wait for it, has not written the result yet.
    """
    torch.cuda.synchronize()
    stream = _side_stream()
    with torch.cuda.stream(stream), Guarded(said):
        torch.cuda._sleep(20_000_000)  # about 10 ms of GPU time
        _overwrite(args, values)
        result = tree_map_only(torch.Tensor, torch.clone, op(*args))
    stream.synchronize()
    return result


@functools.cache
def _side_stream():
    return torch.cuda.Stream()  # always the same one: torch keeps freed memory for the stream that it was used on


def _overwrite(args, values):
    for old, new in zip(args, values, strict=True):
        if isinstance(old, torch.Tensor):
            old.copy_(new)


def _tensors(values):
    return [v for v in tree_flatten(values)[0] if isinstance(v, torch.Tensor)]


def _assert_no_shared_memory(result, args, said):
    theirs = {a.untyped_storage().data_ptr() for a in _tensors(args) if a.numel()}
    if any(r.numel() and r.untyped_storage().data_ptr() in theirs for r in _tensors(result)):
        raise AssertionError(f"{said}the result is memory of an input")


def _largest_error(actual, expected) -> float:
    """The largest absolute difference; places where both are NaN or the same infinity do not count."""
    largest = 0.0
    for pair in zip(_tensors(actual), _tensors(expected), strict=True):
        for a, e in zip(*(t.flatten().split(2**24) for t in pair), strict=True):  # in float64, so a bit at a time
            if a.numel():
                largest = max(largest, float((a.double() - e.double()).nan_to_num(0, 0, 0).abs().max()))
    return largest


def _describe(arg) -> str:
    if not isinstance(arg, torch.Tensor):
        return repr(arg)
    return f"{str(arg.dtype).removeprefix('torch.')}{list(arg.shape)} on {arg.device}"
