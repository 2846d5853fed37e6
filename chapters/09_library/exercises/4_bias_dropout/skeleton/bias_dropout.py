"""bias_dropout as an operator of torch: torch.ops.exercise.bias_dropout(x, bias, p, seed)."""

import torch

library = torch.library.Library("exercise", "DEF")  # as TORCH_LIBRARY(exercise, m) in C++, and define() as m.def()
library.define("bias_dropout(Tensor x, Tensor bias, float p, int seed) -> Tensor")
library.define("bias_dropout_backward(Tensor grad, float p, int seed) -> (Tensor grad_x, Tensor grad_bias)")


def register(launch, device_type):
    """Enters the functions in the dispatcher. launch: the launchers of bias_dropout.h, called without the stream.

    x, grad: two dimensions, float32, contiguous. bias: as long as a row.
    """

    def forward(x, bias, p, seed):
        out = torch.empty_like(x)
        launch.launch_bias_dropout(out, x, bias, x.shape[0], x.shape[1], p, seed)
        return out

    def backward(grad, p, seed):
        grad_x, grad_bias = torch.empty_like(grad), grad.new_empty(grad.shape[1])
        launch.launch_bias_dropout_backward(grad_x, grad_bias, grad, grad.shape[0], grad.shape[1], p, seed)
        return grad_x, grad_bias

    library.impl("bias_dropout", forward, device_type.upper())  # the dispatch key CPU or CUDA
    library.impl("bias_dropout_backward", backward, device_type.upper())
    # your code
    # for both operators a function for fake tensors; for bias_dropout a gradient, which itself needs no gradient
    # end of your code
