"""Markdown tables for docs.py: the figures in results/<machine>.json, and what operators take."""

import contextlib
import itertools
import json
import os
import re

from common.timing import format_seconds

from ..chapters import ROOT
from . import drawing

RESULTS = ROOT / "results"

NOTHING = "*Not measured yet: "
MEASURED_WITH = "{gpu}, driver {driver}, torch {torch}, nvcc {nvcc}; {date}, commit {commit}"
COLUMNS = {  # a table has those for which its rows have the figures
    "chapter": lambda row: row["chapter"][:2],
    "n": lambda row: f"{number(row['n'])} {row.get('dtype', '')}".rstrip().removesuffix(" float32"),
    "": lambda row: row["op"],
    "elements of a row": lambda row: number(row["length"]),
    "memory": lambda row: row["level"],
    "bytes read": lambda row: row["level"] and size(row["bytes"]),
    "latency": lambda row: f"{row['latency'] * 1e9:.3g} ns",
    "in cycles": lambda row: f"{row['cycles']:.0f}",
    "bandwidth": lambda row: f"{row['bandwidth'] / 1e9:.0f} GB/s",
    "kernel": lambda row: format_seconds(row["kernel"]),
    "spread": lambda row: f"{row['spread']:.0%}",
    "TFLOP/s": lambda row: f"{row['tflops']:.1f}",
    "of torch": lambda row: f"{row['of_torch']:.2f}" + suspect(row),
    "GB/s": lambda row: f"{row['bytes'] / row['kernel'] / 1e9:.0f}",
    "of copy": lambda row: f"{row['of_copy']:.2f}" + suspect(row),
    "call": lambda row: format_seconds(row["call"]),
    **{key: lambda row, key=key: f"{row[key] / 2**20:.0f} MiB" for key in ("saved", "held", "peak")},
    "images": lambda row: str(row["images"]),
    "all of them": lambda row: format_seconds(row["seconds"]),
    "images a second": lambda row: f"{row['images'] / row['seconds']:.0f}",
    "FLOP a byte": lambda row: f"{row['intensity']:.3f}",
    "GFLOP/s": lambda row: f"{row['speed'] / 1e9:.0f}",
    "of the limit": lambda row: f"{row['speed'] / row['limit']:.2f}",
}
OF_ONE_SHAPE = "", "kernel", "TFLOP/s", "of torch"


def nothing(command):
    """What stands where no figures are yet."""
    return f"{NOTHING}`{command}` does it.*\n"


def bench(chapter):
    """The command that measures that chapter's tables, or all for the roofline."""
    return f"make bench{re.sub('[^0-9].*', '', chapter)}"


def figures(machine, chapter, name=None):
    """{chapter: its figures}, of one chapter, or of all for the roofline; empty where nothing has been measured yet."""
    file = RESULTS / f"{machine}.json"
    data = json.loads(file.read_text()) if file.exists() else {}
    if any("gpu" not in measured for measured in data.values()):
        raise ValueError(f"results/{machine}.json was not measured on a GPU; times without one say nothing about it")
    return {key: of for key, of in data.items() if not name or key == chapter and name in of["tables"]}


def roofline(data):
    """A row for each of our own operators at its largest size and in its best shape, in float32 or in integers. The limit,
    in FLOP a second, is what the slower of memory and arithmetic would allow (see results/README.md)."""
    points = []
    for chapter, measured in data.items():
        # A row with a length is a step of an operator at lengths where most steps are slow; a shape is no part of the name.
        rows = [row for rows in measured["tables"].values() for row in rows if "length" not in row]
        rows = [row | {"op": re.sub(r"^\d+ x \d+: ", "", row["op"])} for row in rows if "flops" in row and row["flops"]]
        ours = [row for row in rows if not re.match("torch|.*:", row["op"]) and row["dtype"] != "float64"]
        for op in dict.fromkeys(row["op"] for row in ours):
            same = [row for row in ours if row["op"] == op]
            most = max(row["bytes"] for row in same)
            row = max((row for row in same if row["bytes"] > 0.99 * most), key=lambda row: row["flops"] / row["kernel"])
            intensity, speed = row["flops"] / row["bytes"], row["flops"] / row["kernel"]
            limit = min(intensity * row["copy"], measured["limits"]["flops"])
            points.append({"chapter": chapter, "intensity": intensity, "speed": speed, "limit": limit})
            points[-1] |= {"op": op, "n": row["n"]}
    return points


def markdown(rows, text=("", "chapter", "memory")):
    """A table of rows, each {head: cell}. A first cell that repeats the one above it stays empty. text: heads of columns
    that are aligned to the left."""
    lines = [list(row.values()) for row in rows]
    for above, line in reversed([*itertools.pairwise(lines)]):
        line[0] = "" if line[0] == above[0] else line[0]
    rules = ["---" if head in text else "--:" for head in rows[0]]
    return "".join(f"| {' | '.join(line)} |\n" for line in [rows[0], rules, *lines])


def table(machine, chapter, name=None, shape=None, *, folder):
    """One table of that file, or the roofline's, for a README in that folder; or only what it says of one shape."""
    data = figures(machine, chapter, name)
    if not data:
        return nothing(bench(chapter))
    rows = roofline(data) if chapter == "roofline" else data[chapter]["tables"][name]
    if shape:
        rows = [row | {"op": op} for row in rows if (op := row["op"].removeprefix(f"{shape}: ")) != row["op"]]
        cells = [{head: COLUMNS[head](row) for head in OF_ONE_SHAPE} for row in rows if row["op"] != "torch.compile"]
        return f"{markdown(cells)}\n{source(data, machine, name, folder)}\n"
    of_its_own = isinstance(rows, dict)  # a kind of figures that only this chapter has
    rows = drawing.script(chapter, "charts")[0][f"{name}_rows"](rows) if of_its_own else map(_cells, rows)
    return f"{markdown([*rows])}\n{source(data, machine, name, folder)}\n"


def beside_torch(machine, *wanted, folder):
    """A line for each (chapter, table): the table's first operator at its first shape, beside torch, torch.compile and the
    time in which the GPU copies as many bytes."""
    lines, data = [], {}
    for chapter, name in wanted:
        if not (measured := figures(machine, chapter, name)):
            return nothing(bench(chapter))
        data |= measured
        ours, *others = measured[chapter]["tables"][name]
        shape, _, operator = ours["op"].rpartition(": ")
        # In reverse, so that the first shape's time is the one that stays.
        others = {row["op"].rpartition(": ")[2]: row["kernel"] for row in reversed(others)}
        times = {"ours": ours["kernel"]} | {key: others[key] for key in ("torch", "torch.compile")}
        times["a copy of as many bytes"] = ours["bytes"] / ours["copy"]
        link = f"[{operator}]({os.path.relpath(ROOT / 'chapters' / chapter, folder)})"
        cells = {"operator": link, "elements": f"{shape or number(ours['n'])} {ours['dtype']}"}
        lines.append(cells | {key: format_seconds(t) for key, t in times.items()})
    return f"{markdown(lines, text=('operator', 'elements'))}\n{source(data, machine, None, folder)}\n"


def source(data, machine, name, folder):
    """With what it was measured, when, and where the figures are: below each table and picture."""
    dates = {}  # by what they have in common, which is said once
    for measured in data.values():
        common, _, date = MEASURED_WITH.format(**measured).partition("; ")
        dates.setdefault(common, {})[date] = None
    lines = ["; ".join([common, *dates[common]]) for common in dates]
    file = f"[{machine}.json]({os.path.relpath(RESULTS / f'{machine}.json', folder)})"
    keys = f", {next(iter(data))}, {name}" if name else ""
    return f"{'<br>'.join(lines)}. Data: {file}{keys}."


def number(n):
    """2^20, or 10 000 000."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}".replace(",", " ")


def size(nbytes):
    """32 KiB, or 1 GiB: a power of two."""
    power = max(0, nbytes.bit_length() - 1) // 10
    return f"{nbytes >> 10 * power} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][power]}"


def suspect(row):
    return f" ({row['suspect']})" if "suspect" in row else ""


def _cells(row):
    cells = {}
    limited_by_cores = "tflops" in row
    for head, cell in COLUMNS.items():
        if limited_by_cores and head in ("GB/s", "of copy"):
            continue
        with contextlib.suppress(KeyError):
            cells[head] = cell(row)
    return cells


def what_operators_take(folder):
    """The tests' rows of operators, for readers."""
    from tests.chapters.opinfo import FUNCTIONS  # and with them torch, which no other table needs

    every = {(op.path, op.variant): op for op in FUNCTIONS}
    shown = [op for (path, variant), op in every.items() if variant or (path, "out") not in every]  # out: all it takes
    heads = ["operator", "tensors", "dtype", "shape", "memory", "other arguments", "requires grad"]
    return markdown([dict(zip(heads, _operator(op), strict=True)) for op in shown], text=heads)


def _operator(op):
    remarks = {a: ["optional"] * (a in op.optional) + ["receives the result"] * (a == op.writes) for a in op.arguments}
    tensors = [f"`{a}`" + f" ({', '.join(words)})" * bool(words) for a, words in remarks.items()]
    dtypes = [str(dtype).removeprefix("torch.") for dtype in op.dtypes]
    dtypes = [f"any of {', '.join(map(str, op.itemsizes))} bytes"] if op.itemsizes else dtypes
    ranks = f"{op.ranks[0]} or more" if isinstance(op.ranks, range) else " or ".join(map(str, op.ranks or ()))
    shape = [f"{ranks} dimensions" if op.ranks else "any"] + [f"`{name}`: {op.shape_words}" for name in op.shapes]
    shape += [f"the last of {op.last}"] * bool(op.last) + [f"{op.multiple}n elements"] * (op.multiple > 1)
    strides = "any strides" if op.strided else "rows may lie apart" if op.crops else "contiguous"
    memory = [strides] + ["at a multiple of 16 bytes"] * op.aligned
    scalars = [f"`{name}`: {scalar.accepts}" for name, scalar in op.scalars.items() if scalar.accepts]
    gradient = "yes" if op.differentiable else "refused" if op.dtype.is_floating_point else ""
    operator = f"{op.chapter[:2]} `{op.name}`" + f", {op.variant}" * (bool(op.variant) and not op.optional)
    *of_tensors, gradient = [*map(", ".join, (tensors, dtypes, shape, memory)), gradient] if tensors else [""] * 5
    return [operator, *of_tensors, "; ".join(scalars), gradient]
