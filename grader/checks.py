"""What an exercise.py imports (chapters/*/exercises/*/exercise.py; CONTRIBUTING.md says how to write one).

check(op, reference, inputs)    the harness' check() from the smallest size on, in both thread orders, with a picture
launchers(mine / "name.cu")     the launchers of a .cu, with no binding (launchers.py)
limits(call, name=most)         what each line of its kernels may ask of memory, counted by the microscope
work_is_divided(call, numel)         its threads share out the elements, also counted there
by_tensor_cores(call)           each product in the result must be one of theirs
seen(call)                      what each line of its kernels asks of memory, for other limits
many(numel)                     so many zeros, without so much memory
last_element(launch, out, ...)  launches the last blocks alone, for a result with more than 2^32 elements
only_rows(crop)                 meanwhile a kernel may use the rows of that view alone
refuses(call, error, words, what)    call() must raise that
saves(out, x, "x")              the node of out must have x by save_for_backward()
launches_rightly(mine, call, name, x)    the binding that call() calls must launch on the stream and device of x, and its
                                kernels do the work
extension(mine, sources)        what common.cpp_extension.load() builds of the reader's files
library(mine)                   that as a library of C functions
module(mine / "name.py")        a Python file of the reader, as a module
place(mine)                     a folder in build/ for all that a check makes itself
answer(mine, "name", right)     a number or choice that the reader has typed into answers.py
run(mine, command)              the output of a program that is started in the reader's folder
run_python(code, folder)        how a program in Python ended that imports what is in that folder
refuse_32_bits(file)            refuses what no run can show
refuse_lost(call, elements, said)    more elements than the threads of the grid compute
same_bits(op, reference, x)     an op that only moves numbers must not change one
without_comments(file)          the text of a C++ file, for what no run can show
raise Wrong("what is wrong")    for all else
"""

import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import mmap
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from unittest import mock

import torch

from common.checking import check_at
from common.guarded import Guarded, Inputs, announce, tensors_in
from common.machine import device
from cuda_on_cpu.report import found_by_cuda

from .exercises import ENDED_EARLY, without_comments
from .launchers import (
    LaunchProbe,
    TooFewThreads,
    Unchecked,
    launchers,
    refuse_launch,
    threads_launched,
    with_doubled_products,
)
from .report import count_of, matrices, names_of_tensors, parameters, picture_of_wrong

__all__ = [
    "WATCH",
    "Wrong",
    "answer",
    "by_tensor_cores",
    "check",
    "device",
    "drawn",
    "extension",
    "found_by_cuda",
    "last_element",
    "launchers",
    "launches_rightly",
    "library",
    "limits",
    "many",
    "module",
    "only_rows",
    "orders",
    "place",
    "refuse_32_bits",
    "refuse_lost",
    "refuses",
    "run",
    "run_python",
    "same_bits",
    "saves",
    "seen",
    "work_is_divided",
    "without_comments",
]

ROOT = Path(__file__).resolve().parents[1]
SIZES = (0, 1, 2, 3, 31, 33, 255, 256, 257, 1000, 4099)  # small ones first: the reader sees the smallest that fails

# g++ collects its garbage less often: a binding is compiled in 15 % less time.
SOONER = ["--param=ggc-min-expand=1000", "--param=ggc-min-heapsize=2000000"]


class Wrong(Exception):
    """The reader's solution is wrong; the text says how: what was expected, what came."""


def orders():
    """Twice on the CPU: with the threads of a block first to last, then last to first. Once on a GPU, which has no order.

    Yields what a message says of the order: nothing for the first."""
    if device.type == "cuda":
        yield ""
        return
    for reverse, remark in ("0", ""), ("1", " with the threads in reverse order (CUDA_REVERSE=1)"):
        os.environ["CUDA_REVERSE"] = reverse
        yield remark


def check(op, reference, inputs, sizes=SIZES, rtol=None, atol=None, gradients=False, name="n", outputs=(), any_n=None):
    """common.check() for each of the sizes (ascending) and both thread orders; raises Wrong at the first that fails.

    op, reference, inputs, rtol, atol, gradients as there; the op returns a tensor of its own, which torch.empty_like() may
    have made. `name` is what the size is called, `outputs` what the results are, where there are several. A wrong result is
    shown as a picture: which elements, expected and found. any_n: n may be any number, as with the sizes that are the
    default. Then more elements follow than the last launch had threads (times any_n, of which each thread takes so many, and
    then four times as many if the grid has not grown), so a grid that does not grow with n is too small.
    """

    def at(n):
        for remark in orders():
            torch.manual_seed(n)
            first, second = inputs(n), inputs(n)
            where = f"{name} = {n}{matrices(parameters(reference), first)}{remark}: "
            try:
                check_at(n, by_default_nowhere(op), reference, Inputs(first), first, second, "", rtol, atol, gradients)
            except AssertionError as error:
                head, _, detail = str(error).partition("\n")
                what = head.partition(f", n = {n}: ")[2] or head
                names = names_of_tensors(parameters(reference), first)
                what = re.sub(r"\binput (\d+)\b", lambda place, names=names: names[int(place[1])], what)
                if what.startswith("wrong result"):
                    pictures = (
                        picture_of_wrong(op, reference, values, rtol, atol, outputs) for values in (first, second)
                    )
                    if picture := next(filter(None, pictures), ""):  # then it is wrong for these values in any call
                        what, detail = "wrong result", picture
                raise Wrong(f"{where}{what}\n{detail}".rstrip()) from None
            except RuntimeError as error:  # the memory check, a launch that CUDA refuses, threads that wait for ever
                raise Wrong(where + found_by_cuda(error)) from error

    for n in sizes:
        at(n)
    if any_n is None and sizes is SIZES:
        any_n = True
    if any_n:
        _outgrow(at, lambda n: _elements(inputs(n), reference), sizes[-1], any_n, name)
    _check_errors(op, inputs(sizes[-1]))
    print(f"{'right':8}{name} = {' '.join(map(str, sizes))}")


def by_default_nowhere(op):
    """op, where Guarded notices what Python made without a device: see common/guarded.py."""

    @functools.wraps(op)
    def operator(*args):
        with torch.device("cpu:0") if device.type == "cpu" else contextlib.nullcontext():
            return op(*args)

    return operator


def _outgrow(at, elements, n, each, name):
    """at(n) for an n with more elements than the last launch had threads, of `each` so many. If its grid may be a fixed one,
    again for an n with four times as many."""
    for more in each, 4 * each:
        before, threads = n, threads_launched()
        while elements(n) <= more * threads and n < 2**22:
            n *= 2
        if elements(n) <= threads:
            raise Wrong(f"{name} = {before}: {elements(before)} elements, and {threads} threads: does the grid grow?")
        if n > before:
            try:
                at(n)
            except Wrong as error:
                same = f"\nThe launcher starts {threads} threads for {name} = {before} and for {name} = {n}"
                raise Wrong(f"{error}{same if threads_launched() == threads else ''}") from None
            if threads_launched() != threads:
                return


def _elements(values, reference):
    """Of the largest tensor, input or result."""
    return max(t.numel() for t in tensors_in([*values, reference(*values)]))


def _check_errors(op, values):
    """The launchers that op calls must report a launch that fails: here the first, then the second, ... of them do."""
    try:
        for number in range(1, 9):
            if not refuse_launch(number, lambda: op(*values)):
                return
    except Unchecked as error:
        raise Wrong(f"launch {number} was made to fail: {error}") from None


def limits(call, **most):
    """Raises Wrong where a line of a kernel that call() launches asks for more than this of memory: limits(call,
    sectors_per_request=4, wavefronts_per_request=1). LIMITS has all names, properties of
    cuda_on_cpu.microscope.Row.

    The first request that the line made is drawn. Where seen() sees nothing, nothing is limited.
    """
    rows = seen(call)
    if not rows:
        return
    for row in rows:
        for name, limit in most.items():
            if (count := getattr(row, name)) > limit:
                space = "device memory" if row.space == "global" else "shared memory"
                number = f"{count:g}" if count == int(count) else f"on average {count:.3g}"
                said = LIMITS[name].format(kind=row.kind, count=number, space=space)
                raise Wrong(f"{row.file}:{row.line}: {said}, at most {limit:g} allowed\n{drawn(row)}")
    print(f"{'right':8}" + ", ".join(f"at most {limit:g} {UNITS[name]}" for name, limit in most.items()))


LIMITS = {
    "sectors_per_request": "each {kind} of a warp touches {count} sectors of {space}",
    "wavefronts_per_request": "each {kind} of a warp takes {count} passes of {space}",
    "lanes_at_one_address": "in each {kind} {count} lanes of a warp change one address in {space}",
}
UNITS = {
    "sectors_per_request": "sectors for each access of a warp",
    "wavefronts_per_request": "passes of shared memory",
    "lanes_at_one_address": "lane at each address of an atomic",
}


def drawn(row) -> str:
    """picture(row) of cuda_on_cpu.microscope, what it shows first: of many lines twelve, three if they are alike."""
    from cuda_on_cpu.microscope import picture

    _, legend, *lines, verdict = picture(row).splitlines()
    alike = {tuple(cell == "." for cell in line.split()[2:]) for line in lines if "bank" not in line}
    shown = 3 if len(alike) == 1 else 12
    if len(lines) > shown + 1:
        lines[shown:] = [f"{'':8}... and {len(lines) - shown} lines like these"]
    return "\n".join([verdict, legend, *lines])


def work_is_divided(call, numel, kind="store", least=None, itemsize=4, warps=None):
    """Raises Wrong where the threads of the kernels that call() launches do not share out `numel` elements: where they store
    more often than so many need, or fewer elements; where one lane of a warp stores alone each time, as a loop in one thread
    does, or so few; or where no line is executed by so many `warps`.

    kind: "store", or "load" where many elements give one result; then numel is the most, and there may be a `least`.
    itemsize: bytes of an element. warps: one for 128 elements if it is not given. As limits(): where seen() sees nothing,
    nothing is said.
    """
    if not can_see():
        return
    rows = [row for row in seen(call) if (row.space, row.kind) == ("global", kind)]
    where = " ".join(f"{row.file}:{row.line}" for row in rows) or "the kernels"
    count, least = sum(row.threads for row in rows), numel if least is None else least
    if count > numel:
        raise Wrong(f"{where}: {numel} elements, and {count} {kind}s: threads repeat work that others have done")
    if (done := sum(row.threads * row.width for row in rows) // itemsize) < least:
        raise Wrong(f"{where}: {least} elements, and {kind}s of {done}: the kernels have to do all of the work")
    requests = sum(row.requests for row in rows)
    if count < 4 * requests and requests > 1:
        lanes = "one lane alone" if count == requests else f"{count / requests:.2g} lanes of a warp"
        raise Wrong(
            f"{where}: {count} {kind}s, each by {lanes}: threads that could work at the same time have nothing to do"
        )
    busy, wanted = max((row.warps for row in rows), default=0), numel // 128 if warps is None else warps
    if busy < wanted:
        raise Wrong(
            f"{where}: {count} {kind}s, all by {count_of(busy, 'warp')}; expected: by {wanted} or more, which could work at "
            "the same time"
        )
    print(f"{'right':8}{numel} elements, {count} {kind}s, by several threads at a time")


def can_see():
    """Whether seen() sees anything: the microscope needs CUDA on CPU, the memory check and g++."""
    from cuda_on_cpu import memory_check

    return os.environ.get("CHAPTERS_SANITIZE") == "memory" and not memory_check.is_clang(memory_check.compiler())


def seen(call):
    """The rows of cuda_on_cpu.microscope for what call() launches.

    Where it can see nothing, this calls nothing and returns no row; on the CPU it says so.
    """
    from cuda_on_cpu.microscope import microscope

    if not can_see():
        if device.type == "cpu":
            print(f"{'skipped':8}counting what a kernel asks of memory needs g++ on Linux")
        return []
    os.environ["CUDA_REVERSE"] = "0"
    return microscope(call)


def many(numel, dtype=torch.float32):
    """A tensor of so many zeros, more than fit in memory: a page of it exists as soon as somebody has written there.

    None on a GPU, and where the system has no such memory.
    """
    if device.type != "cpu" or sys.platform != "linux":
        return None
    no_reserve = 0x4000  # MAP_NORESERVE
    try:
        memory = mmap.mmap(-1, dtype.itemsize * numel, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)
    except OSError:
        return None
    return torch.frombuffer(memory, dtype=dtype)


def last_element(launch, out, *args, expected, where, may_loop=True, threads=None, **grid):
    """Calls launch(out, *args) for the last blocks of its grid alone. Raises Wrong where an index of 32 bits has counted the
    elements of out, which has a few more than 2^32, or than 2^31 where more are not allowed: then these blocks have not
    written out[-1], but near its beginning or before it.

    Nothing is looked at where out is None. may_loop: the grid may have no thread for each element, or fewer `threads`, if
    its threads loop: then refuse_lost() looks at it alone. blocks=: for a launcher whose grid is small, since its threads
    loop. Its kernel gets so many blocks.
    """
    if out is None:
        return
    count, bits = out.numel(), 32 if out.numel() > 2**32 else 31
    lost = count - 2**bits
    said = f"{where}: {count} elements, more than 2^{bits}"
    why = "How many bits has each number that the index is computed from?"
    if out[-1] == 0:
        out[-1] = 77  # else nobody could tell a 0 that is stored there from an element that no thread writes
    unwritten = out[-1].item()
    os.environ["CUDA_REVERSE"] = "0"
    try:
        launch(out, *args, threads=threads or count, only_last=True, **grid)
    except TooFewThreads as error:
        if lost <= error.threads < lost + 1024:
            raise Wrong(
                f"{said}, and {error.threads} threads, as for {lost}: how many bits has their number?"
            ) from None
        if not may_loop:
            raise Wrong(f"{said}, and {error.threads} threads: each element needs a thread of its own") from None
        # A thread that loops makes at most a thousand turns here. Millions would take too long.
        if error.grid[1:] == [1, 1]:
            grid = {"blocks": max(2**18, error.grid[0])} | grid
        elif error.threads < count // 1024:
            return
        # What takes longer than half a second, in one thread or block, is a loop.
        half_a_second = mock.patch.dict(os.environ, CUDA_ON_CPU_TIMEOUT="0.5")
        with contextlib.suppress(RuntimeError), half_a_second:
            first_blocks = functools.partial(launch, out, *args, threads=1, only_first=True, **grid)
            refuse_lost(first_blocks, count, f"{said},", out.itemsize, error.threads)
        return
    except RuntimeError as error:
        raise Wrong(f"{said}: {found_by_cuda(error)}\n{why}") from None
    if out[-1] == expected:
        print(f"{'right':8}{said}")
    elif len(places := out[: min(lost, 2**24)].nonzero()):
        place = int(places[-1])
        raise Wrong(f"{said}: the last blocks write element {place}, and not the last one, {count - 1}\n{why}")
    elif out[-1] != unwritten:
        raise Wrong(f"{said}: the last one is {out[-1].item():g}, expected {expected:g}\n{why}")
    elif 0 <= threads_launched() - (threads or count) < 8 * 1024:
        raise Wrong(f"{said}: the last blocks write nothing\n{why}")
    else:
        print(f"{'right':8}{said}")  # the last blocks of a larger grid have no element


def refuse_lost(call, elements, said, itemsize=4, threads=None):
    """call() launches the first blocks alone, whose threads have no less to do than all others. Raises Wrong where all threads
    of the grid would compute fewer than the `elements`, if each stores as many as one of these. As limits(): where seen()
    sees nothing, nothing is said.

    Of threads that store several, one in 64 may be missing: the last ones may have a tail to store. threads: of the reader's
    grid, where the call has a larger one.
    """
    if not can_see():
        return
    stores = [row for row in seen(call) if (row.space, row.kind) == ("global", "store")]
    warps = max((row.warps for row in stores), default=1)
    each = sum(row.requests * row.width for row in stores) / itemsize / warps
    if stores and each * threads_launched() < elements - (elements // 64 if each > 1 else 0):
        number = "one element" if each == 1 else f"{each:.3g} elements"
        raise Wrong(f"{said} {threads or threads_launched()} threads, and each computes {number}")


def by_tensor_cores(call):
    """Raises Wrong where products of call()'s result, sums of products, are not those of tensor cores: then they do not double
    when these count twice. A GPU does not tell."""
    if device.type == "cuda":
        return
    result, twice = call(), with_doubled_products(call)
    if wrong := int((twice != 2 * result).sum()):
        raise Wrong(
            f"the tensor cores have nothing to do with {wrong} of {result.numel()} results: where each of their products "
            "counts twice, these results do not double"
        )
    print(f"{'right':8}each product is one of the tensor cores")


def same_bits(op, reference, x):
    """Raises Wrong where op, which moves the floats of x, changes one: a detour by int, a sum or a minimum does."""
    x.view(-1)[:6] = torch.tensor([0.5, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40])
    found, expected = op(x).view(torch.int32), reference(x).view(torch.int32)
    if wrong := (found != expected).sum():
        raise Wrong(
            f"in has 0.5, -0.0, inf, -inf, nan and 1e-40: {wrong} elements of out have other bits, expected: none"
        )


@contextlib.contextmanager
def only_rows(crop):
    """Meanwhile the memory check takes each row of crop, a view, for an array of its own: a kernel may use no byte beside it.

    The bytes between two rows belong to the tensor, so nothing else would see that a kernel reads them. Raises Wrong for
    such a kernel. Without the memory check nothing is seen.
    """
    rows = [row for row in crop if row.numel()]
    gap = (crop.stride(0) * crop.itemsize - rows[0].nbytes) // 2 if rows else 0
    for row in rows:
        announce(row.data_ptr(), row.nbytes, gap)
    try:
        yield
    except RuntimeError as error:
        if "out of bounds" not in str(error):
            raise
        first = found_by_cuda(error).partition("\n")[0].replace("of a tensor", "of a row")
        raise Wrong(f"a thread uses bytes outside of the row, which do not belong to the crop\n{first}") from error
    finally:
        for row in rows:
            announce(row.data_ptr(), 0, 0)


def refuses(call, error, words, what):
    """call() must raise that error, with these words in its message; `what` says to the reader what was passed."""
    try:
        with _without_stderr():
            call()
    except error as raised:
        if words.lower() not in str(raised).lower():
            raise Wrong(f"{what}: the message does not say {words!r}\n{raised}") from None
    except Exception as raised:
        raise Wrong(f"{what}: {error.__name__} is expected, got {type(raised).__name__}\n{raised}") from None
    else:
        raise Wrong(f"{what}: {error.__name__} is expected, and there was no error")


def saves(out, x, name):
    """Raises Wrong where the node of out, whose backward needs x, keeps x elsewhere than in save_for_backward(): there alone
    autograd notices that somebody has overwritten it."""
    with torch.no_grad():
        x.mul_(1)  # the same values, and a new version
    refuses(
        lambda: out.sum().backward(),
        RuntimeError,
        "modified by an inplace operation",
        f"backward, after {name} was overwritten",
    )


WATCH = Path(__file__).with_name("watch.cu")  # for extension(), beside the reader's files


def launches_rightly(mine, call, name, x, stable=True, guard=True):
    """Raises Wrong where call() does not launch on the current stream of x's device, under a DeviceGuard of that device, or
    where its result does not come from the launch.

    On the CPU, for an extension(mine, ...) that was built with WATCH. The stream's device shows only where it is of the stable
    ABI. guard=False: where no lesson has explained DeviceGuard yet. call() returns the result, of the same values each time.
    """
    built = library(mine)
    idle, watch = LaunchProbe(has_stream=1, only_last=2**63), LaunchProbe(has_stream=1)

    def watched(probe):
        built.watch(ctypes.byref(probe))
        try:
            with Guarded(f"{name}: ") as kept:
                result = call()
            kept.refuse_default_device(result)
            return tensors_in([result])
        except AssertionError as error:
            raise Wrong(str(error)) from None
        except RuntimeError as error:
            if "is on the default stream" not in str(error):
                raise
            raise Wrong(
                f"{name} launches on the default stream, expected: on torch's current one, of x's device"
            ) from None
        finally:
            built.watch(None)

    # The idle one first: no launch has so many threads, so no kernel runs, and no earlier result lies in the memory.
    without = watched(idle)
    pairs = list(zip(without, watched(watch), strict=True))
    same = [(a == b).flatten() for a, b in pairs]
    if any(a.numel() and a.data_ptr() == b.data_ptr() for a, b in pairs):
        raise Wrong(f"{name} gives the same memory in each call: the next call overwrites what the caller has kept")
    if not watch.launches:
        raise Wrong(f"{name} launches no kernel")
    if torch.cat(same).double().mean() > 0.5:
        raise Wrong(f"{name} gives the same result when its kernels do nothing: the host computes it, and they have to")
    with contextlib.suppress(RuntimeError):
        watched(LaunchProbe(has_stream=1, refused=1))
        raise Wrong(f"{name} returns as if nothing had happened when its launch fails: the caller must get the error")
    if guard and watch.guarded_device != x.get_device() and not watch.unguarded:
        raise Wrong("the DeviceGuard is of a fixed device, expected: of x's, so that the kernel runs where x is")
    if stable and watch.stream_device != x.get_device():
        raise Wrong("the stream is the current one of a fixed device, expected: of x's device")
    if guard and watch.unguarded:
        raise Wrong(
            f"when {name} launches, no DeviceGuard is there: with several GPUs the kernel would run on the current one, and "
            "not on x's"
        )


@contextlib.contextmanager
def _without_stderr():
    """Where a function of torch's stable ABI fails, torch writes thirty lines of trace there."""
    stderr = os.dup(2)
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def extension(mine, sources, stable=False, **kwargs):
    """Builds these files of the folder `mine` by common.cpp_extension.load(), kwargs are its own, and returns the module.

    stable: by load_stable(), so the operators are in torch.ops and nothing is returned. Raises BuildError.
    """
    from common.cpp_extension import load, load_stable

    kwargs.setdefault("name", place(mine).name)
    kwargs.setdefault("sources", [str(mine / source) for source in sources])
    kwargs.setdefault("extra_cflags", ["-O0", *SOONER])  # with -O2 a binding takes half as long again to compile
    if stable:
        return load_stable(kwargs["name"], kwargs["sources"])
    return load(extra_include_paths=[str(ROOT)], **kwargs)


def library(mine) -> ctypes.CDLL:
    """What extension() has built of `mine`, for the C functions in it."""
    return ctypes.CDLL(str(place(mine) / f"{place(mine).name}.so"))


def place(mine) -> Path:
    """The folder in build/ for what a check makes of `mine`, kept from one run to the next. Its name is also a module's."""
    from common.cpp_extension import extension_folder

    return extension_folder(f"exercise_{hashlib.sha256(os.fsencode(mine.resolve())).hexdigest()[:8]}")


def module(file):
    """That Python file as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    loaded = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def refuse_32_bits(file):
    """An index that is compared with n, which has 64. The loop of a small grid takes too long to overflow in a run."""
    text = without_comments(file)
    for found in re.finditer(r"\b(unsigned int|unsigned|int|u?int32_t|auto) +(\w+) *= *([^;]*)", text):
        kind, name, value = found.groups()
        is_narrow = kind != "auto" or not re.search("64|long|size_t", value)
        # Until another loop has a variable of that name.
        scope, *_ = re.split(rf"\w +{name} *=[^=]", text[found.end() :])
        if is_narrow and re.search(rf"(?<![-+*] )\b{name}\b( *\+[^<>;=&|)]*)? *[<>]=? *n\b", scope):
            line = text.count("\n", 0, found.start()) + 1
            raise Wrong(f"{file.name}:{line}: {name} has 32 bits, and n has 64: an n above 2^32 is never reached")


def answer(mine, name, right, why):
    """Compares `name` of the reader's answers.py with what is right: a number, a choice or a list. None is no answer yet.

    why: what to look at, for a reader whose answer is wrong; it does not give the answer away.
    """
    given = getattr(module(mine / "answers.py"), name, None)
    if given is None:
        raise Wrong(f"{name} is None: write your answer into {_shown(mine / 'answers.py')}")
    if isinstance(given, str) and isinstance(right, (int, float)):
        raise Wrong(f"{name} = {given!r} is a string: write a number, without quotes")
    if isinstance(given, tuple) and isinstance(right, list):
        given = list(given)
    if not _plain(given) or given != right:
        words = isinstance(given, list) and isinstance(right, list) and isinstance(right[0], str)
        if words and sorted(map(str, given)) == sorted(right):
            raise Wrong(f"{name} = {given!r} has the right entries, but not in the order that the question asks for")
        raise Wrong(f"{name} = {given!r} is not right\n{why}")
    print(f"{'right':8}{name} = {given!r}")


def _plain(value) -> bool:
    """A number, a word or a list of them. True equals 1, and unittest.mock.ANY equals everything."""
    return type(value) in (int, float, str) or (type(value) in (list, tuple) and all(map(_plain, value)))


def run(mine, command, **kwargs):
    """The output, stderr included, of a program that runs in the folder `mine`; Wrong where it fails. [0] python: this one."""
    command = [sys.executable if word == "python" else str(word) for word in command]
    kwargs = {
        "cwd": mine,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
        "errors": "replace",
    } | kwargs
    done = subprocess.run(command, **kwargs)
    if done.returncode:
        shown = " ".join(["python" if word == sys.executable else word for word in command])
        raise Wrong(f"{shown} ended with status {done.returncode}\n" + "\n".join(done.stdout.splitlines()[-20:]))
    return done.stdout


def run_python(code, folder):
    """(exit status, output with stderr) of a program in Python, in a process of its own, which starts elsewhere and finds the
    modules in `folder`.

    Raises Wrong where it ends early with status 0, as it does when the reader's code calls exit(). A secret line, which only
    the end of the program prints, tells.
    """
    secret = secrets.token_hex()
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    program = f"{code}\nprint('{secret}')\n"
    done = subprocess.run([sys.executable, "-"], input=program, cwd="/", env=env, **streams)
    before, end, after = done.stdout.rpartition(f"{secret}\n")
    if done.returncode == 0 and not end:
        raise Wrong(f"{done.stdout}{ENDED_EARLY}")
    return done.returncode, before + after


def _shown(path):
    with contextlib.suppress(ValueError):
        return path.resolve().relative_to(ROOT)
    return path
