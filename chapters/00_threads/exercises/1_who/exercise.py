"""who: complete a kernel whose threads say who they are

Every thread writes to three arrays: the numbers of its block, of its warp and of its lane.
"""

import torch

from grader.checks import check, device, launchers

MINUTES = 5
FAILS = "? was never written"


def run(mine):
    launch = launchers(mine / "who.cu").launch_who

    def who(blocks, threads):
        arrays = [torch.empty(blocks * threads, dtype=torch.int32, device=device) for _ in range(3)]
        launch(*arrays, blocks, threads)
        return tuple(arrays)

    def expected(blocks, threads):
        thread = torch.arange(threads, dtype=torch.int32, device=device).repeat(blocks)
        block = torch.arange(blocks, dtype=torch.int32, device=device).repeat_interleave(threads)
        return block, thread // 32, thread % 32

    arrays = "block", "warp", "lane"
    sizes = (1, 2, 32, 33, 70, 1024)
    check(who, expected, lambda threads: (3, threads), sizes, name="3 blocks, threads", outputs=arrays)
