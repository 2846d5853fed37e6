"""register: a Meta function and the entries in the dispatcher

The kernel, its launcher and the function that calls it are there. torch does not know of them.
"""

import torch

from common.exercises import Wrong, device, extension

MINUTES = 30
MEMORY_CHECK = False
HINTS = [
    "m.def enters a schema, m.impl a function for a key: the lesson's block TORCH_LIBRARY has one of each for bias_gelu. "
    "The namespace here is exercise, the first argument of TORCH_LIBRARY.",
    "outer checks dtype, dimensions and gaps. Its Meta function must raise the same errors: TORCH_CHECK_TYPE for the dtype, "
    "TORCH_CHECK_VALUE for the rest. check_input() asks for tensors with memory, so it cannot help.",
    "A size that torch leaves open is a symbol: sym_size(0) takes it, size(0) raises an error. at::empty_symint({...}, "
    "x.options()) makes a tensor with such sizes.",
    'm.def("outer(Tensor x, Tensor y) -> Tensor"); then m.impl("outer", kernel_dispatch_key, TORCH_FN(outer)); and the same '
    "with c10::DispatchKey::Meta and TORCH_FN(outer_meta). The result of outer_meta: {x.sym_size(0), y.sym_size(0)}.",
]
FAILS = "torch.ops.exercise has no outer"
WRONG = {
    "no_meta": (
        "no function for fake tensors",
        {"outer.cpp": [('    m.impl("outer", c10::DispatchKey::Meta, TORCH_FN(outer_meta));\n', "")]},
    ),
    "square": (
        "the Meta function promises the shape [1, 1], the operator returns [1, 0]",
        {"outer.cpp": [(", y.sym_size", ", x.sym_size")]},
    ),
    "fixed_size": (
        "the Meta function takes a size for a number",
        {"outer.cpp": [("empty_symint({x.sym_size(0), y.sym_size", "empty({x.size(0), y.size")]},
    ),
    "kernel_for_meta": (
        ", got meta",
        {"outer.cpp": [("TORCH_FN(outer_meta)", "TORCH_FN(outer)")]},
    ),
    "meta_takes_all": (
        "x of float64: the operator refuses it with TypeError, and its Meta function does not",
        {"outer.cpp": [('    check_meta(x, "x");\n    check_meta(y, "y");\n', "")]},
    ),
    "meta_checks_x": (
        "y of float64: the operator refuses it with TypeError, and its Meta function does not",
        {"outer.cpp": [('    check_meta(y, "y");\n', "")]},
    ),
    "meta_raises_another": (
        "x with gaps between its elements: the operator raises ValueError, and its Meta function RuntimeError",
        {"outer.cpp": [("TORCH_CHECK_VALUE(x.is_contiguous()", "TORCH_CHECK(x.is_contiguous()")]},
    ),
    "writes": ("which are read alone", {"outer.cpp": [("(Tensor", "(Tensor(a!)")]}),
}


def run(mine):
    extension(mine, ["outer.cpp", "outer.cu"], is_python_module=False, extra_cflags=["-O1"])
    try:
        op = torch.ops.exercise.outer
    except AttributeError:
        raise Wrong("torch.ops.exercise has no outer: no schema was entered under this name") from None
    arguments, returns = op.default._schema.arguments, op.default._schema.returns
    if [a.name for a in arguments] != ["x", "y"] or any(a.alias_info for a in arguments):
        raise Wrong(f"the schema is to have two arguments, x and y, which are read alone\n{op.default._schema}")
    if len(returns) != 1 or returns[0].alias_info:
        raise Wrong(f"the schema is to promise one result, in new memory\n{op.default._schema}")
    for m, n in (0, 0), (1, 0), (3, 2), (17, 40):
        x, y = (torch.arange(k, device=device, dtype=torch.float32) + 1 for k in (m, n))
        try:
            result = op(x, y)
        except NotImplementedError:
            raise Wrong(f"outer(x, y) has no function for tensors on {device.type}") from None
        if not torch.equal(result, torch.outer(x, y)):
            raise Wrong(f"outer(x, y), x = {x.tolist()}, y = {y.tolist()}: {result.tolist()}")
        try:
            promised = op(x.to("meta"), y.to("meta"))
        except NotImplementedError:
            raise Wrong(
                "outer(x, y) has no function for fake tensors: torch.compile and torch.export need one"
            ) from None
        if promised.shape != result.shape or promised.dtype != result.dtype:
            raise Wrong(
                f"x of {m} and y of {n} elements: the Meta function promises the shape {list(promised.shape)}, "
                f"the operator returns {list(result.shape)}"
            )
    of_refusals(op)
    of_symbols(op)
    print("right   schema, results, shapes without memory, what is refused, sizes that are symbols")


def of_refusals(op):
    """torch.compile and torch.export ask the Meta function alone: what it takes, they take."""
    right = torch.ones(6, device=device)
    wrong = {
        "of float64": right.double(),
        "of two dimensions": right.view(2, 3),
        "with gaps between its elements": right[::2],
    }
    for what, tensor in wrong.items():
        for name, args in ("x", (tensor, right)), ("y", (right, tensor)):
            expected, found = (
                refusal(op, args),
                refusal(op, [t.to("meta").as_strided(t.shape, t.stride()) for t in args]),
            )
            if found is None:
                raise Wrong(
                    f"{name} {what}: the operator refuses it with {expected}, and its Meta function does not: "
                    "a compiled model would fail only when it runs"
                )
            if found != expected:
                raise Wrong(f"{name} {what}: the operator raises {expected}, and its Meta function {found}")


def refusal(op, args):
    """The name of the error that the call raises, or None."""
    try:
        op(*args)
    except Exception as error:
        return type(error).__name__


def of_symbols(op):
    """torch.export leaves sizes open."""

    class Model(torch.nn.Module):
        def forward(self, x, y):
            return op(x, y) + 1

    example = torch.ones(3, device=device), torch.ones(2, device=device)
    sizes = {name: {0: torch.export.Dim.DYNAMIC} for name in "xy"}
    try:
        program = torch.export.export(Model(), example, dynamic_shapes=sizes)
    except Exception as error:
        first = str(error).strip().partition("\n")[0]
        raise Wrong(
            f"torch.export leaves the sizes open, and the Meta function takes a size for a number\n{first}"
        ) from None
    if program.module()(torch.ones(5, device=device), torch.ones(4, device=device)).shape != (5, 4):
        raise Wrong("torch.export, exported with sizes that are symbols, gives a wrong shape for other sizes")
