"""What `make sweep` has found: its printed report, and for docs.py a table and a picture for each machine in results/sweep.

How good we are at a shape is the time of the best peer / our time: above 1, ours is the fastest.
"""

import json
import statistics

from . import drawing, tables
from .drawing import GREY

LARGE = 2**24  # bytes from which on a shape counts as large
TARGETS = {"median": 1.0, "worst large": 0.9, "worst small": 0.8}
HEADS = {"median": ">= 16 MiB: median", "worst large": ">= 16 MiB: worst", "worst small": "< 16 MiB: worst"}


# ---- figures -----------------------------------------------------------------------------------------------------------
def ratio(row):
    """The best peer's time / ours, or None where there is no such figure."""
    return _best(row) / _ours(row) if row.get("peers") else None


def _best(row):
    return min(row["peers"].values())


def _ours(row):
    return row["ours"]


def figures(rows):
    """{one of TARGETS: what these rows reach}; None where no shape is of that size."""
    large = [ratio(row) for row in rows if ratio(row) and row["bytes"] >= LARGE]
    small = [ratio(row) for row in rows if ratio(row) and row["bytes"] < LARGE]
    median = statistics.median(large) if large else None
    return {"median": median, "worst large": min(large, default=None), "worst small": min(small, default=None)}


def cells(rows):
    """The figures as text; a star where one misses its target."""
    return {
        HEADS[key]: "" if value is None else f"{value:.2f}" + " *" * (value < TARGETS[key])
        for key, value in figures(rows).items()
    }


# ---- as text -----------------------------------------------------------------------------------------------------------
def shape_of(row):
    begins = f", begins at byte {row['offset']}" * bool(row["offset"])
    return f"{row['rows']} x {row['columns']} {row['dtype']}{begins}"


def line(row):
    """One shape: who reaches how many GB/s."""
    start = f"{shape_of(row):<52}"
    if "wrong" in row:
        return f"{start} WRONG RESULT: {row['wrong']}"
    speeds = {"ours": row["ours"]} | row["peers"]
    speeds = ", ".join(f"{name} {speed(row['bytes'] / t)}" for name, t in speeds.items())
    failed = row.get("failed", {}) | ({"not checked": row["unchecked"]} if "unchecked" in row else {})
    failed = "".join(f"; {name}: {why}" for name, why in failed.items())
    best = f"{ratio(row):.2f}" if row["peers"] else "-"
    return f"{start}{row['bytes'] / 2**20:10.3f} MiB  {best:>6}  {speeds} GB/s{failed}"


def speed(bytes_a_second):
    gigabytes = bytes_a_second / 1e9
    return f"{gigabytes:.0f}" if gigabytes >= 10 else f"{gigabytes:.2g}"


def report(found):
    """{(chapter, operator): rows} as one text: a line for each operator, then the ten worst shapes."""
    heads = [f"{head:>20}" for head in HEADS.values()]
    lines = ["", "best peer's time / ours".ljust(32) + "".join(heads)]
    lines += ["target".ljust(32) + "".join(f"{target:>20.2f}" for target in TARGETS.values())]
    for (chapter, operator), rows in found.items():
        name = f"{chapter[:2]} {operator}, {len(rows)} shapes"
        lines.append(f"{name:<32}" + "".join(f"{cell:>20}" for cell in cells(rows).values()))
    every = [(ratio(row), f"{which[0][:2]} {which[1]}", row) for which, rows in found.items() for row in rows]
    worst = sorted((it for it in every if it[0]), key=lambda it: it[0])[:10]
    lines += ["", "the worst", *(f"{name:<22}{line(row)}" for _, name, row in worst)]
    return "\n".join(lines)


def wrong(found):
    """The operators and shapes with wrong results, or ""."""
    shapes = [f"{chapter} {operator} {shape_of(row)}" for (chapter, operator), rows in found.items()
              for row in rows if "wrong" in row]  # fmt: skip
    return "\n".join([f"WRONG RESULTS at {len(shapes)} shapes:", *shapes]) if shapes else ""


# ---- for docs.py -------------------------------------------------------------------------------------------------------
def swept(chapter, *, folder):
    """A picture and a table of that chapter for each machine, for a README in that folder."""
    return "\n".join(_of_machine(*which, folder) for which in _measured(chapter)) or tables.nothing("make sweep")


def _measured(chapter):
    """[(machine, {chapter: what was measured})]; the machine as the name of its file below results/: sweep/nvidia-h200."""
    machines = sorted(f"sweep/{file.stem}" for file in tables.RESULTS.glob("sweep/*.json"))
    every = [(machine, tables.figures(machine, chapter)) for machine in machines]
    return [(machine, {chapter: data[chapter]}) for machine, data in every if chapter in data]


def _of_machine(machine, data, folder):
    (chapter, measured), = data.items()  # fmt: skip
    rows = [
        {"operator": operator, "shapes": str(len(rows))} | cells(rows) for operator, rows in measured["tables"].items()
    ]
    shown = drawing.shown(_file(machine, chapter), _paint.__doc__, folder)
    table = tables.markdown(rows, text=("operator",))
    return f"{shown}\n{table}\n{tables.source(data, machine, None, folder)}\n"


def _file(machine, chapter):
    return lambda theme: tables.RESULTS / "pictures" / f"{machine.replace('/', '-')}-{chapter}-{theme}.svg"


def _stamp(data):
    return f"figures {drawing.short_hash(json.dumps(data, sort_keys=True))}"


def is_stale(chapter):
    return any(not drawing.is_drawn(_file(machine, chapter), _stamp(data)) for machine, data in _measured(chapter))


def draw(chapter):
    for machine, data in _measured(chapter):

        def paint(axes, _, data=data):
            _paint(axes, data[chapter]["tables"])

        drawing.save(_file(machine, chapter), _stamp(data), paint, (7.2, 4.8), 10.5)


def _paint(axes, tables_of_chapter):
    """Our GB/s over the best peer's, both logarithmic, a point for each shape. Above the line ours is the fastest. Filled
    points move 16 MiB or more, hollow ones less."""
    for number, (operator, rows) in enumerate(tables_of_chapter.items()):
        for filled in True, False:
            of_size = [row for row in rows if ratio(row) and (row["bytes"] >= LARGE) == filled]
            ours, best = ([row["bytes"] / t(row) / 1e9 for row in of_size] for t in (_ours, _best))
            style = {"color": f"C{number}", "marker": "os^Dv*PX"[number % 8], "linestyle": "none"}
            label = operator if filled else None
            axes.plot(best, ours, label=label, fillstyle="full" if filled else "none", **style)
    axes.set(xscale="log", yscale="log", xlabel="best peer, GB/s", ylabel="ours, GB/s")
    axes.axline((1, 1), (10, 10), color=GREY, linewidth=1)
    axes.legend(frameon=False)
    axes.grid(alpha=0.2)
