"""What double.cpp cannot do for torch.ops.exercise.double_(Tensor(a!) x) -> (): see requires_grad, count versions, and
serve fake tensors."""

# your code
import torch


@torch.library.impl("exercise::double_", "Autograd")
def _(x):
    if x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("x requires grad, but double_ has no backward; call it under torch.no_grad()")
    torch.autograd.graph.increment_version(x)


@torch.library.register_fake("exercise::double_")
def _(x):
    pass


# end of your code
