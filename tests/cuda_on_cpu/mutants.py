"""Small breakages of CUDA on CPU, and the tests that must fail because of each. All are judged without a GPU."""

from tools.maintain.mutants import Mutant

INCLUDE = "cuda_on_cpu/include/cuda_on_cpu"
TRANSLATOR = "cuda_on_cpu/translate.py"
TOKENS = "cuda_on_cpu/tokens.py"
LAUNCHES = "cuda_on_cpu/launches.py"
TESTS = "tests/cuda_on_cpu/test_programs.py"
DEVICE = f"{TESTS}::test_program[g++-device]"
HOST = f"{TESTS}::test_program[g++-host]"
WAITS = [f"{TESTS}::test_waits[g++-False]", f"{TESTS}::test_waits[g++-True]"]
ORDER = f"{TESTS}::test_opposite_order_finds_a_missing_barrier[g++]"
PTX = f"{TESTS}::test_program[g++-ptx]"
EXCHANGE = f"{TESTS}::test_program[g++-exchange]"
WRONG_EXCHANGES = [f"{TESTS}::test_wrong_exchanges_are_refused[g++-{order}]" for order in (False, True)]
GROUPS = f"{TESTS}::test_program[g++-groups]"
TENSOR_CORES = f"{TESTS}::test_program[g++-tensor_cores]"
PTX_PY = "cuda_on_cpu/ptx.py"
HEADERS = "tests/cuda_on_cpu/test_translate.py::test_headers_that_need_it_are_translated"
OTHER_PTX = "tests/cuda_on_cpu/test_translate.py::test_other_instructions_are_a_compilers_error"
TRANSLATED = "tests/cuda_on_cpu/test_translate.py::test_translated"
CUB, CUB_H = f"{TESTS}::test_program[g++-cub]", "cuda_on_cpu/include/cub"
NAMES = "cuda_on_cpu/torch_names.py"
RENAMED = "tests/cuda_on_cpu/test_translate.py::test_where_torch_is_told_cuda_the_cpu_is_meant"
NOT_RENAMED = "tests/cuda_on_cpu/test_translate.py::test_other_names_are_left_alone"

LACKING = "cuda_on_cpu/lacking.py"
NOT_COVERED = "tests/cuda_on_cpu/test_translate.py::test_what_is_not_covered_ends_the_compilation"
REFUSED = "tests/cuda_on_cpu/test_translate.py::test_a_header_that_is_lacking_is_refused_unless_the_reader_has_it"
FAULTS = f"{TESTS}::test_blocks_that_wait_for_ever[g++-False]"
HOST_CALLS = "cuda_on_cpu/host_calls.py"
NVCC_REFUSES = "tests/cuda_on_cpu/test_translate.py::test_what_nvcc_refuses_in_device_code"
USES = "tests/cuda_on_cpu/test_translate.py::test_a_kernel_uses_no_host_variable"
LEFT_ALONE = "tests/cuda_on_cpu/test_translate.py::test_what_may_be_right_is_left_alone"

MUTANTS = [
    # A fault ends the launch.
    Mutant(f"{INCLUDE}/grid.h", "    if (!mine) fail(", "    if (false) fail(", FAULTS, why="waits without having arrived"),
    Mutant(f"{INCLUDE}/resident.h", "room.threads[rank].cluster_phase = 0;", "0;", FAULTS, why="what a failed launch left"),
    Mutant(f"{INCLUDE}/fault.h", "SA_SIGINFO | SA_ONSTACK", "SA_SIGINFO", FAULTS,
           why="a full stack has no room for the handler"),
    Mutant(f"{INCLUDE}/fault.h", "        signal_ = 0;\n", "", FAULTS, why="the next launch would end, too"),
    Mutant(f"{INCLUDE}/fault.h", "| SA_NODEFER", "", FAULTS,
           why="the handler never returns: the next fault would be blocked"),
    # The blocks of a cluster.
    Mutant(f"{INCLUDE}/mbarrier.h", "        return {me.pointer, index.x", "        return {this, index.x", EXCHANGE,
           why="a barrier has another address for another block, and is the same"),
    Mutant(f"{INCLUDE}/mbarrier.h", "        carry_out(all_stores());\n", "", EXCHANGE),
    Mutant(f"{INCLUDE}/run_block.h", "if (grid.running->stores) throw", "if (false) throw", WRONG_EXCHANGES),
    Mutant(f"{INCLUDE}/mbarrier.h", "if (!grid.has_clusters)", "if (false)", WRONG_EXCHANGES),
    Mutant(f"{INCLUDE}/launch_api.h", ", config.has_clusters = true;", ";", EXCHANGE),
    Mutant(f"{INCLUDE}/grid.h", "    if (!r.has_copy) memset(r.copy, 0, static_place + SharedVariable::total);", "   ",
           WRONG_EXCHANGES, why="a block that has not started has no barriers of an earlier one"),
    # Barriers, deadlocks, the order of the threads.
    Mutant(f"{INCLUDE}/block.h", "    if (block.at_barrier) open_barrier_if_complete();\n", "", DEVICE,
           why="a thread that returns may be the last one that a barrier waited for"),
    Mutant(f"{INCLUDE}/barrier.h", "    block.votes += vote;\n", "    block.votes += !vote;\n", DEVICE),
    Mutant(f"{INCLUDE}/barrier.h", "    if (where != block.barrier_place) fail_divergent(function, where);\n",
           "    if (false) fail_divergent(function, where);\n", WAITS),
    Mutant(f"{INCLUDE}/messages.h", "return void(place.count++);", "return;", WAITS),
    Mutant(f"{INCLUDE}/run_block.h", "                run_fiber(*block.threads[rank].fiber);\n",
           "                continue;\n", WAITS, why="threads that are given up run their destructors"),
    Mutant(f"{INCLUDE}/block.h", "block.reverse ? 31 - __builtin_clz(set) : __builtin_ctz(set)", "__builtin_ctz(set)",
           ORDER),
    Mutant(f"{INCLUDE}/block.h", "block.reverse ? block.size - 1 - block.started : block.started", "block.started",
           ORDER),
    # Warp functions.
    Mutant(f"{INCLUDE}/warp.h", "+ delta < width ? lane + delta", "+ delta <= width ? lane + delta", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", ">= delta ? lane - delta", "> delta ? lane - delta", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "(lane ^ bits) <= (lane | (width - 1))", "(lane ^ bits) < width", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "(from & (width - 1))", "from", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "uint32_t(w.value[l] != 0) << l", "1u << l", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "uint32_t(w.value[m] == w.value[l]) << m", "1u << m", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "for_each(lanes & (lanes - 1), [&]", "for_each(lanes, [&]", DEVICE),
    Mutant(f"{INCLUDE}/warp.h", "if (!(mask & self->bit()))", "if (mask && !(mask & self->bit()))", WAITS),
    Mutant(f"{INCLUDE}/run_block.h", "if (!(t.where != leader->where)) together", "together", DEVICE),
    Mutant(f"{INCLUDE}/run_block.h", "} while (!block.turn_over && end_activemask() && (fiber = &next_fiber()));",
           "} while (false);", DEVICE),
    # Tiles of several warps.
    Mutant(f"{INCLUDE}/groups/large_tile.h", "    meet<Size>(address, function, where);  // nobody", "    // nobody",
           GROUPS, why="a value is on the stack of a thread that has gone on"),
    Mutant(f"{INCLUDE}/groups/large_tile.h", "kind = log_2(Size / 64)", "kind = 0", GROUPS),
    Mutant(f"{INCLUDE}/resident.h", "        memset(warp.meetings, 0, sizeof warp.meetings);\n", "",
           [f"{TESTS}::test_wrong_groups[g++-False]", f"{TESTS}::test_wrong_groups[g++-True]"],
           why="in a launch that was given up, a warp may have met the others more often than they"),
    # Loops that wait, and launches that throw.
    Mutant(f"{INCLUDE}/run_block.h", "    if (ran) return Turn::busy;",
           "    if (ran && block.turn_over) return Turn::busy;", f"{TESTS}::test_program[g++-async]",
           why="a thread that stops to spin may end another's wait, and wait itself"),
    Mutant(f"{INCLUDE}/ptx.h", '    spin("ld", where);\n', "    (void)where;\n", PTX),
    Mutant(PTX_PY, "for full in name, plain, DONE", "for full in plain, DONE", PTX),
    Mutant(f"{INCLUDE}/capture.h", "capturing(stream, type, WorkOf<F>(work))",
           "capturing(stream, type, *new WorkOf<F>(work))", WAITS),
    # Atomics, conversions, memory.
    Mutant(f"{INCLUDE}/atomics.h", "(atomicMin, old < value ? old : value)", "(atomicMin, value)", DEVICE),
    Mutant(f"{INCLUDE}/atomics.h", "if (old == compare) *address = value;", "if (old != compare) *address = value;",
           DEVICE),
    Mutant(f"{INCLUDE}/atomics.h", "old >= value ? 0 : old + 1", "old > value ? 0 : old + 1", DEVICE),
    Mutant(f"{INCLUDE}/device_math.h", "T(~(T(1) <<", "T((T(1) <<", DEVICE),
    Mutant(f"{INCLUDE}/device_math.h", "    if (x != x) return 0;\n", "    if (x != x) return T(1);\n", DEVICE),
    Mutant(f"{INCLUDE}/copy_api.h",
           "    if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);\n"
           "    return cudaMemcpyAsync((char*)&symbol + offset,",
           "    if (bytes > sizeof(T) - offset) return cuda_on_cpu::record(cudaErrorInvalidValue);\n"
           "    return cudaMemcpyAsync((char*)&symbol + offset,", DEVICE),
    # Launches that are refused, and the last error.
    Mutant(f"{INCLUDE}/launch.h", "return v.x == 0 ||", "return", HOST),
    Mutant(f"{INCLUDE}/launch.h", "* c.block.y * c.block.z > 1024)", "> 1024)", HOST),
    Mutant(f"{INCLUDE}/launch.h", "c.shared > dynamic_shared_limit(kernel)",
           "c.shared > 8192 + dynamic_shared_limit(kernel)", HOST),
    Mutant(f"{INCLUDE}/error.h", "    if (error != cudaSuccess) last_error = error;\n", "    last_error = error;\n",
           HOST),
    Mutant(f"{INCLUDE}/error.h", "    cuda_on_cpu::last_error = cuda_on_cpu::kernel_error = cudaSuccess;\n", "", HOST),
    Mutant(f"{INCLUDE}/error.h", "inline thread_local cudaError_t last_error", "inline cudaError_t last_error", HOST),
    # One .so beside another; AddressSanitizer; headers that are lacking.
    Mutant(f"{INCLUDE}/keywords.h", '#define __device__ __attribute__((visibility("hidden")))', "#define __device__",
           f"{TESTS}::test_two_libraries_in_one_process[g++]"),
    Mutant(f"{INCLUDE}/launch.h",
           "    ASAN_POISON_MEMORY_REGION(dynamic_memory + c.shared, sizeof dynamic_memory - c.shared);\n", "",
           f"{TESTS}::test_address_sanitizer[g++]"),
    Mutant(LACKING, '(INCLUDE / name).is_file() or re.match(r"cuda/.*\\.", name)', "(INCLUDE / name).is_file()", REFUSED),
    Mutant(LACKING, '(INCLUDE / name).is_file() or ', "", REFUSED),
    Mutant(TRANSLATOR, "self.refused[file] or (INTERESTING.search(", "(INTERESTING.search(",
           f"{TESTS}::test_a_header_that_is_lacking_ends_the_compilation", why="the reader's header has nothing else"),
    Mutant(TRANSLATOR, "- self.includes[file].keys()", "", REFUSED, why="the reader may have brought it along"),
    Mutant(TRANSLATOR, 'lacking.lacking_name(f"{self.text(i - 2)}::{name}")', "None", NOT_COVERED),
    # The translator, inline PTX, tensor cores.
    Mutant(f"{INCLUDE}/ptx.h", "cp_async_cg(shared, global, bytes, ignore_source ? 0 : bytes, where);",
           "cp_async_cg(shared, global, bytes, bytes, where);", PTX),
    Mutant(f"{INCLUDE}/ptx.h", "return self->lane();", "return self->rank;", PTX),
    Mutant(f"{INCLUDE}/ptx_warp.h", "from = g.lane ^ (bits & 31);", "from = g.lane + (bits & 31);", PTX),
    Mutant(f"{INCLUDE}/ptx_bits.h", "which & 8 ? (byte & 128 ? 255 : 0) : byte", "byte", PTX),
    Mutant(f"{INCLUDE}/mma_sync.h", "column = l % 4 * 2 + i % 2;", "column = l % 4 + i % 2 * 4;", TENSOR_CORES),
    Mutant(f"{INCLUDE}/mma_sync.h", "row = TRANSPOSED ? b : a, column = TRANSPOSED ? a : b", "row = a, column = b",
           TENSOR_CORES),
    Mutant("cuda_on_cpu/include/mma.h", "b[e % n][e / n] = number", "b[e / k][e % k] = number", TENSOR_CORES),
    Mutant(PTX_PY, '"relu": "relu", ', "", PTX),
    Mutant("cuda_on_cpu/ptx_table.py", "mad.hi.sat.s32  ", "mad.hi.sat.s64  ", PTX,
           why="the row above would do, and would not saturate"),
    Mutant("cuda_on_cpu/torch_extension.py", 'shlex.split(" ".join([*NO_HALF, *flags]))',
           'shlex.split(" ".join(flags))', "tests/common/test_cpu_build.py::test_a_cu_has_the_macros_of_nvcc"),
    Mutant(HOST_CALLS, ' or declares(t, first):', ":", LEFT_ALONE, why="a name may have another meaning in a function"),
    Mutant("cuda_on_cpu/host_calls.py", 'return is_const and not t.is_text(last, "[")', "return is_const",
           "tests/cuda_on_cpu/test_translate.py::test_a_kernel_uses_no_host_variable"),
    Mutant("cuda_on_cpu/host_calls.py", "return is_const and ", "return ",
           "tests/cuda_on_cpu/test_translate.py::test_a_kernel_uses_no_host_variable"),
    Mutant("cuda_on_cpu/host_calls.py", "not at_run_time and ", "",
           "tests/cuda_on_cpu/test_translate.py::test_a_kernel_uses_no_host_variable"),
    Mutant("cuda_on_cpu/host_calls.py", 'NO_HOST_VARIABLES | {"const"}', "NO_HOST_VARIABLES",
           "tests/cuda_on_cpu/test_translate.py::test_what_may_be_right_is_left_alone"),
    Mutant("cuda_on_cpu/host_calls.py", ' and t.text(i - 4) != "cuda"', "",
           "tests/cuda_on_cpu/test_translate.py::test_what_may_be_right_is_left_alone"),
    Mutant("cuda_on_cpu/host_calls.py", "if directive or depth else", "if directive else",
           "tests/cuda_on_cpu/test_translate.py::test_what_may_be_right_is_left_alone"),
    Mutant(HOST_CALLS, ' in ("throw", "try") else', ' == "throw" else', NVCC_REFUSES),
    Mutant(HOST_CALLS, ' and t.is_device_code(i):', ":", LEFT_ALONE),
    Mutant(HOST_CALLS, "=(?!=)", "=", LEFT_ALONE),
    Mutant(HOST_CALLS, r"|\+\+|--)", r"|\+\+)", NVCC_REFUSES),
    Mutant(HOST_CALLS, "return t.text(last) in NOT_VOID | of_template", 'return t.text(last) != "void"', LEFT_ALONE,
           why="a type of another name may be void"),
    Mutant(HOST_CALLS, '    while t.is_text(last, ")"):', "    while False:", NVCC_REFUSES),
    Mutant(HOST_CALLS, 'words.isdisjoint(NO_HOST_FUNCTIONS | doubtful)', "True", LEFT_ALONE,
           why="a static function may be for the device"),
    Mutant(HOST_CALLS, "|(ctz|", "|(", NVCC_REFUSES),
    Mutant(HOST_CALLS, 'if t.is_text(i + 1, "(")} | doubtful', 'if t.is_text(i + 1, "(") and False} | doubtful', LEFT_ALONE),
    Mutant(HOST_CALLS, "if t.text(first - 2) not in spaces:", "if True:", USES, why="a namespace's name may stand before it"),
    Mutant(HOST_CALLS, "or takes_words(t, use[1])", "or True", LEFT_ALONE, why="nvcc computes a lambda's result"),
    Mutant(HOST_CALLS, 'return not t.is_text(end - 1, "}")', "return True", USES, why="a lambda is an object of the host"),
    Mutant(HOST_CALLS, " and not is_object", "", USES, why="a constant vector is an object of the host"),
    Mutant(HOST_CALLS, 'if angles <= 0 and', "if", USES, why="the , of std::map<int, int>"),
    Mutant(HOST_CALLS, '"{": before != "="}.get(t.text(k), True)', '"{": False}.get(t.text(k), False)', LEFT_ALONE,
           why="int a, *name;"),
    Mutant(HOST_CALLS, '        said = DEVICE if is_call else ADDRESS', "        said = DEVICE", USES),
    Mutant(HOST_CALLS, " and not defaulted", "", LEFT_ALONE, why="a defaulted constructor is for both sides"),
    Mutant(HOST_CALLS, "for method in methods} - own", "for method in methods}", LEFT_ALONE),
    Mutant(HOST_CALLS, ' and "~" not in words', "", NVCC_REFUSES),
    Mutant(HOST_CALLS, 'method, is_call = name, constructs(t, i)', "continue", NVCC_REFUSES),
    Mutant(HOST_CALLS, 't.kind(args + 1) in ("number", "string") or t.is_text(args + 2, ",")', "True", LEFT_ALONE,
           why="a copy is for both sides"),
    Mutant(TRANSLATOR, "            found |= more\n", "            break\n", HEADERS,
           why="who includes one finds the translation"),
    Mutant(TOKENS, "device = device or self.opens_device_code(k)", "device = self.opens_device_code(k)", OTHER_PTX,
           why="an if of a kernel is device code"),
    Mutant(TOKENS, "device = device or self.opens_device_code(k)", "device = True",
           "tests/cuda_on_cpu/test_translate.py::test_left_alone", why="the host's assembly is its own"),
    Mutant(TOKENS, ", *DEVICE_MACRO.findall(source)", "", TRANSLATED, why="a macro may make kernels"),
    Mutant(TRANSLATOR, 'text + "".join(line_ends)', "text", TRANSLATED, why="compilers name lines of the .cu"),
    Mutant(TRANSLATOR, "-{threading.get_ident()}", "",
           "tests/cuda_on_cpu/test_translate.py::test_threads_may_write_the_same_header"),
    Mutant(LAUNCHES, ' and not t.source.startswith(">>>>", start)', "", TRANSLATED),
    Mutant(LAUNCHES, "while t.text(start - 1) in OPERATORS and", "while False and", TRANSLATED),
    Mutant(TOKENS, r"""| "(?:\\.|[^"\\\n])*" |""", r"""| "[^"\n]*" |""",
           "tests/cuda_on_cpu/test_translate.py::test_left_alone", why=r"a \" does not end a string"),
    Mutant(TRANSLATOR, "    if out.exists() and read(out) == text:\n        return\n", "",
           "tests/cuda_on_cpu/test_translate.py::test_translate_file_writes_only_what_is_new"),
    # CUB.
    Mutant(f"{INCLUDE}/cub_block.h", "(threadIdx.y + blockDim.y * threadIdx.z)", "threadIdx.z", CUB),
    Mutant(f"{INCLUDE}/cub_block.h", "rank_in_block() * N + i", "rank_in_block() + i", CUB),
    Mutant(f"{INCLUDE}/cub_block.h", "op(values[i], values[i + offset])", "op(values[i + offset], values[i])", CUB),
    Mutant(f"{CUB_H}/block/block_reduce.cuh", "std::min(32, valid - i)", "32", CUB, why="the last warp may be short"),
    Mutant(f"{CUB_H}/block/block_scan.cuh", "first && i == 0 ? item", "first ? item", CUB),
    Mutant(f"{CUB_H}/block/block_load.cuh", "index < valid", "index <= valid", CUB),
    Mutant(f"{CUB_H}/block/block_store.cuh", "index < valid", "index <= valid", CUB),
    Mutant(f"{CUB_H}/warp/warp_reduce.cuh", "lane = rank % N", "lane = rank % 32", CUB),
    # Names of torch.
    Mutant(NAMES, "i - 4 * ([t.text(k) for k in range(i - 4, i)] == TYPE)", "i", RENAMED, why="Type has no is_cpu()"),
    Mutant(NAMES, ', "checkAllSameGPU": "checkAllDefined"', "", RENAMED),
    Mutant(NAMES, '    if any(token.text == "CUDA_ON_CPU" for token in t.tokens):\n        return\n', "", NOT_RENAMED),
    Mutant(NAMES, ' and t.text(i - 1) in (".", "->")', "", NOT_RENAMED, why="a function of the reader's"),
    Mutant(NAMES, 't.is_text(i - 1, "::") and t.text(i - 2) in ENUMS', 't.is_text(i - 1, "::")', NOT_RENAMED),
    Mutant(NAMES, 't.is_text(i - 1, ",") and t.text(i - 4) in LIBRARIES', 't.is_text(i - 1, ",")', NOT_RENAMED),
]  # fmt: skip
