"""my_op(): right at edge-case sizes; wrong inputs are refused; autograd and torch.compile know it."""

import pytest
import torch

from my_op import my_op

device = "cuda" if torch.cuda.is_available() else "cpu"
per_dtype = pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def reference(x, factor):
    """In float32, rounded once, as the kernel rounds."""
    return (factor * x.float()).to(x.dtype)


def assert_right(x, factor=0.3):  # 0.3 is no power of two, so a product has to be rounded
    # Equal to the last bit, as both round once. An operator that rounds more often needs a tolerance here.
    torch.testing.assert_close(my_op(x, factor), reference(x, factor), rtol=0, atol=0, equal_nan=True)


@per_dtype
@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 2**20 + 3])  # nothing, around a block's threads, many blocks
def test_right(n, dtype):
    assert_right(torch.randn(n, dtype=dtype, device=device))


def test_any_shape():
    for shape in (), (3,), (3, 0), (2, 3, 4):
        assert_right(torch.randn(shape, device=device))


def test_a_tensor_may_begin_anywhere_in_its_memory():
    assert_right(torch.randn(1000, device=device)[1:])


def test_special_values():
    x = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 3e38], device=device)
    for factor in 0, -1, 1e-50, float("inf"), float("nan"):
        assert_right(x, factor)


@pytest.mark.skipif(device == "cpu", reason="needs a GPU")
def test_the_kernel_runs_on_torchs_current_stream():
    """There, x gets its values late. On any other stream the kernel would read what was in x before."""
    x, slow = torch.zeros(2**16, device=device), torch.randn(4096, 4096, device=device)
    my_op(x, 2)  # loads the kernel
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(20):
            slow @ slow
        result = my_op(x.fill_(1), 2)
    torch.cuda.synchronize()
    assert (result == 2).all()


# ---- what it refuses ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("where", [device, "meta"])  # the kernel, and what torch.compile asks instead
def test_wrong_inputs_are_refused(where):
    x = torch.ones(4, 3, device=where)
    for wrong, words in (x.double(), "x must have dtype Float or Half or BFloat16"), (x.t(), "x must be contiguous"):
        with pytest.raises(RuntimeError, match=words):
            my_op(wrong, 2)


def test_what_is_no_tensor_is_refused():
    for wrong in None, 3, [1.0]:
        with pytest.raises((RuntimeError, NotImplementedError)):
            my_op(wrong, 2)


# ---- autograd, torch.compile -------------------------------------------------------------------------------------------
@per_dtype
def test_opcheck(dtype):
    """The schema, the shapes without memory, the gradient's registration: whether they agree with the kernel."""
    x = torch.randn(3, 5, dtype=dtype, device=device, requires_grad=True)
    torch.library.opcheck(torch.ops.my_op.my_op.default, (x, 0.3))


@pytest.mark.filterwarnings("ignore:Input #. requires gradient")
def test_gradcheck():
    """Compares the gradient, and the gradient of the gradient, with differences of results. float32 has 7 digits, so the steps
    are larger than for float64, and the comparison is less strict."""
    x = torch.randn(3, 5, device=device, requires_grad=True)
    loose = {"eps": 1e-2, "atol": 1e-3, "rtol": 1e-3}
    assert torch.autograd.gradcheck(my_op, (x, 0.3), **loose)
    assert torch.autograd.gradgradcheck(my_op, (x, 0.3), **loose)


def test_the_gradient_of_a_sum():
    """The gradient that comes in is one element, repeated by strides of 0: the kernel needs a copy."""
    x = torch.randn(3, 5, device=device, requires_grad=True)
    ours, expected = my_op(x, 0.3), reference(x, 0.3)
    torch.testing.assert_close(torch.autograd.grad(ours.sum(), x), torch.autograd.grad(expected.sum(), x))


def test_compile():
    """In one graph. The backend makes no code of its own, so that this takes no other compiler."""
    compiled = torch.compile(lambda x: my_op(x, 2) + 1, fullgraph=True, backend="aot_eager")
    x = torch.randn(100, device=device, requires_grad=True)
    ours, expected = compiled(x), reference(x, 2) + 1
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(torch.autograd.grad(ours.sum(), x), torch.autograd.grad(expected.sum(), x))
