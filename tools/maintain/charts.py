"""Draws pictures of the figures in results/, each in light and in dark, into results/pictures/. docs.py starts it.

A table of a chapter is drawn by the function of that name in the chapter's pictures/charts.py, with what is below the
roofline here; its docstring is what a reader gets who cannot see the picture. Each file says in its description, as a hash,
of which figures and by which script it was drawn. So a picture that is out of date is found without drawing it, and only
drawing needs matplotlib. After a change in here: rm results/pictures/nvidia*.svg
"""

import json

from . import drawing, tables
from .drawing import GREY


def roofline(axes, data, _):
    """FLOP/s over FLOP a byte, both logarithmic: a slanted line, the memory's limit, meets a level one, that of arithmetic.
    A point is the fastest kernel of a chapter for so many FLOP a byte; most lie along the slanted line."""
    copy, flops = (max(chapter["limits"][key] for chapter in data.values()) for key in ("copy", "flops"))
    low, middle, high = 1 / 24, 5, 8 * flops / copy
    axes.plot([low, flops / copy, high], [low * copy, flops, flops], color=GREY, linewidth=1, marker="")
    note(axes, f"copy, {copy / 1e9:.0f} GB/s  ", (middle, middle * copy), ha="right", va="bottom")
    note(axes, f"float32 matrix product, {flops / 1e12:.0f} TFLOP/s", (high, flops), offset=4, ha="right")
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


def bandwidth(axes, data, xlabel, *ticks):
    copy = data["limits"]["copy"] / 1e9
    axes.axhline(copy, linestyle="--", linewidth=1, color=GREY)
    note(axes, f"copy, {copy:.0f} GB/s", (0.01, copy), xycoords=("axes fraction", "data"), va="bottom")
    axes.set(xscale="log", xlabel=xlabel, ylabel="GB/s", ylim=(0, 1.1 * max(copy, axes.get_ylim()[1])))
    axes.set_xticks(*ticks)


def note(axes, text, place, offset=0, color=GREY, **style):
    """offset: so many points above the place."""
    axes.annotate(text, place, xytext=(0, offset), textcoords="offset points", color=color, **style)


def rate(row):
    return row["bytes"] / row["kernel"] / 1e9


def _file(*which):
    name = "-".join(filter(None, which))
    return lambda theme: tables.RESULTS / "pictures" / f"{name}-{theme}.svg"


def _chart(chapter, name, data):
    """(the function that draws these figures, a hash of both)."""
    if not name:
        return roofline, f"figures {drawing.short_hash(json.dumps(data, sort_keys=True))}"
    defined, stamp = drawing.script(chapter, "charts", data)
    return defined[name], f"figures {stamp}"


def picture(machine, chapter, name=None, *, folder):
    """What a README in that folder shows."""
    data = tables.figures(machine, chapter, name)
    if not data:
        return tables.nothing(tables.bench(chapter))
    shown = drawing.shown(_file(machine, chapter, name), _chart(chapter, name, data)[0].__doc__, folder)
    return f"{shown}\n{tables.source(data, machine, name, folder)}\n"


def is_stale(machine, chapter, name=None):
    """Whether a picture is missing, or was drawn from other figures."""
    data = tables.figures(machine, chapter, name)
    return bool(data) and not drawing.is_drawn(_file(machine, chapter, name), _chart(chapter, name, data)[1])


def draw(machine, chapter, name=None):
    data = tables.figures(machine, chapter, name)
    of_chapter = data.get(chapter, data)  # all of them for the roofline
    function, stamp = _chart(chapter, name, data)

    def paint(axes, _):
        function(axes, of_chapter, of_chapter.get("tables", {}).get(name))
        axes.minorticks_off()
        if not axes.get_legend():
            axes.legend(frameon=False)
        axes.grid(alpha=0.2)

    drawing.save(_file(machine, chapter, name), stamp, paint, (7.2, 4), 10.5)
