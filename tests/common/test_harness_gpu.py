"""bench() against triton.testing.do_bench, and timing.h against ncu: two tools each, the same figures."""

import csv
import os
import re
import shutil
import statistics
import subprocess

import pytest
import torch

from common import check, checking, device, timing, toolkit
from common.guarded import Guarded
from common.timing import measure
from tests.support import ROOT, operators
from tools.maintain.launch_delays import repeated

pytestmark = pytest.mark.skipif(device.type == "cpu", reason="GPU times need a GPU")


@pytest.mark.parametrize("k", [20, 24, 28])
def test_agrees_with_do_bench_within_5_percent(k):
    """The time of do_bench depends on how many launches came before it (tools/maintain/launch_delays.py).

    So it gets eight beginnings, and a long kernel two."""
    from triton.testing import do_bench

    a, b = torch.rand(2**k, device=device), torch.rand(2**k, device=device)
    add2 = operators("03_add2").add2
    ours, theirs = [], []
    for i in range(8 if k < 28 else 2):
        ours.append(measure("add2", 2**k, add2, (a, b)).kernel * 1e3)
        for _ in range(i):
            torch.add(a[:16], b[:16])
        theirs.append(do_bench(lambda: add2(a, b), rep=200, return_mode="median"))
    for name, times in ("bench", ours), ("do_bench", theirs):
        print(f"\n2^{k}: {name} {' '.join(f'{t * 1e3:.2f}' for t in times)} us", end="")
    ours, theirs = statistics.mean(ours), statistics.mean(theirs)
    print(f"\n2^{k}: bench {ours * 1e3:.2f} us, do_bench {theirs * 1e3:.2f} us, {ours / theirs - 1:+.1%}")
    assert ours == pytest.approx(theirs, rel=0.05)


def test_what_was_launched_before_does_not_matter():
    """Nor how much an operator launches: each launch of the same kernel adds the same time.
    tools/maintain/launch_delays.py says why it could be otherwise, by 7 % for a single launch."""
    x = torch.ones(2**20, device=device)
    args = x, torch.empty_like(x)
    times = {launches: [] for launches in (1, 2, 3, 4)}
    for _ in range(8):
        for launches, samples in times.items():
            samples.append(measure("neg", len(x), repeated(launches), args).kernel * 1e6)
            x.add(1)  # so that the next begins elsewhere
    print()
    for launches, samples in times.items():
        print(launches, " ".join(f"{t:.2f}" for t in samples), "us")
        assert max(samples) == pytest.approx(min(samples), rel=0.05)
    one, two, three, four = (statistics.median(samples) for samples in times.values())
    assert (two + three) / 2 == pytest.approx((one + four) / 2, rel=0.03)
    assert two == pytest.approx((one + three) / 2, rel=0.03) and three == pytest.approx((two + four) / 2, rel=0.03)


def test_the_hosts_time_of_many_launches_is_not_the_gpus():
    """Nine launches that keep the GPU busy for milliseconds: the host needs some microseconds for each."""
    x = torch.ones(2**28, device=device)
    row = measure("nine", len(x), repeated(9), (x, torch.empty_like(x)))
    few = measure("nine", 16, repeated(9), (x[:16], torch.empty_like(x[:16])))
    print(f"\nGPU {row.kernel * 1e6:.0f} us, host {row.call * 1e6:.1f} us; of 16 elements {few.call * 1e6:.1f} us")
    assert row.call < row.kernel / 10 and row.call < 3 * few.call


def test_what_no_gpu_can_do_is_suspect_and_what_torch_does_is_not(capsys):
    """Two that seem to do nothing: one does nothing, and one has its work done on another stream. That work disturbs the
    events a little, so for few elements its time may pass; for many no memory is so fast. check() finds it for any number.
    The peak is above all that is measured."""
    x = torch.ones(2**26, device=device)
    other = torch.cuda.Stream()

    def elsewhere(x):
        out = torch.empty_like(x)
        with torch.cuda.stream(other):
            return torch.neg(x, out=out)

    ops = {"nothing": torch.empty_like, "elsewhere": elsewhere, "torch.neg": torch.neg}
    rows = timing.bench(ops, lambda n: (x[:n],), [16, 2**26])
    torch.cuda.synchronize()
    print(f"\n{capsys.readouterr().out}")
    suspect = {(row.name, row.n): bool(row.suspect) for row in rows}
    assert suspect["nothing", 16] and suspect["nothing", 2**26] and suspect["elsewhere", 2**26]
    assert not suspect["torch.neg", 16] and not suspect["torch.neg", 2**26]
    for n in 16, 2**26:
        with pytest.raises(AssertionError, match="wrong result"):
            check(elsewhere, torch.neg, lambda n: (torch.rand(n, device=device),), [n])
    assert 1.02 * rows[0].copy < timing.peak_bandwidth(rows[0].copy) < 1.5 * rows[0].copy


def test_an_operator_never_gets_the_stream_of_check():
    """torch hands out 32 streams of each priority in turn, and an operator may ask for many."""
    handed_out = {torch.cuda.Stream(priority=p).cuda_stream for p in (0, -1) for _ in range(64)}
    assert checking._side_stream().cuda_stream not in handed_out


def test_gradients_and_guards_reach_the_gpus_own_backward_threads():
    """torch runs backward passes of a GPU in threads of its own: Guarded must see what they allocate."""
    seen = []

    class Negative(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return -x

        @staticmethod
        def backward(ctx, grad):
            seen.append(torch.empty_like(grad).isnan().all().item())
            return -grad

    x = torch.rand(100, device=device, requires_grad=True)
    y = Negative.apply(x)
    with Guarded():
        y.backward(torch.ones_like(y))
    assert seen == [True] and (x.grad == -1).all()


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
    print(f"\n2^28: timing.h {ours * 1e6:.1f} us, ncu {theirs * 1e6:.1f} us, {ours / theirs - 1:+.1%}")
    assert ours == pytest.approx(theirs, rel=0.05)
