"""Your answers. Each is None until you know it. a, b: float32, 2**20 elements; out: silu(a) * b."""

# How many bytes does the node of the lesson's swiglu(a, b) save, if a and b require grad?
# your code
NODE = 8388608
# end of your code

# How many bytes does torch save for torch.nn.functional.silu(a) * b? Count each tensor once.
# your code
TORCH = 12582912
# end of your code

# How many bytes does the node of swiglu(a, b) save, if b requires grad and a does not?
# your code
ONLY_B = 4194304
# end of your code

# The loss is out.sum(). How many bytes of memory does the gradient of out take that the node receives?
# your code
GRAD = 4
# end of your code

# loss.backward() runs a second time, and the first call had no retain_graph=True. The second one "a": adds the same
# gradients again; "b": raises an error; "c": leaves the gradients as they are.
# your code
SECOND = "b"
# end of your code

# out = swiglu(a, b), then a.mul_(2) under torch.no_grad(), then out.sum().backward(). torch "a": computes gradients from
# the new a; "b": raises an error in a.mul_(2); "c": raises an error in backward().
# your code
CHANGED = "c"
# end of your code
