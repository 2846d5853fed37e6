"""Every operator of every chapter in a few words: what it takes, and what is right. A new one adds a row.

From a row test_operators.py and test_operators_gpu.py make their cases, test_fuzz.py its examples, and
tools/maintain/tables.py the table in the docs.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy
import torch

from common import device
from common.checking import SIZES
from tests.support import chapter, operators


@dataclass(frozen=True)
class Scalar:
    """An argument that is no tensor. kind: float, int, bool, str or mask (two bools). right, wrong: values that are taken, and
    others that are a ValueError; what is none of its kind is a TypeError. accepts: the same in words, for the docs."""

    kind: str
    value: object
    right: tuple = ()
    wrong: tuple = ()
    accepts: str = ""


@dataclass(frozen=True)
class Operator:
    """arguments: the names of its tensors, all of one shape, dtype and device.
    shapes: arguments of another shape: name -> what it is, given the others'.
    reference: the same in torch ops; gets tensors by place, scalars by name.
    scalars: its other arguments, by name.
    dtypes: those that it takes; `dtype`, the first, is what most tests use.
    itemsizes: it takes all dtypes whose elements have so many bytes; those of `dtypes` are examples.
    ranks, last, multiple: numbers of dimensions (None: any), the last one's size, and a divisor of the number of elements.
    crops: it takes rows that lie apart; otherwise tensors must be contiguous.
    reduces: its result does not grow with its arguments; otherwise row i of it is that of row i of the arguments.
    aligned: it refuses arguments that do not begin at a multiple of 16 bytes.
    writes: the argument that receives the result. optional: those that may be None.
    tolerance: rtol and atol of its results against the reference; 0 asks for the same bits. See close().
    differentiable: it takes tensors that require grad. linear: it saves none of its arguments for backward.
    dispatched: torch's dispatcher comes first, with words of its own for what is no tensor or wraps one.
    stable: it is bound by the stable ABI, which knows RuntimeError only, and puts function, file and line before the words.
    rearranges: an element of the result comes from another place: its own chapter tests it with more than 2^31 elements.
    in_place: the first argument is an input and receives the result; the operator's own chapter tests it.
    variant: what sets this row apart from another of the same operator.
    build: the function of main.py whose module has the operator.
    at_once: four calls that test_operators_gpu.py makes in four threads, as (shape, scalars), where four sizes alone would
        launch one kernel in one way.
    partial_from: the size from which its blocks leave partial results in memory of their call's own.
    of: how to get it from that module, where it is none of its functions.
    compared: what of a result without tensors as arguments is compared with the reference's: times are left out."""

    chapter: str
    name: str
    arguments: tuple[str, ...]
    reference: Callable
    shape: Callable = lambda n: (n,)  # of the arguments, for a size
    shapes: dict[str, Callable] = field(default_factory=dict)
    sizes: tuple = SIZES
    scalars: dict[str, Scalar] = field(default_factory=dict)
    dtypes: tuple = (torch.float32,)
    itemsizes: tuple = ()
    ranks: tuple | range | None = None
    last: int | None = None
    multiple: int = 1
    crops: bool = False
    reduces: bool = False
    aligned: bool = False
    writes: str = ""
    optional: tuple = ()
    tolerance: float = 0
    differentiable: bool = False
    linear: bool = False
    dispatched: bool = False
    stable: bool = False
    rearranges: bool = False
    in_place: bool = False
    variant: str = ""
    build: str = "build"
    at_once: tuple | list = ()
    partial_from: int = 0
    of: Callable | None = None
    compared: Callable = lambda result: result

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
                other = not x.is_nested and sizes(y) != self.shapes[b](sizes(x))
                found += [(ValueError, rf"{b} must have the shape \[.*, got \[")] * other
            else:
                found += [(ValueError, rf"{both} have the same shape, got \[")] * (sizes(x) != sizes(y))
            found += [(ValueError, f"{both} be on the same device, got")] * (x.device != y.device)
            written = self.writes in (a, b) and not found and share_a_part(x, y)
            found += [(ValueError, f"{self.writes} must not share a part of its memory")] * written
        saved = self.differentiable and not self.linear and torch.is_grad_enabled()
        if saved and any(x.requires_grad for _, x in named) and any(x.is_inference() for _, x in named):
            found.append((RuntimeError, "Inference tensors cannot be saved for backward"))  # torch's own
        nested = self.dispatched and any(
            x.is_nested for _, x in named
        )  # torch looks for a function of its own, by name
        return [self._raised(*f) for f in found] + [(TypeError, "[Gg]ot an unexpected keyword argument")] * nested

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
                (not (rows_together if self.crops else torch.Tensor.is_contiguous)(x), ValueError,
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


# ---- references ------------------------------------------------------------------------------------------------------
def add(a, b, *_, **__):
    return a + b


def add_n(c, a, b, n):
    return torch.cat([(a + b).flatten()[:n], c.flatten()[n:]]).view(c.shape)


def axpy(x, y, alpha):  # rounded once, like the kernel's fma
    return (float(numpy.float32(alpha)) * x.double() + y.double()).float()


def swiglu(a, b):
    return torch.nn.functional.silu(a) * b


def bias_gelu(x, bias, approximate):  # torch's own for float32 is NaN at infinity, on some CPUs
    return torch.nn.functional.gelu((x + bias).double(), approximate=approximate).to(x.dtype)


def bias_gelu_backward(grad, x, bias, approximate):
    grad_x = torch.ops.aten.gelu_backward(grad.double(), (x + bias).double(), approximate=approximate)
    return grad_x.to(x.dtype), grad_x.sum(list(range(x.dim() - 1))).to(x.dtype) if x.dim() > 1 else grad_x.to(x.dtype)


def softmax(x, step="auto"):
    return torch.softmax(x.double(), -1).to(x.dtype)


def softmax_backward(grad, y, step="auto"):
    g, v = grad.double(), y.double()
    return (v * (g - (g * v).sum(-1, keepdim=True))).to(y.dtype)


def rms_norm(x, weight, eps, step="auto"):
    v = x.double()
    return (v * torch.rsqrt(v.square().mean(-1, keepdim=True) + eps) * weight.double()).to(x.dtype)


def rms_norm_backward(grad, x, weight, eps, step="auto"):
    g, v = grad.double(), x.double()
    scale, part = torch.rsqrt(v.square().mean(-1, keepdim=True) + eps), g * weight.double()
    of_x = scale * (part - v * scale.square() * (part * v).mean(-1, keepdim=True))
    of_weight = g * v * scale
    return of_x.to(x.dtype), (of_weight.flatten(end_dim=-2).sum(0) if x.dim() > 1 else of_weight).to(x.dtype)


def swiglu_and_gate(a, b):
    return swiglu(a, b), torch.sigmoid(a)


def python_function(module, name="SwiGLU"):
    return functools.partial(getattr(chapter("07_autograd", "function"), name).apply, module)


def swiglu_backward(grad, a, b, output_mask):
    return torch.ops.aten.silu_backward(grad * b, a), grad * torch.nn.functional.silu(a)


def transposed(x, **_):
    return x.mT.contiguous()


def in_parts(function):  # in steps that are small enough for a GPU's memory
    def of_image(img, **scalars):
        parts = [function(*part.unbind(-1), **scalars) for part in img.flatten(0, -2).split(2**26)]
        return torch.cat(parts).to(torch.uint8).view(img.shape[:-1])

    return of_image


@in_parts
def gray(r, g, b, bgr):  # in integers
    r, b = (b, r) if bgr else (r, b)
    return (299 * r.int() + 587 * g.int() + 114 * b.int() + 500) // 1000


@in_parts
def gray_naive(r, g, b):
    def fma(a, x, c):  # product and sum are exact in float64; then one rounding
        return (a.double() * x.double() + c.double()).float()

    weights = torch.tensor([0.299, 0.587, 0.114], device=r.device)
    return fma(weights[2], b, fma(weights[1], g, weights[0] * r.float()))


def sum_of_all(x, **_):
    return x.double().sum().to(x.dtype)


def histogram(x, bins, **_):
    x = x.flatten().long()
    return torch.bincount(x[(x >= 0) & (x < bins)], minlength=bins)


def names_of_threads(blocks, threads, nanoseconds):
    return [[block, thread, thread // 32, thread % 32] for block in range(blocks) for thread in range(threads)]


def numbers(n, threads, check):
    return [i if i < n or not check else -1 for i in range(-(-n // threads) * threads)]


def line_after(bytes, steps, shared, cold):
    line = 0
    for _ in range(steps):
        line = (line * 1664525 + 1013904223) % (bytes // 128)
    return line


def sum_of_pieces(bytes, reads, blocks, shared):
    count, size = bytes // 2**15, 2**13  # of numbers: the first piece has 0 to 8191
    pieces = (i % count for i in range(reads * blocks))
    return sum(size * (size * piece) + size * (size - 1) // 2 for piece in pieces) % 2**32


def quotient(volume, maxVal):  # by a tensor: on a GPU, torch divides by a number as 1 / 1000 times, and is off by a bit
    return (volume.double() / torch.tensor(float(numpy.float32(maxVal)), device=volume.device).double()).float()


# ---- the operators ---------------------------------------------------------------------------------------------------
infinity, nan = float("inf"), float("nan")
both = {"dtypes": (torch.float32, torch.float64)}
both_rounded = both | {"tolerance": 1e-6}  # exp() is rounded in its own way on each machine
ALPHA = Scalar("float", 1.0, (0, -2.0, 3e38, 1e-50, infinity, -infinity, nan, numpy.float32(0.5), torch.tensor(0.5)),
               (1e39, -1e300), "fits into float32, or is infinite or NaN")  # fmt: skip
N = Scalar("int", lambda c, *_: c.numel() if isinstance(c, torch.Tensor) and not c.is_nested else 0,
           (0, 1, numpy.int64(2), torch.tensor(3)), (-1, 17, 2**40, -(2**63)), "0 to the tensors' size")  # fmt: skip
LOADS = Scalar("int", 8, (1, 2, 4), (0, 3, -8, 2**32 + 1), "1, 2, 4 or 8")
WIDTH = Scalar("int", 1, (), (0, 2, -4, 2**32 + 1), "1; with 4: as add_vec4")
RESERVED = Scalar("int", 0, (1, 1024, 64 * 1024), (-1, 2**20 + 1, 2**32), "bytes that a block may have")
MASK = Scalar("mask", (True, True), ([True, True],), (), "two bools")
BGR = Scalar("bool", False, (True, numpy.True_), (), "True or False")
MAX_VAL = Scalar("float", 1000.0, (65535, 1, 0.1, 1e-42, 3e38, True, numpy.float32(7), torch.tensor(0.3)),
                 (0, -0.0, -1, nan, infinity, -infinity, 1e39, 1e-50), "positive and finite as float32")  # fmt: skip
FLOAT4 = {"shape": lambda n: (n, 4), "sizes": (0, 1, 63, 64, 65, 2**16 + 3), "multiple": 4, "aligned": True}
BLOCKS = Scalar("int", 2, (1, 3, numpy.int64(2), torch.tensor(3)), (0, -1, 2**31, 2**32 + 1), "1 to 2^31 - 1")
THREADS = Scalar("int", 33, (1, 32, 1024), (0, -1, 1025, 2**32 + 1), "1 to 1024")
NANOSECONDS = Scalar("int", 0, (1, 1000), (-1, 10**9 + 1), "0 to 10^9")
CHECK = Scalar("bool", True, (False, numpy.True_), (), "True or False")
NUMBERS = {"n": Scalar("int", 5, (0, 1, 4, 1000), (-1, 2**31), "0 to 2^31 - 1"), "threads": replace(THREADS, value=4),
           "check": CHECK}  # fmt: skip
SHARED = Scalar("bool", False, (True,), (), "True or False")
CHASE = {"bytes": Scalar("int", 1024, (128, 256, 2**15), (0, -1, 384, 2**41), "a power of two, at least 128"),
         "steps": Scalar("int", 5, (1, 8, 100), (0, -1, 2**31), "1 to 2^31 - 1"), "shared": SHARED,
         "cold": SHARED}  # fmt: skip
READ = {"bytes": Scalar("int", 2**15, (2**16, 3 * 2**15), (0, -1, 2**15 + 4, 2**41), "a multiple of 2^15"),
        "reads": Scalar("int", 1, (2, 5), (0, -1, 2**31), "1 to 2^31 - 1"),
        "blocks": Scalar("int", 2, (1, 3), (0, -1, 2**20 + 1), "1 to 2^20"), "shared": SHARED}  # fmt: skip
APPROXIMATE = Scalar("str", "none", ("tanh",), ("", "erf", "Tanh", "none "), "none or tanh")
X_BIAS = {"shape": lambda n: (n, 5), "shapes": {"bias": lambda shape: tuple(shape[-1:])}, "ranks": range(1, 65),
          "scalars": {"approximate": APPROXIMATE}, "dispatched": True}  # fmt: skip
TRANSPOSE_STEP = Scalar("str", "naive", ("tile", "padded", "swizzled", "rows", "wide"), ("", "Wide", "wide "),
                        "naive, tile, padded, swizzled, rows or wide")  # fmt: skip
FLOATS = {"dtypes": (torch.float32, torch.float16, torch.bfloat16), "dispatched": True, "stable": True}
TRANSPOSE = FLOATS | {"shape": lambda n: (2, n, 4), "itemsizes": (1, 2, 4, 8), "ranks": (2, 3), "rearranges": True,
                      "differentiable": True}  # fmt: skip
DETERMINISTIC = Scalar("bool", False, (True,), (), "True or False")
SUM_STEP = Scalar("str", "last_block", ("atomic", "tree", "shuffle", "packs", "chunks"), ("", "Tree", "block"),
                  "atomic, tree, shuffle, packs, last_block or chunks")  # fmt: skip
GRID = Scalar("int", 0, (1, 2, 100), (-1, 2**16 + 1, 2**32), "0 to 65536")
BINS = Scalar("int", 200, (1, 256, 1000, 20_000, 100_000), (0, -1, 2**31, 2**40), "1 to 2^31 - 1")
AT_ONCE = 50_000, 13_000, 40_000, 1000  # floats or bins in shared memory: more than 12288 are more than 48 KiB
BINS_STEP = Scalar("str", "copies", ("global", "shared"), ("", "Global", "best"), "global, shared or copies")
SUM = FLOATS | {"tolerance": 2e-6, "reduces": True, "differentiable": True, "partial_from": 2**17}
COUNTS = {"dtypes": (torch.uint8, torch.int32), "reduces": True, "dispatched": True, "stable": True}
GROUP = Scalar(
    "str", "auto", ("online", "warp"), ("", "Warp", "warps", "shared"), "auto, online, warp, block or cluster"
)
SOFTMAX_STEP = Scalar("str", "auto", ("online", "warp", "three_passes", "shared"), ("", "Warp", "warps"),
                      "auto, three_passes, shared, online, warp, block or cluster")  # fmt: skip
EPS = Scalar("float", 1e-6, (0, 1, 0.5, 1e-42, numpy.float32(0.5), torch.tensor(0.5)), (-1, nan, infinity, 1e39),
             "0 or more, and finite as float32")  # fmt: skip
ROWS = FLOATS | {"shape": lambda n: (n, 5), "ranks": range(1, 65), "differentiable": True,
                 "at_once": [((2, n), {}) for n in AT_ONCE]}  # fmt: skip
X_WEIGHT = ROWS | {"shapes": {"weight": lambda shape: tuple(shape[-1:])}, "scalars": {"eps": EPS, "step": GROUP}}
IMAGE = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint8,), "ranks": (3, 4), "last": 3, "crops": True}
VOLUME = {"shape": lambda n: (n, 2, 3), "dtypes": (torch.uint16,), "ranks": (3,), "scalars": {"maxVal": MAX_VAL}}
AB = ("a", "b")

FUNCTIONS = [
    Operator("00_threads", "where_am_i", (), names_of_threads, compared=lambda rows: rows[:, :4].tolist(),
             scalars={"blocks": BLOCKS, "threads": THREADS, "nanoseconds": NANOSECONDS}),
    Operator("00_threads", "wait", (), lambda nanoseconds: None, scalars={"nanoseconds": NANOSECONDS}),
    Operator("00_threads", "number", (), numbers, compared=torch.Tensor.tolist, scalars=NUMBERS),
    Operator("00_threads", "latency", (), line_after, compared=lambda result: result[2], scalars=CHASE),
    Operator("00_threads", "bandwidth", (), sum_of_pieces, compared=lambda result: result[1], scalars=READ),
    Operator("01_hello", "hello", (), lambda: "Hello World!"),
    Operator("01_hello", "hello_gpu", (), lambda: "Hello World!"),
    Operator("02_square", "square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("02_square", "square_by_columns", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("02_square", "custom_operation", ("input",), lambda x: 2 * x),
    Operator("02_square", "add_cuda", AB, add),
    Operator("03_add2", "add2", AB, add),
    Operator("03_add2", "torch_launch_add2", ("c", "a", "b"), add_n, scalars={"n": N}, writes="c"),
    Operator("03_add2", "vector_add", AB, add),
    Operator("03_add2", "custom_operation", ("input",), lambda x: 2 * x, build="build_one_file"),
    Operator("04_package", "my_cuda_function", ("input",), lambda x: 2 * x),
    Operator("05_cmake", "axpy", ("x", "y"), axpy, scalars={"alpha": ALPHA}),
    Operator("06_vec4", "add_scalar", AB, add),
    Operator("06_vec4", "add_grid_stride", AB, add),
    Operator("06_vec4", "add_unrolled", AB, add, scalars={"loads": LOADS, "width": WIDTH, "reserved": RESERVED},
             at_once=[((1000,), {"reserved": 4 * n}) for n in AT_ONCE]),
    Operator("06_vec4", "add_unrolled", AB, add, scalars={"width": Scalar("int", 4)}, **FLOAT4, variant="width=4"),
    Operator("06_vec4", "add_vec4", AB, add, **FLOAT4),
    Operator("06_vec4", "add_forward", AB, add),
    Operator("06_vec4", "add_forward", (*AB, "out"), add, writes="out", optional=("out",), variant="out"),
    Operator("06_vec4", "threads_per_sm", (), lambda **kwargs: operators("06_vec4").threads_per_sm(**kwargs),
             scalars={"loads": LOADS, "width": Scalar("int", 1, (4,), WIDTH.wrong, "1 or 4"), "reserved": RESERVED}),
    Operator("07_autograd", "add_forward", AB, add, **both),
    Operator("07_autograd", "add", AB, add, **both, differentiable=True, linear=True),
    Operator("07_autograd", "swiglu_forward", AB, swiglu, **both_rounded),
    Operator("07_autograd", "swiglu_backward", ("grad", *AB), swiglu_backward, **both_rounded,
             scalars={"output_mask": MASK}),
    Operator("07_autograd", "swiglu", AB, swiglu, **both_rounded, differentiable=True),
    Operator("07_autograd", "SwiGLU.apply", AB, swiglu, **both_rounded, differentiable=True, of=python_function),
    Operator("07_autograd", "SwiGLUWithGate.apply", AB, swiglu_and_gate, **both_rounded, differentiable=True,
             of=functools.partial(python_function, name="SwiGLUWithGate")),
    Operator("08_image", "rgb_to_gray", ("img",), gray, **IMAGE, scalars={"bgr": BGR}),
    Operator("08_image", "rgb_to_gray_naive", ("img",), gray_naive, **IMAGE),
    Operator("08_image", "normalize_volume", ("volume",), quotient, **VOLUME),
    Operator("08_image", "normalize_volume_naive", ("volume",), quotient, **VOLUME),
    Operator("09_library", "bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, differentiable=True),
    Operator("09_library", "bias_gelu_backward", ("grad", "x", "bias"), bias_gelu_backward, **X_BIAS, **both,
             tolerance=1e-4, differentiable=True),  # the bias gradient is a sum of many
    Operator("09_library", "bias_gelu_", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, writes="x", in_place=True),
    Operator("09_library", "bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, differentiable=True,
             variant="gradient in C++", build="build_cpp"),
    Operator("09_library", "bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS | {"dispatched": False}, **both_rounded,
             variant="by pybind11", build="build_pybind"),
    Operator("10_stable", "bias_gelu", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, differentiable=True,
             stable=True),
    Operator("10_stable", "bias_gelu_backward", ("grad", "x", "bias"), bias_gelu_backward, **X_BIAS, **both,
             tolerance=1e-4, differentiable=True, stable=True),
    Operator("10_stable", "bias_gelu_", ("x", "bias"), bias_gelu, **X_BIAS, **both_rounded, writes="x", in_place=True,
             stable=True),
    Operator("11_transpose", "transpose", ("x",), transposed, **TRANSPOSE),
    Operator("11_transpose", "transpose_step", ("x",), transposed, **TRANSPOSE, scalars={"step": TRANSPOSE_STEP}),
    Operator("12_reduce", "sum", ("x",), sum_of_all, **SUM, scalars={"deterministic": DETERMINISTIC}),
    Operator("12_reduce", "sum_by", ("x",), sum_of_all, **SUM, scalars={"step": SUM_STEP, "blocks": GRID}),
    Operator("12_reduce", "histogram", ("x",), histogram, **COUNTS, scalars={"bins": BINS},
             at_once=[((5000,), {"bins": n}) for n in AT_ONCE]),
    Operator("12_reduce", "histogram_by", ("x",), histogram, **COUNTS,
             scalars={"bins": replace(BINS, right=(1, 256, 20_000)), "step": BINS_STEP}),
    Operator("13_softmax", "softmax", ("x",), softmax, **ROWS | {"at_once": [((2, n), {"step": "shared"}) for n in AT_ONCE]},
             scalars={"step": SOFTMAX_STEP}, tolerance=1e-6),
    Operator("13_softmax", "softmax_backward", ("grad", "y"), softmax_backward, **ROWS, scalars={"step": GROUP},
             tolerance=2e-6),
    Operator("13_softmax", "rms_norm", ("x", "weight"), rms_norm, **X_WEIGHT, tolerance=1e-6),
    Operator("13_softmax", "rms_norm_backward", ("grad", "x", "weight"), rms_norm_backward, **X_WEIGHT,
             tolerance=1e-4),  # the gradient of weight is a sum of many
]  # fmt: skip
OPERATORS = [op for op in FUNCTIONS if op.arguments and not op.in_place]  # on tensors
