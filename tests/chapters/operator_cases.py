"""What the tests of all operators share: what a call must return or raise, and unusual tensors of every kind."""

import re

import torch

from common import device


def random(shape, dtype):
    """Values in [0, 1), or all that an integer can have. torch has no random uint16 of its own on every device."""
    if dtype.is_floating_point:
        return torch.rand(shape, dtype=dtype, device=device)
    signed = {1: torch.int8, 2: torch.int16, 4: torch.int32}[dtype.itemsize]
    limits = torch.iinfo(signed)
    return torch.randint(limits.min, limits.max + 1, tuple(shape), dtype=signed, device=device).view(dtype)


def good(op, n=4):
    return of_shape(op, op.shape(n))


def of_shape(op, shape):
    """Tensors for all arguments, the first of this shape."""
    return [random(op.shape_of(name, shape), op.dtype) for name in op.arguments]


def examples(op):
    """Tensors of a shape that the operator takes, of two dimensions or more: one alone cannot be transposed."""
    return of_shape(op, example(op))


def example(op):
    return op.shape(4) if len(op.shape(4)) > 1 else (4, 4)


# ---- what a call must return or raise --------------------------------------------------------------------------------
def tensors(result):
    return result if isinstance(result, tuple) else (result,)


def plain(x):
    return x.detach().as_subclass(torch.Tensor)


def assert_close(op, result, expected):
    """The reference's result, down to the sign of a zero where the same bits are asked for; contiguous, on its device."""
    for r, e in zip(map(plain, tensors(result)), tensors(expected), strict=True):
        torch.testing.assert_close(r, e, **op.close(e.dtype), equal_nan=True)
        assert r.is_contiguous()
        if r.is_floating_point() and op.tolerance == 0 and r.itemsize > 1:  # torch has no signbit() of 8-bit floats
            assert torch.equal(r.signbit() & ~r.isnan(), e.signbit() & ~e.isnan())


def bytes_of(x):
    """A copy, because a single element is contiguous with any strides, and view() goes by these."""
    return x.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)


def assert_right(op, args, **scalars):
    """The reference's result; and no input has changed."""
    before = [x if x is None else plain(x).clone() for x in args]
    expected = op.reference(*before, **op.values(args) | scalars)
    result = op(*args, **scalars)
    if not op.arguments:
        assert op.compared(result) == expected
        return
    assert_close(op, result, expected)
    out = args[op.arguments.index(op.writes)] if op.writes else None
    for x, was in zip(args, before, strict=True):
        if x is not None and (out is None or x.untyped_storage().data_ptr() != out.untyped_storage().data_ptr()):
            assert torch.equal(*(bytes_of(plain(x).resolve_neg()) for x in (x, was))), "an input has changed"


def assert_raises(op, faults, call):
    """One of these exceptions, with its message; then an ordinary call works."""
    try:
        call()
    except Exception as error:
        text = str(error)
        expected = (type(error) is exception and re.match(words, text, re.S) for exception, words in faults)
        assert any(expected), f"{type(error).__name__}: {text[:300]}\nexpected: {faults}"
    else:
        raise AssertionError(f"not refused, expected: {faults}")
    assert_right(op, good(op))


def try_out(op, args):
    """Raises one of the exceptions that the table gives; if it gives none, the result is right."""
    faults = op.faults(args)
    assert_raises(op, faults, lambda: op(*args)) if faults else assert_right(op, args)


def try_each(op, make):
    """What make() makes as each argument in turn, and as all at once."""
    for i in range(len(op.arguments)):
        args = examples(op)
        args[i] = make()
        try_out(op, args)
    if len(op.arguments) > 1:
        try_out(op, [make() for _ in op.arguments])


def try_all(cases):
    """Calls every function in {name: function}, then lists those that failed, and how."""
    failed = {}
    for name, case in cases.items():
        try:
            case()
        except Exception as error:
            failed[name] = error
    if failed:
        text = "\n".join(f"{name}: {type(error).__name__}: {error}" for name, error in failed.items())
        raise AssertionError(f"{len(failed)} of {len(cases)} cases\n{text}") from next(iter(failed.values()))


# ---- unusual tensors -------------------------------------------------------------------------------------------------
OTHER_DEVICES = ["meta"] + {"cpu": ["cuda"] * torch.cuda.is_available(), "cuda": ["cpu"]}[device.type]
OTHER_DEVICES += [f"cuda:{i}" for i in range(1, 2 * (device.type == "cuda")) if i < torch.cuda.device_count()]

# shape s, its number of dimensions r, dtype t
LAYOUTS = {
    "transposed": lambda s, r, t: random(s[::-1], t).permute(*range(r)[::-1]),
    "last two transposed": lambda s, r, t: random((*s[:-2], s[-1], s[-2]), t).transpose(-1, -2),
    "first two transposed": lambda s, r, t: random((s[1], s[0], *s[2:]), t).transpose(0, 1),
    "every second column": lambda s, r, t: random((*s[:-1], 2 * s[-1]), t)[..., ::2],
    "every second row": lambda s, r, t: random((2 * s[0], *s[1:]), t)[::2],
    "one element expanded": lambda s, r, t: random((1,) * r, t).expand(s),
    "one row expanded": lambda s, r, t: random((1, *s[1:]), t).expand(s),
    "cropped": lambda s, r, t: random((*(n + 2 for n in s[:-1]), s[-1]), t)[(slice(1, -1),) * (r - 1)],
    "last dimension cropped": lambda s, r, t: random((*s[:-1], s[-1] + 2), t)[..., 1:-1],
    "overlaps itself": lambda s, r, t: random((64,), t).as_strided(s, (1,) * r),
    "one element further": lambda s, r, t: random((torch.Size(s).numel() + 1,), t)[1:].view(s),
    "one row further": lambda s, r, t: random((s[0] + 1, *s[1:]), t)[1:],
    "odd strides of nothing": lambda s, r, t: random((64,), t).as_strided((0, *s[1:]), (7,) * r),
    "an odd stride of one": lambda s, r, t: random((64,), t).as_strided((1, *s[1:]), (17, *random(s, t).stride()[1:])),
    "2^40 elements of one": lambda s, r, t: random((1,), t).expand(2**40),
}


class Plain(torch.Tensor):
    """A subclass that changes nothing: its elements are what lies in memory, and operators take it as a tensor."""


def resized(x, nbytes):
    x.untyped_storage().resize_(nbytes)
    return x


KINDS = {
    "negated": torch._neg_view,
    "sparse": lambda x: torch.sparse_coo_tensor(size=x.shape, dtype=x.dtype, device=x.device),
    "freed": lambda x: resized(x, 0),
    "a byte too short": lambda x: resized(x, max(0, x.untyped_storage().nbytes() - 1)),
    "longer than it was": lambda x: resized(x, x.untyped_storage().nbytes() + 1),
    "slice of a short one": lambda x: resized(torch.cat([x, x])[len(x) :], x.nbytes),
    "subclass": lambda x: x.as_subclass(Plain),
    "made in inference mode": torch.inference_mode()(torch.Tensor.clone),
    "copied on write": torch._lazy_clone,
}
FLOATING_KINDS = {  # torch has none of them for all integers
    "imaginary part of a conjugate": lambda x: torch.ones(x.shape, dtype=torch.complex64, device=x.device).conj().imag,
    "csr": lambda x: torch.ones(3, 3, device=x.device).to(x.dtype).to_sparse_csr(),
    "nested": lambda x: torch.nested.nested_tensor([x, x]),
    "jagged": lambda x: torch.nested.nested_tensor([x, x], layout=torch.jagged),
    "parameter": torch.nn.Parameter,
    "requires grad": lambda x: x.requires_grad_(),
    "result that requires grad": lambda x: x.clone().requires_grad_() * 1,
}


class Computes(torch.Tensor):
    """A subclass whose operations are Python's: its memory, if it has one, may mean anything."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def empty_shell(x):
    return torch.Tensor._make_wrapper_subclass(Computes, x.shape, dtype=x.dtype, device=x.device)


# Calls the function with x, wrapped. What a kernel would find at its address, if it has one, is not it.
WRAPPED = {
    "vmap": lambda call, x: torch.vmap(call)(x.expand(2, *x.shape)),
    "functionalize": lambda call, x: torch.func.functionalize(call)(x),
    "fake": lambda call, x: call(torch._subclasses.FakeTensorMode().from_tensor(x)),
    "zero": lambda call, x: call(torch._efficientzerotensor(x.shape, dtype=x.dtype, device=x.device)),
    "wraps nothing": lambda call, x: call(empty_shell(x)),
    "has memory": lambda call, x: call(torch.Tensor._make_subclass(Computes, x)),
}
FLOATING_WRAPPED = {
    "func.grad": lambda call, x: torch.func.grad(lambda x: call(x).sum())(x),
    "func.jvp": lambda call, x: torch.func.jvp(call, (x,), (x,)),
    "forward mode": lambda call, x: forward_mode(call, x),
}


def forward_mode(call, x):
    with torch.autograd.forward_ad.dual_level():
        call(torch.autograd.forward_ad.make_dual(x, x))


def opcheck_error():
    """What torch.library.opcheck() raises. Its module brings torch's compiler along, which takes 4 s to import."""
    from torch.testing._internal.optests.generate_tests import OpCheckError

    return OpCheckError
