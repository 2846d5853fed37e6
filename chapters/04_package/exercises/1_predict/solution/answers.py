"""Your answers. Each is None until you know it."""

# In which step does a user see this message first? 1: pip builds the wheel, 2: pip installs it, 3: Python imports the
# package, 4: the program calls the operator.

# undefined symbol: _ZN3c1010ValueErrorC1ENS_14SourceLocationESs
# your code
UNDEFINED = 3
# end of your code

# No module named 'torch' (after `pip install .`, though your environment has torch)
# your code
NO_TORCH = 1
# end of your code

# my_cuda_extension-0.1.0-cp312-cp312-linux_x86_64.whl is not a supported wheel on this platform.
# your code
PLATFORM = 2
# end of your code

# no kernel image is available for execution on the device
# your code
IMAGE = 4
# end of your code

# Your torch is 2.12.0, and you can reach PyPI. You run `pip install` on a wheel that requires torch==2.11.*, with no further
# option. pip "stops", "replaces" your torch, or "installs" the wheel and leaves torch as it is.
# your code
OTHER_TORCH = "replaces"
# end of your code

# After an editable install you change a file. Which of "nothing", "build_ext" and "pip wheel" is the least that has to run,
# so that a new Python process sees the change? First: you change __init__.py.
# your code
CHANGED_PY = "nothing"
# end of your code

# Now you change package_kernel.cu.
# your code
CHANGED_CU = "build_ext"
# end of your code
