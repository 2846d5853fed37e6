"""What a GPU counts otherwise in this chapter's kernels: see tests/cuda_on_cpu/reasons.py."""

from tests.cuda_on_cpu.reasons import GRID

EXPLAINED = {("bias_gelu_backward_kernel", ""): GRID, ("sum_rows_kernel", ""): GRID}
