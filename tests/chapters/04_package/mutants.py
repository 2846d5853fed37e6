"""Small breakages of chapter 04, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/04_package/test_package.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
CU = "chapters/04_package/package_kernel.cu"

MUTANTS = [
    Mutant(CU, "2 * input[i]", "2 * input[0]",
           OPERATORS + "right_at_awkward_sizes[forward-04_package.my_cuda_function]"),
    # ---- what the lesson opens with
    Mutant("chapters/04_package/main.py", '("import torch, my_kernel", inside)', '("import my_kernel, torch", inside)',
           T + "one_file_imported_in_three_ways"),
]  # fmt: skip
