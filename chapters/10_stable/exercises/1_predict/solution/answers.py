"""Your answers. Each is None until you know it."""

# TORCH_TARGET_VERSION for a library that runs with torch 2.12 and later, as a number: 0x...
# your code
TARGET = 0x020C000000000000
# end of your code

# Four wheels are tagged cp310-abi3, cp311-cp311, cp312-cp312 and cp313-abi3 (all linux_x86_64). Which of them does
# CPython 3.12 take on such a machine? A list of tags, in this order: ["cp...", ...]
# your code
TAGS = ["cp310-abi3", "cp312-cp312"]
# end of your code

# nm says what a library takes from others: PyInstanceMethod_New, _ZN2at4_ops10empty_like4callE, aoti_torch_get_sizes,
# cudaLaunchKernel, memcpy, torch_call_dispatcher. Which names tie it to one version of Python or torch? A list, in this order.
# your code
TIED = ["PyInstanceMethod_New", "_ZN2at4_ops10empty_like4callE"]
# end of your code

# An operator of the stable ABI is called with a tensor of the wrong dtype. Which exception does the caller get in Python?
# The name, as a string.
# your code
ERROR = "RuntimeError"
# end of your code

# A wheel of this chapter was built for a GPU with CUDA 13. A user has torch 2.11 for CUDA 12. "a": it works; "b": pip installs
# it, and its import fails; "c": pip refuses to install it.
# your code
OTHER_CUDA = "b"
# end of your code
