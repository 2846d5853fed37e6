"""Imports the installed package bias_gelu, and tries each operator. Needs only torch, and any Python from 3.10 on.

package.py starts it in each Python that has to take the wheel.
"""

import bias_gelu
import torch

device = bias_gelu.registration.device_type
ops = torch.ops.chapter10


def reference(x, bias, approximate):
    """In float64, rounded once."""
    return torch.nn.functional.gelu(x.double() + bias.double(), approximate=approximate).to(x.dtype)


def refused(words, *args):
    try:
        ops.bias_gelu(*args)
    except RuntimeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


torch.manual_seed(0)
for dtype in torch.float32, torch.float64, torch.float16, torch.bfloat16:
    for shape in (5,), (7, 5), (2, 300, 8), (0, 4), (4, 0), (1025, 1023):
        x, bias = (torch.randn(s, dtype=dtype, device=device) for s in (shape, shape[-1:]))
        for approximate in "none", "tanh":
            expected = reference(x, bias, approximate)
            torch.testing.assert_close(ops.bias_gelu(x, bias, approximate=approximate), expected)
            y = x.clone()
            assert ops.bias_gelu_(y, bias, approximate=approximate) is None
            torch.testing.assert_close(y, expected)

x, bias = (torch.randn(s, dtype=torch.float64, device=device, requires_grad=True) for s in ((3, 4), (4,)))
assert torch.autograd.gradcheck(ops.bias_gelu, (x, bias))
assert torch.autograd.gradgradcheck(ops.bias_gelu, (x, bias))
for name, args in (
    ("bias_gelu", (x, bias)),
    ("bias_gelu_backward", (x, x, bias)),
    ("bias_gelu_", (x.detach(), bias.detach())),
):
    torch.library.opcheck(getattr(ops, name).default, args)

refused("x must have dtype Float or Double or Half or BFloat16, got Long", x.long(), bias)
refused("x must be contiguous, got strides [1, 4] for shape [4, 3]; pass x.contiguous()", x.t(), bias)
refused("bias must have the shape [4], as x has the shape [3, 4], got [3]", x, bias[:3])
refused("bias must be a tensor, got an undefined one", x, None)
print(f"ok, bias_gelu {bias_gelu.__version__}")
