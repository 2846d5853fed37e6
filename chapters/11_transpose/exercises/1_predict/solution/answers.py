"""Your answers. Each is None until you know it."""

# A warp loads 32 neighbours of a row of uint8. The first one lies at the beginning of a sector. How many sectors?
# your code
LOAD = 1
# end of your code

# The kernel naive transposes a matrix of 1024 x 1024 of uint8. How many sectors does a store of a warp touch?
# your code
STORE = 32
# end of your code

# __shared__ float a[32][34]; each lane loads a[lane][5]. How many passes?
# your code
COLUMN = 2
# end of your code

# __shared__ float a[32][32]; each lane loads a[lane][lane]. How many passes?
# your code
DIAGONAL = 1
# end of your code

# In the kernel swizzled, at which place of row 3 of the tile does the element of column 5 lie?
# your code
PLACE = 6
# end of your code
