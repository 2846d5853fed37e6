"""What sigmoid.cpp cannot do for torch.ops.exercise.sigmoid_(Tensor(a!) x) -> (): give x a gradient, count its version,
and serve fake tensors."""

# your code
import torch

print("        registration.py adds nothing to", torch.ops.exercise.sigmoid_.default._schema)
# end of your code
