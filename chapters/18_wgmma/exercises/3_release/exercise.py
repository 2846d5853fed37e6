"""release: find out why a product of many steps is wrong

product.cu keeps one group of products under way, and on the CPU it is right for a few steps along k and wrong for more. Find
the reason and fix it. One group must stay under way, so the loop must not call `wgmma_wait<0>()`.
"""

import torch

from grader.checks import Wrong, check, device, launchers, without_comments

MINUTES = 20
FAILS = "many steps"
CAPABILITY = "9.0a"


def run(mine):
    launch = launchers(mine / "product.cu").launch_product

    def product(a, b):
        out = torch.empty(64, 64, device=device)
        launch(out, a, b, a.shape[1])
        return out

    def reference(a, b):
        return a.float() @ b.float().mT

    def inputs(steps):
        return tuple(torch.randint(-3, 4, (64, 64 * steps), device=device).bfloat16() for _ in range(2))

    check(product, reference, inputs, (1, 2, 3), name="a few steps, steps")
    check(product, reference, inputs, (4, 7, 12), name="many steps, steps")
    text = without_comments(mine / "product.cu")
    if "STAGES = 3;" not in text:
        raise Wrong("STAGES = 3 is given: with more buffers, a mistake shows after more steps")
    waits = [text.count(words) for words in ("wgmma_wait<0>", "wgmma_wait<1>", "wgmma_wait")]
    if waits != [1, 1, 2] or "asm" in text:
        raise Wrong("one group of products must stay under way: wgmma_wait<1>() in the loop, wgmma_wait<0>() after it")
    if text.count("wgmma_commit()") != 1:
        raise Wrong(
            "one group of products must stay under way: one wgmma_commit() a step; an empty group counts as well"
        )
