"""store: find two mistakes between threads and TMA

In store.cu, threads write results into one of two slots of shared memory, and TMA stores them. On a GPU the result may look
right, but two mistakes wait for a bad day: find and fix both. One store must stay under way while the other slot is written.
"""

import torch

from grader.checks import Wrong, check, device, launchers, without_comments, work_is_divided
from grader.launchers import threads_launched

MINUTES = 20
FAILS = "fence.proxy.async"
CAPABILITY = "9.0a"


def run(mine):
    launch = launchers(mine / "store.cu").launch_store

    def store(o, total):
        out = torch.empty(o.shape, dtype=torch.float16, device=device)
        launch(out, o, total, len(o))
        return out

    def reference(o, total):
        return (o / total[:, None]).half()

    def inputs(rows):
        o = torch.randint(-99, 100, (rows, 64), device=device).float()
        return o, 2.0 ** torch.randint(
            0, 3, (rows,), device=device
        )  # whole numbers of quarters: exact in half precision

    def fractions(rows):
        return torch.randn(rows, 64, device=device), 1 + torch.rand(rows, device=device)

    check(store, reference, inputs, (0, 1, 130, 256), name="one or two slots, rows")
    check(store, reference, inputs, (257, 385, 650, 1100), name="slots in turn, rows")
    check(store, reference, fractions, (130,), name="fractions, rows")
    o, total = inputs(256)
    store(o, total)
    if device.type == "cpu" and threads_launched() != 2 * 128:
        raise Wrong(f"{threads_launched()} threads for 256 rows, expected: two blocks of 128 for any number of rows")
    # A number and its row's sum are loaded in several lines.
    work_is_divided(lambda: store(o, total), 4 * 256 * 64, "load", least=256 * 64, warps=8)
    text = without_comments(mine / "store.cu")
    if text.count("wait_for_reads<0>") != 1 or "wait_for_reads<1>" not in text or "wait_for_stores_to_read" in text:
        raise Wrong("a store must stay under way: wait_for_reads<1>() in the loop, wait_for_reads<0>() only after it")
    if text.count("commit_stores()") != 2:
        raise Wrong("a store must stay under way: one commit_stores() for each store; an empty group counts as well")
