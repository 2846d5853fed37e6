"""crop: a binding that takes a view as it is

The kernel is right. Its binding passes the wrong stride, and checks nothing.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from common.exercises import Wrong, check, device, extension, refuses

MINUTES = 25
MEMORY_CHECK = False
HINTS = [
    "check_tensor() of common/check_input.h looks at dtype and device, check_input() also at the strides, and refuses a crop.",
    "img.stride(0) is the distance from one row to the next. It counts elements, which are bytes here.",
    "`TORCH_CHECK_VALUE(condition, 'text', img.sizes())`, with a text in double quotes, raises ValueError where the "
    "condition is false. images_of() in image.cpp has it for shape and strides.",
    "Bytes lie side by side where img.stride(2) == 1, and pixels where img.stride(1) == 3.",
]
FAILS = "wrong result"
WRONG = {
    "refuses_crops": (
        "ValueError: img must be contiguous",
        {
            "negative.cpp": [
                ("check_tensor", "check_input"),
                (
                    "    TORCH_CHECK_VALUE(img.numel() == 0 || (img.stride(2) == 1 && (img.size(1) == 1 "
                    "|| img.stride(1) == 3)),\n"
                    '                      "img must be contiguous within each row, got strides ", '
                    'img.strides(), "; pass img.contiguous()");\n',
                    "",
                ),
            ]
        },
    ),
    "copies": (
        "copies the crop",
        {
            "negative.cpp": [
                (
                    "const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                    "    const int64_t row_stride = img.stride(0);",
                    "const at::Tensor whole = img.contiguous();\n"
                    "    const uint8_t* from = whole.const_data_ptr<uint8_t>();\n"
                    "    const int64_t row_stride = whole.stride(0);",
                )
            ]
        },
    ),
    "pixels_apart": (
        "every second column: ValueError is expected",
        {
            "negative.cpp": [
                (
                    "    TORCH_CHECK_VALUE(img.numel() == 0 || (img.stride(2) == 1 && (img.size(1) == 1 "
                    "|| img.stride(1) == 3)),\n"
                    '                      "img must be contiguous within each row, got strides ", '
                    'img.strides(), "; pass img.contiguous()");\n',
                    "",
                )
            ]
        },
    ),
    "shape_forgotten": (
        "H x W, no colours: ValueError is expected",
        {
            "negative.cpp": [
                (
                    '    TORCH_CHECK_VALUE(img.dim() == 3 && img.size(2) == 3, "img must have the shape '
                    'H x W x 3, got ", img.sizes());\n',
                    "",
                )
            ]
        },
    ),
}


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
