"""Every operator of every chapter in a few words: what it takes, and what is right. A new one adds a row to its chapter's
tests/chapters/NN_name/operators.py.

From a row test_operators.py and test_operators_gpu.py make their cases, test_fuzz.py its examples, and
tools/maintain/tables.py the table in the docs. Import rows from here: FUNCTIONS has all, OPERATORS those on tensors.
"""

import functools
import importlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from common import device
from common.checking import SIZES
from tests.chapters.operator_cases import good
from tests.support import operators


@dataclass(frozen=True)
class Scalar:
    """An argument that is no tensor. kind: float, int, bool, str or mask (two bools). right, wrong: values that are taken, and
    others that are a ValueError; what is none of its kind is a TypeError. accepts: the same in words, for the docs."""

    kind: str
    value: object
    right: tuple = ()
    wrong: tuple = ()
    accepts: str = ""


def factors(a, b):
    """Whether matrices of these shapes, or batches of matrices, have a product."""
    if not {len(a), len(b)} <= {2, 3} or a[-1] != b[-2]:
        return False
    return len(a) == 2 or len(b) == 2 or a[0] == b[0]


@dataclass(frozen=True)
class Operator:
    """name: the function's in the chapter's module.
    arguments: the names of its tensors, all of one shape, dtype and device.
    shapes: arguments of another shape: name -> what it is, given the others'. shape_words: the same for readers.
    fits: name -> whether a shape goes with the first one's, where others than that of `shapes` do.
    reference: the same in torch ops; gets tensors by place, scalars by name.
    scalars: its other arguments, by name.
    dtypes: those that it takes; `dtype`, the first, is what most tests use.
    itemsizes: it takes all dtypes whose elements have so many bytes; those of `dtypes` are examples.
    ranks, last, multiple: numbers of dimensions (None: any), the last one's size, and a divisor of the number of elements.
    crops, strided: it takes rows that lie apart, or tensors of any strides; otherwise tensors must be contiguous.
    reduces: its result does not grow with its arguments; otherwise row i of it is that of row i of the arguments.
    aligned: it refuses arguments that do not begin at a multiple of 16 bytes.
    writes: the argument that receives the result. optional: those that may be None.
    tolerance: rtol and atol of its results against the reference; 0 asks for the same bits. See close().
    differentiable: it takes tensors that require grad.
    dispatched: torch's dispatcher comes first, with words of its own for what is no tensor or wraps one.
    stable: it is bound by the stable ABI, which knows RuntimeError only, and puts function, file and line before the words.
    rearranges: an element of the result comes from another place: its own chapter tests it with more than 2^31 elements.
    apart: its arguments are like no other operator's; its own chapter has all of its tests.
    in_place: the first argument is an input and receives the result; the operator's own chapter tests it.
    variant: what sets this row apart from another of the same operator.
    build: the function of main.py whose module has the operator; notes/x:build is that of notes/x.py.
    at_once: four calls that test_operators_gpu.py makes in four threads, as (shape, scalars), where four sizes alone would
        launch one kernel in one way.
    partial_from: the size from which its blocks leave partial results in memory of their call's own.
    of: how to get it from that module, where it is none of its functions.
    compared: what of a result without tensors as arguments is compared with the reference's: times are left out.
    chapter: the folder's name, which rows() fills in."""

    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    shapes: dict[str, Callable] = field(default_factory=dict)
    shape_words: str = "the last of them"
    fits: dict[str, Callable] = field(default_factory=dict)
    sizes: tuple = SIZES
    scalars: dict[str, Scalar] = field(default_factory=dict)
    dtypes: tuple = (torch.float32,)
    itemsizes: tuple = ()
    ranks: tuple | range | None = None
    last: int | None = None
    multiple: int = 1
    crops: bool = False
    strided: bool = False
    reduces: bool = False
    aligned: bool = False
    writes: str = ""
    optional: tuple = ()
    tolerance: float = 0
    differentiable: bool = False
    dispatched: bool = False
    stable: bool = False
    rearranges: bool = False
    apart: bool = False
    in_place: bool = False
    variant: str = ""
    build: str = "build"
    at_once: tuple | list = ()
    partial_from: int = 0
    of: Callable | None = None
    compared: Callable = lambda result: result
    chapter: str = ""

    @property
    def dtype(self):
        return self.dtypes[0]

    @property
    def path(self):
        return f"{self.chapter}.{self.name}"

    @property
    def function(self):
        module = operators(self.chapter, self.build)
        return self.of(module) if self.of else getattr(module, self.name)

    def __str__(self):
        return f"{self.path} {self.variant}".strip()

    def values(self, args):
        """The scalars that a call with these tensors gets by default."""
        return {name: s.value(*args) if callable(s.value) else s.value for name, s in self.scalars.items()}

    def __call__(self, *args, **kwargs):
        """The result, also where it lies in an argument. Scalars that are not given have the row's value."""
        result = self.function(*args, **self.values(args) | kwargs)
        return args[self.arguments.index(self.writes)] if result is None and self.writes else result

    @functools.cached_property
    def saved(self):
        """The arguments that it saves for backward, as a call shows."""
        args = [x.requires_grad_() for x in good(self)]
        addresses = []
        with torch.autograd.graph.saved_tensors_hooks(lambda x: addresses.append(x.data_ptr()), lambda x: x):
            self(*args)
        return {name for name, x in zip(self.arguments, args, strict=True) if x.data_ptr() in addresses}

    def shape_of(self, argument, shape):
        """The shape of that argument where the first one has this shape."""
        return self.shapes[argument](shape) if argument in self.shapes else shape

    def close(self, dtype):
        """rtol and atol for a result of that dtype. In half precision kernel and reference may round what is almost the same
        number to two neighbours: they differ by one unit in the last place."""
        half = dtype in (torch.float16, torch.bfloat16) and self.tolerance
        return {"rtol": torch.finfo(dtype).eps if half else self.tolerance, "atol": self.tolerance}

    def takes(self, shape):
        """Whether tensors of that shape are what it is for."""
        rank = self.ranks is None or len(shape) in self.ranks
        last = self.last is None or shape[-1:] == (self.last,)
        return rank and last and torch.Size(shape).numel() % self.multiple == 0

    def faults(self, args):
        """What is wrong with these tensors: [(exception, pattern of its message)]. None: the result must be right."""
        found = [fault for name, x in zip(self.arguments, args, strict=True) for fault in self._faults_of(name, x)]
        named = [(name, x) for name, x in zip(self.arguments, args, strict=True) if isinstance(x, torch.Tensor)]
        for (a, x), (b, y) in itertools.combinations(named, 2):
            both = f"({a} and {b}|{b} and {a}) must"
            found += [(TypeError, rf"({a}|{b}) must have dtype \w+, got \w+")] * (x.dtype != y.dtype)
            if b in self.shapes:
                fits = self.fits.get(b, lambda first, shape, b=b: shape == self.shapes[b](first))
                other = not x.is_nested and (y.is_nested or not fits(sizes(x), sizes(y)))
                found += [(ValueError, rf"({'|'.join(self.shapes)}) must have the shape \[.*, got \[")] * other
            else:
                found += [(ValueError, rf"{both} have the same shape, got \[")] * (sizes(x) != sizes(y))
            found += [(ValueError, f"{both} be on the same device, got")] * (x.device != y.device)
            written = self.writes in (a, b) and not found and share_a_part(x, y)
            found += [(ValueError, f"{self.writes} must not share a part of its memory")] * written
        records = self.differentiable and torch.is_grad_enabled() and any(x.requires_grad for _, x in named)
        if records and any(x.is_inference() and name in self.saved for name, x in named):
            found.append((RuntimeError, "Inference tensors cannot be saved for backward"))  # torch's own
        nested = self.dispatched and any(
            x.is_nested for _, x in named
        )  # torch looks for a function of its own, by name
        torchs_own = [(TypeError, "[Gg]ot an unexpected keyword argument"), (ValueError, rf"{self.name}\(\): .* nested"),
                      (AttributeError, ".*_ragged_idx")]  # fmt: skip
        return [self._raised(*f) for f in found] + torchs_own * nested

    def _raised(self, exception, words):
        if not self.stable or exception not in (TypeError, ValueError):
            return exception, words
        return RuntimeError, rf"(\w+, \S+:\d+, )?({words})"

    def scalar_faults(self, args, scalars):
        """The same for scalars out of their row's lists. What is right may be too large for small tensors, or not wrong."""
        right = {"n": lambda n: 0 <= n <= args[0].numel()} if args else {}  # by name, where the tensors decide
        lists = {name: lambda v, s=s: not any(v is w for w in s.wrong) for name, s in self.scalars.items()}
        wrong = [name for name, v in scalars.items() if not (lists | right)[name](v)]
        return [self._raised(ValueError, rf"{name} must .*, got ") for name in wrong]

    def _faults_of(self, name, x):
        if not isinstance(x, torch.Tensor):
            taken = x is None and name in self.optional
            words = rf"\w+\(\): .*\b{name}: torch.Tensor|{name} must be a tensor"
            torchs_own = [
                (RuntimeError, rf"\w+::{self.name}\(\) Expected a value of type 'Tensor' for argument '{name}'")
            ]
            torchs_own += [(NotImplementedError, f"There were no tensor arguments .*{self.name}")]
            return [] if taken else [(TypeError, words)] + torchs_own * self.dispatched
        dtype = rf"must have dtype {NAMES[self.dtype]}( or \w+)*, got {NAMES.get(x.dtype)}$"
        other = x.dtype not in self.dtypes
        if self.itemsizes:
            dtype = rf"must have a dtype of {listed(self.itemsizes)} bytes, got {NAMES.get(x.dtype)}$"
            other = x.itemsize not in self.itemsizes
        wrong = [(other, TypeError, dtype)]
        if x.is_nested or x.layout != torch.strided:
            wrong += [(True, ValueError, "must be a dense tensor, got .*layout")]
        else:
            if self.dispatched and x.is_neg():  # the dispatcher resolves it, where torch can negate that dtype
                wrong += [(x.dtype == torch.uint16, NotImplementedError, None)]
                x = torch.empty_like(x)
            wrong += [
                (x.device.type != device.type, ValueError, f"must be on {device}, got {x.device}"),
                (needs(x) > x.untyped_storage().nbytes(), ValueError, f"must have {needs(x)} bytes of memory, got"),
                (x.is_neg(), ValueError, rf"is a lazily negated view .* pass {name}.resolve_neg\(\)"),
                (x.requires_grad and torch.is_grad_enabled() and not self.differentiable, ValueError,
                 rf"requires grad, but this operator has no backward .* pass {name}.detach\(\)"),
                (not (self.strided or (rows_together if self.crops else torch.Tensor.is_contiguous)(x)), ValueError,
                 rf"must be contiguous.*, got strides \[.* pass {name}.contiguous\(\)"),
                (name not in self.shapes and not self.takes(x.shape), ValueError,
                 r"must have (\d( or \d)? dimensions?|the shape|a multiple of).*, got"),
                (self.aligned and x.data_ptr() % 16, ValueError, "must begin at a multiple of 16 bytes, got .* beyond"),
            ]  # fmt: skip
        found = [(exception, f"{name} {words}" if words else '"neg_') for is_so, exception, words in wrong if is_so]
        elsewhere = x.is_nested or x.layout != torch.strided or x.is_quantized or x.device.type != device.type
        found += [(NotImplementedError, f".*{self.name}")] * (elsewhere and self.dispatched)
        if name == self.writes and x.is_inference() and not torch.is_inference_mode_enabled():
            found.append((RuntimeError, "Inplace update to inference tensor outside InferenceMode"))  # torch's own
        return found


# As C++ prints them.
NAMES = {
    torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16",
    torch.float8_e4m3fn: "Float8_e4m3fn", torch.uint8: "Byte", torch.int8: "Char", torch.uint16: "UInt16",
    torch.int16: "Short", torch.int32: "Int", torch.int64: "Long", torch.bool: "Bool", torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble", torch.quint8: "QUInt8",
}  # fmt: skip


def listed(items):
    """1, 2 or 4"""
    *items, last = map(str, items)
    return f"{', '.join(items)} or {last}" if items else last


def sizes(x):
    return None if x.is_nested else x.shape


def needs(x):
    """How many bytes of its storage a tensor reaches."""
    reach = x.storage_offset() + 1 + sum((n - 1) * step for n, step in zip(x.shape, x.stride(), strict=True))
    return reach * x.itemsize if x.numel() else 0


def share_a_part(x, y):
    """Of two contiguous tensors: whether they share memory, but are not the same."""
    starts, ends = zip(*((t.data_ptr(), t.data_ptr() + t.nbytes) for t in (x, y)), strict=True)
    return max(starts) < min(ends) and (starts[0], ends[0]) != (starts[1], ends[1])


def rows_together(img):
    """Whether the pixels of each row lie one behind the other, as a crop's do."""
    last = list(zip(img.shape, img.stride(), strict=True))[:-3:-1]  # two at most
    return img.numel() == 0 or all(n == 1 or step == is_ for (n, is_), step in zip(last, (1, 3), strict=False))


# ---- what several chapters share ---------------------------------------------------------------------------------------
AB = ("a", "b")
AT_ONCE = 50_000, 13_000, 40_000, 1000  # floats or bins in shared memory: more than 12288 are more than 48 KiB
any_float = {"dtypes": (torch.float32, torch.float64, torch.float16, torch.bfloat16)}
any_float_rounded = any_float | {"tolerance": 1e-6}  # exp() is rounded in its own way on each machine
FLOATS = {"dtypes": (torch.float32, torch.float16, torch.bfloat16), "dispatched": True, "stable": True}
APPROXIMATE = Scalar("str", "none", ("tanh",), ("", "erf", "Tanh", "none "), "none or tanh")
X_BIAS = {"shape": lambda n: (n, 5), "shapes": {"bias": lambda shape: tuple(shape[-1:])}, "ranks": range(1, 65),
          "scalars": {"approximate": APPROXIMATE}, "dispatched": True}  # fmt: skip


def add(a, b, *_, **__):
    return a + b


def number_sum(x, bias):
    """x + bias as the kernels have it, rounded to float32 or float64: in half precision torch's own would be rounded to that.
    In float64: torch's own gelu() of float32 is NaN at infinity, on some CPUs."""
    number = torch.promote_types(x.dtype, torch.float32)
    return (x.to(number) + bias.to(number)).double()


def bias_gelu(x, bias, approximate="none"):
    return torch.nn.functional.gelu(number_sum(x, bias), approximate=approximate).to(x.dtype)


def bias_gelu_backward(grad, x, bias, approximate="none"):
    grad_x = torch.ops.aten.gelu_backward(grad.double(), number_sum(x, bias), approximate=approximate)
    return grad_x.to(x.dtype), grad_x.sum(list(range(x.dim() - 1))).to(x.dtype) if x.dim() > 1 else grad_x.to(x.dtype)


# ---- the operators of all chapters -------------------------------------------------------------------------------------
def rows(folder):
    """Those in that folder's operators.py, which imports this module: so import this one first."""
    module = importlib.import_module(f"tests.chapters.{folder.name}.operators")
    return [replace(op, chapter=folder.name) for op in module.OPERATORS]


FUNCTIONS = [op for file in sorted(Path(__file__).parent.glob("*/operators.py")) for op in rows(file.parent)]
OPERATORS = [op for op in FUNCTIONS if op.arguments and not op.in_place and not op.apart]  # on tensors
