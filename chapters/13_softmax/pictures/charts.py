"""The chart of chapter 13."""

from tools.maintain.charts import GREY, bandwidth, rate


def lengths(axes, data, rows):
    """GB/s over the number of elements in a row, a line for each way to share a row among threads; marked: a copy."""
    for op in dict.fromkeys(row["op"] for row in rows):
        points = [row for row in rows if row["op"] == op]
        # The steps take all colours. The automatic choice is one of them everywhere: a wide line under it.
        auto = {"color": GREY, "linewidth": 8, "alpha": 0.4, "marker": "", "zorder": 1}
        style = {"auto": auto, "torch": {"color": GREY, "linestyle": ":"}}.get(op, {})
        axes.plot([row["length"] for row in points], [*map(rate, points)], label=op, **style)
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.15))  # below: lines are everywhere
    lengths = [2**k for k in range(5, 19, 2)]
    bandwidth(axes, data, "elements of a row", lengths, [f"{n:,}".replace(",", " ") for n in lengths])
