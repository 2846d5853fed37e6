"""Small breakages of the microscope, and the tests that must fail because of each. They need g++."""

from tools.maintain.mutants import Mutant

T = "tests/cuda_on_cpu/test_microscope.py::test_"
MODEL = "cuda_on_cpu/recorder/microscope.h"
RECORDER = "cuda_on_cpu/recorder/recorder.cpp"
PYTHON = "cuda_on_cpu/microscope.py"
COUNTERS = "tests/cuda_on_cpu/test_counters.py::test_"


def of(test, kernel):
    return f"{T}{test}[{kernel}]"


MUTANTS = [
    # ---- sectors and bytes
    Mutant(MODEL, "sectors += touched(sorted, lane_bytes, 32);", "sectors += touched(sorted, lane_bytes, 64);",
           of("global_memory", "coalesced")),
    Mutant(MODEL, "end = (a + bytes - 1) / unit + 1;", "end = a / unit + 1;", of("shared_memory", "shared8")),
    Mutant(MODEL, "std::max(a / unit, next)", "a / unit", of("global_memory", "coalesced")),
    Mutant(MODEL, "least_sectors += (different + 31) / 32;", "least_sectors += different / 32;",
           of("global_memory", "all_the_same")),
    Mutant(MODEL, "        std::sort(sorted.begin(), sorted.end());\n        if (!requests++)", "        if (!requests++)",
           of("global_memory", "backwards")),
    Mutant(MODEL, "size_t piece = a.bytes > 16 ? 16 : 4;", "size_t piece = 16;", of("global_memory", "loose_struct")),
    # ---- lanes that skip a round
    Mutant(MODEL, "r.address[lane] - lane * distance", "r.address[lane]", f"{T}lanes_that_skip_different_rounds"),
    Mutant(MODEL, "n[of_lane_0]++", "0", f"{T}lanes_that_skip_different_rounds"),
    Mutant(MODEL, "return c.sectors + c.requests;", "return c.sectors;", f"{T}lanes_that_skip_different_rounds"),
    Mutant(MODEL, "{1, 0, 2, 3, 4}", "{1, 0, 2, 4}", f"{T}lanes_that_skip_different_rounds"),
    Mutant(MODEL, "if (of_all && w.open[s].accesses != of_all->accesses)", "if (false)",
           f"{T}lanes_that_skip_different_rounds"),
    Mutant(MODEL, "times[round].time[lane] < r.time[lane]", "false", f"{T}lanes_that_skip_different_rounds"),
    # ---- banks
    Mutant(MODEL, "words.erase(std::unique(words.begin(), words.end()), words.end());", "",
           of("shared_memory", "broadcast")),
    Mutant(MODEL, "++of_bank[w % 32]", "++of_bank[w % 16]", of("shared_memory", "no_conflict")),
    Mutant(MODEL, "bytes <= 4 ? 32 : unsigned(128 / bytes)", "32",
           of("shared_memory", "shared16_by_quarters")),
    Mutant(MODEL, "(are_pairs(r, twice, 1) || are_pairs(r, twice, 2))", "are_pairs(r, twice, 2)",
           of("shared_memory", "shared8_pairs")),
    Mutant(MODEL, "(are_pairs(r, twice, 1) || are_pairs(r, twice, 2))", "are_pairs(r, twice, 1)",
           of("shared_memory", "shared16_other_pairs")),
    Mutant(MODEL, "r.address[l] != r.address[l ^ distance]", "false",
           of("shared_memory", "shared16_by_quarters")),
    Mutant(MODEL, "op == Op::load && at_a_time < 32", "at_a_time < 32", of("shared_memory", "stores16_pairs")),
    Mutant(MODEL, "least_wavefronts += (touched(sorted, lane_bytes, 4) + 31) / 32;", "least_wavefronts++;",
           of("shared_memory", "shared16")),
    # ---- which accesses are a request
    Mutant(MODEL, "if (is_whole && a.bytes <= 16) return join", "if (a.bytes <= 16) return join",
           of("global_memory", "loose_struct")),
    Mutant(MODEL, "while ((a.address | a.bytes) % piece) piece /= 2;", "", of("global_memory", "large_struct")),
    Mutant(MODEL, "streams_[recent].bytes == bytes", "true", of("global_memory", "shorts_one_further")),
    Mutant(MODEL, "streams_[recent].space == space", "true", of("global_memory", "two_memories")),
    Mutant(MODEL, "space == Space::shared && op != Op::atomic", "space == Space::shared", of("atomics", "shared_counters")),
    Mutant(MODEL, "        if (!requests) example = o.example;\n", "", T + "the_example_is_what_the_lanes_asked_for"),
    Mutant(MODEL, "width = std::max(width, o.width);", "", T + "matrices"),
    Mutant(MODEL, "for (Warp& w : warps_) w = {};", "",
           T + "a_launch_that_ends_early_leaves_nothing"),
    Mutant(MODEL, "            s.counts = {};\n", "", T + "a_launch_that_ends_early_leaves_nothing"),
    Mutant(MODEL, "name = Check::variable(uintptr_t(launch.function));", "name = launch.kernel;", T + "each_kernel_is_here"),
    Mutant(MODEL, "        }\n        w = {};\n", "        }\n", of("global_memory", "after_a_barrier")),
    Mutant(RECORDER, "    if (microscope.is_on) microscope.block_together(room);\n", "",
           of("global_memory", "after_a_barrier")),
    Mutant(RECORDER, "    if (microscope.is_on) microscope.warp_together(room_of(room), warp);\n}\nvoid grid", "}\nvoid grid",
           of("global_memory", "ragged")),
    Mutant(MODEL, "space == Space::shared) address -= array->begin", "space == Space::global) address -= 4",
           of("global_memory", "coalesced")),
    Mutant("cuda_on_cpu/recorder/order.h", "lanes == (present == 32 ? ~0u : (1u << present) - 1)", "lanes == ~0u",
           of("global_memory", "after_a_warp_barrier")),
    # ---- atomics
    Mutant(MODEL, "same = i && sorted[i] == sorted[i - 1] ? same + 1 : 1;", "same++;", of("atomics", "own_counters")),
    Mutant(MODEL, "        at_one_address += most;\n", "        at_one_address++;\n", of("atomics", "one_counter")),
    # ---- copies, matrices, constant memory
    Mutant(RECORDER, "    request(from, bytes, false, Kind::copy, file, line);\n", "", T + "asynchronous_copies"),
    Mutant(RECORDER, "    request(to, bytes, true, Kind::copy, file, line);\n",
           "    request(to, bytes, true, Kind::plain, file, line);\n", T + "asynchronous_copies"),
    Mutant(RECORDER, "    request(address, bytes, writes, Kind::plain, file, line);\n", "", T + "matrices"),
    Mutant("cuda_on_cpu/include/cuda_on_cpu/mma_sync.h",
           "if (self->lane() < 8 * N) CUDA_ON_CPU_RECORD(asks(row, 16, true", "CUDA_ON_CPU_RECORD(asks(row, 16, true",
           T + "matrices"),
    Mutant("cuda_on_cpu/recorder/sites.h", "a >= begin && a < end", "a < begin", T + "constant_memory_has_no_sectors"),
    Mutant("cuda_on_cpu/recorder/sites.h", '"cuda_constant"', '"cuda_constants"', T + "constant_memory_has_no_sectors"),
    # ---- Python
    Mutant(PYTHON, "(row.width + 1) * row.requests", "0", T + "advice_names_the_lines_that_need_it"),
    Mutant(PYTHON, "max(2 * row.least_sectors,", "max(row.least_sectors,",
           T + "advice_names_the_lines_that_need_it"),
    Mutant(PYTHON, "row.requests >= 32 and row.threads", "row.threads", T + "advice_names_the_lines_that_need_it"),
    Mutant(PYTHON, 'symbol.removeprefix("void ")', "symbol", T + "command_line"),
    Mutant(PYTHON, "    if not _launches(text):", "    if False:", T + "command_line"),
    Mutant("tools/maintain/counters.py", '"load" if (row["space"], row["kind"]) == ("global", "copy") else row["kind"]',
           'row["kind"]', COUNTERS + "a_difference_is_found"),
    Mutant("tools/maintain/counters.py", ') in COUNTS:', "):", COUNTERS + "a_difference_is_found"),
    Mutant("tools/maintain/counters.py", 'counts[name] = counts.get(name, 0) + round', "counts[name] = round",
           COUNTERS + "what_ncu_prints_is_understood"),
]  # fmt: skip
