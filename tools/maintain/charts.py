"""Draws pictures of the figures in results/, each in light and in dark, into results/pictures/. docs.py starts it.

Each file says in its description of which figures it was drawn, as a hash. So a picture that is out of date is found
without drawing it, and only drawing needs matplotlib. After a change in here: rm results/pictures/*.svg
"""

import itertools
import json
import math

from ..chapters import ROOT, load
from . import drawing, tables
from .drawing import GREY

timeline = load(ROOT / "chapters/00_threads/timeline.py")

# Each kind of picture. Its docstring is what a reader gets who cannot see it.


def _sweep(axes, data, rows):
    """GB/s over the bytes that a sum reads and writes, a line for each version; marked: a copy, and the size of L2."""
    for op in dict.fromkeys(row["op"] for row in rows):
        points = [row for row in rows if row["op"] == op]
        axes.plot([row["bytes"] for row in points], [_rate(row) for row in points], label=op)
    sizes = [f"{size} {unit}" for unit in ("KiB", "MiB", "GiB") for size in (1, 4, 16, 64, 256)][2:12]
    _bandwidth(axes, data, "bytes read and written", [4**k for k in range(7, 17)], sizes)
    cache = data["limits"]["l2_bytes"]  # L1 is not marked: bench() begins with caches that are cold
    axes.axvline(cache, linestyle=":", linewidth=1, color=GREY)
    _label(axes, f"L2 cache, {cache / 2**20:.0f} MiB  ", (cache, 0.03), xycoords=("data", "axes fraction"), ha="right")


def _flight(axes, data, rows):
    """GB/s over the KiB that a multiprocessor has in flight, for loads of 4 and of 16 bytes; marked: a copy. A number says how
    many loads of each input a thread makes before it waits. Ringed points: fewer threads, because each block
    reserves shared memory."""
    ring = {"marker": "o", "fillstyle": "none", "markersize": 10, "linestyle": "none"}
    kinds = (1, "4 bytes (float)", max, 9, "right"), (4, "16 bytes (float4)", min, -18, "left")
    for width, label, outer, offset, side in kinds:
        points = [row | {"KiB": row["in_flight"] / 1024} for row in rows if row["width"] == width]
        (line,) = axes.plot([row["KiB"] for row in points], [*map(_rate, points)], label=f"loads of {label}")
        few = [row for row in points if row.get("reserved")]
        axes.plot([row["KiB"] for row in few], [*map(_rate, few)], **ring, color=line.get_color())
        for x in dict.fromkeys(row["KiB"] for row in points):
            here = [row for row in points if row["KiB"] == x]
            loads = dict.fromkeys(f"{row['loads']}x" for row in here)
            place = x, outer(map(_rate, here))
            _label(
                axes, ", ".join(loads), place, offset, ha=side if len(loads) == 1 else "center", color=line.get_color()
            )
    axes.plot([], [], **ring, color=GREY, label="fewer threads, by reserved shared memory")
    axes.set_xlim(2.2, 220)
    axes.legend(frameon=False, loc="lower right")  # at the left it would touch the first points
    ticks = [4, 8, 16, 32, 64, 128]
    _bandwidth(axes, data, "KiB in flight on a multiprocessor", ticks, [*map(str, ticks)])


def _blocks(axes, _, rows):
    """Time to the right, some multiprocessors one below the other: a bar is a block, with its number. At first each
    multiprocessor has as many blocks as it has room for; the others start one by one when a block has ended."""
    numbers = sorted({row["multiprocessor"] for row in rows})
    numbers = numbers[:: -(-len(numbers) // 8)]  # eight at most
    first_end, bars = min(row["end"] for row in rows), []
    for place, number in enumerate(numbers):
        for line, blocks in enumerate(timeline.in_turn(row for row in rows if row["multiprocessor"] == number)):
            bars += [row | {"place": place, "line": line, "late": row["start"] >= first_end} for row in blocks]
    lines = max(bar["line"] for bar in bars) + 1
    for late, label in (False, "started at once"), (True, "started when another block had ended"):
        chosen = [bar for bar in bars if bar["late"] == late]
        y = [bar["place"] + (bar["line"] + 0.5) / lines * 0.8 for bar in chosen]
        left, width = [bar["start"] * 1e6 for bar in chosen], [(bar["end"] - bar["start"]) * 1e6 for bar in chosen]
        axes.barh(y, width, 0.7 / lines, left, label=label, alpha=0.6)
        for bar, height, begin, length in zip(chosen, y, left, width, strict=True):
            place = begin + length / 2, height
            axes.annotate(str(bar["block"]), place, ha="center", va="center", annotation_clip=True)
    axes.set_yticks([place + 0.4 for place in range(len(numbers))], [str(number) for number in numbers])
    axes.invert_yaxis()
    axes.set(xlabel="microseconds", ylabel="multiprocessor", ylim=(len(numbers), -1.3))  # room for the legend


def _lengths(axes, data, rows):
    """GB/s over the number of elements in a row, a line for each way to share a row among threads; marked: a copy."""
    for op in dict.fromkeys(row["op"] for row in rows):
        points = [row for row in rows if row["op"] == op]
        # The steps take all colours. The automatic choice is one of them everywhere: a wide line behind it.
        auto = {"color": GREY, "linewidth": 8, "alpha": 0.4, "marker": "", "zorder": 1}
        style = {"auto": auto, "torch": {"color": GREY, "linestyle": ":"}}.get(op, {})
        axes.plot([row["length"] for row in points], [*map(_rate, points)], label=op, **style)
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.15))  # below: lines are everywhere
    lengths = [2**k for k in range(5, 19, 2)]
    _bandwidth(axes, data, "elements of a row", lengths, [f"{n:,}".replace(",", " ") for n in lengths])


def _training(axes, _, training):
    """Left: the largest difference so far between a model's loss and the loss with torch's operations, over the steps. It is
    smallest for C++ in float64, and largest for a wrong gradient. Right: the time of a step, with C++, Python and torch."""
    left, right = axes.figure.add_gridspec(1, 2, width_ratios=[5, 3])
    axes.set_subplotspec(left)
    for label, dtype, model in (
        ("wrong gradient, float32", "float32", "wrong"),
        ("C++, float32", "float32", "C++"),
        ("C++, float64", "float64", "C++"),
    ):
        curve = training["differences"][dtype][model]
        most = [value or math.nan for value in itertools.accumulate(curve, max)]
        axes.plot(range(1, len(most) + 1), most, label=label, markevery=(20, 50))
    axes.set(xlabel="steps", ylabel="largest difference from torch's loss so far")
    axes.set(yscale="log", ylim=(1e-17, 1e5), xlim=(0, training["steps"]))
    axes.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1])
    bars = axes.figure.add_subplot(right)
    models = ["torch", "Python", "C++"]
    milliseconds = [1e3 * training["seconds"][model] for model in models]
    bars.barh(models, milliseconds, height=0.5, color=GREY)
    bars.set(xlabel="ms a step", ylim=(-0.6, 2.6))


def _roofline(axes, data, _):
    """FLOP/s over FLOP a byte, both logarithmic: a slanted line, the memory's limit, meets a level one, that of arithmetic.
    A point is the fastest kernel of a chapter for so many FLOP a byte; most lie along the slanted line."""
    copy, flops = (max(chapter["limits"][key] for chapter in data.values()) for key in ("copy", "flops"))
    low, middle, high = 1 / 24, 5, 8 * flops / copy
    axes.plot([low, flops / copy, high], [low * copy, flops, flops], color=GREY, linewidth=1, marker="")
    _label(axes, f"copy, {copy / 1e9:.0f} GB/s  ", (middle, middle * copy), ha="right", va="bottom")
    _label(axes, f"float32 matrix product, {flops / 1e12:.0f} TFLOP/s", (high, flops), offset=4, ha="right")
    points = tables.roofline(data)
    for number, alike in enumerate(dict.fromkeys((row["chapter"], row["intensity"]) for row in points)):
        here = [row for row in points if (row["chapter"], row["intensity"]) == alike]
        row = max(here, key=lambda row: row["speed"])
        label = f"{row['chapter'][:2]} {row['op']}"
        fill = "none" if number < 12 else "full"  # the theme has 12 markers
        axes.plot(row["intensity"], row["speed"], label=label, linestyle="none", fillstyle=fill, markersize=7)
    axes.set(xscale="log", yscale="log", xlabel="FLOP a byte", ylabel="TFLOP/s", ylim=(None, 2.5 * flops))
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small")
    axes.set_xticks([1 / 16, 1 / 4, 1, 4, 16, 64], ["1/16", "1/4", "1", "4", "16", "64"])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1e12:g}")


KINDS = {
    "sweep": _sweep,
    "flight": _flight,
    "blocks": _blocks,
    "training": _training,
    "lengths": _lengths,
    None: _roofline,
}


def _bandwidth(axes, data, xlabel, *ticks):
    copy = data["limits"]["copy"] / 1e9
    axes.axhline(copy, linestyle="--", linewidth=1, color=GREY)
    _label(axes, f"copy, {copy:.0f} GB/s", (0.01, copy), xycoords=("axes fraction", "data"), va="bottom")
    axes.set(xscale="log", xlabel=xlabel, ylabel="GB/s", ylim=(0, 1.1 * max(copy, axes.get_ylim()[1])))
    axes.set_xticks(*ticks)


def _label(axes, text, place, offset=0, color=GREY, **style):
    """offset: so many points above the place."""
    axes.annotate(text, place, xytext=(0, offset), textcoords="offset points", color=color, **style)


def _rate(row):
    return row["bytes"] / row["kernel"] / 1e9


def _hash(*which):
    return f"figures {drawing.short_hash(json.dumps(tables.figures(*which), sort_keys=True))}"


def _file(*which):
    name = "-".join(filter(None, which))
    return lambda theme: tables.RESULTS / "pictures" / f"{name}-{theme}.svg"


def picture(machine, chapter, name=None, *, folder):
    """What a README in that folder shows."""
    data = tables.figures(machine, chapter, name)
    if not data:
        return tables.NOTHING
    alt = KINDS[name].__doc__
    return (
        f"{drawing.shown(_file(machine, chapter, name), alt, folder)}\n{tables.source(data, machine, name, folder)}\n"
    )


def is_stale(*which):
    """Whether a picture is missing, or was drawn from other figures."""
    return bool(tables.figures(*which)) and not drawing.is_drawn(_file(*which), _hash(*which))


def draw(machine, chapter, name=None):
    data = tables.figures(machine, chapter, name)
    of_chapter = data.get(chapter, data)  # all of them for the roofline

    def paint(axes, _):
        KINDS[name](axes, of_chapter, of_chapter.get("tables", {}).get(name))
        axes.minorticks_off()
        if not axes.get_legend():
            axes.legend(frameon=False)
        axes.grid(alpha=0.2)

    drawing.save(_file(machine, chapter, name), _hash(machine, chapter, name), paint, (7.2, 4), 10.5)
