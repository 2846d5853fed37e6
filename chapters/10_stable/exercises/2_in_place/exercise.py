"""in_place: what C++ cannot see, added in Python

double_(x) doubles x in place, by the stable ABI. Its library works, and autograd's graph does not survive it.
"""

from pathlib import Path

import torch

from common.exercises import Wrong, device, extension, module, refuses

MINUTES = 20
MEMORY_CHECK = False
HINTS = [
    "src/bias_gelu/registration.py of the lesson does the same for bias_gelu_: a function under Autograd, and one for fake "
    "tensors.",
    "Under Autograd: raise an error if x.requires_grad and torch.is_grad_enabled(); call "
    "torch.autograd.graph.increment_version(x); then call the operator again, so that the kernel's turn comes, in "
    "`with torch._C._AutoDispatchBelowAutograd():`.",
    '@torch.library.impl("exercise::double_", "Autograd") and @torch.library.register_fake("exercise::double_") enter the '
    "functions below them. The one for fake tensors returns nothing: `pass` is enough.",
]
FAILS = "RuntimeError is expected, and there was no error"
WRONG = {
    "always": (
        "under torch.no_grad(), double_(x) is allowed",
        {"registration.py": [("requires_grad and torch.is_grad_enabled()", "requires_grad")]},
    ),
    "no_version": ("x._version is", {"registration.py": [("    torch.autograd.graph.increment_version(x)\n", "")]}),
    "no_kernel": (
        "expected [2.0, 4.0]",
        {
            "registration.py": [
                ("    with torch._C._AutoDispatchBelowAutograd():\n        torch.ops.exercise.double_(x)\n", "")
            ]
        },
    ),
    "no_fake": (
        "no function for fake tensors",
        {"registration.py": [('@torch.library.register_fake("exercise::double_")\ndef _(x):\n    pass\n\n\n', "")]},
    ),
}


def run(mine):
    here = Path(__file__).parent
    extension(here, ["double.cpp", "double.cu"], stable=True)
    module(mine / "registration.py")
    double_ = torch.ops.exercise.double_

    x = torch.tensor([1.0, 2.0], device=device)
    double_(x)
    if x.tolist() != [2, 4]:
        raise Wrong(f"x = [1.0, 2.0] is {x.tolist()} after double_(x), expected [2.0, 4.0]")
    leaf = torch.ones(2, device=device, requires_grad=True)
    refuses(lambda: double_(leaf * 1), RuntimeError, "requires grad", "double_(x), and x requires grad")
    with torch.no_grad():
        y = leaf.detach().clone().requires_grad_()
        try:
            double_(y)
        except RuntimeError as error:
            raise Wrong(f"under torch.no_grad(), double_(x) is allowed\n{error}") from None

    version = x._version
    double_(x)
    if x._version != version + 1:
        raise Wrong(
            f"x._version is {x._version} after double_(x), expected {version + 1}: if autograd has kept the old x, it "
            "computes gradients from the new one"
        )
    saved = torch.ones(2, device=device)
    out = (leaf * saved).sum()  # keeps saved for the gradient of leaf
    double_(saved)
    refuses(
        out.backward, RuntimeError, "modified by an inplace operation", "backward, after double_ changed a saved tensor"
    )
    try:
        double_(torch.empty(3, device="meta"))
    except NotImplementedError:
        raise Wrong("double_ has no function for fake tensors: torch.compile and torch.export need one") from None
    torch.library.opcheck(double_, (x,), test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))
    print("right   values, refused gradients, version, fake tensors")
