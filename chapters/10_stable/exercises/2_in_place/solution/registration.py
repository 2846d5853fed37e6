"""What sigmoid.cpp cannot do for torch.ops.exercise.sigmoid_(Tensor(a!) x) -> (): give x a gradient, count its version,
and serve fake tensors."""

# your code
import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch._C._AutoDispatchBelowAutograd():
            torch.ops.exercise.sigmoid_(x)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)  # the result
        return x

    @staticmethod
    def backward(ctx, grad):
        (s,) = ctx.saved_tensors
        return grad * s * (1 - s)


@torch.library.impl("exercise::sigmoid_", "Autograd")
def _(x):
    Sigmoid.apply(x)


@torch.library.register_fake("exercise::sigmoid_")
def _(x):
    pass


# end of your code
