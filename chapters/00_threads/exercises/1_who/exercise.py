"""who: complete a kernel whose threads say who they are

Every thread writes three numbers: block[i] is its block, warp[i] its warp within the block, lane[i] its lane. The i of a
thread is its number in the whole grid.
"""

import torch

from grader.checks import check, device, launchers, work_is_divided
from grader.report import show

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
    check(
        who, expected, lambda blocks: (blocks, 40), (1, 7, 50, 300), name="blocks of 40 threads, blocks", outputs=arrays
    )
    work_is_divided(lambda: who(8, 64), 3 * 8 * 64)
    block, warp, lane = (array.tolist() for array in who(3, 70))
    lines = []
    for first in range(0, len(block), 70):
        lines.append(f"block {block[first]}   {in_warps(warp[first : first + 70])}")
        lines.append(f"{'':10}{in_warps(lane[first : first + 70])}")
    show("3 blocks of 70 threads, as your kernel numbered them: the warp of each thread, below it its lane", *lines)


def in_warps(numbers):
    """A character for each thread, 0 to 9 and then a to v, with a gap after each 32."""
    text = "".join("0123456789abcdefghijklmnopqrstuv"[number] for number in numbers)
    return " ".join(text[i : i + 32] for i in range(0, len(text), 32))
