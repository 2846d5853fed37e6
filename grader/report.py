"""What a reader is told of a wrong result: which elements are wrong, what is expected there, and what came."""

import contextlib
import inspect
import itertools

import torch

from common.guarded import NAN, OTHER, Guarded, Inputs, tensors_in
from common.machine import device
from common.torch_private import get_tolerances
from cuda_on_cpu.report import told


def show(what: str, *lines: str):
    """Prints a picture for a reader who is right: what the kernel did, what the answers mean. Once, not on a GPU again."""
    if device.type == "cpu":
        print(told("see", "\n".join([what, *(f"  {line}".rstrip() for line in lines)])), end="")


def picture_of_wrong(op, reference, values, rtol, atol, outputs) -> str:
    """Where op's result is wrong, what is expected there and what came; "" where that cannot be drawn."""
    expected = reference(*values)
    found = []
    for pattern in NAN, OTHER:  # what holds the one pattern, then the other, has not been written
        held = Inputs(values, pattern)
        with contextlib.suppress(AssertionError), Guarded("", pattern):
            found.append(op(*held.args))
    if len(found) < 2:
        return ""
    drawings = []
    for place, (right, one, other) in enumerate(zip(*map(tensors_in, (expected, *found)), strict=True)):
        if right.shape != one.shape or right.dtype != one.dtype:
            return ""
        unwritten = _holds(one, NAN) & _holds(other, OTHER)
        one, right = one.detach().cpu(), right.detach().cpu()
        wrong = ~_close(one, right, rtol, atol) | unwritten
        if wrong.any():
            which = f"output {place}\n" if len(tensors_in(expected)) > 1 and not outputs else ""
            of = f" of {outputs[place]}" if outputs else ""
            given = zip(parameters(reference), values, strict=False)
            inputs = {name: t.cpu() for name, t in given if getattr(t, "shape", None) == right.shape}
            drawings.append(which + _drawn({**inputs, "expected": right, "yours": one}, wrong, unwritten, of))
    return "\n".join(drawings)


def names_of_tensors(names, values) -> list[str]:
    """What each tensor among the arguments is called: "x", "xs[0]" in a list."""
    named = [[name] * len(tensors_in(value)) for name, value in zip(names, values, strict=False)]
    return [f"{name}[{i}]" if len(group) > 1 else name for group in named for i, name in enumerate(group)]


def matrices(names, values) -> str:
    """ " (x: 2 rows, 3 columns)", for each matrix among them"""
    found = [(p, *t.shape) for p, t in zip(names, values, strict=False) if isinstance(t, torch.Tensor) and t.dim() == 2]
    return "".join(f" ({p}: {count_of(rows, 'row')}, {count_of(columns, 'column')})" for p, rows, columns in found)


def count_of(number, what) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def parameters(function):
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # torch.add has none
        return ["input", "other"]


def _holds(tensor, pattern):
    """Which elements have that value in all of their bytes."""
    return (tensor.cpu().contiguous().view(-1, 1).view(torch.uint8) == pattern).all(-1).view(tensor.shape)


def _close(a, b, rtol, atol):
    if not a.is_floating_point():
        return a == b
    rtol, atol = get_tolerances(a, b, rtol=rtol, atol=atol)
    return torch.isclose(a.double(), b.double(), rtol=rtol, atol=atol, equal_nan=True)


def _drawn(rows, wrong, unwritten, of="", columns=8) -> str:
    """How many are wrong, the numbers around the first of them, and, of a matrix, a map of its first rows.

    rows: {name: tensor}, all of the shape of wrong and unwritten, which are of bool.
    """
    count = int(wrong.sum())
    remark = "; ? was never written" if unwritten.any() else ""
    lines = [f"  {count} of {count_of(wrong.numel(), 'element')}{of} wrong{remark}"]
    if wrong.dim() == 0:
        rows = {name: t[None] for name, t in rows.items()}
        wrong, unwritten = wrong[None], unwritten[None]
    first = [int(i) for i in wrong.nonzero()[0]]
    head, last = tuple(first[:-1]), first[-1]
    if wrong.dim() > 1:  # a map of 16 rows, the first wrong one among them, and of 64 columns
        marks = torch.where(unwritten, 2, wrong.int()).view(-1, wrong.shape[-1])
        row = int(wrong.view(-1, wrong.shape[-1]).any(-1).nonzero()[0])
        begin = max(0, min(row - 8, len(marks) - 16))
        shown = [" ".join(".x?"[mark] for mark in line) for line in marks[begin : begin + 16, :64].tolist()]
        for line, alike in itertools.groupby(enumerate(shown, begin), key=lambda numbered: numbered[1]):
            rows_alike = [f"  row {number:<6}{line}" for number, line in alike]
            if len(rows_alike) > 3:
                rows_alike[1:-1] = ["  ..."]
            lines += rows_alike
    begin = max(0, min(last - columns // 2, wrong.shape[-1] - columns))
    part = slice(begin, min(begin + columns, wrong.shape[-1]))
    cells = [["index"] + [str((*head, i) if head else i) for i in range(wrong.shape[-1])[part]]]
    for name, tensor in rows.items():
        values = tensor[head][part].tolist()
        if name == "yours":
            values = [
                "?" if missing else value for value, missing in zip(values, unwritten[head][part].tolist(), strict=True)
            ]
        cells.append([name, *map(_number, values)])
    cells.append([""] + ["^" if bad else "" for bad in wrong[head][part].tolist()])
    width = max(len(cell) for row in cells for cell in row[1:])
    lines += [f"  {row[0]:<10}" + " ".join(f"{cell:>{width}}" for cell in row[1:]) for row in cells]
    return "\n".join(line.rstrip() for line in lines)


def _number(value) -> str:
    return f"{value + 0.0:.5g}" if isinstance(value, float) else str(value)  # + 0.0: not -0
