"""my_op(): right at edge-case sizes; wrong inputs are refused; autograd and torch.compile know it.

For an operator of your own, change what stands above the first line of dashes.
"""

from pathlib import Path

import my_op as package
import pytest
import torch
from my_op import my_op
from torch.utils._python_dispatch import TorchDispatchMode

device = "cuda" if torch.cuda.is_available() else "cpu"
DTYPES = torch.float32, torch.float16, torch.bfloat16
# Shapes that the operator takes: nothing, around a block's threads, many blocks, many rows. One on rows may refuse (), and
# rows without elements.
SHAPES = [(), (0,), (1,), (255,), (256,), (257,), (2**20 + 3,), (3, 0), (5, 257), (2, 3, 4), (1000, 5)]
# Of results beside the reference's. Here both are rounded once, so they are equal to the last bit. An operator that
# rounds more often needs more, as gradients do: two units in the last place, or 1e-5 for a sum. nvcc makes one
# instruction of a * b + c (FMA), which rounds once where torch rounds twice, so results may differ on a GPU that are
# equal on a CPU.
TOLERANCE = {dtype: {"rtol": 0, "atol": 0} for dtype in DTYPES}
OF_GRADIENTS = {dtype: {"rtol": 4 * torch.finfo(dtype).eps, "atol": 1e-7} for dtype in DTYPES}


def arguments(*shape, dtype=torch.float32):
    """What my_op takes. All tests call my_op(*arguments(...))."""
    return torch.randn(shape, dtype=dtype, device=device), 0.3  # no power of two, so a product has to be rounded


def special_arguments():
    x = torch.tensor([0.0, -0.0, 100, -100, float("inf"), -float("inf"), float("nan"), 3e38], device=device)
    for factor in 0, -1, 1e-50, float("inf"), float("nan"):
        yield x, factor


def reference(x, factor):
    """The same by torch's operations: in float32, rounded once, as the kernel rounds."""
    return (factor * x.float()).to(x.dtype)


def spread(x):
    """The same shape and values, with a gap after each element."""
    return torch.stack([x, x], -1)[..., 0]


# What may be wrong with a tensor: the words of the exception, and such a tensor. MIXED: where there are several.
WRONG = {"dtype": ("must have dtype", torch.Tensor.double), "gaps": ("must be contiguous", spread)}
MIXED = {"dtypes": ("must have dtype", torch.Tensor.half), "shapes": ("must have the same shape", lambda x: x[1:])}


# ---- is it right? ------------------------------------------------------------------------------------------------------
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True, warn_only=True)  # new tensors hold NaN until a thread writes


def assert_right(*args):
    expected = reference(*args)
    torch.testing.assert_close(my_op(*args), expected, **TOLERANCE[expected.dtype], equal_nan=True)


def with_gradients(args):
    return [x.detach().requires_grad_() if is_float(x) else x for x in args]


def is_tensor(x):
    return isinstance(x, torch.Tensor)


def is_float(x):
    return is_tensor(x) and x.is_floating_point()


def gradients(result, args, grad=None):
    """Of the sum of the result; with grad, of the sum of result * grad. None for a tensor that the result does not follow
    smoothly, such as a mask: the reference must say the same."""
    inputs = [x for x in args if is_tensor(x) and x.requires_grad]
    result = result.sum() if grad is None else result
    return torch.autograd.grad(result, inputs, grad, allow_unused=True)


def assert_gradients_right(args, grad=None, **options):
    args = with_gradients(args)
    ours, expected = (gradients(op(*args), args, grad) for op in (my_op, reference))
    torch.testing.assert_close(ours, expected, **OF_GRADIENTS[args[0].dtype], **options)


per_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


@per_dtype
@per_shape
def test_right(shape, dtype):
    assert_right(*arguments(*shape, dtype=dtype))


@per_dtype
@per_shape
def test_gradients_are_right(shape, dtype):
    args = arguments(*shape, dtype=dtype)
    assert_gradients_right(args, torch.randn_like(reference(*args)))


def test_a_tensor_may_begin_anywhere_in_its_memory():
    assert_right(*(x[1:] if is_tensor(x) else x for x in arguments(1000)))


def test_more_rows_than_a_grid_has_in_y():
    """A grid has at most 65 535 blocks in y and in z. And a kernel that begins only some blocks needs a loop."""
    args = arguments(65_540, 2)
    assert_right(*args)
    assert_gradients_right(args)


def test_special_values():
    for args in special_arguments():
        assert_right(*args)
        assert_gradients_right(args, equal_nan=True)


def result_and_gradients(args):
    args = with_gradients(args)
    result = my_op(*args)
    return result, *gradients(result, args)


@pytest.mark.skipif(device == "cpu", reason="needs a GPU")
def test_the_kernel_runs_on_torchs_current_stream():
    """There, tensors get their values late. On any other stream the kernel would read what was in them before."""
    args, slow = arguments(2**16), torch.randn(4096, 4096, device=device)
    expected = result_and_gradients(args)  # and loads the kernels
    late = [torch.zeros_like(x) if is_tensor(x) else x for x in args]
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(20):
            slow @ slow
        result = result_and_gradients([x.copy_(y) if is_tensor(x) else x for x, y in zip(late, args, strict=True)])
    torch.cuda.synchronize()
    torch.testing.assert_close(result, expected, rtol=0, atol=0)


@pytest.mark.skipif(device == "cuda", reason="the test above shows it on a GPU")
def test_cuda_on_cpu_sees_the_kernel_on_torchs_current_stream(monkeypatch):
    """cuda-on-cpu acts as if torch's current stream were no longer the default one, and refuses launches on the latter."""
    monkeypatch.setenv("CUDA_ON_CPU_SIDE_STREAM", "1")
    result_and_gradients(arguments(100))


# ---- what it refuses ---------------------------------------------------------------------------------------------------
def with_one_wrong(args, wrong):
    """For each tensor of these arguments: its place, and the arguments with wrong(x) there."""
    for i, x in enumerate(args):
        if is_tensor(x):
            yield i, [*args[:i], wrong(x), *args[i + 1 :]]


class Calls(TorchDispatchMode):
    """Keeps the arguments of the package's operators that are called, also of those that compute gradients."""

    def __init__(self):
        super().__init__()
        self.arguments = {}

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if operator.namespace == "my_op":
            self.arguments[operator] = args
        return operator(*args, **(kwargs or {}))


everywhere = pytest.mark.parametrize("where", [device, "meta"])  # the kernel, and what torch.compile asks instead


def arguments_at(where):
    return [x.to(where) if is_tensor(x) else x for x in arguments(4, 3)]


@everywhere
def test_wrong_inputs_are_refused(where):
    x, *others = arguments_at(where)
    for wrong, words in (x.double(), "x must have dtype Float or Half or BFloat16"), (x.t(), "x must be contiguous"):
        with pytest.raises(RuntimeError, match=words):
            my_op(wrong, *others)


@everywhere
@pytest.mark.parametrize("what", [*WRONG, *MIXED])
def test_every_tensor_is_checked(what, where):
    """By my_op; and by the operators of its gradient, which anybody can call as well."""
    words, wrong = (WRONG | MIXED)[what]
    calls = {torch.ops.my_op.my_op.default: arguments_at(where)}
    if where == device:
        with Calls() as called:
            result_and_gradients(arguments_at(where))
        calls |= called.arguments
    compared = is_float if what == "dtypes" else is_tensor  # a mask and x differ in dtype anyway
    calls = {operator: args for operator, args in calls.items() if what in WRONG or sum(map(compared, args)) > 1}
    if not calls:
        pytest.skip("no operator has several such tensors")
    for operator, args in calls.items():
        for i, wrong_args in with_one_wrong(args, wrong):
            with pytest.raises(RuntimeError, match=words):
                operator(*wrong_args)
                pytest.fail(f"{operator}: argument {i} is accepted, and {words}: see {what!r} in WRONG or MIXED")


def test_what_is_no_tensor_is_refused():
    for wrong in None, 3, [1.0]:
        for _, wrong_args in with_one_wrong(arguments(3), lambda _, wrong=wrong: wrong):
            with pytest.raises((RuntimeError, NotImplementedError)):
                my_op(*wrong_args)


# ---- autograd, torch.compile -------------------------------------------------------------------------------------------
@per_dtype
def test_opcheck(dtype):
    """The schema, the shapes without memory, the gradient's registration: whether they agree with the kernel."""
    args = with_gradients(arguments(3, 5, dtype=dtype))
    torch.library.opcheck(torch.ops.my_op.my_op.default, tuple(args))


@per_dtype
def test_opcheck_of_the_gradients_operators(dtype):
    """The schema and the shapes without memory of what computes the gradient, where that is an operator as well."""
    with Calls() as called:
        result_and_gradients(arguments(3, 5, dtype=dtype))
    for operator, args in called.arguments.items():
        torch.library.opcheck(operator, args, test_utils=("test_schema", "test_faketensor"))


@pytest.mark.filterwarnings("ignore:Input #. requires gradient")
def test_gradcheck():
    """Compares the gradient, and the gradient of the gradient, with differences of results. float32 has 7 digits, so the steps
    are larger than for float64, and the comparison is less strict. Where the operator has a kink, as abs(x) at 0, no
    argument may lie within a step (eps) of it."""
    args, loose = with_gradients(arguments(3, 5)), {"eps": 1e-2, "atol": 1e-3, "rtol": 1e-3}
    assert torch.autograd.gradcheck(my_op, args, **loose)
    assert torch.autograd.gradgradcheck(my_op, args, **loose)


def test_the_gradient_of_a_sum():
    """The gradient that comes in is one element, repeated by strides of 0: the kernel needs a copy."""
    args = with_gradients(arguments(3, 5))
    torch.testing.assert_close(gradients(my_op(*args), args), gradients(reference(*args), args))


def test_compile():
    """In one graph. The backend makes no code of its own, so that this takes no other compiler."""
    compiled = torch.compile(lambda *args: my_op(*args) + 1, fullgraph=True, backend="aot_eager")
    args = with_gradients(arguments(100))
    ours, expected = compiled(*args), reference(*args) + 1
    torch.testing.assert_close(ours, expected)
    torch.testing.assert_close(gradients(ours, args), gradients(expected, args))


# ---- the build ---------------------------------------------------------------------------------------------------------
@pytest.mark.skipif("'CUDA_ON_CPU_REPORT' not in os.environ", reason='see README.md, "Without a GPU"')
@pytest.mark.skipif(device == "cuda", reason="on a GPU: compute-sanitizer pytest")
def test_the_memory_check_looks_at_each_access_of_the_kernels():
    """What it finds is an exception, here and in the other tests. Without it, a kernel that reads or writes past the end of a
    tensor may pass all of them."""
    result_and_gradients(arguments(257))


def test_nothing_has_changed_since_the_build():
    """Else all other tests are about the older code."""
    root, library = Path(__file__).resolve().parents[1], Path(package.__file__).resolve().with_name("_C.abi3.so")
    if not library.is_relative_to(root):
        pytest.skip("the package is installed elsewhere")
    built = library.stat().st_mtime
    newer = [f"csrc/{file.name}" for file in (root / "csrc").iterdir() if file.stat().st_mtime > built]
    assert not newer, "build again: pip install --no-build-isolation -e ."
