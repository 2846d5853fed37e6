"""scale_: check the tensor before a kernel gets its address

scale_(x, factor) changes x in place. Its kernel is right, and scale.cpp passes on anything. Refuse what the kernel cannot
handle, also a tensor that requires a gradient, and tell autograd that x has changed.
"""

import torch

from grader.checks import WATCH, Wrong, device, extension, launches_rightly, refuses

MINUTES = 15
MEMORY_CHECK = False
FAILS = "ValueError is expected, and there was no error"


def run(mine):
    scale_ = extension(mine, ["scale.cpp", "scale.cu", WATCH]).scale_
    for n in 0, 1, 3, 257, 4099:
        x, factor = torch.arange(n, device=device) / 4, 1.5 - n
        expected = factor * x
        scale_(x, factor)
        if not torch.equal(x, expected):
            raise Wrong(f"n = {n}: scale_(x, {factor}) gives {x.tolist()[:8]}, expected {expected.tolist()[:8]}")
    ten = torch.ones(10, device=device)
    scale_(ten[5:8], 2.0)
    if ten.tolist() != (expected := [1.0] * 5 + [2.0] * 3 + [1.0] * 2):
        raise Wrong(f"scale_(x[5:8], 2) makes of ten ones {ten.tolist()}, expected {expected}")
    matrix = torch.ones(3, 4, device=device)
    refuses(lambda: scale_(matrix[:, :2], 3.0), ValueError, "contiguous", "two columns of a matrix")
    if not torch.equal(matrix, torch.ones_like(matrix)):
        raise Wrong("two columns of a matrix: refused, and changed all the same")
    refuses(lambda: scale_(ten[::2], 3.0), ValueError, "contiguous", "every second element")
    for dtype in torch.float64, torch.float16, torch.int32:
        refuses(lambda dtype=dtype: scale_(matrix.to(dtype), 3.0), TypeError, "dtype", str(dtype))
    refuses(lambda: scale_(matrix.to("meta"), 3.0), ValueError, "", "a tensor of another device, meta")
    leaf = torch.ones(3, device=device, requires_grad=True)
    refuses(lambda: scale_(leaf, 3.0), ValueError, "grad", "a tensor that requires a gradient")
    version = matrix._version
    scale_(matrix, 3.0)
    if matrix._version != version + 1:
        raise Wrong(
            f"x._version is {matrix._version} after the call, expected {version + 1}: autograd does not know that x has "
            "changed, and uses the new values where it needs the old ones"
        )
    if device.type == "cpu":
        x = torch.rand(257)

        def scaled():
            scale_(out := x.clone(), 3.0)
            return out

        launches_rightly(mine, scaled, "scale_", x, stable=False)
    print("right   values, refused tensors, version")
