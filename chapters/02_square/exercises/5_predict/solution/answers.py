"""Your answers: numbers of sectors. Each is None until you know it."""

# The 32 lanes of a warp read 32 floats, one after another, from a multiple of 32 bytes on.
# your code
ALIGNED = 4
# end of your code

# The same 32 floats, beginning one float past such a multiple.
# your code
SHIFTED = 5
# end of your code

# Lane i reads element 2 * i.
# your code
EVERY_SECOND = 8
# end of your code

# Lane i reads the first element of row i of a matrix with 1000 columns.
# your code
COLUMN = 32
# end of your code

# All lanes read the same element.
# your code
SAME = 1
# end of your code
