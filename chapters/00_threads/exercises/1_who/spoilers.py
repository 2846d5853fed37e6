"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "where_am_i_kernel writes the same numbers, and more, to one array.",
    "First compute i, which differs in all threads of the grid. The warp and the lane come from threadIdx.x and warpSize.",
]
WRONG = {
    "no_block": ("data race", {"who.cu": [("blockIdx.x * blockDim.x + threadIdx", "threadIdx")]}),
    "warp_of_the_grid": ("elements of warp wrong", {"who.cu": [("= threadIdx.x /", "= i /")]}),
    "lanes_from_one_on": (
        "elements of lane wrong",
        {"who.cu": [("= threadIdx.x /", "= 1 + threadIdx.x /"), ("= threadIdx.x %", "= 1 + threadIdx.x %")]},
    ),
    "grid_for_block": ("out of bounds", {"who.cu": [("blockDim", "gridDim")]}),
}
