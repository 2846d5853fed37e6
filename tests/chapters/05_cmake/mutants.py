"""Small breakages of chapter 05, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/05_cmake/test_cmake.py::test_"
CU, CPP = "chapters/05_cmake/axpy.cu", "chapters/05_cmake/axpy.cpp"

MUTANTS = [
    # ---- fma, range of alpha
    Mutant(CU, "z[i] = fmaf(alpha, x[i], y[i])", "z[i] = alpha * x[i] + y[i]", T + "rounded_once"),
    Mutant(CPP, "!std::isfinite(alpha) || ", "", T + "axpy"),
    Mutant(CPP, "std::abs(alpha) <= ", "alpha <= ", T + "alpha_beyond_float32_is_refused"),
    # ---- what the lesson opens with
    Mutant("chapters/05_cmake/main.py", 'left, count = re.subn(rf"\\S*/{library}\\.\\S+", "", command)',
           "left, count = command, 1",
           T + "a_missing_library_is_refused_in_a_program_and_accepted_in_a_module"),
]  # fmt: skip
