"""Every operator among others: streams, graphs, a second GPU, no memory left, threads, a thousand runs.

What needs a GPU, or two, is skipped without. Threads and equal bits are for the CPU, too.
"""

import contextlib
import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from common import device
from tests.chapters.operator_cases import assert_close, assert_right, good, of_shape, plain, random, tensors
from tests.chapters.opinfo import OPERATORS
from tests.support import needs_gpu_memory, operators

N = 2**16 if device.type == "cuda" else 2**10
gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
two_gpus = pytest.mark.skipif(device.type == "cpu" or torch.cuda.device_count() < 2, reason="needs two GPUs")
cpu = pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")
per_operator = pytest.mark.parametrize("op", OPERATORS, ids=str)
per_allocating_operator = pytest.mark.parametrize(
    "op", [op for op in OPERATORS if not op.writes and not op.reduces], ids=str
)
differentiable = pytest.mark.parametrize("op", [op for op in OPERATORS if op.differentiable], ids=str)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def right_for(op, values):
    return op.reference(*values, **op.values(values))


def size(op):
    return max(N, op.partial_from)


def several(op):
    """Tensors of which several blocks take a part each."""
    return good(op, size(op))


def bits(result):
    return torch.cat([plain(x).flatten().view(torch.uint8) for x in tensors(result)])


LATE = 20_000_000  # cycles, about 10 ms: Python needs a hundredth of that to launch what a test compares


@contextlib.contextmanager
def side_stream(gpu=0):
    """A stream of its own is that GPU's current one. It starts behind the GPU's current stream, which waits for it in the
    end: no synchronize, neither here nor in the tests. The GPU is the current one as well."""
    with torch.cuda.device(gpu):
        side, current = torch.cuda.Stream(), torch.cuda.current_stream()
    side.wait_stream(current)
    with torch.cuda.stream(side):
        yield side
    current.wait_stream(side)


def own_stream():
    return torch.cuda.stream(torch.cuda.Stream()) if device.type == "cuda" else contextlib.nullcontext()


def fill_late(tensors, values):
    """The tensors get these values in 10 ms, on the current stream of the current GPU. Does not wait for that."""
    torch.cuda._sleep(LATE)
    for x, value in zip(tensors, values, strict=True):
        x.copy_(value)


# ---- streams ---------------------------------------------------------------------------------------------------------
@gpu
@per_operator
def test_a_side_stream_needs_no_synchronize(op):
    """The inputs get their values late. On any other stream the kernel would read what was there before."""
    late, values = several(op), several(op)
    expected = right_for(op, values)
    op(*late)  # also for an operator that keeps the stream of its first call
    with side_stream():
        op(*late)  # loads the kernel, and leaves memory for the next result: neither must delay the launch below
        fill_late(late, values)
        result = op(*late)
    assert_close(op, result, expected)


def overwrite(pieces):
    """pieces: [(address, size)]. Takes new memory and fills it, until all of these addresses lie in it."""
    taken = []
    for address, nbytes in pieces:
        while not any(x.data_ptr() <= address < x.data_ptr() + x.nbytes for x in taken):
            assert len(taken) < 1000, "the memory of the inputs is not handed out again"
            taken.append(torch.full((nbytes,), 77, dtype=torch.uint8, device=device))
    return taken


@gpu
@per_operator
def test_the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there(op):
    """The inputs are gone from Python before the kernel runs. record_stream() keeps others out of their memory until the
    side stream has done its work, and no longer. The default stream sleeps meanwhile: there the kernel would read what the
    others have written. On any other stream it would be too early for the inputs' values."""
    late, values = several(op), several(op)
    expected = right_for(op, values)
    op(*late)
    owner, side = torch.cuda.Stream(), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        op(*late)  # loads the kernel, and leaves memory for the next result
    for sleep in 4 * LATE, 32 * LATE, 256 * LATE:
        with torch.cuda.stream(owner):
            inputs = [x.clone() for x in late]
        torch.cuda.synchronize()  # from here on no stream waits for another

        torch.cuda._sleep(sleep)
        with torch.cuda.stream(side):
            fill_late(inputs, values)
            result = op(*inputs)
            pieces = [(x.data_ptr(), x.nbytes) for x in inputs if x is not result]
            while inputs:
                inputs.pop().record_stream(side)
        side.synchronize()
        with torch.cuda.stream(owner):
            others = overwrite(pieces)
        owner.synchronize()
        default_stream_slept = not torch.cuda.default_stream().query()
        torch.cuda.synchronize()
        assert_close(op, result, expected)
        del others
        if default_stream_slept:
            return
    raise AssertionError("the default stream was awake too early each time: this machine is too busy to tell")


@gpu
@per_operator
def test_4_streams_at_once(op):
    """All calls are made while the streams wait for a fifth, so that kernels of different streams run at the same time."""
    first, *streams = (torch.cuda.Stream() for _ in range(5))
    inputs, results = [], []
    for stream in streams:
        with torch.cuda.stream(stream):
            inputs.append([several(op) for _ in range(10)])
            [op(*args) for args in inputs[-1]]  # loads the kernel, and leaves memory for the next results
    torch.cuda.synchronize()  # what is expected is computed on another stream than the inputs
    expected = [right_for(op, args) for of_stream in inputs for args in of_stream]
    torch.cuda.synchronize()
    with torch.cuda.stream(first):
        torch.cuda._sleep(LATE)
    for stream, of_stream in zip(streams, inputs, strict=True):
        stream.wait_stream(first)
        with torch.cuda.stream(stream):
            results += [op(*args) for args in of_stream]
    torch.cuda.synchronize()
    for result, right in zip(results, expected, strict=True):
        assert_close(op, result, right)


# ---- graphs ----------------------------------------------------------------------------------------------------------
def captured(step):
    """(the graph of step(), its result), after a run that loads the kernels: a capture must not."""
    with side_stream():
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    return graph, result


@gpu
@per_operator
def test_a_graph_replayed_with_new_data(op):
    args = several(op)
    graph, result = captured(lambda: op(*args))
    for _ in range(3):
        values = several(op)
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

    leaves = [x.requires_grad_() for x in several(op)]
    graph, result = captured(lambda: gradients(op, leaves))
    for _ in range(3):
        values = [x.requires_grad_() for x in several(op)]
        with torch.no_grad():
            for leaf, value in zip(leaves, values, strict=True):
                leaf.copy_(value)
        graph.replay()
        reference = functools.partial(op.reference, **op.values(values))
        # Stale values would be other numbers altogether; right ones in half precision are a rounding or two apart.
        torch.testing.assert_close(result, gradients(reference, values), rtol=1e-2, atol=1e-2)


# ---- another GPU, and a full one -------------------------------------------------------------------------------------
@two_gpus
@per_operator
def test_the_second_gpu_while_the_first_is_current(op):
    """The kernel has to run on the GPU of its tensors, and on that GPU's current stream. A kernel on the first GPU reads
    and writes the second one's memory as well, once torch has made a copy between them. But it does not wait for the second
    GPU's streams: so it reads what the inputs held before."""
    for n in 4, N:
        late, values = ([x.to("cuda:1") for x in good(op, n)] for _ in range(2))
        expected = right_for(op, values)
        with side_stream(gpu=1):
            with torch.cuda.device(0):
                op(*late)  # loads the kernel, and leaves memory for the next result
            fill_late(late, values)
            with torch.cuda.device(0):
                result = op(*late)
                assert torch.cuda.current_device() == 0
        assert torch.cuda.current_device() == 0
        assert all(x.device == torch.device("cuda:1") for x in tensors(result))
        assert_close(op, result, expected)


@pytest.mark.alone
@gpu
@per_allocating_operator
def test_out_of_memory(op):
    """Nine tenths of the memory are taken, half of that by an input. The result does not fit: torch's own exception, which
    programs catch to try a smaller batch; and with a smaller one all is well, at once. The stable ABI makes a RuntimeError
    of it."""
    torch.cuda.empty_cache()
    part = int(0.45 * torch.cuda.mem_get_info()[0])
    n = part // (torch.Size(op.shape(1)).numel() * op.dtype.itemsize)
    nbytes = torch.Size(op.shape(n)).numel() * op.dtype.itemsize
    large = torch.empty(nbytes, dtype=torch.uint8, device=device).view(op.dtype).view(op.shape(n))
    others = torch.empty(part, dtype=torch.uint8, device=device)
    with pytest.raises(RuntimeError if op.stable else torch.OutOfMemoryError):
        op(*[large[0] if name in op.shapes else large for name in op.arguments])
    assert_right(op, good(op, N))
    del large, others
    torch.cuda.empty_cache()
    assert_right(op, good(op, N))


@needs_gpu_memory(40)
@pytest.mark.parametrize("op", [op for op in OPERATORS if not (op.shapes or op.rearranges or op.reduces)], ids=str)
def test_more_than_2_to_the_31_elements(op):
    n = 2**31 + 5
    x = random(op.shape(-(-n // torch.Size(op.shape(1)).numel())), op.dtype)
    results = op(*[torch.empty_like(x) if name == op.writes else x for name in op.arguments])
    for part in zip(x.split(len(x) // 8), *(r.split(len(x) // 8) for r in tensors(results)), strict=True):
        args = [part[0]] * len(op.arguments)
        expected = right_for(op, args)  # of a part, as it needs memory of its own
        torch.testing.assert_close(part[1:], tensors(expected), **op.close(op.dtype))


# ---- threads ---------------------------------------------------------------------------------------------------------
@per_operator
def test_8_threads_at_once(op):
    """Each with its own numbers; on a GPU, on its own stream."""
    assert op.function  # builds it, if need be: nobody does that in eight threads
    start, calls = threading.Barrier(8), 20 if device.type == "cuda" else 3

    def work(_):
        with own_stream():
            inputs = [several(op) for _ in range(calls)]
            start.wait()
            results = [op(*args) for args in inputs]
            for args, result in zip(inputs, results, strict=True):
                assert_close(op, result, right_for(op, args))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


@per_operator
def test_4_threads_with_4_sizes_at_once(op):
    """What a launcher asks of CUDA for one size must not take from a launch with another: a kernel has one limit for its
    shared memory, whichever thread launches it."""
    calls = op.at_once or [(op.shape(n), {}) for n in (1, 100, 5000, size(op))]
    assert op.function
    start, rounds = threading.Barrier(4), 300 if device.type == "cuda" else 2

    def work(call):
        shape, scalars = call
        with own_stream():
            args = of_shape(op, shape)
            expected = op.reference(*args, **op.values(args) | scalars)
            start.wait()
            for _ in range(10 if device.type == "cuda" else 2):
                results = [op(*args, **scalars) for _ in range(rounds)]
                assert_close(op, results[-1], expected)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, calls))


def others_ran_during(call):
    """Whether another Python thread ran in the midst of call(). Measured in the process's CPU time: on a busy machine this
    thread may have to wait between two of its lines, and that must not count as a part of the call. Three moments, because a
    thread that was kept out may still run between the call's end and the line after it."""
    seen, done = [], threading.Event()

    def look():
        while not done.is_set():
            seen.append(time.process_time())
            time.sleep(1e-4)

    thread = threading.Thread(target=look)
    thread.start()
    start = time.process_time()
    call()
    end = time.process_time()
    done.set()
    thread.join()
    return sum(start + 0.2 * (end - start) < moment < start + 0.8 * (end - start) for moment in seen) >= 3


@cpu
@per_operator
def test_other_threads_run_during_a_long_call(op):
    assert op.function  # builds it, if need be: others run during a build
    args = long_call(op)
    assert any(others_ran_during(lambda: op(*args)) for _ in range(1000))  # busy cores let the other thread in seldom


def long_call(op):
    """Arguments with which the operator takes 20 ms or longer."""
    n = 64
    while True:
        args = good(op, n)
        start = time.process_time()
        op(*args)
        if time.process_time() - start > 0.02:
            return args
        n *= 4


@gpu
def test_other_threads_run_while_one_waits_for_the_gpu():
    """While CUDA waits for a copy from the GPU it asks again and again, so the wait counts as CPU time."""
    hello_gpu = operators("01_hello").hello_gpu
    hello_gpu()  # loads the kernel

    def waits():
        torch.cuda._sleep(100_000_000)  # about 50 ms
        hello_gpu()

    assert any(others_ran_during(waits) for _ in range(20))


# ---- the same bits ---------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@per_operator
def test_a_thousand_runs_give_the_same_bits(op):
    """One thread computes an element, in one order: all operators promise it. CUDA on CPU has two orders of threads, of
    which the next test takes both."""
    args = good(op, N if device.type == "cuda" else 65)
    first = bits(op(*args)).clone()
    assert all(torch.equal(bits(op(*args)), first) for _ in range(999 if device.type == "cuda" else 9))


@cpu
@per_operator
def test_both_thread_orders_give_the_same_bits(op, monkeypatch):
    args = good(op, N + 3 if op.multiple == 1 else N)
    results = []
    for reverse in "0", "1":
        monkeypatch.setenv("CUDA_REVERSE", reverse)
        results.append(bits(op(*args)).clone())
    assert torch.equal(*results)
