"""What double.cpp cannot do for torch.ops.exercise.double_(Tensor(a!) x) -> (): see requires_grad, count versions, and
serve fake tensors."""

# your code
import torch

print("        registration.py adds nothing to", torch.ops.exercise.double_.default._schema)
# end of your code
