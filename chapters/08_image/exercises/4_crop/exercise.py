"""crop: a binding that takes a view as it is

The kernel is right. Its binding passes the wrong stride, and checks nothing.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.checks import Wrong, check, device, extension, refuses

MINUTES = 25
MEMORY_CHECK = False
FAILS = "wrong result"


class Calls(TorchDispatchMode):
    """The names of torch's functions that run meanwhile."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.name().removeprefix("aten::").partition(".")[0])
        return func(*args, **(kwargs or {}))


def image(*shape):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


def run(mine):
    negative = extension(mine, ["negative.cpp", "negative.cu"]).negative
    for what, inputs in {
        "a whole image": lambda n: (image(3, n, 3),),
        "a crop, img[1:, 2:]": lambda n: (image(4, n + 2, 3)[1:, 2:],),
        "every second row, img[::2]": lambda n: (image(6, n, 3)[::2],),
    }.items():
        check(negative, lambda img: 255 - img, inputs, sizes=(0, 1, 2, 5, 100, 257), name=f"{what}, width")
    img = image(8, 10, 3)
    refuses(lambda: negative(img.float()), TypeError, "dtype", "float32")
    refuses(lambda: negative(img[:, :, 0].contiguous()), ValueError, "img", "H x W, no colours")
    refuses(lambda: negative(image(8, 10, 4)), ValueError, "img", "four bytes a pixel")
    refuses(lambda: negative(img[:, ::2]), ValueError, "img", "every second column")
    refuses(
        lambda: negative(image(3, 8, 10).permute(1, 2, 0)),
        ValueError,
        "img",
        "planes, 3 x H x W, permuted to H x W x 3",
    )
    with Calls() as calls:
        negative(img[2:, 3:])
    copying = [name for name in calls.names if name in ("clone", "copy_", "contiguous", "_to_copy")]
    if copying:
        raise Wrong(f"negative(img[2:, 3:]) copies the crop: the binding calls {copying[0]}, a kernel of its own")
    print(f"{'right':8}refused tensors; no copy")
