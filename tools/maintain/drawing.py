"""The theme of all pictures in this repository, and the shapes that diagrams are made of. Everything is drawn with matplotlib.

A diagram is a function in a chapter's pictures/diagrams.py: it takes a Canvas, and its docstring is what a reader gets who
cannot see it. The pictures lie beside that file, in light and in dark. Each says in its description, as a hash, of which text
it was drawn; docs.py draws again what has changed. After a change in here: rm chapters/{,*/}pictures/*.svg, and charts.py's.
"""

import hashlib
import json
import os
import runpy

from ..chapters import ROOT

CHAPTERS = ROOT / "chapters"
GREY = "#808890"  # reads on both backgrounds
# Of Okabe and Ito's palette, which people with any kind of colour vision can tell apart (https://jfly.uni-koeln.de/color/),
# those that stand out from the background; the last one is GitHub's text.
COLOURS = {
    "light": ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#1f2328"],
    "dark": ["#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#f0e442", "#e6edf3"],
}
NAMES = ["blue", "orange", "green", "pink", "yellow", "text"]


def save(file, stamp, paint, size, font):
    """Draws a picture in each theme. file(theme): where to; paint(axes, colours) draws; size in inches; font in points."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    for theme, colours in COLOURS.items():
        target = file(theme)
        target.parent.mkdir(exist_ok=True)
        inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        style = dict.fromkeys(inked, colours[-1]) | {"font.size": font, "lines.markersize": 4.5}
        style |= {"axes.prop_cycle": matplotlib.cycler(color=colours * 2, marker=list("os^Dv*PX<>hd"))}
        with plt.rc_context(style | {"svg.fonttype": "none", "svg.hashsalt": target.name}):  # the same file each time
            figure, axes = plt.subplots(figsize=size, layout="constrained")
            paint(axes, dict(zip(NAMES, colours, strict=True)) | {"grey": GREY})
            description = {"Date": None, "Description": stamp}
            figure.savefig(target, format="svg", transparent=True, metadata=description)
            plt.close(figure)


def short_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_drawn(file, stamp):
    return all(file(theme).exists() and stamp in file(theme).read_text() for theme in COLOURS)


def shown(file, alt, folder):
    """The Markdown that shows a picture in a README of that folder, in the reader's theme."""
    light, dark = (os.path.relpath(file(theme), folder) for theme in COLOURS)
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" srcset="{dark}">\n'
        f'<img alt="{" ".join(alt.split())}" src="{light}">\n</picture>\n'
    )


def script(chapter, kind, data=None):
    """(what chapters/<chapter>/pictures/<kind>.py defines, a hash of it and of these data, or else of its own DATA)."""
    file = CHAPTERS / chapter / "pictures" / f"{kind}.py"
    defined = runpy.run_path(str(file))
    return defined, short_hash(file.read_text() + json.dumps(data or defined.get("DATA"), sort_keys=True))


class Canvas:
    """A page 72 wide, in tenths of an inch; y runs down. A colour is one of NAMES or "grey". Text has 12 points."""

    def __init__(self, axes, colours):
        self.axes, self.colours = axes, colours
        axes.axis("off")
        self.height(30)

    def height(self, height, width=72):
        """Sets how high the page is. Call it first."""
        self.axes.figure.set_size_inches(width / 10, height / 10)
        self.axes.figure.set_layout_engine("none")
        self.axes.set_position([0, 0, 1, 1])
        self.axes.set(xlim=(0, width), ylim=(height, 0))

    def text(self, x, y, text, colour="text", align="center", code=False, bold=False):
        """y is the middle of the text. align: which end of the text x is, "left", "center" or "right"."""
        style = {"family": "monospace"} if code else {}
        style |= {"weight": "bold"} if bold else {}
        self.axes.text(x, y, text, ha=align, va="center", color=self.colours[colour], linespacing=1.3, **style)

    def box(self, x, y, width, height, text="", colour="text", fill=0.0, dashed=False, code=False):
        """A rectangle with its upper left corner at (x, y), and text in its middle. fill: how opaque its colour is inside."""
        from matplotlib.patches import Rectangle

        style = {"linewidth": 1.2, "linestyle": "--" if dashed else "-"}
        ink = self.colours[colour]
        self.axes.add_patch(Rectangle((x, y), width, height, facecolor=(ink, fill), edgecolor=ink, **style))
        if text:
            self.text(x + width / 2, y + height / 2, text, code=code)

    def line(self, *points, colour="text", dashed=False):
        """Through these points, each (x, y)."""
        style = {"linestyle": "--" if dashed else "-", "linewidth": 1.2, "marker": "", "solid_capstyle": "butt"}
        self.axes.plot(*zip(*points, strict=True), color=self.colours[colour], **style)

    def arrow(self, start, end, colour="text", both=False, dashed=False):
        """From one point (x, y) to another; both: with a head at each end."""
        style = {"arrowstyle": "<|-|>" if both else "-|>", "color": self.colours[colour], "shrinkA": 0, "shrinkB": 0}
        style |= {"linestyle": "--" if dashed else "-", "linewidth": 1.2, "mutation_scale": 12}
        self.axes.annotate("", end, start, arrowprops=style)

    def cells(self, x, y, size, texts, colours=(), fill=0.25):
        """A row of squares from (x, y) on, one for each text; colours: of each square, "text" where there are fewer."""
        for k, text in enumerate(texts):
            colour = colours[k] if k < len(colours) else "text"
            self.box(x + k * size, y, size, size, text, colour, fill if colour != "text" else 0)


def picture_file(chapter, name):
    return lambda theme: CHAPTERS / chapter / "pictures" / f"{name}-{theme}.svg"


def _script(chapter, name):
    defined, stamp = script(chapter, "diagrams")
    return defined[name], f"drawn from {stamp}"


def diagram(chapter, name, *, folder):
    """The diagram `name` of that chapter, for a README in that folder. The map of the course is that of no chapter: ""."""
    return shown(picture_file(chapter, name), _script(chapter, name)[0].__doc__, folder)


def is_stale(chapter, name):
    return not is_drawn(picture_file(chapter, name), _script(chapter, name)[1])


def draw(chapter, name):
    function, stamp = _script(chapter, name)
    save(picture_file(chapter, name), stamp, lambda axes, colours: function(Canvas(axes, colours)), (7.2, 3), 12)
