"""bench() against triton.testing.do_bench, and bench.h against ncu: two tools each, the same figures."""

import csv
import os
import re
import shutil
import statistics
import subprocess

import pytest
import torch
from support import ROOT, operators

from common import device, timing, toolkit
from common.timing import measure

pytestmark = pytest.mark.skipif(device.type == "cpu", reason="GPU times need a GPU")


@pytest.mark.parametrize("k", [20, 24, 28])
def test_agrees_with_do_bench_within_5_percent(k):
    from triton.testing import do_bench

    a, b = torch.rand(2**k, device=device), torch.rand(2**k, device=device)
    add2 = operators("03_add2").add2
    ours, theirs = [], []
    for _ in range(8):
        ours.append(measure("add2", 2**k, add2, (a, b)).kernel * 1e3)
        theirs.append(do_bench(lambda: add2(a, b), rep=200, return_mode="median"))
    ours, theirs = statistics.median(ours), min(theirs)  # do_bench does not look for the lucky half, see below
    print(f"\n2^{k}: bench {ours * 1e3:.2f} us, do_bench {theirs * 1e3:.2f} us, {ours / theirs - 1:+.1%}")
    assert ours == pytest.approx(theirs, rel=0.05)


def test_what_was_launched_before_does_not_matter():
    """After an odd number of launches the same ones would take 0.7 us more, or less: see common/timing.py."""
    x = torch.ones(16, device=device)
    times = []
    for _ in range(8):
        times.append(measure("add", 16, torch.add, (x, x)).kernel * 1e6)
        x.add(x)
    print(f"\n{' '.join(f'{t:.2f}' for t in times)} us")
    assert max(times) == pytest.approx(min(times), rel=0.05)


def test_what_no_gpu_can_do_is_suspect_and_what_torch_does_is_not(capsys):
    """Two that seem to do nothing: one does nothing, the other has its work done on another stream. That one disturbs the
    events a little, so of few elements its time may pass; check() sees it at any size. The peak is above all measured."""
    x = torch.ones(2**26, device=device)
    other = torch.cuda.Stream()

    def elsewhere(x):
        with torch.cuda.stream(other):
            return torch.neg(x)

    ops = {"nothing": torch.empty_like, "elsewhere": elsewhere, "torch.neg": torch.neg}
    rows = timing.bench(ops, lambda n: (x[:n],), [16, 2**26])
    torch.cuda.synchronize()
    print(f"\n{capsys.readouterr().out}")
    suspect = {(row.name, row.n): bool(row.suspect) for row in rows}
    assert suspect["nothing", 16] and suspect["nothing", 2**26] and suspect["elsewhere", 2**26]
    assert not suspect["torch.neg", 16] and not suspect["torch.neg", 2**26]
    assert 1.02 * rows[0].copy < timing.peak_bandwidth(rows[0].copy) < 1.5 * rows[0].copy


def metric(name, ncus_csv):
    """The values of a metric in what `ncu --csv` prints; before the table come lines of ncu's and of the program."""
    lines = ncus_csv.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith('"ID"')) :]
    rows = csv.DictReader(line for line in table if line.startswith('"'))
    return [float(row["Metric Value"].replace(",", "")) for row in rows if row["Metric Name"] == name]


def test_agrees_with_ncu_within_5_percent(tmp_path):
    """Of a kernel so long that its launch, which ncu does not count, does not matter."""
    ncu = shutil.which("ncu", path=f"{os.environ['PATH']}:{toolkit.cuda_home()}/bin")
    if ncu is None:
        pytest.skip("ncu not found: it comes with a system's CUDA toolkit")
    program = tmp_path / "timed"
    nvcc = [toolkit.cuda_home() / "bin" / "nvcc", "-std=c++17", "-arch=native", f"-I{ROOT}"]
    subprocess.run([*nvcc, ROOT / "tests/common/timed.cu", "-o", program], check=True)
    ours = float(subprocess.run([program, "28"], capture_output=True, text=True, check=True).stdout)

    name = "gpu__time_duration.sum"
    options = ["--clock-control", "none", "--metrics", name, "--csv", "--print-units", "base"]
    options += ["--kernel-name", "timed_kernel", "--launch-skip", "20", "--launch-count", "21"]
    done = subprocess.run([ncu, *options, program, "28"], capture_output=True, text=True)
    said = done.stdout + done.stderr
    # Mostly ERR_NVGPUCTRPERM: chapter 02 says who may read counters.
    if error := re.search("^==ERROR== .*", said, re.M):
        pytest.skip(f"ncu cannot measure here: {error[0]}")
    assert done.returncode == 0, said
    theirs = statistics.median(metric(name, said)) / 1e9
    print(f"\n2^28: bench.h {ours * 1e6:.1f} us, ncu {theirs * 1e6:.1f} us, {ours / theirs - 1:+.1%}")
    assert ours == pytest.approx(theirs, rel=0.05)
