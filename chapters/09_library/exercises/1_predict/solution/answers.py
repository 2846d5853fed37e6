"""Your answers. Each is None until you know it."""

# bias_gelu.cpp is loaded, library.py is not yet: nothing is under Autocast and Autograd. Which functions does a
# call of bias_gelu run, in order? x and bias are on a GPU. Write a list of some of the keys "Autocast", "Autograd",
# "ADInplaceOrView", "CUDA", "Meta".
# your code
PLAIN = ["ADInplaceOrView", "CUDA"]
# end of your code

# The same, with fake tensors?
# your code
FAKE = ["ADInplaceOrView", "Meta"]
# end of your code

# library.py is loaded as well. x and bias are on a GPU, the call is in an autocast region, and x requires grad?
# your code
TRAINING = ["Autocast", "Autograd", "ADInplaceOrView", "CUDA"]
# end of your code

# x is a sparse tensor on a GPU. "a": the kernel reads its values; "b": torch makes x dense; "c": torch raises
# NotImplementedError.
# your code
SPARSE = "c"
# end of your code

# The schema of add_(x, y), which adds y to x in place, from the first parenthesis on, as a string: "(Tensor x, ...) -> ..."
# your code
ADD_ = "(Tensor(a!) x, Tensor y) -> ()"
# end of your code

# torch.compile compiles a model: linear, then a pybind11 function, then relu, then a registered operator. How many graphs?
# your code
GRAPHS = 2
# end of your code
