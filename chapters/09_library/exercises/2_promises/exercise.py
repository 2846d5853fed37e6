"""promises: fix five operators that each break a promise

Five operators, registered in Python, are right in eager mode, and each breaks a promise: its schema is wrong, its function
for fake tensors is wrong, or it does not keep to its schema. opcheck names the promise. Keep what the operators compute.
"""

import warnings

import torch

from grader.checks import Wrong, device, module

MINUTES = 20
MEMORY_CHECK = False
FAILS = "halve_: the schema"


def run(mine):
    module(mine / "promises.py").register(device.type)
    ops = torch.ops.exercise
    some = torch.tensor([[4.0, 2.0, 8.0], [6.0, 10.0, 0.0]], device=device)

    schema = ops.halve_.default._schema
    if not (schema.arguments[0].alias_info and schema.arguments[0].alias_info.is_write):
        raise Wrong(f"halve_: the schema does not say that the operator writes x\n{schema}")
    if schema.returns:
        raise Wrong(f"halve_: the operator returns nothing, and the schema promises a result\n{schema}")
    for name in "largest", "rotated", "scaled", "head":
        schema = getattr(ops, name).default._schema
        if any(returned.alias_info for returned in schema.returns):
            raise Wrong(
                f"{name}: the schema says that the result is a view of x; torch.compile refuses an operator of a library that "
                f"returns a view\n{schema}"
            )
        if any(a.alias_info and a.alias_info.is_write for a in schema.arguments):
            raise Wrong(f"{name}: the schema says that the operator writes x, and it only reads x\n{schema}")
    several = some, torch.cat((some + 1, some), 1), torch.cat((some, some + 1, some[:1]))
    calls = ("halve_",), ("largest",), ("rotated",), *(("scaled", factor) for factor in (-1.5, 1.0, 0.0))
    for x in several:
        for name, *args in *calls, *(("head", n) for n in {0, 1, len(x) // 2, len(x)}):
            promised(getattr(ops, name), name, x.clone(), args)
    promised(ops.largest, "largest", some[:1].clone(), [])
    for x in several:
        close("halve_", x.clone(), lambda t: ops.halve_(t) or t, lambda t: t / 2)
        close("largest", x, ops.largest, lambda t: t.argmax(1))
        close("rotated", x, ops.rotated, lambda t: t.t().flip(1))
        for factor in -1.5, 1.0:
            close("scaled", x, lambda t, factor=factor: ops.scaled(t, factor), lambda t, factor=factor: t * factor)
        for n in 0, 1, len(x):
            close("head", x, lambda t, n=n: ops.head(t, n), lambda t, n=n: t[:n])
    x = some.clone()
    ops.halve_(x[1:])
    if not torch.equal(x, expected := torch.stack((some[0], some[1] / 2))):
        raise Wrong(f"halve_(x[1:]), x = {some.tolist()}: x is {x.tolist()}, expected {expected.tolist()}")
    special = torch.tensor([[float("nan"), float("inf")]], device=device)
    if not ops.scaled(special, 0.0).isnan().all():
        raise Wrong(
            f"scaled: x = {special.tolist()}, factor = 0.0 gives {ops.scaled(special, 0.0).tolist()}, expected NaN"
        )
    print("right   halve_ largest rotated scaled head: opcheck finds nothing")


def promised(op, name, x, args):
    """opcheck's tests of schema and fake function, and the strides, which torch 2.11 does not compare."""
    call = f"{name}(x{''.join(f', {a}' for a in args)}) with an x of shape {list(x.shape)}"
    if name != "halve_":
        result, fake = op(x, *args), op(x.to("meta"), *args)
        if fake.device.type != "meta":
            raise Wrong(
                f"{name}: the function for fake tensors makes its result on {fake.device}, expected: on that of x"
            )
        real, fake = (f"shape {list(t.shape)}, {t.dtype}, strides {list(t.stride())}" for t in (result, fake))
        if real != fake:
            raise Wrong(f"{name}: the function for fake tensors promises {fake}\n{call} returns {real}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for test in "test_schema", "test_faketensor":
            try:
                torch.library.opcheck(op, (x, *args), test_utils=test)
            except Exception as error:
                cause = error.__cause__ or error
                first = str(cause).strip().partition("\n")[0]
                raise Wrong(f"{name}: torch.library.opcheck calls {call}, and {test} says\n{first}") from None


def close(name, x, op, reference):
    expected = reference(x.clone())
    found = op(x.clone())
    if found.dtype != expected.dtype or not torch.equal(found, expected):
        texts = (f"{t.tolist()}, {t.dtype}" for t in (found, expected))
        raise Wrong(f"{name}: x = {x.tolist()} gives {', expected '.join(texts)}")
