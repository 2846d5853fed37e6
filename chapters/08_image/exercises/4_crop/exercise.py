"""crop: let a binding take a view as it is

The kernel is right. Its binding, negative.cpp, passes the wrong stride, and checks nothing. Let it take crops without a
copy, and refuse what the kernel cannot read.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.checks import WATCH, Wrong, check, device, extension, launches_rightly, many, refuses

MINUTES = 25
MEMORY_CHECK = False
FAILS = "wrong result"


class Calls(TorchDispatchMode):
    """The names of torch's functions that run meanwhile, but for views and memory without a value."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.name().removeprefix("aten::").partition(".")[0]
        if not func.is_view and "empty" not in name:
            self.names.append(name)
        return func(*args, **(kwargs or {}))


def image(*shape):
    return torch.randint(0, 256, shape, dtype=torch.uint8, device=device)


def run(mine):
    negative = extension(mine, ["negative.cpp", "negative.cu", WATCH]).negative
    for what, inputs in {
        "a whole image": lambda n: (image(3, n, 3),),
        "a crop, img[1:, 2:]": lambda n: (image(4, n + 2, 3)[1:, 2:],),
        "every second row, img[::2]": lambda n: (image(6, n, 3)[::2],),
    }.items():
        check(negative, lambda img: 255 - img, inputs, sizes=(0, 1, 2, 5, 100, 257), name=f"{what}, width")
    img = image(8, 10, 3)
    refuses(lambda: negative(img.float()), TypeError, "dtype", "float32")
    refuses(lambda: negative(img[:, :, 0].contiguous()), ValueError, "img", "H x W, no colours")
    refuses(lambda: negative(image(2, 8, 10, 3)), ValueError, "img", "a batch, N x H x W x 3")
    refuses(lambda: negative(image(8, 10, 4)), ValueError, "img", "four bytes a pixel")
    refuses(lambda: negative(img[:1, :1, :2]), ValueError, "img", "two of three colours, img[:1, :1, :2]")
    refuses(lambda: negative(img[:, ::2]), ValueError, "img", "every second column")
    refuses(lambda: negative(img[:, :1].expand(8, 10, 3)), ValueError, "img", "one column, ten times, by expand()")
    refuses(
        lambda: negative(image(3, 8, 10).permute(1, 2, 0)),
        ValueError,
        "img",
        "planes, 3 x H x W, permuted to H x W x 3",
    )
    refuses(lambda: negative(img.view(torch.int8)), TypeError, "dtype", "int8")
    refuses(lambda: negative(image(8, 3)), ValueError, "img", "a matrix of three columns")
    refuses(lambda: negative(image(8, 1, 6)[:, :, ::2]), ValueError, "img", "every second byte of a column of pixels")
    refuses(
        lambda: negative(torch.empty_like(img[:0], device="meta")), ValueError, "img", "a tensor of the device meta"
    )
    try:
        negative(img[:0])
    except (IndexError, ValueError) as error:
        raise Wrong(f"img[:0] has no rows, and is no mistake: {error}") from None
    # The kernel reads both: a single column has no neighbour, and each row may begin at the same byte.
    for view in image(8, 2, 3)[:, ::2], image(1, 10, 3).expand(5, 10, 3):
        what = f"an image of shape {list(view.shape)} and strides {list(view.stride())}"
        try:
            found = negative(view)
        except (IndexError, TypeError, ValueError, RuntimeError) as error:
            raise Wrong(f"{what} is no mistake: {error}") from None
        if not torch.equal(found, 255 - view):
            raise Wrong(f"{what}: wrong result")
    # More than 2^32 bytes lie between two rows.
    if (memory := many(2**32 + 11, torch.uint8)) is not None:
        memory[-3:] = torch.tensor([1, 2, 3])
        found = negative(memory.as_strided((2, 1, 3), (2**32 + 8, 3, 1)))[1].flatten().tolist()
        if found != [254, 253, 252]:
            raise Wrong(
                f"a row of [1, 2, 3] begins 2^32 + 8 bytes after the one before: {found}, expected [254, 253, 252]"
            )
    with Calls() as calls:
        negative(img[2:, 3:])
    if calls.names:
        raise Wrong(
            f"negative(img[2:, 3:]) copies the crop, or computes by torch: the binding calls {calls.names[0]}, a kernel of "
            "its own"
        )
    if device.type == "cpu":
        launches_rightly(mine, lambda: negative(img), "negative", img, stable=False)
    print(f"{'right':8}refused tensors; no copy")
