"""Every operator among others: streams, graphs, a second GPU, no memory left, threads, a thousand runs.

What needs a GPU, or two, is skipped without. Threads and equal bits are for the CPU, too.
"""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from operator_cases import assert_close, assert_right, good, plain, random, tensors
from operator_table import OPERATORS
from support import operators

from common import device

N = 2**16 if device.type == "cuda" else 2**10
gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
two_gpus = pytest.mark.skipif(device.type == "cpu" or torch.cuda.device_count() < 2, reason="needs two GPUs")
cpu = pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")
per_operator = pytest.mark.parametrize("op", OPERATORS, ids=str)
per_allocating_operator = pytest.mark.parametrize("op", [op for op in OPERATORS if not op.writes], ids=str)
differentiable = pytest.mark.parametrize("op", [op for op in OPERATORS if op.differentiable], ids=str)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def right_for(op, values):
    return op.reference(*values, **op.values(values))


def bits(result):
    return torch.cat([plain(x).flatten().view(torch.uint8) for x in tensors(result)])


@contextlib.contextmanager
def busy_side_stream():
    """A stream of its own, behind the current one; it sleeps for about 10 ms first. The current one then waits for it: no
    synchronize, neither here nor in the tests."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        yield side
    torch.cuda.current_stream().wait_stream(side)


# ---- streams ---------------------------------------------------------------------------------------------------------
@gpu
@per_operator
def test_a_side_stream_needs_no_synchronize(op):
    """The inputs get their values late. On any other stream the kernel would read what was there before."""
    late, values = good(op, N), good(op, N)
    expected = right_for(op, values)
    with busy_side_stream():
        for x, value in zip(late, values, strict=True):
            x.copy_(value)
        result = op(*late)
    assert_close(op, result, expected)


@gpu
@per_operator
def test_memory_of_a_recorded_stream_is_not_handed_out(op):
    """The inputs are gone from Python while the kernel still waits. record_stream() keeps others out of their memory until
    that stream has got there: the kernel has to be on it."""
    values = good(op, N)
    expected = right_for(op, values)
    inputs = [value.clone() for value in values]
    with busy_side_stream() as side:
        result = op(*inputs)
        for x in inputs:
            x.record_stream(side)
        del x
        inputs.clear()
        with torch.cuda.stream(torch.cuda.default_stream()):  # does not wait: it writes while the other one sleeps
            others = [torch.full((value.nbytes,), 77, dtype=torch.uint8, device=device) for value in values]
    assert_close(op, result, expected)
    del others


# ---- graphs ----------------------------------------------------------------------------------------------------------
def captured(step):
    """(the graph of step(), its result), after a run that loads the kernels: a capture must not."""
    with busy_side_stream():
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    return graph, result


@gpu
@per_operator
def test_a_graph_replayed_with_new_data(op):
    args = good(op, N)
    graph, result = captured(lambda: op(*args))
    for _ in range(3):
        values = good(op, N)
        for x, value in zip(args, values, strict=True):
            x.copy_(value)
        expected = right_for(op, values)
        graph.replay()
        assert_close(op, result, expected)


@gpu
@differentiable
def test_a_graph_of_forward_and_backward(op):
    def gradients(function, leaves):
        return torch.autograd.grad(tensors(function(*leaves))[0].square().sum(), leaves)

    leaves = [x.requires_grad_() for x in good(op, N)]
    graph, result = captured(lambda: gradients(op, leaves))
    for _ in range(3):
        values = [x.requires_grad_() for x in good(op, N)]
        with torch.no_grad():
            for leaf, value in zip(leaves, values, strict=True):
                leaf.copy_(value)
        graph.replay()
        torch.testing.assert_close(result, gradients(op.reference, values), rtol=1e-5, atol=1e-5)


# ---- another GPU, and a full one -------------------------------------------------------------------------------------
@two_gpus
@per_operator
def test_the_second_gpu_while_the_first_is_current(op):
    for n in 4, N:
        args = [x.to("cuda:1") for x in good(op, n)]
        assert_right(op, args)
        assert all(x.device == args[0].device for x in tensors(op(*args)))
        assert torch.cuda.current_device() == 0


@pytest.mark.alone
@gpu
@per_allocating_operator
def test_out_of_memory(op):
    """Nine tenths of the memory are taken, half of that by an input. The result does not fit: torch's own exception, which
    programs catch to try a smaller batch; and with a smaller one all is well, at once."""
    torch.cuda.empty_cache()
    part = int(0.45 * torch.cuda.mem_get_info()[0])
    n = part // (torch.Size(op.shape(1)).numel() * op.dtype.itemsize)
    nbytes = torch.Size(op.shape(n)).numel() * op.dtype.itemsize
    large = torch.empty(nbytes, dtype=torch.uint8, device=device).view(op.dtype).view(op.shape(n))
    others = torch.empty(part, dtype=torch.uint8, device=device)
    with pytest.raises(torch.OutOfMemoryError):
        op(*[large] * len(op.arguments))
    assert_right(op, good(op, N))
    del large, others
    torch.cuda.empty_cache()
    assert_right(op, good(op, N))


@pytest.mark.xdist_group("large")
@gpu
@pytest.mark.skipif(
    device.type == "cuda" and torch.cuda.mem_get_info()[0] < 40 * 2**30, reason="needs 40 GiB of GPU memory"
)
@per_operator
def test_more_than_2_to_the_31_elements(op):
    n = 2**31 + 5
    x = random(op.shape(-(-n // torch.Size(op.shape(1)).numel())), op.dtype)
    results = op(*[torch.empty_like(x) if name == op.writes else x for name in op.arguments])
    for part in zip(x.split(len(x) // 8), *(r.split(len(x) // 8) for r in tensors(results)), strict=True):
        args = [part[0]] * len(op.arguments)
        expected = right_for(op, args)  # of a part, as it needs memory of its own
        torch.testing.assert_close(part[1:], tensors(expected), rtol=op.tolerance, atol=op.tolerance)


# ---- threads ---------------------------------------------------------------------------------------------------------
@per_operator
def test_8_threads_at_once(op):
    """Each with its own numbers; on a GPU, on its own stream."""
    assert op.function  # builds it, if need be: nobody does that in eight threads
    start = threading.Barrier(8)

    def work(_):
        with torch.cuda.stream(torch.cuda.Stream()) if device.type == "cuda" else contextlib.nullcontext():
            inputs = [good(op, N) for _ in range(20)]
            start.wait()
            results = [op(*args) for args in inputs]
            for args, result in zip(inputs, results, strict=True):
                assert_close(op, result, right_for(op, args))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def others_ran_during(call):
    """Whether another Python thread went on in the midst of call(): looked at the clock again and again. Kept out, it may
    still get a look in between the call's end and ours; hence three."""
    seen, done = [], threading.Event()

    def look():
        while not done.is_set():
            seen.append(time.perf_counter())
            time.sleep(1e-4)

    thread = threading.Thread(target=look)
    thread.start()
    start = time.perf_counter()
    call()
    end = time.perf_counter()
    done.set()
    thread.join()
    return sum(0.2 < (moment - start) / (end - start) < 0.8 for moment in seen) >= 3


@cpu
@per_operator
def test_other_threads_run_during_a_long_call(op):
    assert op.function  # builds it, if need be: others run during a build
    args = good(op, 2**22 // torch.Size(op.shape(1)).numel())
    assert any(others_ran_during(lambda: op(*args)) for _ in range(20))  # for a machine that is busy


@gpu
def test_other_threads_run_while_one_waits_for_the_gpu():
    hello_gpu = operators("01_hello").hello_gpu
    hello_gpu()  # loads the kernel
    torch.cuda._sleep(200_000_000)
    assert others_ran_during(hello_gpu)


# ---- the same bits ---------------------------------------------------------------------------------------------------
@per_operator
def test_a_thousand_runs_give_the_same_bits(op):
    """One thread computes an element, in one order: all operators promise it."""
    args = good(op, N if device.type == "cuda" else 65)
    first = bits(op(*args)).clone()
    assert all(torch.equal(bits(op(*args)), first) for _ in range(999))


@cpu
@per_operator
def test_both_thread_orders_give_the_same_bits(op, monkeypatch):
    args = good(op, N + 3 if op.multiple == 1 else N)
    results = []
    for reverse in "0", "1":
        monkeypatch.setenv("CUDA_REVERSE", reverse)
        results.append(bits(op(*args)).clone())
    assert torch.equal(*results)
