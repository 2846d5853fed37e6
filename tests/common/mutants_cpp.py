"""Small breakages of the C++ harness, common/*.h, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

HARNESS = "tests/common/test_cpp_programs.py::test_harness[harness-g++]"
WRONG = "tests/common/test_cpp_programs.py::test_harness[wrong_launchers-g++]"
GRID, CHECK, BENCH = "common/grid.h", "common/cuda_check.h", "common/timing.h"
INPUT, LAUNCH = "common/check_tensor.h", "common/checking.h"


def refused(test, operator="03_add2.add2"):
    return f"tests/chapters/test_operators.py::test_{test}[{operator}]"


NOT_A_TENSOR = refused("not_a_tensor_is_refused", "07_autograd.swiglu_backward")  # None, where b is needed
KINDS, WRAPPED = refused("other_kinds_of_tensors"), refused("wrapped_tensors_are_refused")

MUTANTS = [
    # ---- an error is an exception, once
    Mutant(CHECK, "if (error == cudaSuccess) return;", "if (error != cudaErrorNoDevice) return;", HARNESS),
    Mutant(CHECK, "    cudaGetLastError();  //", "    //", HARNESS),
    # ---- the stream
    Mutant("cuda_on_cpu/include/cuda_on_cpu/watch.h", "!watch && !used && on_side_stream()", "false", WRONG),
    Mutant(LAUNCH, "            const SideStream stream_is_another_one;\n", "", WRONG),
    # ---- the grid
    Mutant(GRID, "(n % threads != 0)", "1", HARNESS),
    Mutant(GRID, "n / threads + (n % threads != 0)", "n / threads",
           "tests/chapters/test_operators.py::test_right_at_awkward_sizes[forward-06_vec4.add_scalar]",
           why="the last, partial block is not started; a grid-stride loop would hide it from 256 elements on"),
    Mutant(GRID, "blocks > INT32_MAX", "blocks > UINT32_MAX", HARNESS),
    # ---- what a binding refuses
    Mutant(INPUT, "    TORCH_CHECK_TYPE(x.defined(),", "    TORCH_CHECK_TYPE(true,", NOT_A_TENSOR),
    Mutant(INPUT, "TORCH_CHECK_TYPE(right,", "TORCH_CHECK_TYPE(true,",
           refused("another_dtype_is_refused")),
    Mutant(INPUT, "TORCH_CHECK_VALUE(x.device().type() == kernel_device,", "TORCH_CHECK_VALUE(true,",
           refused("another_device_is_refused")),
    Mutant(INPUT, "x.layout() == at::kStrided && !x.is_nested()", "!x.is_nested()", KINDS),
    Mutant(INPUT, "!x.requires_grad() || !at::GradMode::is_enabled()", "true",
           refused("requires_grad_is_refused_unless_it_is_off")),
    Mutant(INPUT, "!x.requires_grad() || !at::GradMode::is_enabled()", "!x.requires_grad()",
           refused("requires_grad_is_refused_unless_it_is_off")),
    Mutant(INPUT, "TORCH_CHECK_VALUE(x.is_contiguous(),", "TORCH_CHECK_VALUE(true,",
           refused("not_contiguous_is_refused")),
    Mutant(INPUT, "a.sizes() == b.sizes()", "a.numel() == b.numel()", refused("another_shape_is_refused")),
    Mutant(INPUT, "a.device() == b.device()", "a.device().type() == b.device().type()",
           refused("another_device_is_refused"), gpus=2),
    Mutant(INPUT, " && !x.key_set().has(c10::DispatchKey::Python)", "", WRAPPED),
    Mutant(INPUT, "TORCH_CHECK_VALUE(has >= needs,", "TORCH_CHECK_VALUE(has > 0 || needs == 0,", KINDS,
           why="a storage that is a byte too short is found, not only one that is gone"),
    Mutant(INPUT, "TORCH_CHECK_VALUE(!x.is_neg(),", "TORCH_CHECK_VALUE(true,", KINDS),
    Mutant(INPUT, "!x._fw_grad(0).defined()", "true", WRAPPED),
    # ---- what check_launch rejects
    Mutant(LAUNCH, "        flip ^= 0xFF;\n", "", WRONG, why="255 left unwritten"),
    Mutant(LAUNCH, "    round(what);\n    round(what);\n", "    round(what);\n", WRONG,
           why="the result of an earlier call"),
    Mutant(LAUNCH, '    round("after it was timed, " + what);\n', "", WRONG, why="a result that a timed call has kept"),
    Mutant(LAUNCH, "(a != a && b != b)", "a != a", WRONG, why="NaN"),
    Mutant(LAUNCH, "std::abs(double(a) - double(b)) <= tolerance * std::abs(double(b))",
           "!(std::abs(double(a) - double(b)) > tolerance * std::abs(double(b)))", WRONG, why="NaN, with a tolerance"),
    Mutant(LAUNCH, "if (differs == bytes.end()) return;", "if (differs >= bytes.end() - margin) return;", WRONG,
           why="an element past the end"),
    Mutant(LAUNCH, "array.fill_host(0x5A ^ flip,", "array.fill_host(0xA5 ^ flip,", WRONG,
           why="the margin of an input, copied"),
    Mutant(LAUNCH, "        require(left == cudaSuccess,", "        require(true || left == cudaSuccess,", WRONG),
    Mutant(LAUNCH, 'arrays[k].compare(what, "changed', 'if (n < 0) arrays[k].compare(what, "changed', WRONG),
    Mutant(LAUNCH, "random() % 2 ? 1 : 1025", "random() % 2 ? 1 : 1", WRONG, why="float16 arithmetic"),
    # ---- timing.h
    Mutant(BENCH, "if (i % 4 == 3)", "if (false)", HARNESS, why="a slow launch at the same place of all samples"),
    Mutant(BENCH, "return quantile(times, 0.5);", "return quantile(times, 0.25);", HARNESS),
    Mutant(BENCH, "(quantile(times, 0.75) - quantile(times, 0.25))", "(quantile(times, 0.75) - quantile(times, 0.5))",
           HARNESS),
    Mutant(BENCH, "        if (median(rounds) > 2 * fastest) break;", "        //", HARNESS,
           why="calls that wait in a full queue"),
    Mutant(BENCH, "t.kernel <= 1.4 * limits.nothing", "t.kernel <= limits.nothing", HARNESS),
    Mutant(BENCH, "double(bytes) / t.kernel <= limits.peak", "double(bytes) / t.kernel <= 2 * limits.peak", HARNESS),
]  # fmt: skip
