"""Your answers. Each is None until you know it."""

# x and residual have 65536 rows of 4096 elements. How many tensors of this size do two calls read and write in all, sum =
# x + residual and y = rms_norm(sum, weight)? Count each reading and each writing.
# your code
SEPARATE = None
# end of your code

# And one call of add_rms_norm(x, residual, weight)?
# your code
FUSED = None
# end of your code

# How many times as fast is one call then, where memory is the limit? (2 means twice as fast.)
# your code
SPEEDUP = None
# end of your code

# How many do add_rms_norm's gradients read and write, where both y and sum were used further?
# your code
BACKWARD = None
# end of your code

# Which tensor of this size does add_rms_norm save for backward: "x", "residual", "y" or "sum"?
# your code
SAVED = None
# end of your code
