"""Markdown tables for tools/docs.py: the figures in results/<machine>.json, and what operators take."""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
sys.path.insert(0, str(ROOT))
from common.timing import format_seconds

MADE_WITH = ("gpu", "driver", "torch", "nvcc", "date", "commit")  # what stands below each table and picture


def figures(machine, chapter, name=None):
    """{chapter: its figures}, of one chapter, or of all for the roofline. None where they have not been measured yet."""
    if machine == "cpu":
        raise ValueError("results/cpu.json: times without a GPU say nothing about one, and no README shows them")
    file = RESULTS / f"{machine}.json"
    data = json.loads(file.read_text()) if file.exists() else {}
    if any("gpu" not in measured for measured in data.values()):
        raise ValueError(f"results/{machine}.json was not measured on a GPU")
    if chapter != "roofline":
        data = {chapter: data[chapter]} if name in data.get(chapter, {}).get("tables", {}) else {}
    return data or None


def roofline(data):
    """[(chapter, row, FLOP a byte, FLOP/s, limit in FLOP/s)]: each of our own kernels at its largest size, in float32 or
    in integers. The limit is what the slower of memory and arithmetic would allow (see results/README.md)."""
    largest = {}
    for chapter, measured in data.items():
        for row in (row for rows in measured["tables"].values() if isinstance(rows, list) for row in rows):
            op = row["op"]
            ours = row.get("flops") and not op.startswith("torch") and ":" not in op and row["dtype"] != "float64"
            if ours and row["bytes"] > largest.get((chapter, op), {"bytes": 0})["bytes"]:
                largest[chapter, op] = row
    points = []
    for (chapter, _), row in largest.items():
        intensity = row["flops"] / row["bytes"]
        limit = min(intensity * row["copy"], data[chapter]["limits"]["flops"])
        points.append((chapter, row, intensity, row["flops"] / row["kernel"], limit))
    return points


def markdown(heads, rows):
    """A table. A head that begins with "<" has its column aligned to the left, the others to the right."""
    rules = ["---" if head.startswith("<") else "--:" for head in heads]
    lines = [[head.removeprefix("<") for head in heads], rules, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def table(machine, chapter, name=None, *, folder):
    """One table of that file, or the roofline's, for a README in that folder; None where nothing has been measured yet."""
    data = figures(machine, chapter, name)
    if data is None:
        return None
    rows = data if chapter == "roofline" else data[chapter]["tables"][name]
    if isinstance(rows, dict):
        kind = _roofline if chapter == "roofline" else _training
    else:
        kind = _memory if "saved" in rows[0] else _batch if "images" in rows[0] else _timings
    return f"{markdown(*kind(rows))}\n{source(data, machine, name, folder)}\n"


def source(data, machine, name, folder):
    """With what it was measured, when, and where the figures are: below each table and picture."""
    chapters = {}  # of each combination of GPU, versions, date and commit
    for chapter, measured in data.items():
        gpu, driver, torch, nvcc, date, commit = (measured[key] for key in MADE_WITH)
        made_with = f"{gpu}, driver {driver}, torch {torch}, nvcc {nvcc}; {date}, commit {commit}"
        chapters.setdefault(made_with, []).append(chapter[:2])
    lines = [f"{', '.join(of)}: {made_with}" for made_with, of in chapters.items()] if len(chapters) > 1 else chapters
    file = f"[{machine}.json]({os.path.relpath(RESULTS / f'{machine}.json', folder)})"
    keys = f", {next(iter(data))}, {name}" if name else ""
    return f"{'<br>'.join(lines)}. Data: {file}{keys}."


def number(n):
    """2^20, or 10 000 000."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}".replace(",", " ")


# Each kind of table returns its heads and its rows of cells.


def _timings(rows):
    dtypes = len({row["dtype"] for row in rows}) > 1
    lines, before = [], None
    for row in rows:
        n = number(row["n"]) + (f" {row['dtype']}" if dtypes else "")
        rate, suspect = f"{row['bytes'] / row['kernel'] / 1e9:.0f}", f" ({row['suspect']})" if "suspect" in row else ""
        times = [format_seconds(row["kernel"]), f"{row['spread']:.0%}", rate, f"{row['of_copy']:.2f}{suspect}"]
        lines.append(["" if n == before else n, row["op"], *times, format_seconds(row["call"])])
        before = n
    first = "in_flight" in rows[0]  # all of one size
    return ["n", "<", "kernel", "spread", "GB/s", "of copy", "call"][first:], [line[first:] for line in lines]


def _memory(rows):
    heads = ["saved", "held", "peak"]
    return ["<", *heads], [[row["op"], *(f"{row[head] / 2**20:.0f} MiB" for head in heads)] for row in rows]


def _batch(rows):
    lines = [
        [r["op"], str(r["images"]), format_seconds(r["seconds"]), f"{r['images'] / r['seconds']:.0f}"] for r in rows
    ]
    return ["<", "images", "all of them", "images a second"], lines


def _training(data):
    shown = [0, data["steps"] // 4, data["steps"] // 2, data["steps"] - 1]
    lines = [
        [model, *(f"{losses[step]:.4g}" for step in shown), format_seconds(data["seconds"][model])]
        for model, losses in data["losses"].items()
    ]
    return ["<", *(f"loss before step {step + 1}" for step in shown), "a step"], lines


def _roofline(data):
    lines = []
    for chapter, row, intensity, flops, limit in roofline(data):
        which = "memory" if limit < data[chapter]["limits"]["flops"] else "arithmetic"
        cells = [number(row["n"]), f"{intensity:.3f}", f"{flops / 1e9:.0f}", which, f"{flops / limit:.2f}"]
        lines.append([chapter[:2], row["op"], *cells])
    return ["<chapter", "<", "n", "FLOP a byte", "GFLOP/s", "<limit", "of the limit"], lines


def what_operators_take(folder):
    """The tests' table of operators, for readers."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/chapters")]
    from operator_table import FUNCTIONS

    every = {(op.path, op.variant): op for op in FUNCTIONS}
    shown = [op for (path, variant), op in every.items() if variant or (path, "out") not in every]  # out: all it takes
    heads = ["operator", "tensors", "dtype", "shape", "memory", "other arguments", "requires grad"]
    return markdown([f"<{head}" for head in heads], map(_operator, shown))


def _operator(op):
    remarks = {a: ["optional"] * (a in op.optional) + ["receives the result"] * (a == op.writes) for a in op.arguments}
    tensors = [f"`{a}`" + f" ({', '.join(words)})" * bool(words) for a, words in remarks.items()]
    dtypes = [str(dtype).removeprefix("torch.") for dtype in op.dtypes]
    shape = ["any" if op.ranks is None else f"{' or '.join(map(str, op.ranks))} dimensions"]
    shape += [f"the last of {op.last}"] * bool(op.last) + [f"{op.multiple}n elements"] * (op.multiple > 1)
    memory = ["rows may lie apart" if op.crops else "contiguous"] + ["at a multiple of 16 bytes"] * op.aligned
    scalars = [f"`{name}`: {scalar.accepts}" for name, scalar in op.scalars.items() if scalar.accepts]
    gradient = "yes" if op.differentiable else "refused" if op.dtype.is_floating_point else ""
    operator = f"{op.chapter[:2]} `{op.name}`" + f", {op.variant}" * (bool(op.variant) and not op.optional)
    *of_tensors, gradient = [*map(", ".join, (tensors, dtypes, shape, memory)), gradient] if tensors else [""] * 5
    return [operator, *of_tensors, "; ".join(scalars), gradient]
