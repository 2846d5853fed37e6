"""CUDA on CPU: programs that run in both thread orders, and mistakes that it must find. Needs no torch.

On one core, from clean: `make test` takes 40 s of it, and test-rest has the other programs, clang++ and AArch64.
"""

from __future__ import annotations

import ctypes
import platform
import re
import signal
import subprocess

import pytest

from cuda_on_cpu import CFLAGS, INCLUDE, translate_file
from tests.cuda_on_cpu import features
from tests.cuda_on_cpu.building import (
    COMPILERS,
    PROGRAMS,
    WARNINGS,
    both_orders,
    build,
    build_with_nvcc,
    expect_ok,
    line_of,
    need,
    run,
)
from tests.support import ROOT

# The programs that nvcc compiles, too, for a GPU. -O3: no optimiser may carry a value over a barrier.
# -g0: half.cu compiles in 4 s then, not in 5.
PORTABLE = {"host": WARNINGS, "device": ["-O3", "-fPIC"], "grid": WARNINGS, "async": [*WARNINGS, "-Wpedantic", "-O0"]}
PORTABLE |= {"groups": WARNINGS, "ptx": WARNINGS, "tensor_cores": WARNINGS, "runtime": WARNINGS}
PORTABLE |= {"exchange": [*WARNINGS, "-Wpedantic"], "tma": WARNINGS, "wgmma": WARNINGS, "hopper_kernels": WARNINGS}
PORTABLE |= {"half": [*WARNINGS, "-g0"], "half_kernels": WARNINGS, "cub": [*WARNINGS, "-Wpedantic"]}
# `make test` runs this one. The others take the compiler 5 to 20 s each, and the lessons' own tests use what lessons need.
QUICK = {"host"}
# What torch passes to nvcc: halves have no operators, and no conversions without a name.
TORCH = [f"-D__CUDA_NO_{name}__" for name in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS")]
TORCH += ["-D__CUDA_NO_BFLOAT16_CONVERSIONS__"]


@pytest.fixture(params=["g++", pytest.param("clang++", marks=pytest.mark.thorough)])
def compiler(request) -> str:
    need(request.param)
    return request.param


# ---- programs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name not in QUICK)) for name in PORTABLE]
)
def test_program(name, compiler):
    expect_ok(build(name, compiler, *PORTABLE[name]))


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*PORTABLE, "access"])
def test_program_with_nvcc(name):
    """Where there is a GPU it runs there. Without one 1 s each."""
    if program := build_with_nvcc(PROGRAMS / f"{name}.cu"):
        expect_ok(program)


@pytest.mark.thorough
def test_a_gpu_computes_the_wrong_sum_that_the_readme_promises():
    """On an H100 it is 1 of 1000: all threads read the same old total."""
    if program := build_with_nvcc(ROOT / "cuda_on_cpu/example.cu"):
        assert int(run(program).stdout.removeprefix("the sum is ")) < 1000


@pytest.mark.thorough
def test_halves_as_torch_has_them(compiler):
    expect_ok(build("half_kernels", compiler, *WARNINGS, "-g0", *TORCH, out="half_as_torch"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", PORTABLE)
def test_program_on_aarch64(name):
    if platform.machine() in ("aarch64", "arm64"):
        pytest.skip("this machine is one: test_program has run it")
    need("qemu-aarch64")
    expect_ok("qemu-aarch64", build(name, "aarch64", *WARNINGS))


@pytest.mark.thorough
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_headers_alone_give_no_warning(compiler, standard, tmp_path):
    source = tmp_path / "empty.cpp"
    source.write_text(
        "".join(f"#include <{name}.h>\n" for name in ("cuda", "cuda_runtime_api", "cuda_fp16", "cuda_fp8"))
    )
    flags = [f"-std={standard}", *WARNINGS, "-Wpedantic", *CFLAGS, f"-I{INCLUDE}", "-fsyntax-only"]
    subprocess.run([*COMPILERS[compiler], *flags, source], check=True)


@pytest.mark.parametrize("feature", features.FEATURES, ids=lambda feature: feature.what[:40])
def test_a_feature_of_the_table_has_its_test(feature):
    assert not features.missing(feature)
    assert {program for program, _ in features.named_tests(feature)} <= {f"{name}.cu" for name in PORTABLE}


def messages_of(program, *arguments, **environment) -> dict[str, str]:
    """What a program of mistakes prints: a kernel's name and its message a line."""
    result = run(program, *arguments, **environment)
    assert result.returncode == 0, result.stderr
    return dict(line.split(": ", 1) for line in result.stdout.splitlines())


def expect_messages(messages: dict[str, str], expected: dict[str, str], program: str) -> None:
    """Each kernel's message has its text, and names the line that is marked with the kernel's name."""
    assert set(messages) == set(expected)
    for kernel, text in expected.items():
        assert text in messages[kernel], messages[kernel]
        assert re.search(rf"{program.split('/')[-1]}.cu:{line_of(program, kernel)}\b", messages[kernel]), messages[
            kernel
        ]


# ---- mistakes that are found ---------------------------------------------------------------------------------------

MISTAKES = "cpu_only/mistakes"


@pytest.mark.thorough
def test_opposite_order_finds_a_missing_barrier(compiler):
    program = build(MISTAKES, compiler, *WARNINGS)
    forward, backward = (run(program, "order", reverse=reverse).stdout.splitlines() for reverse in (False, True))
    assert forward[0] == backward[0] == "with: 63"
    assert forward[1] != backward[1]
    order = "order: 0.0 0.1 0.2 0.0 0.1 0.2 1.0 1.1 1.2 1.0 1.1 1.2"
    assert forward[2] == order
    assert backward[2] == "order: 1.2 1.1 1.0 1.2 1.1 1.0 0.2 0.1 0.0 0.2 0.1 0.0"
    assert run(program, "order", CUDA_REVERSE="").stdout.splitlines()[2] == order


@pytest.mark.thorough
@both_orders
def test_waits(compiler, reverse):
    """Deadlocks, a divergent barrier, a wrong mask, an exception: each is reported, and the next launch works."""
    result = run(build(MISTAKES, compiler, *WARNINGS), "waits", reverse=reverse)
    assert result.returncode == 0, result.stderr
    messages = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    marks = ("barrier", "warp", "never", "shuffle", "masks", "odd", "even")
    places = {mark: f"mistakes.cu:{line_of(MISTAKES, mark)}" for mark in marks}

    def contains(kernel: str, *texts: str) -> None:
        assert not [text for text in texts if text not in messages[kernel]], messages[kernel]

    block = "(2, 1, 0)" if reverse else "(0, 0, 0)"
    contains("barrier_and_warp", f"deadlock in kernel barrier_and_warp, block {block}")
    contains("barrier_and_warp", "40 threads wait in __syncthreads() at", places["barrier"])
    contains("barrier_and_warp", "24 threads wait in __syncwarp()", places["warp"], "the first is (40, 0, 0)")
    contains("barrier_and_warp", "; the 5 blocks that follow start when this one has returned")
    contains("lane_never_comes", "3 threads wait in __shfl_down_sync() with mask 0x0000000f", places["shuffle"])
    contains("lane_never_comes", "1 thread waits in __syncthreads()", places["never"], "the first is (3, 0, 0)")
    contains("masks_differ", "deadlock", "16 threads wait in __syncwarp() with mask 0xffffffff", places["masks"])
    contains("divergent_barrier", places["odd"], places["even"], "must reach the same one")
    contains("not_in_mask", "kernel not_in_mask, block (0, 0, 0), thread (1, ")
    contains("not_in_mask", f"mistakes.cu:{line_of(MISTAKES, 'mask')}: the mask does not name the thread that calls")
    contains("empty_mask", f"mistakes.cu:{line_of(MISTAKES, 'empty')}: the mask does not name the thread that calls")
    reads = f"__shfl_down_sync() at {PROGRAMS / MISTAKES}.cu:{line_of(MISTAKES, 'absent')}: reads from lane "
    contains(
        "absent_lane", "thread (32, 0, 0)", reads + "16 of the warp, which the mask names but the block does not have"
    )
    assert messages["throws"] == "thrown by a kernel"
    contains("destructors", "deadlock")
    assert messages["destroyed"] == "64"
    contains("launches", "a kernel launches sum")
    assert messages["while_capturing"] == "thrown while another stream captures"
    assert messages["kept"] == "0"
    assert messages["owned"] == "127, error 1"  # cudaErrorInvalidValue: it is free
    assert len(messages) == 14  # no line for a wrong sum of the next launch


BLOCKS = "cpu_only/blocks"


@pytest.mark.thorough
@both_orders
def test_blocks_that_wait_for_ever(compiler, reverse):
    """Deadlocks between blocks, wrong uses of clusters, asserts, traps and faults: reported, and the next launch works."""
    result = run(build(BLOCKS, compiler, *WARNINGS), "fast", reverse=reverse)
    messages = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    parts = {
        "block_is_missing": ["deadlock", "16 threads wait in grid.sync() at", "LINE grid", "; 1 block has returned"],
        "thread_is_missing": ["2 threads wait in __syncthreads()", "LINE alone", "14 threads wait in grid.sync()"],
        "not_cooperative": ["LINE ordinary needs a launch with cudaLaunchCooperativeKernel()"],
        "cluster_is_missing": ["threads wait in cluster.sync()", "LINE cluster", "; 2 blocks have returned"],
        "twice": ["LINE twice: has arrived there already, and not waited"],
        "only_waits": ["LINE only: has not arrived there before"],
        "no_such_block": ["the cluster has no block of rank 4"],
        "has_returned": ["the block of rank 1 has returned"],
        "not_shared": ["the address is not in shared memory"],
        "asserts": ["errors 710 710 0"],
        "traps": ["errors 719 719 0"],
        "null_pointer": ["thread (5, 0, 0)", " has used the address 0x4, where no memory is; the memory check names"],
        "no_address": ["has used an address that is not aligned for its type, or that no memory can have"],
        "by_zero": ["has divided an integer by 0"],
        "deep": ["needs more than 256 KB of stack"],
        "once": ["errors 710 0"],
    }
    if platform.machine() in ("aarch64", "arm64"):  # it ignores the upper byte of an address, and divides by 0
        parts |= {"no_address": parts["traps"], "by_zero": ["errors 0 0 0"]}
    assert set(messages) == set(parts)
    for kernel, texts in parts.items():
        for text in texts:
            text = re.sub(r"LINE (\w+)", lambda mark: f"blocks.cu:{line_of(BLOCKS, mark[1])}", text)
            assert text in messages[kernel], messages[kernel]
    assert f"blocks.cu:{line_of(BLOCKS, 'assert')}: " in result.stderr
    assert "block: [1,0,0], thread: [33,0,0] Assertion `s == 1 + 1` failed." in result.stderr
    assert result.returncode == -signal.SIGABRT  # of an assert on the host
    text = f"blocks.cu:{line_of(BLOCKS, 'host')}: int main(int, char**): Assertion `a[0] == 2' failed."
    assert text in result.stderr.replace("char **", "char**")  # as clang++ writes it


GROUPS = "cpu_only/wrong_groups"


@pytest.mark.thorough
@both_orders
def test_wrong_groups(compiler, reverse):
    """Threads and lanes that are not there, barriers of a tile that not all reach, sizes that do not fit."""
    result = run(build(GROUPS, compiler, *WARNINGS), reverse=reverse)
    assert result.returncode == 0, result.stderr
    messages = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    parts = {
        "partial_warp": [
            "tile.shfl_xor() at",
            "LINE partial: reads from lane 16 of the warp",
            "the block does not have",
        ],
        "no_such_rank": ["LINE rank: the group has no thread of rank 5"],
        "partial_tile": ["tiled_partition<64>() at", "LINE divides: the block has 48 threads"],
        "not_a_power_of_2": ["LINE six: a size of 6; it must be 1, 2, 4, 8, 16 or 32"],
        "half_a_tile": [
            "32 threads wait in tile.sync() at",
            "LINE half",
            "32 threads wait in block.sync()",
            "LINE other",
        ],
        "thread_is_missing": ["7 threads wait in tile.shfl_down() with mask 0x00ff0000", "LINE missing"],
        "two_branches": ["LINE first", "LINE second", "must reach the same one"],
    }
    assert set(messages) == set(parts)  # and no line for a wrong sum of the next launch
    for kernel, texts in parts.items():
        for text in texts:
            text = re.sub(r"LINE (\w+)", lambda mark: f"wrong_groups.cu:{line_of(GROUPS, mark[1])}", text)
            assert text in messages[kernel], messages[kernel]


@pytest.mark.thorough
def test_endless_loops_end(compiler):
    result = run(build(BLOCKS, compiler, *WARNINGS), "slow", CUDA_ON_CPU_TIMEOUT="0.2")
    assert result.returncode == 0, result.stderr
    messages = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    lines = {mark: f"blocks.cu:{line_of(BLOCKS, mark)}" for mark in ("spins", "barrier", "lock")}
    assert re.search(f"60 threads spin in a loop at .*{lines['spins']}", messages["nobody_writes"])
    assert re.search(f"4 threads wait in __syncthreads.. at .*{lines['barrier']}", messages["nobody_writes"])
    assert re.search(f"16 threads spin in atomicCAS.. at .*{lines['lock']}", messages["nobody_unlocks"])
    assert "the 4 blocks that follow start when one of these 16 has returned" in messages["nobody_unlocks"]
    assert "for 0.2 s thread (0, 0, 0) of block (0, 0, 0) has run and given no other a turn" in messages["endless"]
    assert len(messages) == 3


ASYNC_MISTAKES = "cpu_only/async_mistakes"


@pytest.mark.thorough
def test_order_finds_a_copy_that_nobody_waits_for(compiler):
    """Asynchronous copies are carried out late in one order, and at once in the other."""
    program = build(ASYNC_MISTAKES, compiler, *WARNINGS, "-O0")
    forward, backward = (
        dict(line.split(": ") for line in run(program, "order", reverse=reverse).stdout.splitlines()[:-1])
        for reverse in (False, True)
    )
    right = {"groups": "276", "barriers": "28", "pipelines": "276"}
    for name in forward:
        kernel, _, mistake = name.partition(", ")
        assert (forward[name] == backward[name] == right[kernel]) == (mistake == ""), (name, forward, backward)
    assert len(forward) == 7
    for kernel in right:  # old data, and the new ones
        assert int(forward[f"{kernel}, no wait"]) < int(backward[f"{kernel}, no wait"]) == int(right[kernel])


@pytest.mark.thorough
@both_orders
def test_wrong_copies_and_barriers_are_refused(compiler, reverse):
    result = run(build(ASYNC_MISTAKES, compiler, *WARNINGS, "-O0"), "refused", reverse=reverse)
    assert result.returncode == 0, result.stderr
    messages = dict(line.split(": ", 1) for line in result.stdout.splitlines()[:-1])
    expected = {
        "size": "copies 12 bytes: it can copy 4, 8 or 16",
        "zeros": "reads -1 bytes to write 4",
        "misaligned": "the address in global memory is not aligned to 8 bytes",
        "promise": "the source is not aligned to 16 bytes",
        "no_multiple": "the size is 6 bytes, no multiple of the alignment 4",
        "no_init": "the barrier has no expected count: init() comes first",
        "too_many": "2 threads arrive, and 1 are still expected of 3",
        "too_few": "8 threads wait in barrier::arrive_and_wait()",
        "no_bytes": "1 thread waits in barrier::wait()",
        "nobody_produces": "1 thread waits in pipeline::consumer_wait()",
        "latch": "the latch is at 0",
        "semaphore": "1 thread waits in counting_semaphore::acquire()",
    }
    for kernel, text in expected.items():
        assert text in messages[kernel]
        assert f"async_mistakes.cu:{line_of(ASYNC_MISTAKES, kernel)}" in messages[kernel]
    assert len(messages) == len(expected)


EXCHANGE = "cpu_only/exchange_mistakes"


@pytest.mark.thorough
@both_orders
def test_wrong_exchanges_are_refused(compiler, reverse):
    """st_async() and mbarriers between blocks: what would hang, or meet another block's memory. 3 s to compile."""
    program = build(EXCHANGE, compiler, *WARNINGS, "-Wpedantic", "-O0")
    printed = [run(program, which, reverse=reverse, CUDA_ON_CPU_TIMEOUT="0.2").stdout for which in ("refused", "hang")]
    messages = dict(line.split(": ", 1) for line in "".join(printed).splitlines())
    assert messages.pop("right") == "nothing"
    expected = {
        "returns": "block (1, 0, 0) has returned, and has not waited for ",
        "too_few_bytes": "has returned, and has not waited for 1 copies (st.async, cp.async.bulk) into or out of its",
        "no_init": "the barrier has no expected count: init() comes first",
        "two_blocks": "the address and the barrier are in the shared memory of different blocks",
        "not_shared": "the address or the barrier is not in shared memory",
        "misaligned": "the address is not aligned to 8 bytes",
        "waits_there": "the barrier is another block's; only its own block can do this",
        "phase_for_parity": "a parity is 0 or 1, not 2",
        "no_cluster": "an illegal instruction was encountered: the kernel was launched without clusters",
        "too_many_bytes": "128 threads spin in mbarrier_try_wait_parity() for parity 0, and the phase has parity 0, lacks 4",
    }
    assert set(messages) == set(expected)
    for kernel, text in expected.items():
        assert text in messages[kernel], messages[kernel]
        assert f"exchange_mistakes.cu:{line_of(EXCHANGE, kernel)}" in messages[kernel]


TMA_MISTAKES = "cpu_only/tma_mistakes"


@pytest.mark.thorough
@both_orders
def test_wrong_uses_of_tma_are_refused(compiler, reverse):
    """What an H100 refuses, what is undefined, and what is not known of it."""
    messages = messages_of(build(TMA_MISTAKES, compiler, *WARNINGS, "-O0"), reverse=reverse)
    spins = "32 threads spin in mbarrier_try_wait_parity() for parity"
    unfenced = (
        "reads shared memory, offset 0 of its array: ordinary stores have written it with no fence.proxy.async since"
    )
    never_waited = "has not waited for 1 copies (st.async, cp.async.bulk) into or out of its shared memory, the last at"
    of_16_bytes = (
        "an illegal instruction was encountered: the box begins at element 2 of a row, and an element has 4 bytes"
    )
    expected = {
        "no_fence_after_init": "no fence.mbarrier_init or fence.proxy.async came between the barrier's init and this copy",
        "too_many_bytes": f"{spins} 0, and the phase has parity 0, lacks 16 bytes at",
        "too_few_bytes": f"{spins} 0, and the phase has parity 0, has not expected 16 bytes at",
        "wrong_parity": f"{spins} 1, and the phase has parity 1, lacks 1 of 1 arrivals at",
        "nobody_loads": f"{spins} 0, and the phase has parity 0, lacks 1 of 1 arrivals at",
        "returns_early": never_waited,
        "misaligned_tile": "the address in shared memory is not aligned to 128 bytes",
        "leaves_its_array": "1024 bytes from offset 128 on leave an array of 1024 bytes in shared memory",
        "not_shared": "the address is not in shared memory",
        "no_proxy_fence": unfenced,
        "fence_of_global_memory": unfenced,
        "no_wait_for_the_store": never_waited,
        "no_map": "the address is not that of a tensor map that cuTensorMapEncodeTiled() has made",
        "wrong_rank": "2 coordinates for a tensor map of rank 1",
        "freed_tensor": "the memory that the tensor map describes has been freed since the map was made",
        "wrong_strides": "by the tensor map's sizes and strides the box reaches byte 4160 of memory of 4100 bytes",
        "narrow_box": "a row of the box has 64 bytes, and the swizzle 128: it is not known where a GPU puts them",
        "unknown_nan": "the box leaves the tensor: it is not known which NaN a GPU fills in",
        "stores_with_steps": "it is not known what a GPU does in a store with element strides",
        "between_16_bytes": of_16_bytes,
        "stores_between_16_bytes": of_16_bytes,
        "stores_at_a_negative_row": "an illegal instruction was encountered: a store has the coordinate -1",
        "no_multiple_of_16": "24 bytes: the size must be a multiple of 16",
        "misaligned_source": "the address in global memory is not aligned to 16 bytes",
        "no_such_block": "the mask 0x3 names blocks that the cluster does not have",
        "waits_there": "the barrier is another block's; only its own block can do this",
    }
    late = [messages.pop(name) for name in ("stores_what_is_not_there", "no_wait", "overwrites", "asked_once")]
    if reverse:  # a copy is over at once
        assert late == ["1024", "5", "1", "0"]
    else:
        assert unfenced in late[0]
        assert (late[1].strip("-"), late[2], late[3].strip("-")) == ("nan", "2", "nan")
    assert messages.pop("right") == messages.pop("asks_two") == "7"
    expect_messages(messages, expected, TMA_MISTAKES)


WGMMA_MISTAKES = "cpu_only/wgmma_mistakes"


@pytest.mark.thorough
@both_orders
def test_wrong_uses_of_wgmma_are_found(compiler, reverse):
    """By a message, or by NaN and wrong sums: a product is worked out as late as is allowed, or at once."""
    messages = messages_of(build(WGMMA_MISTAKES, compiler, *WARNINGS), reverse=reverse)
    nothing = {name for name, text in messages.items() if text == "0 wrong, 0 NaN"}
    assert nothing == {"right", *["loads_too_early"] * reverse}
    wrong = {name: int(messages.pop(name).split()[0]) for name in ("right", "loads_too_early", "wrong_swizzle")}
    assert wrong["wrong_swizzle"] > 3000
    assert reverse or wrong["loads_too_early"] > 3000
    assert {messages.pop(name) for name in ("no_wait", "no_commit")} == {"4096 wrong, 4096 NaN"}
    not_loaded = messages.pop("not_loaded")
    unfenced = "ordinary stores have written it with no fence.proxy.async since, or a copy into it is not over"
    assert "wrong" in not_loaded if reverse else f"reads shared memory, offset 0 of its array: {unfenced}" in not_loaded
    no_fence = "no wgmma.fence since the last wait (or the start), and the thread has used the registers since"
    expected = {
        "no_fence": no_fence,
        "no_fence_later": no_fence,
        "unfenced_registers": no_fence,
        "no_proxy_fence": f"reads shared memory, offset 8192 of its array: {unfenced}",
        "called": f"wgmma_mistakes.cu:{line_of(WGMMA_MISTAKES, 'called')}): the address in shared memory is not aligned",
        "called_and_hangs": "128 threads spin in mbarrier.try_wait for parity 1, and the phase has parity 1",
        "half_a_warpgroup": "no thread can go on: 64 threads wait in wgmma.wait_group at",
        "different_descriptors": "the 128 threads of the warpgroup started different ones",
        "changed_sums": "the thread has written to some of the sums of a product that is not over",
        "unmasked": "has bits outside of its fields: the address, and the offsets in bytes, are (x & 0x3ffff) >> 4",
        "leaves_shared_memory": "and its offsets lead out of every array in shared memory",
        "no_such_number": "the number is a multiple of 8, from 24 to 256",
        "too_many_registers": "the block's warps now ask for 73728 registers, and a multiprocessor has 65536",
    }
    expect_messages(messages, expected, WGMMA_MISTAKES)


@pytest.mark.thorough
def test_address_sanitizer(compiler):
    name = "cpu_only/out_of_bounds"
    program = build(name, compiler, *WARNINGS, "-fsanitize=address")
    kinds = {"global": "heap-buffer-overflow", "reads": "heap-buffer-overflow", "shared": "global-buffer-overflow"}
    for where, kind in {**kinds, "dynamic": "use-after-poison", "local": "stack-buffer-overflow"}.items():
        result = run(program, where)
        assert result.returncode != 0
        assert f"AddressSanitizer: {kind}" in result.stderr
        top = rf"#0 .* in {where}\(.*out_of_bounds.cu:{line_of(name, where)}\b"
        assert re.search(top, result.stderr), result.stderr
    for option in ("0", "1"):  # and no false alarm on stacks that are left and used again
        result = run(program, "none", ASAN_OPTIONS=f"detect_stack_use_after_return={option}")
        assert (result.returncode, result.stdout) == (0, "ok 496\n"), result.stderr


@pytest.mark.thorough
def test_compile_error_names_the_line_of_the_cu(compiler, tmp_path):
    name = "cpu_only/does_not_compile"
    cpp = tmp_path / "out.cpp"
    translate_file(PROGRAMS / f"{name}.cu", cpp)
    command = [*COMPILERS[compiler], *CFLAGS, f"-I{INCLUDE}", "-fsyntax-only", cpp]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode != 0
    errors = re.findall(r"^(.*?):(\d+):\d+: error:", result.stderr, re.MULTILINE)
    assert sorted(errors) == sorted(  # g++ has those of its preprocessor first
        (str(PROGRAMS / f"{name}.cu"), str(line_of(name, mark)))
        for mark in ("error", "instruction", "lacking", "initialiser", "host", "arguments")
    )
    assert 'a __host__ function("twice") from a __global__ function("' in result.stderr
    assert "CUDA on CPU (see its README) has no PTX instruction tcgen05.fence::after_thread_sync" in result.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("header", ["thrust/sort.h", "cub/device/device_reduce.cuh", "cuda/std/mdspan"])
def test_a_header_that_is_lacking_ends_the_compilation(compiler, header, tmp_path):
    """One line says so, also where a header of the reader's includes it; #if decides, and __has_include tells the truth."""
    (tmp_path / "readers.h").write_text(f"#include <{header}>\n")
    (tmp_path / "a.cu").write_text(
        f"#if 0\n#include <{header}>\n#endif\n#if __has_include(<{header}>)\n#error\n#endif\n"
        '#include <cub/cub.cuh>\n#include "readers.h"\nusing thrust::sort;\n'
    )
    translate_file(tmp_path / "a.cu", tmp_path / "a.cpp")
    command = [*COMPILERS[compiler], *CFLAGS, f"-I{INCLUDE}", "-fsyntax-only", tmp_path / "a.cpp"]
    result = run(*command, CPATH="", CPLUS_INCLUDE_PATH="")  # a toolkit may be there
    assert len(re.findall("error:", result.stderr)) == 1
    assert f"CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no {header}" in result.stderr
    assert f"{tmp_path / 'readers.h'}:1" in result.stderr


@pytest.mark.thorough
def test_cublas_is_declared_and_refuses_to_compute(compiler):
    result = run(build("cpu_only/no_cublas", compiler, *WARNINGS, "-Wpedantic", "-O0", "-g0"))
    said = "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no"
    names = ("cublasSaxpy", "cublasSgemm", "cublasZgemmStridedBatched", "cublasLtMatmulDescCreate")
    assert result.stdout.splitlines() == ["1 6", *[f"{said} {name}()" for name in names], "1 6"], result.stderr


@pytest.mark.thorough
def test_debugger_shows_the_cu():
    need("gdb")
    program = build(MISTAKES, "g++", "-O0", out="for_gdb")
    line = line_of(MISTAKES, "read")
    commands = [f"break mistakes.cu:{line} if threadIdx.x == 40", "run", "backtrace", "print blockDim.x"]
    arguments = [f"-ex={command}" for command in commands]
    result = run("gdb", "-batch", *arguments, "--args", program, "order", DEBUGINFOD_URLS="")
    assert re.search(rf"neighbour \(.*mistakes.cu:{line}\b", result.stdout), result.stdout + result.stderr
    assert "$1 = 64" in result.stdout


# ---- several files, several libraries ------------------------------------------------------------------------------


@pytest.mark.thorough
def test_two_libraries_in_one_process(compiler):
    """Kernels of the same name in two .so: neither their shared memory nor their last error is shared."""
    flags = ["-O0", "-fPIC", "-shared"]
    files = [f"cpu_only/library_{number}" for number in ("one", "two")]
    paths = [
        build(files, compiler, *flags, "-DVALUE=1", out="library1"),
        build(files[0], compiler, *flags, "-DVALUE=2", out="library2"),
    ]
    libraries = []
    for path in paths:
        # Global: the second library's symbols are looked up in the first, unless they are hidden.
        libraries.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
        exported = run("nm", "-D", "--defined-only", path).stdout
        ours = re.findall(r".*(?:_ZN?11cuda_on_cpu|_Z9same_name|_Z7another|_Z6helper|cuda[A-Z]|threadIdx).*", exported)
        assert "call_another" in exported
        assert not ours
        assert not re.findall(r".* [uBD] (?!_ZZNSt).*", exported)  # nor any variable but the standard library's
    one, two = libraries
    assert [one.call(), two.call(), one.call(), two.call()] == [1, 2, 2, 4]
    assert [one.call_another(), two.call_another()] == [1, 2]
    assert one.threads_that_waited(40) == 40
    one.refuse()
    assert two.last_error() == 0
    assert one.last_error_in_another_file() == 9  # set in one file of the .so, read in the other
    assert one.last_error() == 0
