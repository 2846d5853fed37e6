"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import X_BIAS, Operator, bias_gelu, bias_gelu_backward, both, both_rounded

OPERATORS = [
    Operator("bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, differentiable=True),
    Operator("bias_gelu_backward", ("grad", "x", "bias"), bias_gelu_backward, **X_BIAS, **both,
             tolerance=1e-4, differentiable=True),  # the bias gradient is a sum of many
    Operator("bias_gelu_", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, writes="x", in_place=True),
    Operator("bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, differentiable=True,
             variant="gradient in C++", build="build_cpp"),
    Operator("bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS | {"dispatched": False}, **both_rounded,
             variant="by pybind11", build="build_pybind"),
]  # fmt: skip
