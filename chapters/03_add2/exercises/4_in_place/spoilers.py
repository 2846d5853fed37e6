"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "add2.cpp has the line for the dtype, the device and the strides: check_input().",
    "torch_launch_add2 in add2.cpp also changes a tensor of the caller. Which of its lines tells autograd so?",
]
WRONG = {
    "version_forgotten": ("version", {"scale.cpp": [("    x.unsafeGetTensorImpl()->bump_version();\n", "")]}),
    "strides_forgotten": ("ValueError is expected", {"scale.cpp": [(" check_input", " check_tensor")]}),
    "copies": (
        "ValueError is expected",
        {
            "scale.cpp": [
                ("const at::Tensor&", "at::Tensor"),
                ('check_input(x, "x", at::kFloat);', 'check_tensor(x, "x", at::kFloat);\n    x = x.contiguous();'),
            ]
        },
    ),
}
