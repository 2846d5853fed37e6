"""Chapter 00: what threads write about themselves, when a launch returns, and what the bounds check is for."""

import time

import pytest
import torch

from common import device
from tests.support import chapter, operators

cpu = pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")
gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
NAME = "00_threads"
main, timeline = chapter(NAME), chapter(NAME, "timeline")
WORK = 20_000 if device.type == "cuda" else 100  # nanoseconds


def column(rows, name):
    return rows[:, timeline.COLUMNS.index(name)]


@pytest.mark.kernels
@pytest.mark.parametrize("blocks, threads", [(1, 1), (3, 31), (2, 32), (5, 33), (2, 1024), (700, 3)])
def test_every_thread_says_who_it_is(blocks, threads, thread_order):
    rows = operators(NAME).where_am_i(blocks, threads, WORK)
    assert rows.shape == (blocks * threads, 7) and rows.dtype == torch.int64 and rows.device.type == device.type
    rows = rows.cpu()
    i = torch.arange(blocks * threads)
    assert torch.equal(column(rows, "block"), i // threads)
    assert torch.equal(column(rows, "thread"), i % threads)
    assert torch.equal(column(rows, "warp"), i % threads // 32)
    assert torch.equal(column(rows, "lane"), i % threads % 32)
    assert (column(rows, "end") - column(rows, "start") >= WORK).all(), "each thread has worked for so long"
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count if device.type == "cuda" else 1
    assert ((column(rows, "multiprocessor") >= 0) & (column(rows, "multiprocessor") < multiprocessors)).all()


def test_a_block_stays_on_its_multiprocessor():
    blocks, threads = 50, 200
    on = column(operators(NAME).where_am_i(blocks, threads, WORK), "multiprocessor").view(blocks, threads)
    assert torch.equal(on, on[:, :1].expand_as(on))


@cpu
def test_on_the_cpu_one_thread_runs_after_another(thread_order):
    rows = operators(NAME).where_am_i(4, 40, WORK)
    rows = rows if thread_order == "forward" else rows.flip(0)
    assert (column(rows, "start")[1:] >= column(rows, "end")[:-1]).all()


@gpu
@pytest.mark.alone
def test_on_a_gpu_blocks_run_at_the_same_time_and_late_ones_when_others_have_ended():
    """More blocks than there is room for: the first ones are all at work at one moment."""
    fits = timeline.room(1024)
    blocks = timeline.by_block(timeline.run_grid(operators(NAME), fits + 20, 1024), 1024)
    assert len({block["multiprocessor"] for block in blocks}) > 1
    first_end = min(block["end"] for block in blocks)
    assert sum(block["start"] < first_end for block in blocks) == fits
    assert sum(block["start"] >= first_end for block in blocks) == 20


@pytest.mark.alone
@pytest.mark.kernels
def test_a_launch_returns_before_it_has_run():
    module, nanoseconds = operators(NAME), 20_000_000
    module.wait(0)  # loads the kernel
    main.synchronize()
    start = time.perf_counter()
    module.wait(nanoseconds)
    returned = time.perf_counter()
    main.synchronize()
    assert time.perf_counter() - start >= 0.99 * nanoseconds / 1e9
    if device.type == "cuda":
        assert returned - start < nanoseconds / 2e9
    else:
        assert returned - start >= nanoseconds / 1e9, "the CPU has done the work itself"


@pytest.mark.kernels
@pytest.mark.parametrize("n, threads", [(0, 4), (1, 1), (10, 4), (12, 4), (1000, 256), (1025, 1024)])
def test_the_bounds_check(n, threads, thread_order, monkeypatch):
    monkeypatch.delenv("CHAPTERS_SANITIZE", raising=False)  # a tool has no spare places
    whole = -(-n // threads) * threads
    everything = torch.arange(whole)
    assert torch.equal(operators(NAME).number(n, threads, False).cpu(), everything)
    everything[n:] = -1
    assert torch.equal(operators(NAME).number(n, threads, True).cpu(), everything)


@pytest.mark.parametrize("tool, places", [("address", 10), ("memory", 10), ("", 12)])
def test_a_tool_sees_the_end_of_the_array(monkeypatch, tool, places):
    monkeypatch.setenv("CHAPTERS_SANITIZE", tool)
    assert operators(NAME).number(10, 4, True).tolist() == [*range(10), -1, -1][:places]
    assert len(operators(NAME).number(10, 4, False)) == 12


@pytest.mark.kernels
@pytest.mark.parametrize("shared", [False, True], ids=["global", "shared"])
def test_a_chase_follows_the_whole_ring(shared):
    """It comes back to its first line after as many steps as there are lines, and not before."""
    for lines in 1, 2, 64, 256:
        ends = [operators(NAME).latency(128 * lines, steps, shared, False)[2] for steps in range(1, lines + 1)]
        assert sorted(ends) == [*range(lines)] and ends[-1] == 0
    cycles, nanoseconds, end = operators(NAME).latency(128 * 256, 256 * 1000, shared, True)
    assert cycles > 0 and nanoseconds > 0 and end == 0


@pytest.mark.kernels
@pytest.mark.parametrize("shared", [False, True], ids=["global", "shared"])
def test_all_that_is_read_is_in_the_sum(shared):
    pieces, reads, blocks = (1, 3, 2) if shared else (5, 7, 3)
    nanoseconds, total = operators(NAME).bandwidth(pieces * 2**15, reads, blocks, shared)
    array = torch.arange(pieces * 2**13).view(pieces, -1)
    assert total == sum(int(array[i % pieces].sum()) for i in range(reads * blocks)) % 2**32
    assert nanoseconds > 0


def test_the_benchmark_has_what_pictures_need(monkeypatch):
    monkeypatch.syspath_prepend(str(main.here))
    tables = main.benchmark(operators(NAME))
    assert [row["level"] for row in tables["memory"]] == ["shared memory", "L1 cache", "L2 cache", "memory"]
    assert all(row[key] > 0 for row in tables["memory"] for key in ("bytes", "latency", "cycles", "bandwidth"))
    blocks = tables["blocks"]
    assert [row["block"] for row in blocks] == [*range(len(blocks))]
    assert all(row["start"] < row["end"] for row in blocks)


def test_pictures_of_blocks(capsys):
    """Multiprocessor 7 runs two blocks at a time, and a third one when the first has ended; 9 runs one."""
    times = [(7, 0, 500), (7, 200, 1000), (7, 500, 1000), (9, 0, 1)]
    keys = "multiprocessor", "start", "end"
    timeline.show_blocks([{"block": k} | dict(zip(keys, row, strict=True)) for k, row in enumerate(times)], columns=20)
    assert capsys.readouterr().out.splitlines() == [
        "        multiprocessor 7   [0       ][2       ]",
        "                               [1             ]",
        "        multiprocessor 9   ]",
    ]
