"""Random combinations of everything that test_operators.py tries one by one.

Each example is an operator, a shape and, for each argument, what is done to it. The table says what must come of it. Where
CI is set, the examples are the same in each run; elsewhere new ones, and pytest prints the seed when one fails:
`pytest tests/test_fuzz.py --hypothesis-seed=...` repeats them. FUZZ=100000 tries as many.
"""

import os

import pytest
import torch

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from hypothesis import given, settings, strategies  # noqa: E402
from operator_table import NAMES, OPERATORS  # noqa: E402
from test_operators import LAYOUTS, OTHER_DEVICES, Plain, assert_raises, assert_right, random, resized  # noqa: E402

EXAMPLES = int(os.environ.get("FUZZ", 300))
pytestmark = pytest.mark.filterwarnings("ignore")

LAYOUTS = {"contiguous": lambda s, r, t: random(s, t)} | {k: v for k, v in LAYOUTS.items() if not k.startswith("2^40")}
CHANGES = {
    "negated": torch._neg_view,
    "requires grad": lambda x: x.detach().requires_grad_(x.is_floating_point()),
    "freed": lambda x: resized(x, 0),
    "a byte too short": lambda x: resized(x, max(0, x.untyped_storage().nbytes() - 1)),
    "subclass": lambda x: x.as_subclass(Plain),
    "copied on write": torch._lazy_clone,
} | {where: lambda x, where=where: x.to(where) for where in OTHER_DEVICES}
DTYPES = [dtype for dtype in NAMES if dtype.itemsize <= 2 or dtype.is_floating_point]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.uint8, torch.int8, torch.int16, torch.uint16]


@strategies.composite
def calls(draw):
    """An operator with a shape, and how each of its arguments departs from that: mostly not at all."""
    op = draw(strategies.sampled_from([op for op in OPERATORS if op.arguments]))
    usual = draw(strategies.sampled_from([op.shape(n) for n in (0, 1, 4, 257)]))
    shapes = strategies.lists(strategies.integers(0, 5), max_size=5).map(tuple)
    seldom = lambda usually, other: strategies.one_of(*[strategies.just(usually)] * 4, other)  # noqa: E731
    shape = draw(seldom(usual, shapes))
    arguments = [
        (
            draw(seldom(shape, shapes)),
            draw(seldom(op.dtype, strategies.sampled_from(DTYPES))),
            draw(seldom("contiguous", strategies.sampled_from(list(LAYOUTS)))),
            draw(seldom(None, strategies.sampled_from(list(CHANGES)))),
        )
        for _ in op.arguments
    ]
    # A value for each scalar, and whether it is one that the operator takes.
    values = {name: [(v, True) for v in s.right] + [(v, False) for v in s.wrong] for name, s in op.scalars.items()}
    chosen = {name: draw(strategies.sampled_from(v)) for name, v in values.items() if v and draw(strategies.booleans())}
    return op, arguments, chosen, draw(strategies.booleans())


def tensor(shape, dtype, layout, change):
    fits = len(shape) >= 2 and 0 not in shape and torch.Size(shape).numel() <= 60 or layout == "contiguous"
    x = (LAYOUTS[layout] if fits else LAYOUTS["contiguous"])(shape, len(shape), dtype)
    return CHANGES[change](x) if change else x


@settings(
    max_examples=EXAMPLES, deadline=None, derandomize="CI" in os.environ, database=None, print_blob=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)  # fmt: skip
@given(calls(), strategies.integers(0, 2**32))
def test_any_combination_is_right_or_refused(call, seed):
    op, arguments, scalars, grad = call
    torch.manual_seed(seed)
    args = [tensor(*a) for a in arguments]
    n_wrong = "n" in scalars and not scalars["n"][0] <= (args[0].numel() if args else 0)
    with torch.set_grad_enabled(grad):
        faults = op.faults(args)
        faults += [(ValueError, rf"{name} must .*, got ") for name, (_, fine) in scalars.items() if not fine or n_wrong]
        values = {name: value for name, (value, _) in scalars.items()}
        if "n" in values and values["n"] == 17 and args[0].numel() >= 17:
            return  # not too many here
        if faults:
            assert_raises(op, faults, lambda: op(*args, **values))
        else:
            assert_right(op, args, **values)
