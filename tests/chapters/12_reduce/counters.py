"""What a GPU counts otherwise in this chapter's kernels: see tests/cuda_on_cpu/reasons.py."""

from tests.cuda_on_cpu.reasons import ONE_LANE, PREDICATED

EXPLAINED = {
    ("sum_tree_kernel", "shared load requests"): PREDICATED,
    ("sum_tree_kernel", "shared store requests"): PREDICATED,
    ("sum_packs_kernel", "shared store wavefronts"): ONE_LANE,
    ("sum_last_block_kernel", "shared store wavefronts"): ONE_LANE,
}
