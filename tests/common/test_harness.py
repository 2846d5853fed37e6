"""The harness: bench()'s table. What check() and bench() reject: test_wrong_operators.py."""

import pytest
import torch
from wrong_operators import pair, right

from common import bench, device
from common.timing import _seconds


def test_bench_counts_bytes_and_prints_a_table(capsys):
    rows = bench({"right": right, "torch": torch.add}, pair, sizes=[2**12, 2**13])
    assert [(row.name, row.n, row.nbytes) for row in rows] == [
        (name, n, 3 * 4 * n) for n in (2**12, 2**13) for name in ("right", "torch")
    ]
    assert all(row.kernel > 0 and row.call > 0 for row in rows)
    out = capsys.readouterr().out
    assert "n = 4096, float32" in out
    assert ("CPU times" in out) == ("GB/s" not in out) == (device.type == "cpu")


def test_bench_sees_a_slower_operator():
    def ten_times(a, b):
        for _ in range(10):
            right(a, b)
        return right(a, b)

    rows = bench({"right": right, "ten times": ten_times}, pair, sizes=[2**22])
    assert rows[1].kernel > 2 * rows[0].kernel  # eleven times the work, on a machine that others may use too


def test_what_ncu_prints_is_understood():
    from test_harness_gpu import metric

    head = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows = '"0","k","gpu__time_duration.sum","ns","1,115,936"\n"1","k","gpu__time_duration.sum","ns","1,116,000"\n'
    said = f"==PROF== Connected to process 7\n0.00112\n==PROF== Disconnected\n{head}{rows}"
    assert metric("gpu__time_duration.sum", said) == [1115936, 1116000]


@pytest.mark.parametrize(
    "t, text", [(8.94e-6, "8.9 us"), (123.4e-6, "123 us"), (0.0123, "12.3 ms"), (0.00112, "1.12 ms"), (2.5, "2.50 s")]
)
def test_seconds(t, text):
    assert _seconds(t) == text
