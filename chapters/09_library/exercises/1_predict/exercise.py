"""predict: which functions a call runs

No operator runs: the lesson's first drawing and its block TORCH_LIBRARY give the answers.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "PLAIN is None"


def run(mine):
    why = "which functions has bias_gelu.cpp entered for bias_gelu? Which of the last two is for tensors with memory?"
    answer(mine, "PLAIN", ["ADInplaceOrView", "CUDA"], why)
    answer(mine, "FAKE", ["ADInplaceOrView", "Meta"], "which of the two last functions is for tensors without memory?")
    answer(mine, "TRAINING", ["Autocast", "Autograd", "ADInplaceOrView", "CUDA"], "the order is that of the drawing")
    answer(mine, "SPARSE", "c", "the lesson says what torch does where there is no function for a tensor's key")
    answer(mine, "ADD_", "(Tensor(a!) x, Tensor y) -> ()", "what is written has a !, and a result would be new memory")
    answer(mine, "GRAPHS", 2, "a pybind11 function ends a graph, and another one begins behind it")
