"""Your answers. Each is None until you know it."""

# Each of the first three starts from a finished build on a machine with a GPU. Which of "g++", "nvcc", "linker" does ninja
# run at the next build? Write a list of those that run, in this order.

# In hello.cu, you change the text "Hello World!" to "Hallo World!".
# your code
LETTER = ["nvcc", "linker"]
# end of your code

# You change hello_length in hello.h.
# your code
HEADER = ["g++", "nvcc", "linker"]
# end of your code

# hello.cpp has a third function, which Python has not seen so far. You only add its name to `functions` in main.py.
# your code
FUNCTION = ["g++", "linker"]
# end of your code

# Who reports the mistake: "g++", "nvcc", "linker" or "loader"?

# `functions` also names hello_kernel.
# your code
KERNEL = "g++"
# end of your code

# A new Python process runs `import hello` in the build directory, and has not imported torch.
# your code
NO_TORCH = "loader"
# end of your code
