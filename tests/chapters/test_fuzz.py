"""Random combinations of everything that test_operators.py tries one by one.

Each example is an operator, a shape and, for each argument, what is done to it. The table says what must come of it. It
stops after some seconds, FUZZ of them; what it prints begins with the seed, and FUZZ_SEED repeats it:

    FUZZ=600 python -m pytest tests/chapters/test_fuzz.py
    FUZZ_SEED=123 python -m pytest tests/chapters/test_fuzz.py
"""

import collections
import os
import random as python_random
import time
from functools import partial

import pytest
import torch

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
import hypothesis  # noqa: E402
from hypothesis import strategies  # noqa: E402

from tests.chapters.operator_cases import (
    KINDS,
    LAYOUTS,
    OTHER_DEVICES,
    assert_raises,
    assert_right,
    example,
    random,
)
from tests.chapters.opinfo import OPERATORS

SECONDS = float(os.environ.get("FUZZ", 3))
SEED = int(os.environ.get("FUZZ_SEED") or python_random.randrange(10**6))
BUILT = [op for op in OPERATORS if op.build == "build"]  # `make test` builds no other
ROUND = 50  # examples; after each round it looks at the clock
pytestmark = pytest.mark.filterwarnings("ignore")

DTYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.uint16,
]
LAYOUTS = {"contiguous": lambda s, r, t: random(s, t)} | {k: v for k, v in LAYOUTS.items() if not k.startswith("2^40")}
CHANGES = {
    "none": lambda x: x,
    "requires grad": lambda x: x.detach().requires_grad_(x.is_floating_point()),
} | {kind: make for kind, make in KINDS.items() if kind not in ("sparse", "slice of a short one")}
CHANGES |= {where: partial(torch.Tensor.to, device=where) for where in OTHER_DEVICES}


SHAPES = strategies.lists(strategies.integers(0, 5), max_size=5).map(tuple)
# (0, a shape), (1, a dtype), (2, a layout) or (3, a change): one of tensor()'s arguments, and a value for it.
DEPARTURE = strategies.one_of(
    strategies.tuples(strategies.just(i), values)
    for i, values in enumerate([SHAPES, *(strategies.sampled_from(list(x)) for x in (DTYPES, LAYOUTS, CHANGES))])
)


@strategies.composite
def calls(draw):
    """An operator, how each of its tensors is made, its scalars. Of what it wants, three things are changed at most."""
    op = draw(strategies.sampled_from(BUILT))
    shape = draw(strategies.sampled_from([example(op)] * 6 + [op.shape(n) for n in (0, 1, 257)]) | SHAPES)
    dtype = draw(strategies.sampled_from(op.dtypes))
    of_each = [[op.shape_of(name, shape), dtype, "contiguous", "none"] for name in op.arguments]
    argument = strategies.integers(0, len(of_each) - 1)
    for i, (what, value) in draw(strategies.lists(strategies.tuples(argument, DEPARTURE), max_size=3)):
        of_each[i][what] = value
    values = {name: strategies.sampled_from(s.right + s.wrong) for name, s in op.scalars.items() if s.right + s.wrong}
    return op, of_each, draw(strategies.fixed_dictionaries({}, optional=values)), draw(strategies.booleans())


def tensor(shape, dtype, layout, change):
    # Layouts are for two dimensions or more, with something in them.
    fits = len(shape) >= 2 and 0 < torch.Size(shape).numel() <= 60
    return CHANGES[change](LAYOUTS[layout if fits else "contiguous"](shape, len(shape), dtype))


def try_call(tried, call, seed):
    op, of_each, scalars, grad = call
    torch.manual_seed(seed)
    args = [tensor(*made) for made in of_each]
    if op.dispatched and any(x.is_meta for x in args):
        return  # the dispatcher has a function of its own for them, which the tests of its chapter try
    with torch.set_grad_enabled(grad):
        faults = op.faults(args) + op.scalar_faults(args, scalars)
        tried["refused" if faults else "right"] += 1
        if faults:
            assert_raises(op, faults, lambda: op(*args, **scalars))
        else:
            assert_right(op, args, **scalars)


def test_any_combination_is_right_or_refused(capsys):
    tried, seed, start = collections.Counter(), SEED, time.monotonic()
    for op in BUILT:
        assert op.function  # builds it, if need be, before the clock starts

    @hypothesis.settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=hypothesis.HealthCheck,
    )
    @hypothesis.given(calls(), strategies.integers(0, 2**32))
    def examples(call, seed):
        try_call(tried, call, seed)

    while seed == SEED or time.monotonic() - start < SECONDS:
        try:
            hypothesis.seed(seed)(examples)()
        except BaseException:
            print(f"To repeat it: FUZZ_SEED={seed}")
            raise
        seed += 1
    with capsys.disabled():
        print(f"\nfuzz    seed {SEED}: {tried['right']} calls right, {tried['refused']} refused, as they should be")
