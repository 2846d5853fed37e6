"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "check_tensor() of check_tensor.h looks at dtype and device, check_input() also at the strides, and refuses a crop.",
    "img.stride(0) is the distance from one row to the next. It counts elements, which are bytes here.",
    "`TORCH_CHECK_VALUE(condition, 'text', img.sizes())`, with a text in double quotes, raises ValueError where the "
    "condition is false. images_of() in image.cpp has it for shape and strides.",
    "Bytes lie side by side where img.stride(2) == 1, and pixels where img.stride(1) == 3.",
]
WRONG = {
    "no_guard": (
        "when negative launches, no DeviceGuard is there",
        {"negative.cpp": [("    const c10::cuda::CUDAGuard guard(img.device());\n", "")]},
    ),
    "guard_of_the_first_gpu": (
        "the DeviceGuard is of a fixed device",
        {"negative.cpp": [("guard(img.device())", "guard(c10::DeviceIndex(0))")]},
    ),
    "refuses_crops": (
        "ValueError: img must be contiguous",
        {
            "negative.cpp": [
                ("check_tensor(", "check_input("),
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
    "by_torch": (
        "the binding calls bitwise_not",
        {
            "negative.cpp": [
                (
                    (
                        "    const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = img.stride(0);\n"
                    ),
                    (
                        "    const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = img.stride(0);\n"
                        "    return at::bitwise_not(img);\n"
                    ),
                ),
                (
                    "#include <torch/csrc/Exceptions.h>\n",
                    ("#include <torch/csrc/Exceptions.h>\n#include <ATen/ATen.h>\n"),
                ),
            ]
        },
    ),
    "copies_by_cat": (
        "copies the crop, or computes by torch: the binding calls cat",
        {
            "negative.cpp": [
                (
                    (
                        "    const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = img.stride(0);\n"
                    ),
                    (
                        "    const at::Tensor whole = at::cat({img});\n"
                        "    const uint8_t* from = whole.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = 3 * img.size(1);\n"
                    ),
                ),
                (
                    "#include <torch/csrc/Exceptions.h>\n",
                    ("#include <torch/csrc/Exceptions.h>\n#include <ATen/ATen.h>\n#include <vector>\n"),
                ),
            ]
        },
    ),
    "any_byte": (
        "int8: TypeError is expected",
        {
            "negative.cpp": [
                (
                    '    check_tensor(img, "img", at::kByte);\n',
                    ('    TORCH_CHECK_TYPE(img.element_size() == 1, "img must have dtype uint8, got float32");\n'),
                ),
                ("img.const_data_ptr<uint8_t>()", "static_cast<const uint8_t*>(img.const_data_ptr())"),
            ]
        },
    ),
    "any_device": (
        "a tensor of the device meta: ValueError is expected",
        {
            "negative.cpp": [
                (
                    '    check_tensor(img, "img", at::kByte);\n',
                    (
                        '    TORCH_CHECK_TYPE(img.scalar_type() == at::kByte, "img must have dtype uint8, got '
                        'float32");\n'
                    ),
                )
            ]
        },
    ),
    "last_dimension_only": (
        "a matrix of three columns: ValueError is expected",
        {"negative.cpp": [("img.dim() == 3 && img.size(2) == 3", "img.size(-1) == 3")]},
    ),
    "bytes_apart": (
        "every second byte of a column of pixels: ValueError is expected",
        {
            "negative.cpp": [
                (
                    "(img.stride(2) == 1 && (img.size(1) == 1 || img.stride(1) == 3))",
                    "(img.size(1) == 1 || img.stride(1) == 3)",
                )
            ]
        },
    ),
    "first_row": (
        "img[:0] has no rows, and is no mistake",
        {
            "negative.cpp": [
                (
                    "img.numel() == 0 || (img.stride(2) == 1 && (img.size(1) == 1 || img.stride(1) == 3))",
                    "img[0].is_contiguous()",
                )
            ]
        },
    ),
    "on_the_host": (
        "negative launches no kernel",
        {
            "negative.cpp": [
                (
                    (
                        "    const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = img.stride(0);\n"
                    ),
                    (
                        "    const uint8_t* from = img.const_data_ptr<uint8_t>();\n"
                        "    const int64_t row_stride = img.stride(0);\n"
                        "    {\n"
                        "        at::Tensor out = img.new_empty(img.sizes());\n"
                        "        uint8_t* to = out.mutable_data_ptr<uint8_t>();\n"
                        "        for (int64_t y = 0; y < img.size(0); y++)\n"
                        "            for (int64_t x = 0; x < 3 * img.size(1); x++) to[y * 3 * img.size(1) + x] = "
                        "255 - from[y * row_stride + x];\n"
                        "        return out;\n"
                        "    }\n"
                    ),
                )
            ]
        },
    ),
    "host_and_kernel": (
        "negative gives the same result when its kernels do nothing",
        {
            "negative.cpp": [
                (
                    "    const c10::cuda::CUDAGuard guard(img.device());\n    at::Tensor out = img.new_empty(img.sizes());\n",
                    (
                        "    at::Tensor out = img.new_empty(img.sizes());\n"
                        "    uint8_t* to = out.mutable_data_ptr<uint8_t>();\n"
                        "    for (int64_t y = 0; y < img.size(0); y++)\n"
                        "        for (int64_t x = 0; x < 3 * img.size(1); x++) *to++ = 255 - from[y * row_stride + x];\n"
                    ),
                )
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "negative.cu": [
                (
                    "    if (height == 0 || width == 0) return;\n",
                    "    if (height == 0 || width == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, width);\n",
                )
            ]
        },
    ),
    "any_dimensions": (
        "a batch, N x H x W x 3: ValueError is expected",
        {
            "negative.cpp": [
                ("img.dim() == 3 && img.size(2) == 3", "img.dim() >= 3 && img.size(-1) == 3"),
                (
                    "img.stride(2) == 1 && (img.size(1) == 1 || img.stride(1) == 3)",
                    "img.stride(-1) == 1 && (img.size(-2) == 1 || img.stride(-2) == 3)",
                ),
            ]
        },
    ),
    "overlapping_rows": (
        "strides [0, 3, 1] is no mistake",
        {"negative.cpp": [("img.stride(1) == 3)),", "img.stride(1) == 3) && img.stride(0) >= 3 * img.size(1)),")]},
    ),
    "stride_of_32_bits": (
        "begins 2^32 + 8 bytes after the one before: [255, 255, 255], expected [254, 253, 252]",
        {"negative.cpp": [("const int64_t row_stride = img.stride(0);", "const int row_stride = int(img.stride(0));")]},
    ),
    "fewer_colours": (
        "two of three colours, img[:1, :1, :2]: ValueError is expected",
        {"negative.cpp": [("img.size(2) == 3,", "img.size(2) <= 3,")]},
    ),
    "columns_at_one_place": (
        "one column, ten times, by expand(): ValueError is expected",
        {"negative.cpp": [("img.stride(1) == 3)", "img.stride(1) <= 3)")]},
    ),
}
