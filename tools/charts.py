"""Draws pictures of the figures in results/, each in light and in dark, into results/pictures/. tools/notes.py starts it.

Each file says in its description of which figures it was drawn, as a hash. So a picture that nobody has drawn again is
found without drawing it, and only drawing needs matplotlib. After a change in here: rm results/pictures/*.svg
"""

import hashlib
import io
import json
import math
import os
import sys

import files
from tables import RESULTS, figures, roofline_rows, source

PICTURES = RESULTS / "pictures"
INK = {"light": "#1f2328", "dark": "#e6edf3"}  # GitHub's text
GREY = "#808890"  # reads on both backgrounds
# Of Okabe and Ito's palette, which people with any kind of colour vision can tell apart (https://jfly.uni-koeln.de/color/),
# those that stand out from the background; ink is the last one.
COLOURS = {
    "light": ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"],
    "dark": ["#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#f0e442"],
}


# Each kind of picture: a function that draws, and in front of it one that says what is to be seen, for those who cannot.


def _series(rows):
    return {op: [row for row in rows if row["op"] == op] for op in dict.fromkeys(row["op"] for row in rows)}


def _rate(row):
    return row["bytes"] / row["kernel"] / 1e9


def _ranking(rows):
    return ", ".join(f"{row['op']} {_rate(row):.0f}" for row in sorted(rows, key=_rate, reverse=True))


def sweep_in_words(data, rows):
    last = [some[-1] for some in _series(rows).values()]
    return (
        f"GB/s over the bytes that a sum reads and writes, from {size(rows[0]['bytes'])} to {size(last[0]['bytes'])}, "
        f"a line for each version. At the largest size: {_ranking(last)}; a copy {data['limits']['copy'] / 1e9:.0f}."
    )


def sweep(axes, data, rows):
    """GB/s of each operator over the bytes that it moves. L1 is not marked: bench() begins with caches that are cold."""
    for op, points in _series(rows).items():
        axes.plot([row["bytes"] for row in points], [_rate(row) for row in points], label=op)
    axes.set(xscale="log", xlabel="bytes read and written", ylabel="GB/s", ylim=(0, None))
    axes.set_xticks([4**k for k in range(7, 17)], [size(4**k) for k in range(7, 17)])
    _mark_copy(axes, data)
    axes.axvline(data["limits"]["l2_bytes"], linestyle=":", linewidth=1, color=GREY)
    label, place = f"L2 cache, {size(data['limits']['l2_bytes'])}  ", (data["limits"]["l2_bytes"], 0.03)
    axes.annotate(label, place, xycoords=("data", "axes fraction"), ha="right", color=GREY)


def _mark_copy(axes, data):
    copy = data["limits"]["copy"] / 1e9
    axes.axhline(copy, linestyle="--", linewidth=1, color=GREY)
    axes.annotate(f"copy, {copy:.0f} GB/s", (0.01, copy), xycoords=("axes fraction", "data"), va="bottom", color=GREY)
    axes.set_ylim(0, 1.1 * max(copy, axes.get_ylim()[1]))


def flight_in_words(data, rows):
    least, most = (pick(rows, key=lambda row: row["in_flight"]) for pick in (min, max))
    return (
        f"GB/s over the KiB that a multiprocessor has in flight. Two lines, loads of 4 and of 16 bytes: with "
        f"{least['in_flight'] // 1024} KiB {_rate(least):.0f} GB/s, with {most['in_flight'] // 1024} KiB {_rate(most):.0f}."
    )


def flight(axes, data, rows):
    """GB/s over the bytes that an SM has asked for; each point says how many loads a thread makes before it waits."""
    for width, label in (1, "loads of 4 bytes (float)"), (4, "loads of 16 bytes (float4)"):
        points = [row for row in rows if row["width"] == width]
        (line,) = axes.plot([row["in_flight"] / 1024 for row in points], [_rate(row) for row in points], label=label)
        for in_flight in dict.fromkeys(row["in_flight"] for row in points):
            here = [row for row in points if row["in_flight"] == in_flight]
            loads = ", ".join(f"{row['loads']}x" for row in here)
            place = in_flight / 1024, (min if width == 1 else max)(map(_rate, here))
            offset = {"xytext": (0, -14 if width == 1 else 7), "textcoords": "offset points", "ha": "center"}
            axes.annotate(loads, place, **offset, color=line.get_color())
    about = "KiB in flight on a multiprocessor (2x: a thread makes two such loads of each input before it waits)"
    axes.margins(x=0.08)
    axes.set(xscale="log", xlabel=about, ylabel="GB/s", ylim=(0, None))
    ticks = sorted({2 ** round(math.log2(row["in_flight"] / 1024)) for row in rows})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    _mark_copy(axes, data)


def training_in_words(_, training):
    ends = ", ".join(f"{name} {losses[-1]:.2g}" for name, losses in training["losses"].items())
    return f"Loss over {training['steps']} steps, a line for each model. It ends at: {ends}."


def training(axes, _, training):
    """Loss curves. Those that agree lie on each other, so the first ones are drawn thick."""
    for k, (name, losses) in enumerate(training["losses"].items()):
        width = max(1.2, 6 - 2.4 * k)
        axes.plot(losses, label=name, linewidth=width, markevery=(10 * k, 50), markersize=max(4, 9 - 2 * k))
    axes.axhline(math.log(2), linestyle="--", linewidth=1, color=GREY)
    above = {"xytext": (0, 3), "textcoords": "offset points", "ha": "right"}
    axes.annotate("a guess, ln 2", (training["steps"], math.log(2)), **above, color=GREY)
    axes.set(xlabel="step", ylabel="mean cross entropy in nats", ylim=(0, None))


def roofline_in_words(data, _):
    parts = [f"{chapter[:2]} {row['op']} {flops / limit:.2f}" for chapter, row, _, flops, limit in _fastest(data)]
    return (
        "Operations a second over operations a byte, both logarithmic. A slanted line, the memory's limit, meets a level "
        f"one, that of arithmetic. Our kernels lie along the slanted one; of its height they reach: {', '.join(parts)}."
    )


def roofline(axes, data, _):
    """The two limits as they were measured, and of each chapter the fastest kernel for each FLOP a byte."""
    copy, flops = (max(chapter["limits"][key] for chapter in data.values()) for key in ("copy", "flops"))
    low, high = 1 / 24, 8 * flops / copy
    axes.plot([low, flops / copy, high], [low * copy, flops, flops], color=GREY, linewidth=1, marker="")
    middle = 5
    axes.annotate(f"copy, {copy / 1e9:.0f} GB/s  ", (middle, middle * copy), ha="right", va="bottom", color=GREY)
    label = f"float32 matrix product, {flops / 1e12:.0f} TFLOP/s"
    axes.annotate(label, (high, flops), xytext=(0, 4), textcoords="offset points", ha="right", color=GREY)
    for chapter, row, intensity, speed, _ in _fastest(data):
        axes.plot(
            [intensity], [speed], label=f"{chapter[:2]} {row['op']}", linestyle="none", fillstyle="none", markersize=7
        )
    axes.set(xscale="log", yscale="log", xlabel="FLOP a byte", ylabel="TFLOP/s", ylim=(None, 2.5 * flops))
    axes.set_xticks([1 / 16, 1 / 4, 1, 4, 16, 64], ["1/16", "1/4", "1", "4", "16", "64"])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1e12:g}")


def _fastest(data):
    fastest = {}
    for point in roofline_rows(data):
        chapter, _, intensity, speed, _ = point
        if speed > fastest.get((chapter, intensity), (0, 0, 0, 0))[3]:
            fastest[chapter, intensity] = point
    return list(fastest.values())


KINDS = {
    "sweep": (sweep, sweep_in_words),
    "flight": (flight, flight_in_words),
    "training": (training, training_in_words),
    None: (roofline, roofline_in_words),
}


def size(nbytes):
    for unit in "B", "KiB", "MiB":
        if nbytes < 1024:
            return f"{nbytes:.0f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.0f} GiB"


def _shown(machine, chapter, table):
    """(data, rows): what the functions above get; and what a picture's hash is of."""
    data = figures(machine, chapter, table)
    if data is None:
        return None
    return (data, None) if chapter == "roofline" else (data[chapter], data[chapter]["tables"][table])


def _hash(machine, chapter, table):
    data, rows = _shown(machine, chapter, table)
    limits = [measured["limits"] for measured in data.values()] if rows is None else data["limits"]
    shown = roofline_rows(data) if rows is None else rows
    return f"figures {hashlib.sha256(json.dumps([shown, limits], sort_keys=True).encode()).hexdigest()[:16]}"


def _file(machine, chapter, table, theme):
    return PICTURES / f"{'-'.join(filter(None, (machine, chapter, table)))}-{theme}.svg"


def markup(machine, chapter, table, folder):
    """What a README in that folder shows; None where nothing has been measured yet."""
    shown = _shown(machine, chapter, table)
    if shown is None:
        return None
    light, dark = (os.path.relpath(_file(machine, chapter, table, theme), folder) for theme in INK)
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" srcset="{dark}">\n'
        f'<img alt="{KINDS[table][1](*shown)}" src="{light}">\n</picture>\n\n'
        f"{source(figures(machine, chapter, table), machine, table, folder)}\n"
    )


def is_stale(machine, chapter, table):
    """Whether a picture is missing, or was drawn from other figures."""
    files = [_file(machine, chapter, table, theme) for theme in INK]
    return not all(file.exists() and _hash(machine, chapter, table) in file.read_text() for file in files)


def draw(machine, chapter, table):
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"matplotlib draws the pictures:\n    {sys.executable} -m pip install matplotlib")
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    for theme, ink in INK.items():
        file = _file(machine, chapter, table, theme)
        words = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        style = dict.fromkeys(words, ink) | {"font.size": 9, "lines.markersize": 4.5, "svg.fonttype": "none"}
        colours, marks = [*COLOURS[theme], ink] * 2, "os^Dv*PX<>hd"
        style |= {"axes.prop_cycle": matplotlib.cycler(color=colours, marker=list(marks))}
        style |= {"svg.hashsalt": file.name}  # the same file each time
        with plt.rc_context(style):
            figure, axes = plt.subplots(figsize=(7.2, 4), layout="constrained")
            KINDS[table][0](axes, *_shown(machine, chapter, table))
            axes.minorticks_off()
            axes.legend(frameon=False)
            axes.grid(alpha=0.2)
            said = {"Date": None, "Description": _hash(machine, chapter, table)}
            drawn = io.BytesIO()
            figure.savefig(drawn, format="svg", transparent=True, metadata=said)
            files.write(file, drawn.getvalue())
            plt.close(figure)
