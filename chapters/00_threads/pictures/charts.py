"""The chart of chapter 00: a table of bench00 as a picture."""

from tools.chapters import ROOT, load

timeline = load(ROOT / "chapters/00_threads/timeline.py")


def blocks(axes, _, rows):
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
