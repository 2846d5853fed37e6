"""Your answers. Each is None until you know it."""

# A block has 70 threads. Which warp is its last thread in?
# your code
WARP = 2
# end of your code

# Which lane of that warp is it?
# your code
LANE = 5
# end of your code

# How many warps has a grid of 3 blocks with 70 threads each?
# your code
WARPS = 9
# end of your code

# Ten elements, a thread for each, in as few blocks of 4 threads as possible: how many threads have no element?
# your code
IDLE = 2
# end of your code

# An H200 has 132 multiprocessors with room for 2048 threads each. How many blocks of 512 threads can it hold at a time?
# your code
BLOCKS = 528
# end of your code

# The host launches two kernels of 10 ms on one stream, then synchronizes. How many milliseconds pass, about?
# your code
MILLISECONDS = 20
# end of your code
