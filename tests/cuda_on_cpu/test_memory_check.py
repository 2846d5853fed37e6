"""The memory check: kernels that use memory wrongly, each found with its lines, and right ones without a false alarm.

g++ only, about 35 s from clean, and 5 s again; clang++ is thorough.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from cuda_on_cpu import memory_check, programs
from tests.cuda_on_cpu.building import (
    COMPILERS,
    KEPT,
    PROGRAMS,
    ROOT,
    WARNINGS,
    both_orders,
    expect_ok,
    line_of,
    need,
    run,
)

pytestmark = pytest.mark.thorough
RACE, VALUE, BOUNDS, ALIGNED = "data race: ", "uninitialised memory: ", "out of bounds: ", "misaligned address: "
BARRIER, WARP = "no __syncthreads() is between", "no __syncthreads() and no __syncwarp() is between"
BLOCKS = "blocks run in any order"
ATOMIC = "threads that update one number need an atomic"
UNFENCED = "no __threadfence() follows what told of it"
# What is found in each kernel of memory_wrong.cu.
FOUND = {
    "reverse": (RACE, "the shared array reverse", BARRIER),
    "tree": (RACE, "the shared array tree"),
    "tiles": (RACE, "writes byte 128 of the shared array tiles", BARRIER),
    "in_place": (RACE, "writes byte 128 of the shared array in_place", BARRIER),
    "scan": (RACE, "the shared array scan"),
    "dynamic": (RACE, "of the 256 bytes of dynamic shared memory", BARRIER),
    "broadcast": (RACE, "the shared array broadcast(float*, float const*, float*)::total of 4 bytes"),
    "bins_zeroed": (RACE, "changed it by an atomic", BARRIER),
    "bins_read": (RACE, "changes by an atomic", BARRIER),
    "guess_unchecked": (RACE, "by an atomic", WARP),
    "through_global": (RACE, "of the 512 bytes of cudaMalloc() number 1 (", BARRIER),
    "only_syncwarp": (RACE, "reads byte 124 of the shared array only_syncwarp", BARRIER),
    "work_queue": (RACE, "reads byte 0 of the shared array work_queue", WARP),
    "bytes": (RACE, "byte 1 of the shared array bytes"),
    "vectors_of_ptx": (RACE, "thread (32, 0, 0) of block (0, 0, 0) reads byte 0", BARRIER),
    "zeroed": (RACE, "the shared array zeroed", BARRIER),
    "streamed": (RACE, "of the 512 bytes of cudaMalloc() number 1 (", BARRIER),
    "vectors": (RACE, "thread (32, 0, 0) of block (0, 0, 0) writes byte 0", BARRIER),
    "reduce_again": (RACE, "the shared array reduce_again", WARP),
    "scan_again": (RACE, "the shared array scan_again", WARP),
    "load_behind": (BOUNDS, "reads 4 bytes", "bytes past the end of the 512 bytes of cudaMalloc() number 2"),
    "in_a_warp": (RACE, WARP),
    "across_a_shuffle": (RACE, WARP),
    "across_a_ballot": (RACE, WARP),
    "old_style": (RACE, WARP),
    "old_style_in_global": (RACE, "thread (8, 0, 0)", "thread (0, 0, 0) of block (0, 0, 0) read it", WARP),
    "half_a_warp": (RACE, WARP),
    "half_reads": (RACE, "thread (16, 0, 0)", "thread (0, 0, 0) of block (0, 0, 0) read it", WARP),
    "sum": (
        RACE,
        "thread (1, 0, 0) of block (0, 0, 0) writes byte 0",
        "thread (0, 0, 0) of block (0, 0, 0) wrote it",
        ATOMIC,
    ),
    "ten_lines": (RACE, "\n  and 2 more"),
    "shared_bins": (RACE, "the shared array shared_bins", ATOMIC),
    "largest": (RACE, ATOMIC),
    "count_blocks": (RACE, "thread (0, 0, 0) of block (1, 0, 0) writes byte 12", ATOMIC),
    "half_atomic": (RACE, "changed it by an atomic", BLOCKS),
    "half_cuda_atomic": (RACE, "changes by an atomic byte 0", WARP),
    "volatile_count": (RACE, "thread (1, 0, 0)", "thread (0, 0, 0) of block (0, 0, 0) wrote it", WARP),
    "in_place_stencil": (RACE, "writes byte 256", BLOCKS),
    "both_write": (RACE, "thread (0, 0, 0) of block (1, 0, 0) writes byte 0", BLOCKS),
    "needs_grid_barrier": (RACE, BLOCKS),
    "last_block": (RACE, BLOCKS),
    "last_block_of_many": (RACE, BLOCKS),
    "last_block_barrier": (RACE, BLOCKS),
    "last_block_reads_early": (RACE, UNFENCED),
    "lock_reads_early": (RACE, UNFENCED),
    "after_grid_barrier": (RACE, "kernel after_grid_barrier(", "thread (63, 0, 0)", BLOCKS),
    "flag_without_fence": (RACE, BLOCKS),
    "flag_reads_early": (RACE, UNFENCED),
    "stored_behind_the_fence": (RACE, BLOCKS),
    "known_to_another_block": (RACE, "of block (2, 0, 0) reads byte 0", BLOCKS),
    "flag_that_nobody_stores": (RACE, BLOCKS),
    "after_cluster_barrier": (RACE, "thread (63, 0, 0)", BLOCKS),
    "cluster_too_early": (
        RACE,
        "reads byte 252 of the shared array cluster_too_early",
        "in block (0, 0, 0), s[63], at",
        BLOCKS,
    ),
    "cluster_unmet": (
        "too early: thread ",
        "writes byte ",
        "of the shared array cluster_unmet",
        "which is another block's: it may not have started, so a barrier of the cluster must come before",
    ),
    "bins_not_zeroed": (VALUE, "the shared array bins_not_zeroed", "which no thread of its block has written"),
    "tail": (VALUE, "byte 252 of the shared array tail"),
    "of_an_earlier_block": (VALUE, "thread (0, 0, 0) of block (1, 0, 0)"),
    "dynamic_unset": (VALUE, "thread (5, 0, 0)", "byte 0 of the 256 bytes of dynamic shared memory"),
    "fresh_sum": (VALUE, "which nobody has written"),
    "fresh_read": (VALUE, "byte 256 of the 512 bytes of cudaMalloc()"),
    "fresh_byte": (VALUE, "byte 200 of the 512 bytes of cudaMalloc()"),
    "behind": (
        BOUNDS,
        "thread (63, 0, 0)",
        "writes 4 bytes",
        "beginning 0 bytes past the end of the 512 bytes of cudaMalloc() number 1",
    ),
    "before": (BOUNDS, "reads 4 bytes", "beginning 4 bytes before the 512 bytes of cudaMalloc() number 2"),
    "far_behind": (BOUNDS, "beginning 3488 bytes past the end"),
    "half_out": (BOUNDS, "writes 8 bytes", "bytes past the end"),
    "part_behind": (
        BOUNDS,
        "thread (42, 0, 0)",
        "ending 4 bytes past the end of the 512 bytes of cudaMalloc() number ",
    ),
    "atomic_behind": (BOUNDS, "thread (63, 0, 0)", "beginning 0 bytes past the end"),
    "shared_behind": (BOUNDS, "thread (63, 0, 0)", "uses index 64 of 'float", "64]'"),
    "row_behind": (BOUNDS, "thread (7, 0, 0)", "uses index 8 of 'float", "8]'"),
    "member_behind": (BOUNDS, "thread (7, 0, 0)", "uses index 8 of 'float", "8]'"),
    "dynamic_behind": (BOUNDS, "byte 256 of dynamic shared memory, and the launch asks for 256"),
    "null": ("a null pointer with an offset", "reads address 0x64, "),
    "float4_off": (ALIGNED, "float4'", "no multiple of 16"),
    "float2_off": (ALIGNED, "float2'", "no multiple of 8"),
    "double_off": (ALIGNED, "double'", "no multiple of 8"),
    "own_struct_off": (ALIGNED, "Four'", "no multiple of 16"),
    "shared_off": (ALIGNED, "float4'", "no multiple of 16"),
    "hosts_heap": ("the host's memory, or that of no array",),
    "hosts_stack": ("the host's memory, or that of no array",),
    "freed": (BOUNDS, "which has been freed"),
    "two_calls": ("thread (32, 0, 0) of block (0, 0, 0) reaches a barrier by ", "all must reach it by the same calls"),
    "two_branches": ("thread", "must reach the same one"),
    "barrier_and_warp": ("deadlock", "40 threads wait in __syncthreads()", "24 threads wait in __syncwarp()"),
    "left_out": ("48 threads of block (0, 0, 0) returned without it, and 16 threads waited at",),
    "not_in_mask": ("the mask does not name the thread that calls",),
}
# What README.md says is not found.
MISSED = {"one_line", "lane_without_a_value", "another_array"}
# The same of memory_copies.cu.
FOUND_COPIES = {
    "no_wait": (RACE, "thread (0, 0, 0) of block (0, 0, 0) started a copy into it", "it may not be complete"),
    "waits_for_one": (RACE, "reads byte 256", "started a copy into it", "it may not be complete"),
    "no_barrier": (RACE, "thread (31, 0, 0) of block (0, 0, 0) wrote it", BARRIER),
    "wait_behind_the_barrier": (RACE, "thread (63, 0, 0) of block (0, 0, 0) started a copy into it"),
    "into_what_others_read": (RACE, "starts a copy into byte 128", BARRIER),
    "group_without_wait": (RACE, "it may not be complete"),
    "barrier_not_waited_for": (RACE, "it may not be complete"),
    "wmma_too_early": (RACE, WARP, VALUE),
    "wmma_stored_too_early": (RACE, WARP, VALUE),
    "ldmatrix_too_early": (RACE, WARP),
    "stmatrix_too_early": (RACE, WARP),
    "ldmatrix_of_nothing": (VALUE, "thread (7, 0, 0)"),
}
# The same of exchange_mistakes.cu, in either order.
FOUND_EXCHANGES = {
    "no_wait": (RACE, "started a copy into it", "it may not be complete"),
    "one_waits": (RACE, "the shared array one_waits(int*)::s of 256 bytes"),
    "overwrites": (RACE, "starts a copy into", "the shared array overwrites(int*)::s of 256 bytes in block ("),
}
# What clang++ hides: it asks for no alignment where a whole struct is copied, and makes one of two calls of a function.
OVERLOOKED = "float2_off", "two_calls"
ON_THE_HOST = {
    "copy_beyond": "a copy at {}.cu:333 goes 4 bytes beyond the 512 bytes of cudaMalloc() number 2",
    "wrong_kind": "says that its source is the host's memory, and it is the 512 bytes of cudaMalloc() number 2",
    "wrong_kind_too": "says that its destination is the host's memory, and it is the 512 bytes of cudaMalloc() number 1",
    "set_beyond": "a memset at {} goes 4 bytes beyond the 512 bytes of cudaMalloc() number 1",
    "freed_twice": "cudaFree() at {} got memory that has been freed already",
    "never_allocated": "cudaFree() at {} got a pointer that no allocation gave",
}


@pytest.fixture(params=["g++", "clang++"])
def compiler(request) -> str:
    need(request.param)
    return request.param


def checked(name: str, compiler: str, folder: str = "cpu_only"):
    """programs/cpu_only/<name>.cu, compiled for the memory check when something has changed."""
    for program in "addr2line", "nm":
        need(program)
    program = KEPT / "memory_check" / compiler / name
    flags = [*WARNINGS, "-Wpedantic", "-D_FORTIFY_SOURCE=2"]  # the last one as Ubuntu's compilers do
    programs.build([PROGRAMS / folder / f"{name}.cu"], program, COMPILERS[compiler][:1], flags, checked=True)
    return program


def messages(text: str) -> dict[str, str]:
    return dict(re.findall(r"^(\w+): (.*(?:\n  .*)*)", text, re.MULTILINE))


def marked(name: str, program: str = "memory_wrong") -> str:
    return f"{program}.cu:{line_of(f'cpu_only/{program}', name)}"


def other(name: str, program: str = "memory_wrong") -> str | None:
    """The line that ends in `// OTHER name`."""
    lines = (PROGRAMS / f"cpu_only/{program}.cu").read_text().splitlines()
    return next((f"{program}.cu:{i}" for i, line in enumerate(lines, 1) if line.endswith(f"// OTHER {name}")), None)


@both_orders
def test_wrong_kernels(compiler, reverse):
    """Each kernel's mistake in any order of the threads; in the default order with the words, too."""
    result = run(checked("memory_wrong", compiler), reverse=reverse)
    assert result.returncode == 0, result.stderr
    found = messages(result.stdout)
    missed = {"old_style_in_global"} if reverse else set()  # no lane reads before another writes
    assert {name for name, text in found.items() if text == "nothing"} - set(OVERLOOKED) == MISSED | missed
    assert set(found) == {*FOUND, *MISSED}
    for name, words in FOUND.items():
        if compiler == "clang++" and name in OVERLOOKED:
            continue
        if reverse and (words[0] == VALUE or name in ("two_calls", "old_style_in_global")):
            continue  # which thread is the first to read, and what it reads, depends on the order
        text = found[name]
        assert words[0] in text, (name, text)
        assert re.search(re.escape(marked(name)) + r"\b", text), (name, text)
        if not reverse:
            assert not [word for word in words if word not in text], (name, text)
            assert other(name) is None or other(name) in text, (name, text)
    assert reverse or found["reduce_again"].count(RACE) == 1  # two lines, and many accesses in each


def test_copies_and_tensor_cores(compiler):
    """Asynchronous copies and matrices, used too early, too late and rightly."""
    for reverse in (False, True):
        result = run(checked("memory_copies", compiler), reverse=reverse)
        assert result.returncode == 0, result.stderr
        found = messages(result.stdout)
        right = {name for name, text in found.items() if text == "nothing"}
        assert right == {"right_pipeline", "right_group", "right_barrier", "right_tensor_cores"}
        assert set(found) - right == set(FOUND_COPIES)
        for name, words in FOUND_COPIES.items():
            assert marked(name, "memory_copies") in found[name], (name, found[name])
            if not reverse:
                assert not [word for word in words if word not in found[name]], (name, found[name])
                assert (other(name, "memory_copies") or "") in found[name], (name, found[name])


def test_past_a_shared_array(compiler):
    """Of which the compiler knows no length: no other variable begins at that address."""
    said = run(checked("past_shared", compiler)).stderr
    line = line_of("cpu_only/past_shared", "reversed")
    assert re.search(
        rf"{BOUNDS}thread \(255, .* writes 4 bytes at .*past_shared.cu:{line}, beginning 0 bytes past the end", said
    )


def test_a_shift_by_all_bits(compiler):
    said = run(checked("shifts", compiler)).stderr
    line = line_of("cpu_only/shifts", "powers")
    assert re.search(rf"shift: thread \(32, .* shifts 'unsigned int' by 32 bits at .*shifts.cu:{line}: C\+\+", said)


@both_orders
def test_exchanges_between_blocks(compiler, reverse):
    """What st_async() has stored is there for threads that have waited at its mbarrier. 5 s to compile."""
    result = run(checked("exchange_mistakes", compiler), "race", reverse=reverse)
    assert result.returncode == 0, result.stderr
    found = messages(result.stdout)
    assert found.pop("right") == "nothing"
    assert set(found) == set(FOUND_EXCHANGES)
    for name, words in FOUND_EXCHANGES.items():
        lines = marked(name, "exchange_mistakes"), other(name, "exchange_mistakes") or ""
        assert not [word for word in (*words, *lines) if word not in found[name]], found[name]


@pytest.mark.parametrize("name", ["tma", "hopper_kernels"])
def test_no_false_alarm_with_tma_and_wgmma(compiler, name):
    expect_ok(checked(name, compiler, "."))


def test_a_box_that_is_read_too_early(compiler):
    """In either order, also where the copy is over at once."""
    for reverse in (False, True):
        found = messages(run(checked("tma_mistakes", compiler), reverse=reverse).stdout)
        assert "started a copy into it" in found["no_wait"]
        assert "it may not be complete" in found["no_wait"]
        assert found["right"] == "7"


def test_right_kernels(compiler):
    for reverse in (False, True):
        result = run(checked("memory_right", compiler), reverse=reverse)
        assert result.returncode == 0, result.stdout + result.stderr
        assert set(messages(result.stdout).values()) == {"nothing"} and result.stdout.count("\n") == 47


def test_the_hosts_mistakes(compiler):
    result = run(checked("memory_wrong", compiler), "host")
    found = messages(result.stdout)
    assert set(found) == set(ON_THE_HOST)
    for name, text in ON_THE_HOST.items():
        assert all(part in found[name] for part in re.split(r" at \{\}(?:\.cu:\d+)? ", text)), (name, found[name])
    assert result.returncode == 139
    assert f"the host reads 4 bytes at {PROGRAMS}/cpu_only/{marked('on_the_host')}: byte 12 of the 512" in result.stderr
    assert "the host copies it with cudaMemcpy()" in result.stderr


@pytest.mark.parametrize("main", sorted(ROOT.glob("chapters/*/main.py")), ids=lambda main: main.parent.name)
def test_no_false_alarm_in_a_lesson(main):
    """Builds the lesson once more, with the recorder: 10 to 60 s; 09 and 10 check a million columns, which takes longer."""
    command = [sys.executable, "-m", "tools.lesson", "memcheck", main]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


@pytest.mark.parametrize("cxx, command", [(None, ["g++"]), ("", ["g++"]), ("ccache clang++", ["ccache", "clang++"])])
def test_the_compiler_is_that_of_the_environment(monkeypatch, cxx, command):
    if cxx is None:
        monkeypatch.delenv("CXX", raising=False)
    else:
        monkeypatch.setenv("CXX", cxx)
    assert memory_check.compiler("g++") == command


def test_a_compiler_of_two_names_builds_the_recorder_once(tmp_path):
    """`make memcheck FILE=x.cu` calls it g++, `make memcheck03` c++."""
    need("g++")
    other = tmp_path / "other"
    other.symlink_to(shutil.which("g++"))
    assert memory_check.recorder([str(other)]) == memory_check.recorder(["g++"])
