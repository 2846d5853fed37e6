"""Your answers. Each is None until you know it."""

# A row of a box has eight pieces of 16 bytes, numbered from 0. At which place of row 6 lies piece 3 in shared memory?
# your code
PLACE = 5
# end of your code

# A step of 64 numbers along k, for a tile of 128 x 256: how many bytes does the buffer's `full` expect?
# your code
BYTES = 49152
# end of your code

# A ring has four buffers, and steps are counted from 0. In step 9 the warpgroups wait at `full`. For which parity?
# your code
PARITY = 0
# end of your code

# 132 blocks stay until 170 tiles are done. A tile takes 64 steps. How many steps does the busiest block do ...
# ... if all tiles are whole?
# your code
WHOLE = 128
# end of your code
# ... if there are only two tiles, and a cluster of 8 blocks divides the steps of each?
# your code
DIVIDED = 8
# end of your code
