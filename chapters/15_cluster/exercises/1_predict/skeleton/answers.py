"""Your answers. Each is None until you know it."""

# softmax of rows of 100 000 floats, step pipeline: how many blocks has a cluster?
# your code
BLOCKS = None
# end of your code

# The row consists of packs of 16 bytes: how many of them does each block take?
# your code
PACKS = None
# end of your code

# How many bytes does the mbarrier of one block expect for each row? A block has 256 threads, and each warp sends its
# maximum and its sum to all blocks.
# your code
BYTES = None
# end of your code

# A cluster counts its rows from 0. For the end of which parity does it wait with row 6?
# your code
PARITY = None
# end of your code
