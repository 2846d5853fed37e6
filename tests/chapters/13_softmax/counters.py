"""What a GPU counts otherwise in this chapter's kernels: see tests/cuda_on_cpu/reasons.py."""

from tests.cuda_on_cpu.reasons import COPIES, GRID, MERGED, PREDICATED

EXPLAINED = {
    ("softmax_cluster_kernel", "shared load requests"): COPIES,
    ("softmax_cluster_kernel", "shared store requests"): GRID,
    ("softmax_cluster_kernel", "shared store wavefronts"): GRID,
    ("softmax_cluster_kernel", "shared copy requests"): PREDICATED,
    ("sum_rows_kernel", ""): GRID,
} | {
    (f"{kernel}_kernel", f"shared load {counter}"): MERGED
    for kernel in ("three_passes", "shared", "softmax", "softmax_backward", "rms_norm", "rms_norm_backward")
    for counter in ("requests", "wavefronts")
}
