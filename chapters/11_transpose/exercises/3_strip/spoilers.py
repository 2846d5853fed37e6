"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "At an edge, which thread stores the element that is not written? Does it have an element to load?",
    "Every thread of the block has to come to every barrier: put the bounds check around the load alone.",
    "A fast thread goes on to the next tile and writes to shared memory. What keeps it from doing so before a slow "
    "thread has read this tile?",
    "A second __syncthreads() at the end of the loop's body, outside of any if.",
]
WRONG = {
    "one_barrier": (
        "data race",
        {"strip.cu": [("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", "")]},
    ),
    "barrier_in_the_if": (
        "__syncthreads()",
        {
            "strip.cu": [
                (
                    "if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * columns + "
                    "left + x];\n"
                    "        __syncthreads();",
                    "if (top + y < rows && left + x < columns) {\n"
                    "            shared[y][x] = in[(top + y) * columns + left + x];\n"
                    "            __syncthreads();\n"
                    "        }",
                )
            ]
        },
    ),
    "barrier_in_the_wrong_place": (
        "data race",
        {
            "strip.cu": [
                ("__syncthreads();\n", "__syncthreads();\n        __syncthreads();\n"),
                ("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", ""),
            ]
        },
    ),
}
