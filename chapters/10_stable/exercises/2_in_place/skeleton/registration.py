"""What double.cpp cannot do for torch.ops.exercise.double_(Tensor(a!) x) -> (): see requires_grad, count versions, and
serve fake tensors."""

import torch

# your code
print("        registration.py adds nothing to", torch.ops.exercise.double_.default._schema)
# end of your code
