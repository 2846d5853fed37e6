"""Small breakages of TMA and wgmma in CUDA on CPU, and of the macros of asm statements. All are judged without a GPU."""

from tools.maintain.mutants import Mutant

INCLUDE = "cuda_on_cpu/include/cuda_on_cpu"
TESTS = "tests/cuda_on_cpu/test_programs.py"
TRANSLATED = "tests/cuda_on_cpu/test_translate.py::test_macros_complete_an_asm"
TMA, WGMMA, KERNELS = (f"{TESTS}::test_program[g++-{name}]" for name in ("tma", "wgmma", "hopper_kernels"))
WRONG_TMA = [f"{TESTS}::test_wrong_uses_of_tma_are_refused[g++-{order}]" for order in (False, True)]
WRONG_WGMMA = [f"{TESTS}::test_wrong_uses_of_wgmma_are_found[g++-{order}]" for order in (False, True)]

MUTANTS = [
    Mutant(
        f"{INCLUDE}/mbarrier.h",
        "if (parity > 1)",
        "if (false)",
        [f"{TESTS}::test_wrong_exchanges_are_refused[g++-{order}]" for order in (False, True)],
    ),
    # Addresses of 32 bits.
    Mutant(
        f"{INCLUDE}/shared_address.h",
        "return at.owner->rank << rank_shift | (",
        "return (",
        TMA,
        why="a barrier of the block of rank 1 would be that of rank 0",
    ),
    Mutant(
        f"{INCLUDE}/resident.h",
        "        place += (reinterpret_cast<uintptr_t>(address) - place) % 1024;",
        "       ",
        TMA,
        why="what a multicast writes into a block that does not run would be swizzled in another way",
    ),
    # Boxes.
    Mutant(f"{INCLUDE}/tensor_box.h", "(address >> 7 &", "(address >> 8 &", TMA),
    Mutant(f"{INCLUDE}/tensor_box.h", "        if (corner[i] < 0)\n", "        if (corner[i] < -9)\n", WRONG_TMA),
    Mutant(f"{INCLUDE}/tensor_box.h", "corner[0] * int64_t(map.element) % 16 != 0", "corner[0] % 2 != 0", WRONG_TMA),
    Mutant(
        f"{INCLUDE}/tensor_map.h",
        "if (map.row_bytes() % 16) return",
        "if (!map.interleaved && map.row_bytes() % 16) return",
        TMA,
        why="an H100's driver also wants it of an interleaved layout",
    ),
    Mutant(f"{INCLUDE}/tensor_map.h", "if (map.box_bytes() > max_dynamic_shared) return", "if (false) return", TMA),
    # What the async proxy sees.
    Mutant(
        f"{INCLUDE}/async_proxy.h",
        "array.place + offset], p, bytes) != 0)",
        "array.place + offset], p, bytes) > 999)",
        WRONG_TMA,
    ),
    Mutant(
        f"{INCLUDE}/mbarrier.h",
        "        if (write && by_async_proxy) async_proxy_wrote(to.pointer, bytes);\n",
        "",
        KERNELS,
        why="what TMA has written needs no fence",
    ),
    # An mbarrier that is asked once.
    Mutant(f"{INCLUDE}/mbarrier.h", "(!over() || has_copies())", "!over()", WRONG_TMA[0]),
    Mutant(f"{INCLUDE}/mbarrier.h", "(!over() || has_copies())", "has_copies()", WRONG_TMA[1]),
    Mutant(f"{INCLUDE}/mbarrier.h", "in_kernel && self->said_no_at == this", "in_kernel", WRONG_TMA[0]),
    Mutant(f"{INCLUDE}/mbarrier.h", "by_async_proxy && wants_barrier_fence() &&", "false &&", WRONG_TMA),
    # wgmma.
    Mutant(
        f"{INCLUDE}/wgmma.h",
        "operands.add ? mine.slots.size() : 0;",
        "mine.slots.size();",
        WGMMA,
        why="sums that are to be replaced may hold the marks of an earlier kernel",
    ),
    Mutant(
        f"{INCLUDE}/wgmma.h",
        "slot.variable && slot.last < end",
        "slot.variable && slot.last <= end",
        WGMMA,
        why="the second group is still under way",
    ),
    Mutant(
        f"{INCLUDE}/wgmma.h",
        "    if (used && !mine.fenced)",
        "    if (number == 0 && used && !mine.fenced)",
        WRONG_WGMMA,
    ),
    Mutant(
        f"{INCLUDE}/wgmma_matrix.h",
        "a / w * leading() + b / 8 * stride()",
        "a / w * stride() + b / 8 * leading()",
        WGMMA,
    ),
    Mutant(f"{INCLUDE}/wgmma.h", "if (all > 65536)", "if (all > 655360)", WRONG_WGMMA),
    # Macros.
    Mutant("cuda_on_cpu/macros.py", "value if pasted else expand(", "expand(", TRANSLATED),
    Mutant(
        "cuda_on_cpu/macros.py", 'names = names and ["__VA_ARGS__" if', 'names = names and ["VA_ARGS" if', TRANSLATED
    ),
    Mutant(
        "cuda_on_cpu/translate.py",
        "            left += new\n",
        "            left = []\n",
        "tests/cuda_on_cpu/test_translate.py::test_a_macro_of_a_header_completes_an_asm",
        why="a header of a header",
    ),
    # The line of a call.
    Mutant(
        "cuda_on_cpu/callers.py",
        "declares = before in NOT_A_CALL or ",
        "declares = ",
        "tests/cuda_on_cpu/test_translate.py::test_calls_of_a_function_with_ptx_are_marked",
    ),
    Mutant(
        f"{INCLUDE}/messages.h", 'name += " at " + text(t.where, t);', 'name += " at " + text(t.where);', WRONG_WGMMA
    ),
]
