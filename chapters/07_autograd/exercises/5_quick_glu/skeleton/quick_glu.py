"""quick_glu with a gradient: a Function whose passes run the kernels of quick_glu.cu."""

import torch


class QuickGLU(torch.autograd.Function):
    """QuickGLU.apply(launch, a, b) is a * sigmoid(1.702 * a) * b. a, b: float32, contiguous, of one shape.

    launch: the launchers of quick_glu.h, called with tensors (None for nullptr) and without the stream. With
    create_graph=True, backward raises RuntimeError or gives gradients that can be differentiated again.
    """

    @staticmethod
    def forward(ctx, launch, a, b):
        ctx.launch = launch
        # your code
        # what backward needs
        # end of your code
        out = torch.empty_like(a)
        launch.launch_forward(out, a, b, a.numel())
        return out

    @staticmethod
    def backward(ctx, grad):
        # your code
        return None, None, None  # for launch, a and b
        # end of your code
