"""The microscope: what it counts against what was worked out by hand, for the kernels of programs/access.cu.

g++ only, about 10 s from clean, and 3 s again; what it counts in chapters is thorough.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys

import pytest

from cuda_on_cpu import programs
from cuda_on_cpu.microscope import _rows, advice, of_program, picture, table
from tests.cuda_on_cpu.building import PROGRAMS, ROOT, WARNINGS, need
from tests.support import chapter

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("microscope")]  # one process compiles access.cu, once

# kernel: (requests, threads a request, sectors a request, the least possible). The stores are those of `coalesced`, where
# STORES says nothing else.
WHOLE = (32, 32, 4, 4)
LOADS = {
    "coalesced": WHOLE,
    "backwards": WHOLE,
    "shuffled": WHOLE,
    "one_further": (32, 32, 5, 4),  # 4 bytes in the fifth
    "stores_one_further": WHOLE,
    "all_the_same": (32, 32, 1, 1),
    "strided2": (32, 32, 8, 4),
    "strided3": (32, 32, 12, 4),
    "strided4": (32, 32, 16, 4),
    "strided8": (32, 32, 32, 4),
    "strided32": (32, 32, 32, 4),
    "column": (32, 32, 32, 4),
    "stores_column": WHOLE,
    "bytes": (32, 32, 1, 1),
    "doubles": (32, 32, 8, 8),
    "float4s": (32, 32, 16, 16),
    "float4s_added": (64, 32, 16, 16),
    "own_struct": (32, 32, 16, 16),
    "float3s": (96, 32, 12, 4),  # three words, each 12 bytes from the next lane's
    "loose_struct": (128, 32, 16, 4),
    "large_struct": (96, 32, 24, 8),  # 8 bytes each: 24 are no multiple of 16. nvcc takes 4
    "shorts": (64, 32, 8, 4),  # words of 4 bytes. nvcc takes 2
    # 16 warps as above; the others take 2 bytes, the last ones in 9 sectors
    "shorts_one_further": (16 * 2 + 16 * 4, 32, 16 * (2 * 8 + 3 * 8 + 9) / 96, 16 * (2 * 4 + 4 * 2) / 96),
    "two_doubles": (32, 32, 16, 16),  # nvcc takes 8 bytes at a time
    "four_floats": (128, 32, 16, 4),
    "odd_threads": (32, 16, 4, 2),
    "first_lanes": (32, 1, 1, 1),
    "ragged": (32, 1000 / 32, 125 / 32, 125 / 32),  # 31 whole warps, and 8 lanes
    "short_block": (8, 20, 2.5, 2.5),  # 32 lanes and 8, in turn
    "triangle": (32, 16.5, 2.5, 2.5),  # 1 to 32 lanes, up to the end of a row: 8 times 1, 2, 3, 4 sectors
    "after_a_barrier": (128, 28, 4, 3.5),  # 32, 16, 32, 32 lanes; the 16 are every second one
    "after_a_warp_barrier": (32, 17.5, 2.5, 2.25),  # of 32 lanes as above; 8, 4, 8, 8 in one sector each
    "shuffles": (128, 32, 4, 4),
    "two_memories": (8, 32, 4, 4),  # by the instruction that reads shared memory, too
}
STORES = {
    "stores_one_further": (32, 32, 5, 4),
    "stores_column": (32, 32, 32, 4),
    "bytes": (32, 32, 1, 1),
    "doubles": (32, 32, 8, 8),
    "float4s": (32, 32, 16, 16),
    "float4s_added": (32, 32, 16, 16),
    "own_struct": (32, 32, 16, 16),
    "triangle": (1, 32, 4, 4),
    "after_a_warp_barrier": LOADS["short_block"],
    "shorts_one_further": LOADS["shorts"],
    "two_memories": (4, 32, 4, 4),
}
STORES |= {
    name: LOADS[name] for name in ("float3s", "loose_struct", "odd_threads", "first_lanes", "ragged", "short_block")
}
STORES |= {name: LOADS[name] for name in ("large_struct", "shorts", "two_doubles")}
# kernel: (wavefronts of the load, the least possible); a request has 32 lanes.
SHARED = {
    "no_conflict": (1, 1),
    "conflicts2": (2, 1),
    "conflicts4": (4, 1),
    "conflicts8": (8, 1),
    "conflicts16": (16, 1),
    "conflicts32": (32, 1),
    "padded": (1, 1),
    "broadcast": (1, 1),
    "two_words": (2, 1),
    "four_bytes_apart": (1, 1),
    "side_by_side": (1, 1),
    "shared8": (2, 2),  # half a warp in each
    "shared8_conflicts2": (4, 2),
    "shared8_pairs": (1, 1),  # lanes 2n and 2n + 1 agree
    "shared8_conflicts16": (32, 2),
    "shared16": (4, 4),  # a quarter of a warp in each
    "shared16_conflicts2": (8, 4),
    "shared16_conflicts8": (32, 4),
    "shared16_by_quarters": (32, 4),
    "shared16_pairs": (2, 2),
    "shared16_other_pairs": (2, 2),  # lanes n and n ^ 2 agree
    "shared16_broadcast": (2, 1),
    "stores_conflict": (16, 1),
    "stores16_pairs": (2, 2),
    "two_memories": (2, 1),
    "after_a_barrier": (1, 1),
}
SHARED_STORES = {"stores_conflict": (32, 1), "after_a_barrier": (1, 1), "four_bytes_apart": (1, 1)}
SHARED_STORES |= {"stores16_pairs": (4, 2), "two_memories": (2, 1)}  # as in shared16_other_pairs, but only loads share
SHARED_STORES |= {name: (2, 2) for name in SHARED if name.startswith("shared8")}
SHARED_STORES |= {name: (4, 4) for name in SHARED if name.startswith("shared16")}
ATOMICS = {  # (space, lanes of a request that meet)
    "own_counters": ("global", 1),
    "eight_counters": ("global", 4),
    "one_counter": ("global", 32),
    "shared_counters": ("shared", 2),
}


# kernel: (sectors a request, wavefronts a request) of cp.async in the two memories; its 4 warps have 32 lanes.
COPIES = {"copied4": (4, 1), "copied4_conflicts": (4, 32), "copied16": (16, 4), "copied16_conflicts": (16, 32)}
# kernel: (wavefronts of ldmatrix with 4 matrices, of stmatrix with 2).
MATRICES = {"matrices_side_by_side": (4, 2), "matrices_apart": (32, 16), "matrices_padded": (4, 2)}


@pytest.fixture(scope="module")
def every_row():
    need("g++")
    need("addr2line")
    return of_program([PROGRAMS / "access.cu"], flags=[*WARNINGS, "-Wno-unknown-pragmas"])


@pytest.fixture(scope="module")
def rows(every_row):
    """{(kernel, space, kind): row} of the kernels that have one of each."""
    found = [row for row in every_row if row.kernel not in MATRICES]
    assert len({(row.kernel, row.space, row.kind) for row in found}) == len(found)
    return {(row.kernel, row.space, row.kind): row for row in found}


def test_each_kernel_is_here(every_row):
    assert {row.kernel for row in every_row} == {*LOADS, *SHARED, *ATOMICS, *COPIES, *MATRICES, "constants"}


@pytest.mark.parametrize("kernel", LOADS)
def test_global_memory(rows, kernel):
    for kind, expected in ("load", LOADS[kernel]), ("store", STORES.get(kernel, WHOLE)):
        row = rows[kernel, "global", kind]
        sectors = row.sectors_per_request, row.least_sectors_per_request
        assert (row.requests, row.threads_per_request, *sectors) == expected, kind
        assert row.bytes_fetched == 32 * row.sectors and row.wavefronts == 0


def test_bytes_used(rows):
    """Different bytes of a request: 4 of a broadcast, 128 of a warp's floats, 16 bytes of each lane."""
    for kernel, used in {"all_the_same": 4, "strided32": 128, "float4s": 512, "bytes": 32, "odd_threads": 64}.items():
        assert rows[kernel, "global", "load"].bytes_used == 32 * used


def test_warps_that_made_a_request(rows):
    """Each counts once, however many requests it makes; `triangle` has one warp."""
    for kernel, warps in {"coalesced": 32, "float4s_added": 32, "after_a_barrier": 32, "triangle": 1}.items():
        assert rows[kernel, "global", "load"].warps == warps, kernel


@pytest.mark.parametrize("kernel", SHARED)
def test_shared_memory(rows, kernel):
    for kind, expected in ("load", SHARED[kernel]), ("store", SHARED_STORES.get(kernel, (1, 1))):
        if row := rows.get((kernel, "shared", kind)):
            assert (row.wavefronts_per_request, row.least_wavefronts_per_request) == expected, kind
            assert row.threads_per_request == 32 and row.sectors == 0


@pytest.mark.parametrize("kernel", ATOMICS)
def test_atomics(rows, kernel):
    space, meet = ATOMICS[kernel]
    row = rows[kernel, space, "atomic"]
    assert (row.requests, row.lanes_at_one_address, row.wavefronts) == (32, meet, 0)


@pytest.mark.parametrize("kernel", COPIES)
def test_asynchronous_copies(rows, kernel):
    sectors, wavefronts = COPIES[kernel]
    source, destination = (rows[kernel, space, "copy"] for space in ("global", "shared"))
    assert (source.requests, source.threads_per_request, source.sectors_per_request) == (4, 32, sectors)
    assert (destination.requests, destination.wavefronts_per_request, destination.sectors) == (4, wavefronts, 0)
    assert source.line == destination.line and (kernel, "global", "load") not in rows


@pytest.mark.parametrize("kernel", MATRICES)
def test_matrices(every_row, kernel):
    """The other accesses of shared memory in these kernels are of 4 bytes."""
    load, store = MATRICES[kernel]
    for kind, lanes, wavefronts in ("load", 32, load), ("store", 16, store):
        (row,) = (row for row in every_row if (row.kernel, row.kind, row.width) == (kernel, kind, 16))
        assert (row.requests, row.threads_per_request, row.wavefronts_per_request) == (4, lanes, wavefronts)


def test_a_launch_that_ends_early_leaves_nothing():
    need("g++")
    need("addr2line")
    (row,) = (row for row in of_program([PROGRAMS / "cpu_only/ends_early.cu"]) if row.kind == "load")
    assert (row.requests, row.threads, row.sectors) == (2, 64, 8)  # of two launches


# kernel: as LOADS. Eight rounds of 28 lanes each. In `own_pieces` no lane skips any, and each lane's k-th load joins.
SKIPS = {
    "neighbours": (8, 28, 4, 4),
    "every_third": (8, 28, 12, 4),
    "the_same": (8, 28, 1, 1),
    "twice_each": (8, 28, 4, 3.5),  # an element's first load by 32 lanes, and the second by 24
    "own_pieces": (8, 32, 32, 4),
    "masked": (8, 4, 4, 1),
}


def test_lanes_that_skip_different_rounds():
    need("g++")
    need("addr2line")
    every = [row for row in of_program([PROGRAMS / "cpu_only/skips.cu"]) if row.kind == "load"]
    rows = [row for row in every if row.space == "global" and row.width == 4]
    seen = {
        row.kernel: (row.requests, row.threads_per_request, row.sectors_per_request, row.least_sectors_per_request)
        for row in rows
    }
    assert seen == SKIPS
    assert len({row.kernel for row in rows}) == len(rows)
    (shared,) = (row for row in every if row.space == "shared")
    assert (shared.requests, shared.threads_per_request, shared.wavefronts_per_request) == (8, 4, 1)


def test_constant_memory_has_no_sectors(rows):
    row = rows["constants", "constant", "load"]
    assert (row.requests, row.threads_per_request, row.sectors, row.wavefronts) == (32, 32, 0, 0)
    assert rows["constants", "global", "load"].sectors_per_request == 4
    assert "constant load       32      32\n" in table([row])


def test_the_example_is_what_the_lanes_asked_for(rows):
    addresses = rows["strided3", "global", "load"].example
    assert [address - addresses[0] for address in addresses] == [12 * lane for lane in range(32)]
    assert [a is None for a in rows["odd_threads", "global", "load"].example] == [True, False] * 16


def test_a_picture_explains_its_signs(every_row):
    legends = set()
    for row in every_row:
        _, legend, *lines = picture(row).splitlines()
        legends.add((bool(re.search(r"\d\+", "".join(lines))), "with + the first of several" in legend))
    assert legends == {(True, True), (False, False)}


def test_advice_names_the_lines_that_need_it(every_row, rows):
    loads = {name: rows[name, "global", "load"] for name in ("coalesced", "strided2", "strided8")}
    assert advice([loads["coalesced"], loads["strided2"]]) == ""
    assert advice([*loads.values()]).startswith(
        f"access.cu:{loads['strided8'].line}: lanes of a warp touch far more sectors"
    )
    masked = dataclasses.replace(loads["coalesced"], threads=16 * 32, least_sectors=32)  # four sectors, of a whole warp
    assert advice([masked]) == ""
    said = advice(every_row)
    assert "meet in the same banks" in said and "change the same address" in said
    few, seldom = ((15, 100), (15, 31))  # lanes of each request, and requests
    for (lanes, requests), wanted in (few, True), (seldom, False), ((16, 100), False):
        row = dataclasses.replace(loads["coalesced"], requests=requests, threads=lanes * requests, least_sectors=10**6)
        assert ("fewer than half of a warp's lanes" in advice([row])) == wanted


def test_any_order_of_threads_gives_the_same(every_row, monkeypatch):
    monkeypatch.setenv("CUDA_REVERSE", "1")
    program = programs.place([PROGRAMS / "access.cu"], checked=True)
    out = program.with_suffix(".reverse")
    subprocess.run([program], check=True, env=os.environ | {"CUDA_ON_CPU_MICROSCOPE": str(out)}, capture_output=True)
    for row, same in zip(_rows(out.read_text()), every_row, strict=True):
        for count in "requests", "threads", "bytes_used", "sectors", "least_sectors", "wavefronts", "at_one_address":
            assert getattr(row, count) == getattr(same, count), row


def test_it_agrees_with_the_addresses_of_chapter_11():
    """Sectors and passes that chapters/11_transpose/counts.py computes without running a kernel. Builds the chapter."""
    counts = chapter("11_transpose", "counts")
    command = [sys.executable, "-m", "tools.lesson", "microscope", "11", "--json"]
    rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout)
    for step in counts.STEPS:
        seen = {}
        for row in rows:
            if f"_{step}_" in row["kernel"]:
                name = row["kind"] if row["space"] == "global" else f"shared {row['kind']}"
                unit = "sectors" if row["space"] == "global" else "wavefronts"
                seen[name] = (row[f"{unit}_per_request"], row[f"least_{unit}_per_request"])
        assert seen == counts.count(step, 4), step


def test_command_line(tmp_path):
    need("g++")
    (tmp_path / "own.cu").write_text(
        "namespace mine {\ntemplate <class T>\n__global__ void twice(T* a, void (*)(int)) { a[threadIdx.x] *= 2; }\n}\n"
        "int main(int, char** words) {\n    float* a;\n    cudaMallocManaged(&a, 128);\n"
        "    for (int i = 0; i < 32; i++) a[i] = 1;\n    mine::twice<float><<<*words[1] - '0', 32>>>(a, nullptr);\n}\n"
    )
    script = [sys.executable, "-m", "cuda_on_cpu", "microscope"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*script, tmp_path / "own.cu", "1"], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mine::twice<float>\n  own.cu\n"), done.stdout
    assert "     3  __global__ void twice(T* a, void (*)(int)) { a[threadIdx.x] *= 2; }\n" in done.stdout
    assert "global memory: 256 bytes used of 256 in sectors, 100%" in done.stdout
    with pytest.raises(RuntimeError, match="no kernel ran that the microscope can see"):
        _rows("0\n")
    clang = subprocess.run(
        [*script, tmp_path / "own.cu"], capture_output=True, text=True, env=environment | {"CXX": "clang++"}
    )
    assert "needs g++" in clang.stderr or "not found" in clang.stderr
