"""port: a binding by TORCH_LIBRARY becomes one by the stable ABI

axpy.cpp works for the torch that it was compiled with. The check compiles it for torch 2.11 and all later ones.
"""

import torch

from common.exercises import Wrong, device, extension, refuses

MINUTES = 30
MEMORY_CHECK = False
HINTS = [
    "The lesson's table has a row for each word that changes. The headers are those at the beginning of the lesson's "
    "bias_gelu.cpp.",
    "Tensor, ScalarType, check_input() and check_same() come from common/check_stable.h, and so does KERNEL_DISPATCH_KEY. "
    'check_input(x, "x", {ScalarType::Float}) takes a list of dtypes. The stream: current_stream() of the lesson.',
    "STABLE_TORCH_LIBRARY(exercise, m) has the m.def, STABLE_TORCH_LIBRARY_IMPL(exercise, KERNEL_DISPATCH_KEY, m) the m.impl, "
    'with TORCH_BOX(&axpy). A "float" of a schema is a double in C++.',
]
FAILS = "should not be included"
WRONG = {
    "float32": ("factor has arrived as 0.", {"axpy.cpp": [("double", "float")]}),
    "no_checks": (
        "two columns of a matrix: RuntimeError is expected, and there was no error",
        {
            "axpy.cpp": [
                (
                    '    check_input(x, "x", {ScalarType::Float});\n'
                    '    check_input(y, "y", {ScalarType::Float});\n'
                    '    check_same(x, "x", y, "y");\n',
                    "",
                )
            ]
        },
    ),
    "no_impl": (
        "no function for tensors",
        {
            "axpy.cpp": [
                (
                    "\n"
                    'STABLE_TORCH_LIBRARY_IMPL(exercise, KERNEL_DISPATCH_KEY, m) { m.impl("axpy", '
                    "TORCH_BOX(&axpy)); }\n",
                    "",
                )
            ]
        },
    ),
    "shapes": (
        "other shapes: RuntimeError is expected, and there was no error",
        {"axpy.cpp": [('    check_same(x, "x", y, "y");\n', "")]},
    ),
}


def run(mine):
    extension(mine, ["axpy.cpp", "axpy.cu"], stable=True)
    try:
        axpy = torch.ops.exercise.axpy
    except AttributeError:
        raise Wrong("torch.ops.exercise has no axpy: no schema was entered under this name") from None
    for n in 0, 1, 3, 257:
        x = torch.arange(n, device=device, dtype=torch.float32) + 1
        y = torch.ones(n, device=device)
        try:
            found = axpy(0.5, x, y)
        except NotImplementedError:
            raise Wrong(f"axpy has no function for tensors on {device.type}") from None
        if not torch.equal(found, expected := 0.5 * x + y):
            lost = torch.equal(found, y)  # the factor's 64 bits, read as 32, are 0
            x, y, found, expected = (t.tolist()[:4] for t in (x, y, found, expected))
            raise Wrong(
                f"axpy(factor=0.5, x={x}, y={y}) is {found}, expected {expected}"
                + "\nfactor has arrived as 0. In the schema it is a float of Python, of 64 bits: which type is that in C++?"
                * lost
            )
    matrix = torch.ones(4, 4, device=device)
    refuses(lambda: axpy(1.0, matrix.double(), matrix.double()), RuntimeError, "", "float64")
    refuses(lambda: axpy(1.0, matrix[:, :2], matrix[:, 2:]), RuntimeError, "contiguous", "two columns of a matrix")
    refuses(lambda: axpy(1.0, matrix, matrix[:2]), RuntimeError, "shape", "other shapes")
    print("right   compiled for torch 2.11 and later; values; refused tensors")
