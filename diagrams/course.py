"""The diagram of the repository's README."""

import itertools


def map(canvas):
    """Two tracks through the chapters. Kernels: 00 threads, 02 square, 03 add2, 06 vec4, 08 image, 11 transpose, 12 reduce,
    13 softmax. PyTorch: 00 threads, 01 hello, 03 add2, 04 package, 05 cmake, 07 autograd, 09 library, 10 stable. They
    share 00 and 03."""
    canvas.height(29)
    kernels, both, pytorch, above = 4, 14.5, 25, 14  # the height of each track; above: where the row has no room left
    wide, high = 8.6, 6.4
    columns = [
        {"00\nthreads": both}, {"01\nhello": pytorch, "02\nsquare": kernels}, {"03\nadd2": both, "06\nvec4": kernels},
        {"04\npackage": pytorch, "08\nimage": kernels}, {"05\ncmake": pytorch, "11\ntranspose": kernels},
        {"07\nautograd": pytorch, "12\nreduce": kernels},
        {"09\nlibrary": pytorch, "10\nstable": above, "13\nsoftmax": kernels},
    ]  # fmt: skip
    places = {name: (0.7 + 10.3 * k, y) for k, column in enumerate(columns) for name, y in column.items()}
    tracks = {
        "blue": [
            "00\nthreads",
            "02\nsquare",
            "03\nadd2",
            "06\nvec4",
            "08\nimage",
            "11\ntranspose",
            "12\nreduce",
            "13\nsoftmax",
        ],
        "orange": [
            "00\nthreads",
            "01\nhello",
            "03\nadd2",
            "04\npackage",
            "05\ncmake",
            "07\nautograd",
            "09\nlibrary",
            "10\nstable",
        ],
    }
    for colour, chapters in tracks.items():
        for here, there in itertools.pairwise(chapters):
            (x, y), (x2, y2) = places[here], places[there]
            if x == x2:
                canvas.arrow((x + wide / 2, y - high / 2), (x2 + wide / 2, y2 + high / 2), colour)
                continue
            off = -1.2 if colour == "blue" else 1.2  # where both tracks touch a chapter
            canvas.arrow((x + wide, y + (off if y == both else 0)), (x2, y2 + (off if y2 == both else 0)), colour)
    for name, (x, y) in places.items():
        colour = "text" if y == both else "blue" if y == kernels else "orange"
        canvas.box(x, y - high / 2, wide, high, name, colour, 0.15)
    canvas.text(1, kernels, "kernels", "blue", "left", bold=True)
    canvas.text(1, pytorch, "PyTorch", "orange", "left", bold=True)
