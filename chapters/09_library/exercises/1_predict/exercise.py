"""predict: which functions a call runs

No operator runs: the lesson's first drawing and its block TORCH_LIBRARY give the answers.
"""

from common.exercises import answer

MINUTES = 5
HINTS = [
    "The drawing shows the order: Autocast, Autograd, ADInplaceOrView, then CUDA or Meta. A key without a function is "
    "skipped, and so is one whose situation is not given.",
    "The last lines of the block TORCH_LIBRARY enter a function under ADInplaceOrView for all operators. A fake tensor has a "
    "shape and no memory, so no kernel runs.",
]
FAILS = "PLAIN is None"
WRONG = {
    "no_version": ("PLAIN = ['CUDA'] is not right", {"answers.py": [('["ADInplaceOrView", "CUDA"', '["CUDA"')]}),
    "kernel_too": ("FAKE = ['ADInplaceOrView', 'CUDA'] is not right", {"answers.py": [('"Meta"]', '"CUDA"]')]}),
}


def run(mine):
    why = "which functions has bias_gelu.cpp entered for bias_gelu? Which of the last two is for tensors with memory?"
    answer(mine, "PLAIN", ["ADInplaceOrView", "CUDA"], why)
    answer(mine, "FAKE", ["ADInplaceOrView", "Meta"], "which of the two last functions is for tensors without memory?")
    answer(mine, "TRAINING", ["Autocast", "Autograd", "ADInplaceOrView", "CUDA"], "the order is that of the drawing")
    answer(mine, "SPARSE", "c", "the lesson says what torch does where there is no function for a tensor's key")
    answer(mine, "ADD_", "(Tensor(a!) x, Tensor y) -> ()", "what is written has a !, and a result would be new memory")
    answer(mine, "GRAPHS", 2, "a pybind11 function ends a graph, and another one begins behind it")
