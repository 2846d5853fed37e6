"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "16 x 8 results: 16 + 8 floats, and 16 * 8 products.",
    "A warp has 32 lanes, so a pass brings 32 floats. With 1 x 1 results, 128 products need 256 floats.",
    "1000 / 128 is a little less than 8, and 1000 / 256 a little less than 4.",
    "An element of a is in one row of the result's tiles: each tile of that row needs it. How many tiles are side by side?",
]
WRONG = {
    "products_for_each_float": (
        "FLOATS = [0.5, 2, 4, 5.333] is not right",
        {"answers.py": [("[2, 0.5, 0.25, 0.1875]", "[0.5, 2, 4, 5.333]")]},
    ),
    "one_matrix": (
        "CLOCKS = [4, 1, 0.5, 0.25] is not right",
        {"answers.py": [("[8, 2, 1, 0.75]", "[4, 1, 0.5, 0.25]")]},
    ),
    "whole_tiles_only": ("TILES = 21 is not right", {"answers.py": [("TILES = 32", "TILES = 21")]}),
    "rows_for_columns": ("COPIES = [8, 4] is not right", {"answers.py": [("[4, 8]", "[8, 4]")]}),
}
