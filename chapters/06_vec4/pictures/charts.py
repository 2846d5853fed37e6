"""The charts of chapter 06."""

from tools.maintain.charts import GREY, bandwidth, note, rate


def sweep(axes, data, rows):
    """GB/s over the bytes that a sum reads and writes, a line for each version; marked: a copy, and the size of L2."""
    for op in dict.fromkeys(row["op"] for row in rows):
        points = [row for row in rows if row["op"] == op]
        axes.plot([row["bytes"] for row in points], [rate(row) for row in points], label=op)
    sizes = [f"{size} {unit}" for unit in ("KiB", "MiB", "GiB") for size in (1, 4, 16, 64, 256)][2:12]
    bandwidth(axes, data, "bytes read and written", [4**k for k in range(7, 17)], sizes)
    cache = data["limits"]["l2_bytes"]  # L1 is not marked: bench() begins with caches that are cold
    axes.axvline(cache, linestyle=":", linewidth=1, color=GREY)
    note(axes, f"L2 cache, {cache / 2**20:.0f} MiB  ", (cache, 0.03), xycoords=("data", "axes fraction"), ha="right")


def flight(axes, data, rows):
    """GB/s over the KiB that a multiprocessor has in flight, for loads of 4 and of 16 bytes; marked: a copy. A number says how
    many loads of each input a thread makes before it waits. Ringed points: fewer threads, because each block
    reserves shared memory."""
    ring = {"marker": "o", "fillstyle": "none", "markersize": 10, "linestyle": "none"}
    kinds = (1, "4 bytes (float)", max, 9, "right"), (4, "16 bytes (float4)", min, -18, "left")
    for width, label, outer, offset, side in kinds:
        points = [row | {"KiB": row["in_flight"] / 1024} for row in rows if row["width"] == width]
        (line,) = axes.plot([row["KiB"] for row in points], [*map(rate, points)], label=f"loads of {label}")
        few = [row for row in points if row.get("reserved")]
        axes.plot([row["KiB"] for row in few], [*map(rate, few)], **ring, color=line.get_color())
        for x in dict.fromkeys(row["KiB"] for row in points):
            here = [row for row in points if row["KiB"] == x]
            loads = dict.fromkeys(f"{row['loads']}x" for row in here)
            place = x, outer(map(rate, here))
            note(
                axes, ", ".join(loads), place, offset, ha=side if len(loads) == 1 else "center", color=line.get_color()
            )
    axes.plot([], [], **ring, color=GREY, label="fewer threads, by reserved shared memory")
    axes.set_xlim(2.2, 220)
    axes.legend(frameon=False, loc="lower right")  # at the left it would touch the first points
    ticks = [4, 8, 16, 32, 64, 128]
    bandwidth(axes, data, "KiB in flight on a multiprocessor", ticks, [*map(str, ticks)])
