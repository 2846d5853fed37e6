"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import X_BIAS, Operator, any_float, any_float_rounded, bias_gelu, bias_gelu_backward

OPERATORS = [
    Operator("bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **any_float_rounded, differentiable=True,
             stable=True),
    Operator("bias_gelu_backward", ("grad", "x", "bias"), bias_gelu_backward, **X_BIAS, **any_float,
             tolerance=1e-4, differentiable=True, stable=True),
    Operator("bias_gelu_", ("x", "bias"), bias_gelu, **X_BIAS, **any_float_rounded, writes="x", in_place=True,
             stable=True),
]  # fmt: skip
