"""register: write a Meta function and the entries in the dispatcher

torch does not know of outer.cpp: a kernel, its launcher and the function that calls it. Write the entries in the dispatcher,
and a Meta function that refuses what outer refuses.
"""

import re

import torch

from grader.checks import WATCH, Wrong, device, extension, launches_rightly, without_comments

MINUTES = 30
MEMORY_CHECK = False
FAILS = "torch.ops.exercise has no outer"


def run(mine):
    extension(mine, ["outer.cpp", "outer.cu", WATCH], is_python_module=False)
    try:
        op = torch.ops.exercise.outer
    except AttributeError:
        raise Wrong("torch.ops.exercise has no outer: no schema was entered under this name") from None
    if op.overloads() != ["default"]:
        raise Wrong(
            f"the schema's name has an overload, {op.overloads()[0]}: expected outer alone, with nothing after a point"
        )
    if re.search(r"\bk?CPU\b", without_comments(mine / "outer.cpp")):
        raise Wrong(
            "outer.cpp names the key CPU: on a GPU, outer would have no kernel; kernel_dispatch_key is right for both"
        )
    for key in "CompositeExplicitAutograd", "CompositeImplicitAutograd":
        if torch._C._dispatch_has_kernel_for_dispatch_key("exercise::outer", key):
            raise Wrong(
                f"a function is entered under {key}, the key of all devices; neither function is for all of them"
            )
    arguments, returns = op.default._schema.arguments, op.default._schema.returns
    if [a.name for a in arguments] != ["x", "y"] or any(a.alias_info for a in arguments):
        raise Wrong(f"the schema must have two arguments, x and y, which are only read\n{op.default._schema}")
    if len(returns) != 1 or returns[0].alias_info:
        raise Wrong(f"the schema must promise one result, in new memory\n{op.default._schema}")
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
        if promised.stride() != result.stride():
            raise Wrong(
                f"x of {m} and y of {n} elements: the Meta function promises the strides {list(promised.stride())}, "
                f"the operator returns {list(result.stride())}"
            )
    if device.type == "cpu":
        x = torch.rand(17)
        launches_rightly(mine, lambda: op(x, x), "outer", x, stable=False)
    of_refusals(op)
    of_symbols(op)
    print("right   schema, results, shapes without memory, what is refused, sizes that are symbols")


def of_refusals(op):
    """torch.compile and torch.export ask the Meta function alone: what it takes, they take."""
    right = torch.ones(6, device=device)
    wrong = {
        "of float64": right.double(),
        "of int32": right.int(),
        "of no dimension": right[0],
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
    single = right[::6]  # one element has no neighbour, so its stride says nothing
    for name, args in ("x", (single, right)), ("y", (right, single)):
        if error := refusal(op, [t.to("meta").as_strided(t.shape, t.stride()) for t in args]):
            raise Wrong(
                f"{name} of one element, with a stride of 6: the operator takes it, and its Meta function raises {error}"
            )


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
