"""Your answers. Each is None until you know it."""

# For each k, a thread loads a float of a for each row of its results, and a float of b for each column, from shared memory.
# How many floats does it load for each product? A list: for 1 x 1, 4 x 4, 8 x 8 and 16 x 8 results a thread.
# your code
FLOATS = [2, 0.5, 0.25, 0.1875]
# end of your code

# A multiprocessor's 128 cores make 128 products in a clock. Let each load bring one float to each lane of a warp: that takes
# one pass of shared memory, and a clock. How many clocks does shared memory need for 128 products? A list, for the same four.
# (The lesson's kernels load four floats at a time, and then a pass can deliver more.)
# your code
CLOCKS = [8, 2, 1, 0.75]
# end of your code

# The result has 1000 rows and 1000 columns. A block has a tile of 128 rows and 256 columns. How many tiles are there?
# your code
TILES = 32
# end of your code

# Each block copies what its tile needs from device memory to shared memory. How many blocks copy one and the same element
# of a, and how many copy one of b? A list of two numbers.
# your code
COPIES = [4, 8]
# end of your code
