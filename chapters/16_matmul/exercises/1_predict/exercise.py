"""predict: floats, clocks and tiles of a product

Answer the questions in answers.py: how much does a thread load for each product, and which blocks copy the same element? No
kernel runs. You can compute all answers from a thread's results and a tile's sides.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "FLOATS is None"
RESULTS = (1, 1), (4, 4), (8, 8), (16, 8)


def run(mine):
    floats = [(rows + columns) / (rows * columns) for rows, columns in RESULTS]
    why = "for each k, a thread with 4 x 4 results loads 4 floats of a and 4 of b: how many products does it make of them?"
    answer(mine, "FLOATS", floats, why)
    answer(
        mine,
        "CLOCKS",
        [128 * each / 32 for each in floats],
        "how many floats do 128 products need, and how many of them come in a pass?",
    )
    answer(mine, "TILES", -(-1000 // 128) * -(-1000 // 256), "the last tile of a row or column may stick out")
    why = "which tiles of the result need one row of a, and which need one column of b?"
    answer(mine, "COPIES", [-(-1000 // 256), -(-1000 // 128)], why)
    show(
        "the clocks of 1024 products: shared memory delivers float by float (s), cores multiply (c)",
        *(f"{f'{rows} x {columns}' if who == 's' else '':8}{who * round(8 * clocks)}"
          for (rows, columns), each in zip(RESULTS, floats, strict=True)
          for who, clocks in (("s", 4 * each), ("c", 1))),
    )  # fmt: skip
