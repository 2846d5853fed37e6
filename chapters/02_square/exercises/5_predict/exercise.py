"""predict: the sectors of one load

Type numbers into answers.py. The check runs each load under the microscope, which counts its sectors.
"""

from pathlib import Path

import torch

from common.cuda_on_cpu.microscope import microscope
from common.exercises import answer, device, launchers

MINUTES = 5
HINTS = [
    "A sector is 32 bytes, 8 floats, and begins at a multiple of 32 bytes. Draw 40 floats, and a line before each eighth.",
    "A sector that holds an element of several lanes counts once.",
]
FAILS = "ALIGNED is None"
WRONG = {
    "shift_is_free": ("SHIFTED = 4 is not right", {"answers.py": [("= 5", "= 4")]}),
    "a_sector_a_lane": ("EVERY_SECOND = 32 is not right", {"answers.py": [("= 8", "= 32")]}),
}
LOADS = {  # name of the answer: the first element, and how far the next lane's is
    "ALIGNED": (0, 1),
    "SHIFTED": (1, 1),
    "EVERY_SECOND": (0, 2),
    "COLUMN": (0, 1000),
    "SAME": (5, 0),
}


def run(mine):
    if device.type == "cuda":
        return  # counted on the CPU
    launch = launchers(Path(__file__).parent / "gather.cu").launch_gather
    memory, out = torch.zeros(32 * 1000), torch.zeros(32)
    assert memory.data_ptr() % 32 == 0
    for name, (first, stride) in LOADS.items():
        rows = microscope(lambda first=first, stride=stride: launch(out, memory, first, stride))
        sectors = next(row.sectors for row in rows if row.kind == "load")
        answer(mine, name, sectors, "which sectors hold the 32 elements? Draw them, 8 floats each")
