"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "check_tensor() of common/check_input.h looks at dtype and device, check_input() also at the strides, and refuses a crop.",
    "img.stride(0) is the distance from one row to the next. It counts elements, which are bytes here.",
    "`TORCH_CHECK_VALUE(condition, 'text', img.sizes())`, with a text in double quotes, raises ValueError where the "
    "condition is false. images_of() in image.cpp has it for shape and strides.",
    "Bytes lie side by side where img.stride(2) == 1, and pixels where img.stride(1) == 3.",
]
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
