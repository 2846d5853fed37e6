"""Draws the pictures of the READMEs from the figures in results/, in light and in dark.

python tools/pictures.py           draw what the READMEs ask for, into results/pictures/
python tools/pictures.py --check   only say which pictures were drawn from other figures (tests/test_results.py)

A README asks by <!-- picture from nvidia-h200: 06_vec4 sweep -->. Each file says in its description from which figures it was
drawn, as a hash; so a picture that nobody has drawn again is found without drawing it.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import notes

PICTURES = ROOT / "results" / "pictures"
INK = {"light": "#1f2328", "dark": "#e6edf3"}  # GitHub's text
# Okabe and Ito's palette, which people with any kind of colour vision can tell apart: https://jfly.uni-koeln.de/color/
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MARKS = "os^Dv*"


def bandwidth_over_size(axes, data, table):
    """GB/s of each operator over the bytes that it moves, with the L2 cache's size and the copy's bandwidth marked."""
    rows = data["tables"][table]
    for op, colour, mark in zip(dict.fromkeys(row["op"] for row in rows), COLOURS, MARKS, strict=False):
        points = [(row["bytes"], row["bytes"] / row["kernel"] / 1e9) for row in rows if row["op"] == op]
        axes.plot(*zip(*points, strict=True), marker=mark, color=colour, label=op, markersize=4)
    axes.axhline(data["limits"]["copy"] / 1e9, linestyle="--", linewidth=1, color="grey")
    axes.annotate("copy", (rows[0]["bytes"], data["limits"]["copy"] / 1e9), va="bottom", color="grey")
    axes.axvline(data["limits"]["l2_bytes"], linestyle=":", linewidth=1, color="grey")
    axes.set(xscale="log", xlabel="bytes read and written", ylabel="GB/s", ylim=(0, None))
    axes.annotate("L2 ", (data["limits"]["l2_bytes"], axes.get_ylim()[1] / 2), ha="right", color="grey")
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=12))
    axes.xaxis.set_major_formatter(lambda value, _: size(value))


def roofline(axes, data, _):
    """Operations a second over operations a byte, under the two limits that were measured in the same runs."""
    limits = [chapter["limits"] for chapter in data.values()]
    copy, flops = (max(limit[key] for limit in limits) for key in ("copy", "flops"))
    low, high = 1 / 32, 8 * flops / copy
    axes.plot([low, flops / copy, high], [low * copy, flops, flops], color="grey", linewidth=1)
    middle = (low * flops / copy) ** 0.5
    axes.annotate(f"copy, {copy / 1e9:.0f} GB/s  ", (middle, middle * copy), ha="right", va="bottom", color="grey")
    product = f"float32 matrix product, {flops / 1e12:.0f} TFLOP/s"
    axes.annotate(
        product, (high, flops), xytext=(0, -4), textcoords="offset points", ha="right", va="top", color="grey"
    )
    best = {}
    for folder, chapter in data.items():
        for row in (row for table in chapter["tables"].values() for row in table if row.get("flops")):
            key = (folder, row["op"])
            if not row["op"].startswith("torch") and row["n"] > best.get(key, {"n": 0})["n"]:
                best[key] = row
    for ((folder, op), row), colour, mark in zip(best.items(), COLOURS * 3, MARKS * 3, strict=False):
        point = row["flops"] / row["bytes"], row["flops"] / row["kernel"]
        axes.plot(*point, mark, color=colour, label=f"{folder[:2]} {op}", linestyle="none")
    axes.set(xscale="log", yscale="log", xlabel="FLOP a byte", ylabel="FLOP/s")


KINDS = {"sweep": bandwidth_over_size, "sizes": bandwidth_over_size, None: roofline}


def size(nbytes):
    for unit in "B", "KiB", "MiB":
        if nbytes < 1024:
            return f"{nbytes:.0f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.0f} GiB"


def wanted():
    """{file without -light.svg: (kind, data, table)}"""
    pictures = {}
    for readme in notes.readmes():
        for block in notes.FIGURES.finditer(readme.read_text()):
            kind, machine, chapter, table = block.groups()[:4]
            if kind == "picture":
                data = json.loads((ROOT / "results" / f"{machine}.json").read_text())
                data = data if chapter == "roofline" else data[chapter]
                pictures["-".join(filter(None, (machine, chapter, table)))] = (KINDS[table], data, table)
    return pictures


def digest(data, table):
    """Of the figures that a picture shows, and nothing else."""
    shown = data if table is None else [data["limits"], data["tables"][table]]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()[:16]


def draw(name, kind, data, table):
    for theme, ink in INK.items():
        words = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        style = dict.fromkeys(words, ink) | {"font.size": 9, "svg.hashsalt": name, "svg.fonttype": "none"}
        with plt.rc_context(style):
            figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
            kind(axes, data, table)
            axes.legend(frameon=False)
            axes.grid(alpha=0.2)
            said = {"Date": None, "Description": f"figures {digest(data, table)}"}
            figure.savefig(PICTURES / f"{name}-{theme}.svg", transparent=True, metadata=said)
            plt.close(figure)


def stale():
    """The names of pictures that are missing, or were drawn from other figures."""
    for name, (_, data, table) in wanted().items():
        files = [PICTURES / f"{name}-{theme}.svg" for theme in INK]
        if not all(file.exists() and f"figures {digest(data, table)}" in file.read_text() for file in files):
            yield name


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        names = list(stale())
        print(*(f"results/pictures/{name}-*.svg: run `python tools/pictures.py`" for name in names), sep="\n")
        sys.exit(bool(names))
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, (kind, data, table) in wanted().items():
        draw(name, kind, data, table)
