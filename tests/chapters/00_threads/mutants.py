"""Small breakages of chapter 00, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/00_threads/test_threads.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
THREADS, CPP, HIERARCHY = (f"chapters/00_threads/{name}" for name in ("threads.cu", "threads.cpp", "hierarchy.cu"))
WHO, BOUNDS = T + "every_thread_says_who_it_is", T + "the_bounds_check"
RING, READ = T + "a_chase_follows_the_whole_ring", T + "all_that_is_read_is_in_the_sum"

MUTANTS = [
    # ---- numbers of threads, the bounds check, refusals, the benchmark of memories
    Mutant(THREADS, "threadIdx.x % warpSize", "threadIdx.x / warpSize", WHO),
    Mutant(THREADS, "threadIdx.x / warpSize", "threadIdx.x / 16", WHO),
    Mutant(THREADS, "blockDim.x + threadIdx.x;\n    out[i] = {", "32 + threadIdx.x;\n    out[i] = {", WHO),
    Mutant(THREADS, "    work(nanoseconds);\n    const int64_t i", "    const int64_t i", WHO),
    Mutant(HIERARCHY, "if (i < n) array[i] = unsigned(i);", "if (i + 1 < n) array[i] = unsigned(i);", READ),
    Mutant(HIERARCHY, "ring + next_line(i, lines)", "ring + (i + 1) % lines",
           OPERATORS + "scalars[00_threads.latency-steps]"),
    Mutant(THREADS, "if (i >= n) return;", "if (i > n) return;", BOUNDS),
    Mutant(CPP, "{exact ? n : ", "{", T + "a_tool_sees_the_end_of_the_array[memory-10]"),
    Mutant(THREADS, "if (check) {", "if (true) {", BOUNDS),
    Mutant(THREADS, "    if (n == 0) return;  // CUDA refuses a grid of 0 blocks\n", "", BOUNDS),
    Mutant(THREADS, "__global__ void wait_kernel(int64_t nanoseconds) { work(nanoseconds); }",
           "__global__ void wait_kernel(int64_t nanoseconds) { work(nanoseconds / 2); }",
           T + "a_launch_returns_before_it_has_run"),
    Mutant(CPP, 'check_range("threads", threads, 1, 1024);\n}', "}",
           OPERATORS + "scalars[00_threads.where_am_i-threads]"),
    Mutant(CPP, 'check_range("blocks", blocks, 1, INT32_MAX);', 'check_range("blocks", blocks, 0, INT32_MAX);',
           OPERATORS + "scalars[00_threads.where_am_i-blocks]"),
    Mutant(HIERARCHY, "i * 1664525 + 1013904223", "i * 1664526 + 1013904223", RING),
    Mutant(HIERARCHY, "i * 1664525 + 1013904223", "i + 1", OPERATORS + "scalars[00_threads.latency-steps]",
           why="steps to the next line would find a part of what a load brings with it"),
    Mutant(HIERARCHY, "for (int64_t i = 0; i < steps; i++) at = next(at);",
           "for (int64_t i = 1; i < steps; i++) at = next(at);", RING),
    Mutant(HIERARCHY, "if (++at == pieces) at = 0;", "at = 0;", READ),
    Mutant(HIERARCHY, "for (int k = 0; k < loads; k++) sum +=", "for (int k = 1; k < loads; k++) sum +=", READ),
    Mutant(HIERARCHY, "blockIdx.x * reads % pieces", "blockIdx.x % pieces", READ),
]  # fmt: skip
