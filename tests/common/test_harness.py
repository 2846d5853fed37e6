"""What bench() reports: its table, and its method against a GPU and a clock that only these tests have.

What check() and bench() reject: test_wrong_operators.py. The times of a GPU: test_harness_gpu.py.
"""

import dataclasses

import pytest
import torch

from common import bench, device, rounded_once, timing
from tests.common.wrong_operators import pair, right


def test_bench_counts_bytes_prints_a_table_and_sees_a_slower_operator(capsys):
    """Fifty times the work takes more than twice the time, whatever else this machine does. 2 s."""

    def fifty_times(a, b):
        for _ in range(49):
            right(a, b)
        return right(a, b)

    ops = {"right": right, "fifty times": fifty_times, "torch": torch.add}
    rows = bench(ops, pair, sizes=[2**10, 2**12])
    assert [(row.name, row.n, row.nbytes) for row in rows] == [
        (name, n, 3 * 4 * n) for n in (2**10, 2**12) for name in ops
    ]
    assert all(row.kernel > 0 and row.call > 0 for row in rows)
    assert rows[1].kernel > 2 * rows[0].kernel and rows[4].kernel > 2 * rows[3].kernel
    out = capsys.readouterr().out
    assert "n = 4096, float32" in out
    assert ("CPU times" in out) == ("GB/s" not in out) == (device.type == "cpu")


@pytest.fixture
def on_a_cpu(monkeypatch):
    monkeypatch.setattr(timing, "device", torch.device("cpu"))


def test_kernel_and_spread_are_of_the_middle_half(monkeypatch, on_a_cpu):
    """Of 100 samples from 1 to 2 those between 1.25 and 1.75; the order does not matter, and outliers do not."""
    samples = [1 + (37 * i % 100) / 100 for i in range(100)]
    samples[samples.index(1.99)] = 1000
    monkeypatch.setattr(timing, "times_in_turns", lambda ops, args: dict.fromkeys(ops, samples))
    row = timing.measure("neg", 4, torch.neg, (torch.ones(4),))
    assert row.kernel == pytest.approx(1.5, abs=0.01)
    assert row.spread == pytest.approx(0.5 / 1.5, abs=0.01)


def test_under_a_sanitizer_times_mean_nothing_and_are_few(monkeypatch):
    """Empty, as grader/exercises.py sets it, is as good as not set."""
    for tool, repeats in ("memory", 2), ("", 1000):
        monkeypatch.setenv("CHAPTERS_SANITIZE", tool)
        assert timing._repeats(1, lambda n: None) == repeats


def test_two_groups_of_samples_give_what_lies_between():
    """The median of 49 or 51 samples of 100 would be all of one group."""
    for slow in 49, 50, 51:
        assert timing.middle([2] * slow + [1] * (100 - slow))[0] == pytest.approx(1.5, abs=0.03)


@dataclasses.dataclass
class Gpu:
    """One that takes a millisecond longer for each fourth launch."""

    seconds: float = 0
    launches: int = 0

    def launch(self):
        self.launches += 1
        self.seconds += 1e-3 if self.launches % 4 == 0 else 1e-6

    def event(self, **_):
        return Event(self)


@dataclasses.dataclass
class Event:
    gpu: Gpu
    at: float = 0

    def record(self):
        self.at = self.gpu.seconds

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3


@pytest.mark.parametrize("launches", range(8))
def test_every_operator_has_its_share_of_slow_launches(launches, monkeypatch):
    """A quarter of its launches. If all samples launched the same, of three launches each sample would have one, or none."""
    gpu = Gpu()
    monkeypatch.setattr(timing, "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "Event", gpu.event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(timing, "_overwrite", lambda nbytes: gpu.launch)
    monkeypatch.setattr(timing, "_repeats", lambda budget, timed: 310)

    def op():
        for _ in range(launches):
            gpu.launch()

    def slow_launches(**options):
        return [round(seconds / 1e-3) for seconds in timing.times_in_turns({"op": op}, (), **options)["op"]]

    samples = slow_launches()
    assert len(samples) == 320, "a multiple of 16; all are kept"
    assert sum(samples) / 320 == launches / 4
    if launches == 3:
        assert len(set(slow_launches(launches_before=lambda i: 0))) == 1


def test_operators_that_take_turns_meet_the_same_clock_and_a_slow_one_leaves(monkeypatch, on_a_cpu):
    """The clock slows down all the time. One after the other, the second would be far slower; in turns both are alike."""
    now, calls = [0.0], []

    def op(name, seconds):
        def call():
            calls.append(name)
            now[0] += seconds * (1 + len(calls) / 1000)

        return call

    ops = {"a": op("a", 1.0), "b": op("b", 1.0), "slow": op("slow", 100.0), "nothing": op("nothing", 0.001)}
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    samples = timing.times_in_turns(ops, (), budget=400)
    count = {name: len(of) for name, of in samples.items()}
    assert count["slow"] == 10 < count["b"] <= count["a"] <= 400 and count["nothing"] == 1000
    a, b = (timing.middle(samples[name])[0] for name in "ab")
    assert a == pytest.approx(b, rel=0.01)
    timed = calls[-sum(count.values()) :]
    turns = [tuple(timed[4 * 10 + 3 * k :][:3]) for k in range(count["b"] - 10)]
    assert {*map(frozenset, turns)} == {frozenset({"a", "b", "nothing"})}
    assert len({*turns}) == 6, "every order"


class Queue:
    """A GPU whose queue holds 1024 launches: another one makes the host wait."""

    def __init__(self, host, gpu):
        self.host, self.gpu = host, gpu  # seconds of a launch
        self.now = 0.0
        self.ends = [0.0]

    def launch(self):
        self.now += self.host
        if len(self.ends) > 1024:
            self.now = max(self.now, self.ends[-1024])
        self.ends.append(max(self.now, self.ends[-1]) + self.gpu)

    def wait(self):
        self.now = max(self.now, self.ends[-1])


@pytest.mark.parametrize("launches", [1, 9, 100, 600])
def test_the_hosts_time_is_not_that_of_a_full_queue(launches):
    queue, calls = Queue(host=2e-6, gpu=174e-6), []

    def op():
        calls.append(0)
        for _ in range(launches):
            queue.launch()

    clock = queue.wait, lambda: queue.now
    assert timing.call_time(op, (), *clock, float("inf")) == pytest.approx(launches * 2e-6)
    assert len(calls) == {1: 1270, 9: 1270, 100: 310, 600: 30}[launches], "no rounds after those that fill the queue"
    calls.clear()
    assert timing.call_time(op, (), *clock) == pytest.approx(launches * 2e-6)
    assert len(calls) == {1: 1270, 9: 310, 100: 30, 600: 10}[launches], "no round after half a second"


def test_what_ncu_prints_is_understood():
    from tests.common.test_harness_gpu import metric

    head = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows = '"0","k","gpu__time_duration.sum","ns","1,115,936"\n"1","k","gpu__time_duration.sum","ns","1,116,000"\n'
    said = f"==PROF== Connected to process 7\n0.00112\n==PROF== Disconnected\n{head}{rows}"
    assert metric("gpu__time_duration.sum", said) == [1115936, 1116000]


@pytest.mark.parametrize(
    "t, text", [(8.94e-6, "8.9 us"), (123.4e-6, "123 us"), (0.0123, "12.3 ms"), (0.00112, "1.12 ms"), (2.5, "2.50 s")]
)
def test_seconds(t, text):
    assert timing.format_seconds(t) == text


def test_a_reference_that_is_rounded_once():
    x = torch.rand(10_000)
    total, doubled = rounded_once(lambda x: (x.sum(), 2 * x))(x)
    assert total == x.double().sum().float() and doubled.dtype == torch.float32
