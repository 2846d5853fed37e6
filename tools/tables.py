"""The figures in results/<machine>.json, and Markdown tables of them. tools/notes.py puts them into the READMEs."""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
sys.path.insert(0, str(ROOT))
from common.timing import format_seconds as _seconds

MADE_WITH = ("gpu", "driver", "torch", "nvcc", "date", "commit")  # what is said below each table and picture


def figures(machine, chapter, table=None):
    """{chapter: its figures}, of one chapter, or of all for the roofline. None where they have not been measured yet."""
    if machine == "cpu":
        raise ValueError("results/cpu.json: times without a GPU say nothing about one, and no README shows them")
    file = RESULTS / f"{machine}.json"
    data = json.loads(file.read_text()) if file.exists() else {}
    if any("gpu" not in measured for measured in data.values()):
        raise ValueError(f"results/{machine}.json was not measured on a GPU")
    if chapter != "roofline":
        data = {chapter: data[chapter]} if table in data.get(chapter, {}).get("tables", {}) else {}
    return data or None


def roofline_rows(data):
    """[(chapter, row, FLOP a byte, FLOP/s, limit in FLOP/s)]: each of our own kernels at its largest size, in float32 or
    in integers. The limit is what the slower of memory and arithmetic would allow (see results/README.md)."""
    best = {}
    for chapter, measured in data.items():
        for row in (row for table in measured["tables"].values() if isinstance(table, list) for row in table):
            ours = row.get("flops") and not row["op"].startswith("torch") and ":" not in row["op"]
            key = chapter, row["op"]
            if ours and row["dtype"] != "float64" and row["bytes"] > best.get(key, {"bytes": 0})["bytes"]:
                best[key] = row
    rows = []
    for (chapter, _), row in best.items():
        intensity = row["flops"] / row["bytes"]
        limit = min(intensity * row["copy"], data[chapter]["limits"]["flops"])
        rows.append((chapter, row, intensity, row["flops"] / row["kernel"], limit))
    return rows


def table(machine, chapter, name, folder):
    """Markdown for a README in that folder; None where nothing has been measured yet."""
    data = figures(machine, chapter, name)
    if data is None:
        return None
    rows = data if chapter == "roofline" else data[chapter]["tables"][name]
    lines = (_roofline if chapter == "roofline" else _kind(rows))(rows)
    columns = lines[0]
    rules = ["---" if head.startswith("<") else "--:" for head in columns]
    lines = [[head.removeprefix("<") for head in columns], rules, *lines[1:]]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{body}\n\n{source(data, machine, name, folder)}\n"


def source(data, machine, name, folder):
    """With what it was measured, when, and where the figures are: below each table and picture."""
    said = {}
    for chapter, measured in data.items():
        gpu, driver, torch, nvcc, date, commit = (measured[key] for key in MADE_WITH)
        what = f"{gpu}, driver {driver}, torch {torch}, nvcc {nvcc}; {date}, commit {commit}"
        said.setdefault(what, []).append(chapter[:2])
    file = f"[{machine}.json]({os.path.relpath(RESULTS / f'{machine}.json', folder)})"
    keys = f", {next(iter(data))}, {name}" if name else ""
    if len(said) > 1:
        said = {f"{', '.join(chapters)}: {what}": None for what, chapters in said.items()}
    return f"{'<br>'.join(said)}. Data: {file}{keys}."


def number(n):
    """2^20, or 10 000 000."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}".replace(",", " ")


def _kind(rows):
    if isinstance(rows, dict):
        return _training
    return _memory if "saved" in rows[0] else _batch if "images" in rows[0] else _timings


# Each returns lines of cells, the heads first; "<" in front of a head: to the left.


def _timings(rows):
    dtypes, flight = len({row["dtype"] for row in rows}) > 1, "in_flight" in rows[0]
    lines, before = [["n", "<", "kernel", "spread", "GB/s", "of copy", "call"]], None
    for row in rows:
        n = number(row["n"]) + (f" {row['dtype']}" if dtypes else "")
        cells = [
            row["op"],
            _seconds(row["kernel"]),
            f"{row['spread']:.0%}",
            f"{row['bytes'] / row['kernel'] / 1e9:.0f}",
        ]
        of_copy = f"{row['of_copy']:.2f}" + (f" ({row['suspect']})" if "suspect" in row else "")
        lines.append(["" if n == before else n, *cells, of_copy, _seconds(row["call"])])
        before = n
    return lines if not flight else [line[1:] for line in lines]


def _memory(rows):
    heads = ["saved", "held", "peak"]
    return [["<", *heads], *([row["op"], *(f"{row[head] / 2**20:.0f} MiB" for head in heads)] for row in rows)]


def _batch(rows):
    lines = [["<", "images", "all of them", "images a second"]]
    for row in rows:
        lines.append([row["op"], str(row["images"]), _seconds(row["seconds"]), f"{row['images'] / row['seconds']:.0f}"])
    return lines


def _training(data):
    steps = data["steps"]
    shown = [0, steps // 4, steps // 2, steps - 1]
    lines = [["<", *(f"loss before step {step + 1}" for step in shown), "a step"]]
    for name, losses in data["losses"].items():
        lines.append([name, *(f"{losses[step]:.4g}" for step in shown), _seconds(data["seconds"][name])])
    return lines


def _roofline(data):
    lines = [["<chapter", "<", "n", "FLOP a byte", "GFLOP/s", "<limit", "of the limit"]]
    for chapter, row, intensity, flops, limit in roofline_rows(data):
        which = "memory" if limit < data[chapter]["limits"]["flops"] else "arithmetic"
        cells = [chapter[:2], row["op"], number(row["n"]), f"{intensity:.3f}", f"{flops / 1e9:.0f}"]
        lines.append([*cells, which, f"{flops / limit:.2f}"])
    return lines
