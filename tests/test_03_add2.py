"""Chapter 03: the notes' torch_launch_add2 with every argument checked, streams, and the build cache."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import ROOT, chapter, operators

from common import check, device


@pytest.fixture
def launch():
    return operators("03_add2").torch_launch_add2


def tensors(n=8):
    return torch.full((n,), -1.0, device=device), torch.rand(n, device=device), torch.rand(n, device=device)


@pytest.mark.parametrize("n", [0, 1, 3, 255, 256, 257, 2**20 + 3])
def test_adds_n_elements_and_leaves_the_rest(launch, n, thread_order):
    c, a, b = tensors(n + 5)
    assert launch(c, a, b, n) is None
    assert torch.equal(c[:n], (a + b)[:n])
    assert torch.equal(c[n:], torch.full((5,), -1.0, device=device))


def test_the_notes_one_file_listing(thread_order):
    double = chapter("03_add2").build_one_file().custom_operation
    check(double, lambda x: 2 * x, lambda n: chapter("03_add2").inputs(n)[:1], rtol=0, atol=0)
    with pytest.raises(TypeError, match="input must have dtype Float, got Int"):
        double(torch.ones(3, dtype=torch.int32, device=device))


def test_output_may_be_an_input(launch):
    _, a, b = tensors(1000)
    expected = a + b
    launch(a, a, b, 1000)
    assert torch.equal(a, expected)


@pytest.mark.parametrize("n", [-1, 9, 2**40, -(2**40)])
def test_n_outside_the_tensors_is_refused(launch, n):
    with pytest.raises(ValueError, match=f"n must be between 0 and 8, the tensors' size, got {n}"):
        launch(*tensors(), n)


@pytest.mark.parametrize("n", [2.0, "8", None, 2**70])
def test_n_that_is_no_64_bit_integer_is_refused(launch, n):
    with pytest.raises(TypeError, match="n: (int|typing.SupportsInt)"):
        launch(*tensors(), n)


@pytest.mark.parametrize("i, name", list(enumerate("cab")))
@pytest.mark.parametrize(
    "bad, exception, message",
    [
        (lambda: torch.rand(8, dtype=torch.float64, device=device), TypeError, "must have dtype Float, got Double"),
        (lambda: torch.rand(16, device=device)[::2], ValueError, "must be contiguous"),
        (lambda: torch.rand(9, device=device), ValueError, "same shape"),
        (lambda: torch.rand(8, device="meta"), ValueError, f"must be on {device}, got meta"),
        (lambda: None, TypeError, "c: torch.Tensor, a: torch.Tensor, b: torch.Tensor"),
    ],
)
def test_every_tensor_is_checked(launch, i, name, bad, exception, message):
    args = list(tensors())
    args[i] = bad()
    with pytest.raises(exception, match=message) as info:
        launch(*args, 8)
    assert name in str(info.value)


def test_partial_overlap_is_refused(launch):
    memory = torch.rand(9, device=device)
    with pytest.raises(
        RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"
    ):
        launch(memory[1:], memory[:-1], torch.rand(8, device=device), 8)


@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
def test_side_stream_is_right_here_and_wrong_as_in_the_notes(launch):
    """The notes launch with <<<grid, block>>>: on the default stream, which does not wait for torch's current one."""

    def on_the_default_stream(c, a, b, n):
        with torch.cuda.stream(torch.cuda.default_stream()):
            launch(c, a, b, n)

    wrong = dict.fromkeys([launch, on_the_default_stream], 0)
    for operator in wrong:
        for _ in range(20):
            c, a, b = (torch.zeros(2**20, device=device) for _ in range(3))
            torch.cuda.synchronize()
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                torch.cuda._sleep(10_000_000)  # the side stream is busy for 5 ms before a and b get their values
                a.fill_(1)
                b.fill_(2)
                operator(c, a, b, len(c))
                result = c.clone()
            torch.cuda.synchronize()
            wrong[operator] += not bool((result == 3).all())
    assert wrong == {launch: 0, on_the_default_stream: 20}


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
def test_a_refused_call_leaves_the_context_usable(launch):
    for _ in range(3):
        with pytest.raises(TypeError):
            operators("03_add2").add2(torch.rand(3, device=device).double(), torch.rand(3, device=device))
        operators("03_add2").add2(torch.empty(0, device=device), torch.empty(0, device=device))
        torch.cuda.synchronize()
    a = torch.rand(3, device=device)
    assert torch.equal(operators("03_add2").add2(a, a), 2 * a)


def test_build_cache_rebuilds_what_a_change_touches(tmp_path):
    """ninja knows from the compiler which files add2.cu includes, so a changed header is noticed, by the next process."""
    for file in ("add2.h", "add2.cu", "add2.cpp"):
        (tmp_path / file).write_text((chapter("03_add2").here / file).read_text())
    load = (
        "from common.cpp_extension import load\n"
        f"load('add2_cache', [{str(tmp_path / 'add2.cpp')!r}, {str(tmp_path / 'add2.cu')!r}], "
        f"extra_include_paths=[{str(tmp_path)!r}, {str(ROOT)!r}], build_directory={str(tmp_path / 'build')!r})"
    )

    def built():
        done = subprocess.run([sys.executable, "-c", load], cwd=ROOT, capture_output=True, text=True, check=True)
        return {
            file for file in ("add2.cu", "add2.cpp") if f"  {file} " in done.stdout
        }, "nothing changed" in done.stdout

    def change(file):
        (tmp_path / file).write_text((tmp_path / file).read_text() + "// changed\n")

    assert built() == ({"add2.cu", "add2.cpp"}, False)
    assert built() == (set(), True)
    change("add2.cu")
    assert built() == ({"add2.cu"}, False)
    change("add2.h")
    assert built() == ({"add2.cu", "add2.cpp"}, False)


def test_the_cache_is_keyed_by_torch_and_device():
    folder = Path(operators("03_add2").__file__).parent
    assert folder.name == "add2"
    assert torch.__version__ in folder.parent.name and device.type in folder.parent.name
