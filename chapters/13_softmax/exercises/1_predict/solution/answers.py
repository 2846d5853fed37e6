"""Your answers. Each is None until you know it."""

# Rows of 100 floats: how many lanes of a warp share a row? (softmax(x) chooses.)
# your code
LANES = 8
# end of your code

# How many rows has a warp then?
# your code
ROWS = 4
# end of your code

# One part of a row has the maximum 0 and the sum 2, the other one the maximum log(4) and the sum 1. What is the sum of
# both together? (log is the natural logarithm.)
# your code
SUM = 1.5
# end of your code

# Rows so long that no cache holds them: how many bytes of device memory does step `twice` read and write for each float?
# your code
BYTES = 12
# end of your code

# softmax of a row that holds four times -infinity: "zeros", "quarters" or "nan"?
# your code
NOTHING = "nan"
# end of your code
