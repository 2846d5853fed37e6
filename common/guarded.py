"""Memory between margins: a write beside a tensor is found, and what an operator reads there shows in its result.

Inputs    copies an operator's arguments into such memory
Guarded   a context in which the tensors that an operator allocates lie in such memory
"""

import functools
import os
import sys

import torch

from .torch_private import DispatchMode, kernel, never_compiled, tree_flatten, tree_map_only, tree_unflatten

# Bytes: a multiple of the alignment that torch gives, and of what any vector load asks for. 0 for AddressSanitizer
# (tools/lesson.py): it watches what lies beside an allocation, and names the line that touches it.
MARGIN = 0 if "address" in os.environ.get("CHAPTERS_SANITIZE", "") else 1024

# What each byte of margins and of uninitialised memory holds. Two patterns, used one after the other, because a right
# result may look like one of them, and because NaN hides an addition: NaN + 1 has the same bytes.
NAN = 0xFF  # NaN in every floating-point dtype, -1 in signed integers, the largest unsigned integer
OTHER = 0x42  # 48.6 in float32, 1.6e11 in float64: larger than most data, and small enough for a sum to change it


if os.environ.get("CHAPTERS_SANITIZE") == "memory":  # tools/lesson.py: it names the line that touches a margin
    from cuda_on_cpu.memory_check import announce
else:

    def announce(address, nbytes, margin):
        pass


class Region:
    """As many bytes as a storage has, between two margins."""

    def __init__(self, storage, pattern, margin=MARGIN):
        self.memory = torch.full((storage.nbytes() + 2 * margin,), pattern, dtype=torch.uint8, device=storage.device)
        self.origin = margin  # the place of the storage's first byte
        self.start, self.stop = margin, margin + storage.nbytes()  # what tensors use; the rest is margin
        self.gaps = None  # bool for each byte between start and stop, where tensors leave gaps
        self.pattern = pattern
        self.announced = self.memory.data_ptr() + margin
        announce(self.announced, storage.nbytes(), margin)

    def __del__(self):
        announce(self.announced, 0, 0)

    def only(self, tensors):
        """Turns all bytes that these tensors, which are tensors of the storage, do not use into margins and gaps."""
        tensors = [t for t in tensors if t.numel()]
        first = min((_first_byte(t) for t in tensors), default=0)
        end = max((_first_byte(t) + _length(t) for t in tensors), default=0)
        self.start, self.stop = self.origin + first, self.origin + end
        if any(_dense(t) and _length(t) == end - first for t in tensors) or not tensors:
            return
        self.gaps = torch.ones(end - first, dtype=torch.bool, device=self.memory.device)
        for t in tensors:
            # Each element as a row of bytes. fill_() refuses a stride of 0, so of repeated elements it gets the first.
            shape = [1 if stride == 0 else n for n, stride in zip(t.shape, t.stride(), strict=True)]
            strides = [stride * t.itemsize for stride in t.stride()]
            self.gaps.as_strided((*shape, t.itemsize), (*strides, 1), _first_byte(t) - first).fill_(False)

    def tensor(self, like):
        """A tensor that lies in this region as `like` lies in its storage."""
        offset = self.origin // like.itemsize + like.storage_offset()
        tensor = torch.empty(0, dtype=like.dtype, device=like.device)
        return tensor.set_(self.memory.untyped_storage(), offset, like.shape, like.stride())

    def fill(self, storage, pattern=None):
        """Copies what the tensors use from a storage; margins and gaps hold the pattern."""
        self.pattern = self.pattern if pattern is None else pattern
        self.memory[: self.start] = self.pattern
        self.memory[self.stop :] = self.pattern
        used = self.memory[self.start : self.stop]
        used.copy_(_bytes(storage)[self.start - self.origin : self.stop - self.origin])
        if self.gaps is not None:
            used.masked_fill_(self.gaps, self.pattern)

    def written(self) -> str:
        """Where margins and gaps no longer hold the pattern: "4 bytes after", ... or ""."""
        before = (self.memory[: self.start] != self.pattern).nonzero()
        after = (self.memory[self.stop :] != self.pattern).nonzero()
        if len(before) or len(after):  # the nearest one; the byte next to the tensor counts as 1
            distance = int(after[0]) + 1 if len(after) else self.start - int(before[-1])
            return f"{distance} byte{'s' * (distance > 1)} {'after' if len(after) else 'before'}"
        if self.gaps is not None and ((self.memory[self.start : self.stop] != self.pattern) & self.gaps).any():
            return "between the elements of"
        return ""

    def __str__(self):
        return f"of {self.stop - self.start} bytes"


class Inputs:
    """Arguments of an operator, whose tensors lie between margins, at the same addresses for all values that they get.

    `args` is like the arguments given: a tuple, whose tensors may be in lists, tuples and dicts. Strides stay, and tensors
    that share memory share it here. The gaps between the elements of a strided tensor also hold the pattern. A tensor
    that requires a gradient becomes a leaf that requires one.
    """

    def __init__(self, values, pattern=NAN):
        leaves, self.spec = tree_flatten(values)
        self.layout = _layout(leaves)
        users = {}
        for leaf in filter(_guardable, leaves):
            users.setdefault(_address(leaf), []).append(leaf)
        self.regions = {address: Region(group[0].untyped_storage(), pattern) for address, group in users.items()}
        for address, group in users.items():
            self.regions[address].only(group)
        self.leaves = [self.regions[_address(x)].tensor(x) if _guardable(x) else x for x in leaves]
        self.regions = list(self.regions.values())
        self.set(values, pattern)

    def set(self, values, pattern=NAN):
        """Writes other values, of the same shapes, into the same memory. Returns the arguments."""
        leaves, _ = tree_flatten(values)
        if _layout(leaves) != self.layout:
            raise ValueError("the inputs of two calls differ in shape, dtype or memory layout")
        storages = {_address(x): x.untyped_storage() for x in filter(_guardable, leaves)}
        for region, storage in zip(self.regions, storages.values(), strict=True):
            region.fill(storage, pattern)
        for i, new in enumerate(leaves):
            if not _guardable(new):
                self.leaves[i] = new
                continue
            torch.autograd.graph.increment_version(self.leaves[i])
            self.leaves[i].requires_grad_(new.requires_grad)
        self.args = tree_unflatten(self.leaves, self.spec)
        return self.args

    def replaced(self) -> bool:
        """Whether a list or dict of the arguments has got other elements."""
        leaves, spec = tree_flatten(self.args)
        return spec != self.spec or any(a is not b for a, b in zip(leaves, self.leaves, strict=True))


class Guarded(DispatchMode):
    """Inside `with Guarded():` each new tensor lies between margins: those of empty(), zeros(), clone(), and all other
    functions of torch that return memory of their own. What is allocated without a value (empty, empty_like, ...) holds
    the pattern; the others keep their values. On leaving, the margins must still hold the pattern, else AssertionError.

    C++ operators are covered, because at::empty() and x.new_empty() go through torch's dispatcher. So are operators of
    TORCH_LIBRARY: their kernel is called with the mode still on. Views, in-place functions and out= return memory that is
    there already: it stays as it is, and memory that they resize is guarded anew. All of it is kept until the end.
    """

    MARGIN = MARGIN

    def __init__(self, prefix: str = "", pattern=NAN):
        super().__init__()
        self.prefix, self.pattern = prefix, pattern
        self.regions = []
        self.on_default_device = set()  # addresses of tensors for which nobody chose a device

    def __enter__(self):
        if "torch._dynamo" in sys.modules:  # the operator may be compiled; this mode must not be
            Guarded.__torch_dispatch__ = _never_compiled()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = tensors_in((args, kwargs))
        if func.namespace not in ("aten", "prims") and (call := kernel(func, any(t.is_cuda for t in given))):
            super().__enter__()
            try:
                return call(*args, **kwargs)
            finally:
                super().__exit__(None, None, None)
        shapes = [t.shape for t in given]
        result = func(*args, **kwargs)
        for t, shape in zip(given, shapes, strict=True):
            if t.shape != shape and func.overloadpacket is not torch.ops.aten.set_:
                self._resized(t)
        there = {_address(t) for t in given}  # only now: a resized tensor has another address
        fresh = {}

        def guarded(t):
            if not _guardable(t) or _address(t) in there:
                return t
            if _address(t) not in fresh:
                fresh[_address(t)] = region = self._region(t, copy="empty" not in func.name())
                if not given and _of_default_device(func, kwargs):
                    self.on_default_device.add(_address(region.memory))
            return fresh[_address(t)].tensor(t)

        return tree_map_only(torch.Tensor, guarded, result)

    def refuse_default_device(self, result):
        """AssertionError where nobody chose the device of a result: it is on the CPU, also for inputs on a GPU."""
        if any(t.numel() and _address(t) in self.on_default_device for t in tensors_in(result)):
            raise AssertionError(
                f"{self.prefix}the result was made without a device, so it is on the CPU, wherever the inputs are"
            )

    def _region(self, t, copy):
        region = Region(t.untyped_storage(), self.pattern, self.MARGIN)
        if copy:
            region.fill(t.untyped_storage())
        self.regions.append(region)
        return region

    def _resized(self, t):
        """Guards t anew if it is one of ours and has outgrown its margins."""
        for region in self.regions:
            ours = _address(region.memory) == _address(t)
            if ours and _first_byte(t) + _length(t) > region.stop:
                self.regions.remove(region)
                copy = t.clone(memory_format=torch.preserve_format)
                t.set_(self._region(copy, copy=True).tensor(copy))
                return

    def __exit__(self, *exception):
        super().__exit__(*exception)
        if exception[0] is None:
            for region in self.regions:
                if where := region.written():
                    raise AssertionError(f"{self.prefix}the operator wrote {where} a tensor {region}")


@functools.cache
def _never_compiled():
    return never_compiled(Guarded.__torch_dispatch__)


def tensors_in(values):
    return [v for v in tree_flatten(values)[0] if isinstance(v, torch.Tensor)]


def _guardable(value) -> bool:
    """Whether this is a tensor with ordinary memory: not sparse, quantized, meta, pinned, or a lazy conjugate."""
    return (
        type(value) in (torch.Tensor, torch.nn.Parameter)
        and value.layout == torch.strided
        and value.device.type in ("cpu", "cuda")
        and not (value.is_quantized or value.is_conj() or value.is_neg())
        and not (value.device.type == "cpu" and torch.cuda.is_available() and value.is_pinned())
    )


def _of_default_device(func, kwargs) -> bool:
    """Whether the call leaves the device open, as torch::empty(x.sizes()) does. Python's torch.empty(n) passes the default
    device on; so that this shows, it has to be one with a number, as in `with torch.device("cpu:0")`."""
    if not any(argument.name == "device" for argument in func._schema.arguments):
        return False
    chosen = kwargs.get("device")
    return chosen is None or (chosen.type == "cpu" and chosen.index is not None)


def _layout(leaves):
    """Dtype, shape, strides and place of each tensor, and with which others it shares its memory."""
    order = {}
    return [
        (t.dtype, t.shape, t.stride(), t.storage_offset(), order.setdefault(_address(t), len(order)))
        for t in filter(_guardable, leaves)
    ]


def _address(t):
    return str(t.device), t.untyped_storage().data_ptr()  # with the device, because all empty storages are at 0


def _bytes(storage):
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage, 0, (storage.nbytes(),), (1,))


def _first_byte(t) -> int:
    return t.storage_offset() * t.itemsize


def _length(t) -> int:
    """Bytes from the first of a tensor to its last, gaps included."""
    if t.numel() == 0:
        return 0
    return (sum((n - 1) * stride for n, stride in zip(t.shape, t.stride(), strict=True)) + 1) * t.itemsize


def _dense(t) -> bool:
    """Whether the elements lie side by side without gaps, in whatever order of dimensions."""
    return t.permute(sorted(range(t.dim()), key=t.stride, reverse=True)).is_contiguous()
