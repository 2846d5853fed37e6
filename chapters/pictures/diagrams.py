"""The map of the course, for the repository's README: the chapters on the two tracks, as tools/chapters.py finds them."""

import itertools

from tools.chapters import tracks

DATA = {track: [folder.name.replace("_", " ", 1) for folder in folders] for track, folders in tracks().items()}
LINES = dict(zip(DATA, ((4, "blue", -1), (20, "orange", 1)), strict=True))  # how far down, and where the outside is
WIDE, HIGH, STEP = 8.6, 6.4, 10.6  # of a chapter's box, and from one box to the next


def map(canvas):
    """A chapter is drawn to the right of those before it on its tracks, and between the tracks if it is on both."""
    places = {}
    for chapter in sorted({*itertools.chain(*DATA.values())}):
        on = [track for track in DATA if chapter in DATA[track]]
        before = [DATA[track][DATA[track].index(chapter) - 1] for track in on if chapter != DATA[track][0]]
        left = max((places[other][0] + STEP for other in before), default=0.5)
        places[chapter] = left, sum(LINES[track][0] for track in on) / len(on)
    canvas.height(24, width=max(x for x, _ in places.values()) + WIDE + 0.5)
    for track, (line, colour, outside) in LINES.items():
        canvas.text(0.5, line + 2 * outside, track, colour, "left", bold=True)
        for here, there in itertools.pairwise(DATA[track]):
            (x, y), (x2, y2) = places[here], places[there]
            start = (x + WIDE, y) if y == line else (x + 0.7 * WIDE, y + HIGH / 2 * outside)
            end = (x2, y2) if y2 == line else (x2 + 0.3 * WIDE, y2 + HIGH / 2 * outside)
            corner = end[0] - 0.8 * (y2 == line), line
            canvas.line(start, (start[0], line), corner, colour=colour)
            canvas.arrow(corner, end, colour)
    for chapter, (x, y) in places.items():
        colour = next((colour for line, colour, _ in LINES.values() if line == y), "text")
        canvas.box(x, y - HIGH / 2, WIDE, HIGH, chapter.replace(" ", "\n"), colour, 0.15)


of_each = ". ".join(f"{track}: {', '.join(chapters)}" for track, chapters in DATA.items())
shared = ", ".join(sorted(set.intersection(*(set(chapters) for chapters in DATA.values()))))
map.__doc__ = f"Two tracks through the chapters. {of_each}. They share {shared}."  # for a reader who cannot see it
