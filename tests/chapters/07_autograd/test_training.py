"""Chapter 07: the memory that autograd keeps, and a model that learns."""

import re

import pytest
import torch

from common import device

from .functions import add, leaves, memory, module, slopes, swiglu, swiglu_python, swiglu_torch, training


def saved(op, n=1000, needs=(True, True), dtype=torch.float32):
    """How many tensors of n elements op saves."""
    return memory.saved_bytes(op, *leaves(n, dtype=dtype, needs=needs)) / (n * dtype.itemsize)


def test_only_what_backward_needs_is_saved():
    notes = memory.AddOfTheNotes
    assert saved(add) == 0 and saved(lambda a, b: notes.apply(module(), a, b)) == 2
    assert saved(swiglu_torch) == 3  # a, b, and silu(a), which nothing else needs
    for op in swiglu, swiglu_python:
        assert saved(op) == saved(op, dtype=torch.float64) == saved(op, needs=(True, False)) == 2
        assert saved(op, needs=(False, True)) == 1, "b's gradient needs a alone"
        assert saved(op, needs=(False, False)) == 0
        with torch.no_grad():
            assert saved(op) == 0


def test_the_table_of_memory(capsys):
    table = memory.main(module(), n=2**20)
    assert [row[0] // 2**22 for row in table.values()] == [2, 0, 3, 2, 2, 1]
    assert len(re.findall(r"^        .* MiB$", capsys.readouterr().out, re.M)) == 6


@pytest.mark.skipif(device.type == "cpu", reason="torch counts the bytes of a GPU's memory only")
def test_memory_of_the_gpu():
    n = 2**20

    def arrays(op, needs=(True, True)):
        return [nbytes / (4 * n) for nbytes in memory.allocated_bytes(op, *leaves(n, dtype=torch.float32, needs=needs))]

    assert arrays(add)[0] == 1, "the output"
    assert arrays(swiglu)[0] == arrays(swiglu_python)[0] == 3, "a, b, the output"
    assert arrays(swiglu_torch)[0] == 4, "silu(a), too"
    assert arrays(swiglu, needs=(False, True))[0] == 2
    assert arrays(swiglu)[1] < arrays(swiglu_torch)[1], "the peak"


@pytest.fixture
def one_thread():
    """Small tensors: torch's threads wait for one another longer than they work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.thorough
def test_training(capsys, one_thread):
    """float64, so that rounding does not grow to be seen: the three models stay together, and leave the line behind."""
    curves, seconds = training.train(module(), torch.float64, steps=160)
    assert seconds.keys() == curves.keys() and min(seconds.values()) > 0
    fused, python, plain, wrong, linear = (curves[name] for name in ("C++", "Python", "torch", "wrong", "linear"))
    assert len(fused) == len(linear) == 160
    for curve in fused, python:
        torch.testing.assert_close(curve, plain, rtol=0, atol=1e-8)
    assert fused[0] > 0.6 and fused[-1] < 0.2, "it has learned"
    assert min(linear) > 0.6, "a guess is ln 2 = 0.69"
    assert wrong[0] == plain[0] and wrong[-1] < 0.3, "it learns with a wrong gradient, too"
    assert max(training.differences(curves)["wrong"]) > 1e-2
    printed = capsys.readouterr().out
    assert len(re.findall(r"^ +\d+ steps( +\d\.\d{4}){5}$", printed, re.M)) == 10
    assert "C++ and torch differ by at most" in printed


@pytest.mark.thorough
def test_the_puzzle_is_a_model_with_a_wrong_gradient(capsys, one_thread):
    curves, _ = training.train_one(module())
    assert curves["a model"][-1] < 0.1, "it learns"
    assert re.search(r"^ +right +9\d\.\d%$", printed := capsys.readouterr().out, re.M) and "wrong" not in printed


def test_differences_tell_which_gradient_is_wrong(capsys):
    assert slopes.main(module()) == {"that model": False, "SwiGLU, Python": True, "swiglu, C++": True}
    rows = re.findall(r"^ +(\S.*?)((?: +-?\d\.\d{3}){7})$", capsys.readouterr().out, re.M)
    (_, by_differences), (_, wrong), *right = rows
    assert wrong.split() != by_differences.split()
    assert len(right) == 2 and all(slope.split() == by_differences.split() for _, slope in right)


@pytest.mark.thorough
def test_training_in_float32_stays_within_rounding(one_thread):
    curves, _ = training.train(module(), steps=20, rows=2)
    torch.testing.assert_close(curves["C++"], curves["torch"], rtol=1e-4, atol=1e-4)
    assert curves["C++"] == curves["Python"], "the same kernels"


@pytest.mark.thorough
def test_the_differences_of_both_types_are_kept(one_thread):
    """For the chart: in float64, roundings are smaller by nine digits; a wrong gradient is as wrong."""
    far = training.measure(module(), steps=40)["differences"]
    exact, rough = (max(far[dtype]["C++"]) for dtype in ("float64", "float32"))
    assert exact < 1e-12 and rough < 1e-4
    for dtype in far.values():
        assert len(dtype["wrong"]) == 40 and dtype["wrong"][0] == 0 and dtype["wrong"][-1] > 1e-5


def test_the_same_seed_gives_the_same_curve(one_thread):
    assert training.train(module(), steps=6, rows=2)[0] == training.train(module(), steps=6, rows=2)[0]
    assert torch.equal(training.two_spirals()[0], training.two_spirals()[0])
