"""scale_: check the tensor before a kernel gets its address

scale_(x, factor) changes x in place. Its kernel is right, and scale.cpp passes on anything. Refuse what the kernel cannot
handle, and tell autograd that x has changed.
"""

import torch

from grader.checks import WATCH, Wrong, device, extension, launches_rightly, refuses

MINUTES = 15
MEMORY_CHECK = False
FAILS = "ValueError is expected, and there was no error"


def run(mine):
    scale_ = extension(mine, ["scale.cpp", "scale.cu", WATCH]).scale_
    for n in 0, 1, 3, 257, 4099:
        x = torch.arange(n, device=device, dtype=torch.float32)
        expected = 3 * x
        scale_(x, 3.0)
        if not torch.equal(x, expected):
            raise Wrong(f"n = {n}: scale_(x, 3) gives {x.tolist()[:8]}, expected {expected.tolist()[:8]}")
    matrix = torch.ones(3, 4, device=device)
    refuses(lambda: scale_(matrix[:, :2], 3.0), ValueError, "contiguous", "two columns of a matrix")
    if not torch.equal(matrix, torch.ones_like(matrix)):
        raise Wrong("two columns of a matrix: refused, and changed all the same")
    refuses(lambda: scale_(matrix.double(), 3.0), TypeError, "dtype", "float64")
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
