"""torch implements only some operations for uint16. This tries expressions on each device and prints which of them run.

Started by `python chapters/08_image/main.py --uint16`.
"""

import torch

EXPRESSIONS = [
    "x.clone()",
    "x[1:]",
    "torch.cat([x, x])",
    "x.to(torch.float32)",
    "x.view(torch.int16)",
    "x == x",
    "x * x",
    "x / 2",
    "x.sum()",
    "x.sort()",
    "x + x",
    "x - x",
    "x // 2",
    "x >> 1",
    "x < x",
    "x.max()",
    "x.mean()",
    "x.argmax()",
    "x.nonzero()",
    "x.float().max()",
]


def runs(expression, device):
    """Whether torch can compute it, for a small x of uint16."""
    x = torch.tensor([1, 60000, 3], dtype=torch.int32).to(torch.uint16).to(device)
    try:
        eval(expression, {"torch": torch, "x": x})
    except (NotImplementedError, RuntimeError):
        return False
    return True


def main():
    devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
    print(f"{'uint16':8}{'x: a tensor of uint16':<33}" + "".join(f"{device:>10}" for device in devices))
    for expression in EXPRESSIONS:
        cells = ("yes" if runs(expression, device) else "no" for device in devices)
        print(f"{'':8}{expression:<33}" + "".join(f"{cell:>10}" for cell in cells))
