"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The last key of query i is i: that bounds the loop, and the lanes of its last step.",
    "The first key is i - width + 1, or 0 where that is negative.",
    "If the loop begins at the first key, no lane ever has a key before it.",
]
WRONG = {
    "causal_only": ("a window of 40 keys", {"window.cu": [("max(0, query - width + 1)", "0")]}),
    "one_key_more": ("a window of 40 keys", {"window.cu": [("query - width + 1)", "query - width)")]}),
    "keys_after_the_query": ("wrong result", {"window.cu": [("key <= query", "key < rows")]}),
    "ends_too_early": ("wrong result", {"window.cu": [("first <= query; first", "first < query; first")]}),
    "adds_the_width": (
        "a window of 2147483647 keys",
        {"window.cu": [("seen = key <= query;", "seen = key <= query && key + width > query;")]},
    ),
    "loads_a_key_before_the_window": (
        "threads repeat work",
        {
            "window.cu": [
                ("max(0, query - width + 1)", "max(0, query - width)"),
                ("if (!seen) score = -INFINITY;", "if (!seen || key <= query - width) score = -INFINITY;"),
            ]
        },
    ),
}
