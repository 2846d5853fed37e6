"""Your answers. Each is None until you know it."""

# add2 with n = 1000 elements: how many blocks does launch_add2() start?
# your code
BLOCKS = 4
# end of your code

# How many threads of this grid have no element?
# your code
IDLE = 24
# end of your code

# If the launcher asked for only 2 blocks, how many of the 1000 elements would thread 0 of block 0 add?
# your code
ELEMENTS = 2
# end of your code

# How many bytes does the kernel read and write in device memory for n = 2**20?
# your code
BYTES = 12582912
# end of your code

# The host launches kernel A on a side stream, then kernel B on the default stream, which does not wait for that side
# stream. When may B run? "a": only after A; "b": before, after or beside A; "c": only before A.
# your code
FIRST = "b"
# end of your code
