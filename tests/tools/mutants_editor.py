"""Small breakages of tools/editor.py and of what it has clangd read."""

from tools.maintain.mutants import Mutant

TOOL, HEADER = "tools/editor.py", "cuda_on_cpu/include/cuda_on_cpu/editor.h"
T = "tests/tools/test_editor.py::test_"
READ, LISTED = T + "clangd_understands", T + "each_source_has_an_entry_and_builds_have_none"

MUTANTS = [
    Mutant(TOOL, "|mine[^/]*", "", LISTED),
    Mutant(TOOL, "(build|mine", "(mine", LISTED),
    Mutant(TOOL, '(f, f / "skeleton", ', "(f, ", READ),
    Mutant(TOOL, ', ROOT / "chapters" / f.name)', ")", READ),
    Mutant(TOOL, "    if file.is_relative_to(INCLUDE):\n        return CPP\n", "", READ),
    Mutant(TOOL, 'if with_torch else "-std=c++17"', 'if False else "-std=c++17"', READ),
    Mutant(TOOL, ' if "stable" in included else []', "", T + "a_source_for_the_stable_abi_is_read_for_torch_2_11"),
    Mutant(TOOL, "*stable, ", "", T + "a_source_for_the_stable_abi_is_read_for_torch_2_11"),
    Mutant(HEADER, "#define __shared__ ", "#define __shared__ __attribute__((shared)) ", READ),
    Mutant(HEADER, "#define __cluster_dims__(...)\n", "", READ),
    Mutant(HEADER, "unsigned cudaConfigureCall(", "unsigned configure(", READ),
]  # fmt: skip
