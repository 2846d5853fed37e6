"""The table of chapters/README.md that says what each operator takes, made from tests/operator_table.py.

python tools/accepts.py    writes it (tests/test_notes.py checks that it is up to date)
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "chapters" / "README.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

BLOCK = re.compile(r"(<!-- what operators take -->\n).*?(<!-- end of what operators take -->)", re.S)
HEADS = ["operator", "tensors", "dtype", "shape", "memory", "other arguments", "gradient"]


def row(op):
    arguments = [f"`{a}`" + " (optional)" * (a in op.optional) + " (written)" * (a == op.writes) for a in op.arguments]
    ranks = "any" if op.ranks is None else f"{' or '.join(map(str, op.ranks))} dimensions"
    shape = [ranks, f"the last of {op.last}" * bool(op.last), f"a multiple of {op.multiple} elements" * (op.multiple > 1)]
    memory = ["rows may lie apart" if op.crops else "contiguous", "begins at a multiple of 16 bytes" * op.aligned]
    scalars = [f"`{name}`: {s.accepts}" for name, s in op.scalars.items() if s.accepts]
    dtypes = [str(dtype).removeprefix("torch.") for dtype in op.dtypes]
    cells = [
        f"{op.chapter[:2]} `{op.name}`" + f", {op.variant}" * bool(op.variant and not op.optional),
        ", ".join(arguments),
        *([", ".join(dtypes), ", ".join(filter(None, shape)), ", ".join(filter(None, memory))] if arguments else [""] * 3),
        "; ".join(scalars),
        ("yes" if op.differentiable else "refused" if op.dtype.is_floating_point else "") if arguments else "",
    ]
    return f"| {' | '.join(cells)} |"


def filled(text):
    from operator_table import OPERATORS

    shown = {str(op): op for op in OPERATORS if f"{op.path} out" not in map(str, OPERATORS)}  # with out: the whole of it
    lines = [f"| {' | '.join(HEADS)} |", f"|{' --- |' * len(HEADS)}", *map(row, shown.values())]
    return BLOCK.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)


if __name__ == "__main__":
    README.write_text(filled(README.read_text()))
