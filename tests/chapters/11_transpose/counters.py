"""What a GPU counts otherwise in this chapter's kernels: see tests/cuda_on_cpu/reasons.py."""

from tests.cuda_on_cpu.reasons import PREDICATED

EXPLAINED = {("transpose_rows_kernel", "shared load requests"): PREDICATED}
