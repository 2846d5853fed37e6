"""Your answers. Each is None until you know it."""

# Four heads of 1024 queries and 1024 keys, in bfloat16. How many bytes would a matrix of scores have?
# your code
BYTES = 8388608
# end of your code

# Causal attention of 512 queries and 512 keys, by blocks of 128 queries that walk over tiles of 64 keys. How many tiles do
# all blocks of a head multiply, if they skip those that no query of theirs sees?
# your code
TILES = 20
# end of your code

# The maxima of a query's tiles, in the order in which a block comes to them, are 2, 7, 7, 3, 9, 8. How many times, after the
# first tile, is its sum multiplied by something less than 1?
# your code
CORRECTIONS = 2
# end of your code

# A sum is 10. The weights of the next tile, with the new maximum, add up to 3, and exp(old maximum - new maximum) is 0.25.
# What is the sum then?
# your code
SUM = 5.5
# end of your code
