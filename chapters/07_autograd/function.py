"""The gradient of SwiGLU as a torch.autograd.Function in Python. The kernels are those of swiglu.cu."""

import torch


class SwiGLU(torch.autograd.Function):
    """SwiGLU.apply(module, a, b) is silu(a) * b. module: what main.build() returns; a, b as for swiglu_forward."""

    @staticmethod
    def forward(ctx, module, a, b):
        ctx.module = module  # tensors go to save_for_backward, everything else is kept like this
        # Only a's gradient needs b. needs_input_grad counts all arguments: 0 module, 1 a, 2 b.
        ctx.save_for_backward(a, b if ctx.needs_input_grad[1] else None)
        return module.swiglu_forward(a, b)

    @staticmethod
    def backward(ctx, grad):
        if torch.is_grad_enabled():  # true only with create_graph=True
            raise RuntimeError("SwiGLU.backward runs a kernel and cannot be differentiated; drop create_graph=True")
        a, b = ctx.saved_tensors  # raises if one of them was changed in place meanwhile
        grad = grad.resolve_neg().contiguous()
        # A result for each argument of forward. A gradient that does not exist, or that nobody needs, is None.
        return None, *ctx.module.swiglu_backward(grad, a, b, ctx.needs_input_grad[1:])


class SwiGLUWithGate(SwiGLU):
    """(silu(a) * b, sigmoid(a)): the second output shows how open each gate is. It has no gradient."""

    @staticmethod
    def forward(ctx, *inputs):
        # First, because its checks refuse a tensor whose memory resize_() has freed. torch's sigmoid would read it.
        out = SwiGLU.forward(ctx, *inputs)
        gate = torch.sigmoid(inputs[1])
        ctx.mark_non_differentiable(gate)  # it will not require grad: a loss cannot depend on it
        ctx.set_materialize_grads(False)  # None instead of a tensor of zeros for an output without a gradient
        return out, gate

    @staticmethod
    def backward(ctx, grad, no_grad):
        return SwiGLU.backward(ctx, grad)
