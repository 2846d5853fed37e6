"""Every operator in wrong_operators.py is rejected: by check(), and by bench() at the size that it times. And what is too fast."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
import wrong_operators
from support import ROOT
from wrong_operators import LIARS, pair, right

from common import bench, check, checking, device, timing
from common.checking import Guarded

ODD = 2**16 + 3  # no multiple of anything, and no size of check()'s
HERE = [liar for liar in LIARS if liar.needs != "GPU of its own"]


@pytest.fixture(params=HERE, ids=lambda liar: liar.lie.replace(" ", "-"))
def liar(request):
    if request.param.needs and device.type == "cpu":
        pytest.skip(f"{request.param.lie}: needs a {request.param.needs}")
    wrong_operators._kept.clear()
    yield request.param
    wrong_operators._kept.clear()


def test_check_rejects(liar, capsys):
    if liar.words is None:  # what check() cannot see; bench() must
        return check(liar.operator, liar.reference, liar.inputs)
    with pytest.raises(AssertionError, match=liar.words) as info:
        check(liar.operator, liar.reference, liar.inputs)
    assert f"{liar.operator.__name__}(float32[" in str(info.value), "the message describes the inputs"


def test_bench_rejects(liar, capsys):
    with pytest.raises(AssertionError, match=liar.words or "wrong result") as info:
        bench({"liar": liar.operator}, liar.inputs, [ODD], reference=liar.reference)
    assert "liar(float32[" in str(info.value) and f"n = {ODD}" in str(info.value)
    assert not re.search(r"liar +\d", capsys.readouterr().out), "no time of a wrong operator is printed"
    late = liar.operator is wrong_operators.remembers_after_ten_calls
    assert str(info.value).startswith("after it was timed, ") == late, "the others are not even timed"


def test_both_accept_a_right_operator(capsys):
    check(right, torch.add, pair, rtol=0, atol=0)
    assert "right: n = 0 1 3 255 256 257 1048579" in capsys.readouterr().out
    check(wrong_operators.row_sums, wrong_operators.row_sums, wrong_operators.rows, sizes=(0, 1, 257))
    bench({"right": right, "torch": torch.add}, pair, [ODD], rtol=0, atol=0)
    assert "not checked" not in capsys.readouterr().out


def test_the_crash_of_a_kernel_is_put_down_to_its_operator():
    """In a process of its own: after it, this GPU does nothing more for the process."""
    if device.type == "cpu":
        pytest.skip("asynchronous error swallowed: needs a GPU of its own")
    (liar,) = set(LIARS) - set(HERE)
    for judge in "check(liar, torch.add, pair)", "bench({'liar': liar}, pair, [1000], reference=torch.add)":
        code = f"from common import bench, check\nimport torch\nfrom wrong_operators import pair, {liar.operator.__name__} as liar\n"
        path = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'tests/common')!r}]\n"
        done = subprocess.run([sys.executable, "-c", path + code + judge], capture_output=True, text=True)
        assert done.returncode != 0 and re.search(f"AssertionError: .*{liar.words}", done.stderr), done.stderr


def test_an_error_that_surfaces_later_is_named(monkeypatch):
    """The same with a GPU that is only said to be there."""

    def crashed():
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(checking, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "synchronize", crashed)
    with pytest.raises(
        AssertionError, match=r"right\(float32.*n = 3: the operator left an error for a later call\n.*assert"
    ):
        check(right, torch.add, pair, sizes=[3])


def test_the_largest_error_of_many_elements():
    x = torch.zeros(2**24 + 1, device=device)
    y = x.clone()
    y[0] = -0.5
    assert checking._largest_error((x, x[:0]), (y, x[:0])) == 0.5


def test_guarded_fills_new_memory_and_sees_cpp_allocations():
    with Guarded():
        x, i = torch.empty(5, device=device), torch.empty(5, dtype=torch.int32, device=device)
    assert x.isnan().all() and (i == 0x5A5A5A5A).all()


def test_an_input_that_only_the_second_call_changes():
    calls = []

    def second_changes(a, b):
        c = right(a, b)
        calls.append(c)
        a[: len(calls) - 1] = 2  # of none, then of one
        return c

    with pytest.raises(AssertionError, match="the second call changed its inputs"):
        check(second_changes, torch.add, pair, sizes=[3])


# A GPU of 4000 GB/s, whose copy reaches 3600, seen through a clock that says what a test wants.
@pytest.fixture
def fake_gpu(monkeypatch):
    clock = {}
    properties = SimpleNamespace(memory_clock_rate=2_500_000, memory_bus_width=6400, L2_cache_size=50_000_000)
    monkeypatch.setattr(timing, "device", torch.device("cuda"))
    monkeypatch.setattr(timing, "copy_bandwidth", lambda: 3.6e12)
    monkeypatch.setattr(timing, "_call_time", lambda op, args: 5e-6)
    monkeypatch.setattr(timing, "_gpu_times", lambda op, args: [clock.get(op, 2e-6)] * 10)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    return SimpleNamespace(clock=clock, properties=properties)


@pytest.mark.parametrize(
    "nbytes, seconds, said",
    [
        (12 * 2**20, 12 * 2**20 / 3.9e12, ""),  # above the copy, and below the peak
        (12 * 2**20, 12 * 2**20 / 4.1e12, "suspect: the memory's peak is 4000 GB/s"),
        (64, 4e-6, ""),
        (64, 2.1e-6, "suspect: no work on this stream"),  # as long as nothing, more or less
        (64, 2.3e-6, ""),
        (0, 2e-6, ""),  # nothing to do takes as long as nothing
    ],
)
def test_a_time_that_is_too_good_is_suspect(nbytes, seconds, said):
    assert timing.suspicion(timing.Timing("x", 1, seconds, 0, 0, nbytes), 4e12, 2e-6) == said


@pytest.mark.parametrize("seconds, said", [(1e-5, ""), (2.1e-6, "  suspect: no work on this stream")])
def test_bench_prints_and_keeps_what_is_suspect(seconds, said, fake_gpu, capsys):
    fake_gpu.clock[right] = seconds
    (row,) = bench({"right": right}, pair, [16], reference=torch.add)
    assert row.suspect == said.strip()
    assert re.search(rf"right .* 5.0 us{said}\n", capsys.readouterr().out)


def test_bench_says_when_a_check_does_not_fit(fake_gpu, monkeypatch, capsys):
    def no_memory(*args):
        raise torch.OutOfMemoryError

    fake_gpu.clock[right] = 1e-5
    monkeypatch.setattr(timing, "check_at", no_memory)
    rows = bench({"right": right, "torch": torch.add}, pair, [16])
    assert rows[0].suspect == "not checked: too little memory"
    assert "5.0 us  not checked: too little memory\n" in capsys.readouterr().out


def test_bench_checks_all_but_torchs(capsys):
    for name in "torch", "torch.compile", "torch: x[1:]":
        bench({name: wrong_operators.never_launched}, pair, [16], reference=torch.add)
    with pytest.raises(AssertionError, match=r"torch_launch_add2\(float32.*wrong result"):
        bench({"torch_launch_add2": wrong_operators.never_launched}, pair, [16], reference=torch.add)


@pytest.mark.parametrize("clock, bus, peak", [(2_500_000, 6400, 4e12), (0, 6400, 4.5e12), (2_500_000, 64, 4.5e12)])
def test_the_peak_of_the_memory(clock, bus, peak, fake_gpu):
    """From clock and bus; a quarter more than the copy where they are not told, or cannot be true."""
    fake_gpu.properties.memory_clock_rate, fake_gpu.properties.memory_bus_width = clock, bus
    assert timing.peak_bandwidth(3.6e12) == pytest.approx(peak)


def test_bench_says_when_it_has_nothing_to_check_with(capsys):
    bench({"liar": wrong_operators.never_launched}, pair, [16])
    assert "The results were not checked" in capsys.readouterr().out


def test_lies_are_told_once_and_in_both_languages():
    names = [liar.lie for liar in LIARS]
    assert len(set(names)) == len(names)
    assert set(names) - set(wrong_operators.cpp_words()) == {liar.lie for liar in LIARS if liar.no_cpp}


def test_chapter_03_shows_the_table():
    assert wrong_operators.table() in (ROOT / "chapters/03_add2/README.md").read_text(), (
        f"paste this:\n{wrong_operators.table()}"
    )
