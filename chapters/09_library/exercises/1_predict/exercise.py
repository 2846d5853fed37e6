"""predict: which functions a call runs

Answer the questions in answers.py: which functions does a call run, and how many graphs are there? No operator runs. The
lesson's first drawing and its block TORCH_LIBRARY give the answers.
"""

import re

from grader.checks import answer, module
from grader.report import show

MINUTES = 5
FAILS = "PLAIN is None"


KEYS = "Autocast", "Autograd", "ADInplaceOrView", "CUDA", "Meta"


def run(mine):
    plain, fake, training = ["ADInplaceOrView", "CUDA"], ["ADInplaceOrView", "Meta"], list(KEYS[:-1])
    why = "which functions has bias_gelu.cpp entered for bias_gelu? Which of the last two is for tensors with memory?"
    answer(mine, "PLAIN", plain, why)
    answer(mine, "FAKE", fake, "which of the two last functions is for tensors without memory?")
    answer(mine, "TRAINING", training, "the order is that of the drawing")
    answer(mine, "SPARSE", "c", "the lesson says what torch does where there is no function for a tensor's key")
    schema, given = "(Tensor(a!) x, Tensor y) -> ()", getattr(module(mine / "answers.py"), "ADD_", None)
    if isinstance(given, str) and same(given) == same(schema):
        schema = given
    answer(mine, "ADD_", schema, "what is written has a !, and a result would be new memory")
    answer(mine, "GRAPHS", 2, "a pybind11 function ends a graph, and another one begins after it")
    calls = {"bias_gelu.cpp alone": plain, "... fake tensors": fake, "library.py, in training": training}
    show(
        "the way of a call through the dispatcher, from left to right",
        f"{'':25}" + "  ".join(KEYS),
        *(
            f"{call:25}" + "  ".join(f"{'runs' if key in keys else '-':{len(key)}}" for key in KEYS)
            for call, keys in calls.items()
        ),
    )


def same(schema):
    """A schema means the same with other spaces, and with another letter before the !."""
    return re.sub(r"\([a-z]!\)", "(a!)", re.sub(r"\s*([(),!]|->)\s*", r"\1", schema))
