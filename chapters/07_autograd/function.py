"""SwiGLU once more, as a torch.autograd.Function in Python: the same kernels, called by their raw operators."""

import torch


class SwiGLU(torch.autograd.Function):
    """SwiGLU.apply(module, a, b) is silu(a) * b. module: what main.build() returns; a, b as for swiglu_forward."""

    @staticmethod
    def forward(ctx, module, a, b):
        ctx.module = module  # tensors go through save_for_backward, everything else is kept like this
        # b is needed for a's gradient alone. needs_input_grad counts all arguments, here 0 module, 1 a, 2 b.
        ctx.save_for_backward(a, b if ctx.needs_input_grad[1] else None)
        return module.swiglu_forward(a, b)

    @staticmethod
    def backward(ctx, grad):
        if torch.is_grad_enabled():  # create_graph=True. A kernel's results have no graph: terms would be lost
            raise RuntimeError("SwiGLU.backward runs a kernel and cannot be differentiated; drop create_graph=True")
        a, b = ctx.saved_tensors  # raises if one was changed in place meanwhile
        grad = grad.resolve_neg().contiguous()
        # One result for each argument of forward. That of `module`, and what is not needed, is None.
        return None, *ctx.module.swiglu_backward(grad, a, b, ctx.needs_input_grad[1:])


class SwiGLUWithGate(SwiGLU):
    """(silu(a) * b, sigmoid(a)): the second output shows how open each gate is. It has no gradient."""

    @staticmethod
    def forward(ctx, module, a, b):
        # First: its checks refuse a tensor whose memory resize_() has freed. torch's sigmoid would read it.
        out = SwiGLU.forward(ctx, module, a, b)
        gate = torch.sigmoid(a)
        ctx.mark_non_differentiable(gate)  # it will not require grad: a loss cannot depend on it
        ctx.set_materialize_grads(False)  # None instead of a tensor of zeros for an output without a gradient
        return out, gate

    @staticmethod
    def backward(ctx, grad, no_grad):
        return SwiGLU.backward(ctx, grad)
