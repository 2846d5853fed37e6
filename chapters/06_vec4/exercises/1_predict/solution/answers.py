"""Your answers. Each is None until you know it."""

# On some GPU, a load takes 500 ns, and the memory can deliver 1.6 TB (1.6e12 bytes) in a second. How many bytes must be
# in flight?
# your code
BYTES = 800000
# end of your code

# This GPU has 50 multiprocessors, and each holds 1024 threads of a kernel that computes c = a + b with floats. How many
# pairs must a thread load before it waits, at least?
# your code
PAIRS = 2
# end of your code

# x is a new tensor of floats, and a kernel reads float2, that is, 8 bytes at once. Which of x[1:], x[2:], x[3:], x[4:]
# and x[6:] may it get? The answer is a list, such as [1, 3].
# your code
FLOAT2 = [2, 4, 6]
# end of your code

# add_forward(x[5:25], y[5:25], out=z[5:25]), with new tensors x, y and z: how many elements have the head, all float4
# together, and the tail? The answer is a list of three numbers.
# your code
PARTS = [3, 16, 1]
# end of your code
