"""What each operator takes, as the table of chapters/README.md: from tests/chapters/operator_table.py. tools/notes.py writes it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADS = ["operator", "tensors", "dtype", "shape", "memory", "other arguments", "requires grad"]


def row(op):
    notes = {a: ["optional"] * (a in op.optional) + ["receives the result"] * (a == op.writes) for a in op.arguments}
    arguments = [f"`{a}`" + f" ({', '.join(words)})" * bool(words) for a, words in notes.items()]
    dimensions = "any" if op.ranks is None else f"{' or '.join(map(str, op.ranks))} dimensions"
    shape = [dimensions, f"the last of {op.last}" * bool(op.last), f"{op.multiple}n elements" * (op.multiple > 1)]
    memory = ["rows may lie apart" if op.crops else "contiguous", "at a multiple of 16 bytes" * op.aligned]
    scalars = [f"`{name}`: {s.accepts}" for name, s in op.scalars.items() if s.accepts]
    dtypes = [str(dtype).removeprefix("torch.") for dtype in op.dtypes]
    gradient = "yes" if op.differentiable else "refused" if op.dtype.is_floating_point else ""
    of_tensors = [", ".join(dtypes), ", ".join(filter(None, shape)), ", ".join(filter(None, memory))]
    cells = [f"{op.chapter[:2]} `{op.name}`" + f", {op.variant}" * (bool(op.variant) and not op.optional)]
    cells += [", ".join(arguments), *(of_tensors if arguments else [""] * 3), "; ".join(scalars)]
    return f"| {' | '.join([*cells, gradient if arguments else ''])} |"


def table():
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/chapters")]
    from operator_table import FUNCTIONS

    whole = {(op.path, op.variant): op for op in FUNCTIONS}
    whole = [op for (path, variant), op in whole.items() if variant or (path, "out") not in whole]  # out: all it takes
    return "\n".join([f"| {' | '.join(HEADS)} |", f"|{' --- |' * len(HEADS)}", *map(row, whole)]) + "\n"
