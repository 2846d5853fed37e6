"""predict: the sectors of one load

How many sectors does each of five loads touch? Write the numbers into answers.py; draw the sectors first. The check runs
each load under the microscope and counts.
"""

from pathlib import Path

import torch

from cuda_on_cpu.microscope import microscope
from grader.checks import answer, device, launchers

MINUTES = 5
FAILS = "ALIGNED is None"
LOADS = {  # name of the answer: the first element, how far the next lane's is, what to look at
    "ALIGNED": (0, 1, "how many floats does a sector hold?"),
    "SHIFTED": (
        1,
        1,
        "the lanes read elements 1 to 32, and each sector begins at a multiple of 8: draw the lines between sectors",
    ),
    "EVERY_SECOND": (0, 2, "the last lane reads element 62. A sector moves whole, used or not"),
    "COLUMN": (0, 1000, "how many bytes lie between the elements of two lanes?"),
    "SAME": (5, 0, "the 32 lanes ask in one instruction, and a sector is fetched once for all of them"),
}


def run(mine):
    if device.type == "cuda":
        return  # counted on the CPU
    launch = launchers(Path(__file__).parent / "gather.cu").launch_gather
    memory, out = torch.zeros(32 * 1000), torch.zeros(32)
    assert memory.data_ptr() % 32 == 0
    for name, (first, stride, why) in LOADS.items():
        rows = microscope(lambda first=first, stride=stride: launch(out, memory, first, stride))
        sectors = next(row.sectors for row in rows if row.kind == "load")
        answer(mine, name, sectors, why)
