"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The drawing shows the order: Autocast, Autograd, ADInplaceOrView, then CUDA or Meta. A key without a function is "
    "skipped, and so is one whose situation is not given.",
    "The last lines of the block TORCH_LIBRARY enter a function under ADInplaceOrView "
    "for all operators. A fake tensor has a "
    "shape and no memory, so no kernel runs.",
]
WRONG = {
    "no_version": ("PLAIN = ['CUDA'] is not right", {"answers.py": [('["ADInplaceOrView", "CUDA"', '["CUDA"')]}),
    "kernel_too": ("FAKE = ['ADInplaceOrView', 'CUDA'] is not right", {"answers.py": [('"Meta"]', '"CUDA"]')]}),
}
