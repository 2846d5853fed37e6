"""Small breakages of common/torch_private.py, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

FILE, T = "common/torch_private.py", "tests/common/test_torch_private.py::test_"
SLOW = T + "neither_a_dispatch_mode_nor_assert_close_imports_what_takes_a_second"

MUTANTS = [
    Mutant(FILE, "_comparison._HAS_DTENSOR = False", "pass", SLOW),
    Mutant(FILE, "        return False\n", "        return True\n", SLOW),
    Mutant(FILE, "torch._disable_dynamo(function, recursive=True)", "function", T + "never_compiled"),
    Mutant(FILE, "functools.partial(op._op_dk, key)", "op", T + "a_kernel_is_called_with_the_mode_on"),
    Mutant(FILE, '"_jit_compile", lambda', '"_jit", lambda', T + "load_inline_only_writes_files"),
    Mutant(FILE, 'if flag.startswith("-L") and', "if False and", T + "quoting"),
    Mutant(FILE, "wrap(shlex.split(compiler) if", "wrap(compiler if", T + "quoting"),
    Mutant(FILE, '"_90a", flag', '"_90", flag', T + "a_hopper_gets_code_for_sm_90a"),
]  # fmt: skip
