"""Your answers. Each is None until you know it."""

# mma.sync multiplies a, 16 x 16 elements, by b, 16 x 8. Which lane holds a[14][5]?
# your code
LANE_OF_A = 26
# end of your code

# And which lane holds b[11][6]?
# your code
LANE_OF_B = 25
# end of your code

# A row of a tile has eight packs, numbered from 0 on, and so have the places of a row. Where is pack 6 of row 13?
# your code
PLACE = 3
# end of your code

# How many mma.sync does a warp execute for 64 x 64 results, if k is 1024?
# your code
INSTRUCTIONS = 2048
# end of your code
