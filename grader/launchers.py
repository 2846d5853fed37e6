"""Calls the launchers of a .cu from Python, with no binding: the declarations of its header say what they take.

    add = launchers("chapters/03_add2/add2.cu").launch_add2
    add(c, a, b, c.numel())    # tensors and numbers, in the order of add2.h; the stream is torch's current one

A binding takes ten seconds to compile, this one or two. It checks dtype, device and contiguity, and nothing else of the
arguments: for a program that knows what it calls, such as an exercise. On the CPU it also looks at the launcher: at its
stream, its launches and their errors; CHAPTERS_SANITIZE=memory compiles with the memory check, =address with
AddressSanitizer (tools/lesson.py).

    python3 -m grader.launchers add2.cu    compiles so and needs no torch: a program may import torch meanwhile
"""

import contextlib
import ctypes
import fcntl
import functools
import hashlib
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import cuda_on_cpu
from common.progress import BuildError, first_error
from cuda_on_cpu import host_calls, memory_check
from cuda_on_cpu.tokens import Tokens

ROOT = Path(__file__).resolve().parents[1]

# What a parameter of a header's declaration takes: the C++ name of a number, or of what a pointer leads to.
NUMBERS = {
    "bool": ctypes.c_bool,
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
DTYPES = {
    "bool": "bool",
    "char": "int8",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "uint16_t": "uint16",
    "int": "int32",
    "int32_t": "int32",
    "unsigned": "uint32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "__half": "float16",
    "__nv_bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
}


def launchers(cu) -> SimpleNamespace:
    """The functions that the header beside that .cu (NAME.h beside NAME.cu) declares as `void name(...);`, by name.

    Each takes what its declaration says but for a last `cudaStream_t stream`, which is torch's current one. A pointer is a
    contiguous tensor of the device and of that dtype, or None; a pointer to a struct or to void is a tensor of any dtype.
    They return nothing, and raise TypeError or ValueError for such an argument that does not fit, and RuntimeError for an
    exception in C++. Raises progress.BuildError where the .cu does not compile.

    On the CPU they raise RuntimeError as well where the launcher works on another stream than its own, leaves the error of
    a launch for a later call (Unchecked), launches nothing though no tensor is empty, or launches fewer threads than
    `threads=`, which the caller may add; with the memory check, where code of the host uses a tensor's memory. With
    `only_last=True`, only the last blocks of a launch of so many threads run: enough for results that no CPU computes in time.
    With `only_first=True`, only the first ones do.
    With `blocks=`, its grid has so many blocks: a kernel whose threads loop takes any number.
    """
    from common.machine import device

    cu = Path(cu)
    library = ctypes.CDLL(str(compiled(cu, device.type)))
    return SimpleNamespace(**{name: _function(library, name, taken) for name, taken in declarations(cu).items()})


def declarations(cu: Path) -> dict[str, list[tuple[str, str]]]:
    """{launcher: [(type, name of a parameter), ...]} of the header beside a .cu. "const float*" has the type "float*"."""
    text = re.sub(r"//.*|/\*.*?\*/", "", cu.with_suffix(".h").read_text())
    found = {}
    for name, parameters in re.findall(r"^void\s+(\w+)\(([^()]*)\);", text, re.M):
        words = [
            re.sub(r"\bconst\b|\bstruct\b|\b__restrict__\b", "", p).replace("*", "* ") for p in parameters.split(",")
        ]
        found[name] = [("".join(w.split()[:-1]), w.split()[-1]) for w in words if w.strip()]
        for kind, parameter in found[name]:
            if not kind.endswith("*") and kind not in NUMBERS and kind != "cudaStream_t":
                raise BuildError(
                    f"{cu.with_suffix('.h').name}: {name}() takes a {kind} {parameter}, which Python cannot pass"
                )
    return found


def compiled(cu: Path, device: str) -> Path:
    """A shared library of that .cu and what Python calls in it, compiled unless it is there already."""
    tool = os.environ.get("CHAPTERS_SANITIZE", "")
    command = _nvcc() if device == "cuda" else _host_compiler(tool, cu)
    library = _place(cu, command, f"{device}{tool}")
    with open(library.with_name("lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process may be compiling it: wait for that
        if not library.exists():
            for old in library.parent.glob("*.so"):
                old.unlink()
            glue = library.with_name(f"{cu.stem}.{'cpp' if device == 'cpu' else 'cu'}")
            source = _translated(cu, library.parent) if device == "cpu" else cu.resolve()
            glue.write_text(f'{_GLUE_HEADERS}#include "{source}"\n{_GLUE_WATCH}' + _glue(declarations(cu)))
            obj = _object(command, glue, [cu.resolve().parent], cu)
            _link(command, obj, library, tool, cu)
    return library


def compile_together(cus: list[Path]) -> None:
    """Compiles each .cu for the CPU as launchers() would, with one run of the compiler for all: 0.1 s a file, not 2 s.

    Each lies in a namespace of its own. Where that does not work, launchers() compiles as ever, so this raises nothing.
    """
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "launchers.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process may be compiling the same ones
        tool = os.environ.get("CHAPTERS_SANITIZE", "")
        alike = {}
        for cu in cus:
            alike.setdefault(tuple(_host_compiler(tool, cu)), []).append(cu)
        for command, these in alike.items():
            _compile_together(list(command), these, tool)


def _compile_together(command, cus, tool):
    todo = [(cu, library) for cu in cus if not (library := _place(cu, command, f"cpu{tool}")).exists()]
    todo = [(cu, library) for cu, library in todo if all(f"{name}(" in cu.read_text() for name in declarations(cu))]
    if not todo:
        return
    heads, bodies = dict.fromkeys(_GLUE_HEADERS.splitlines()), []
    with contextlib.suppress(BuildError):
        for i, (cu, library) in enumerate(todo):
            body = _flat(_translated(cu, library.parent), cu.parent, heads)
            bodies.append(f"namespace v{i} {{\n{body}\n{_glue(declarations(cu), f'v{i}_')}\n}}\n")
        glue = todo[0][1].with_name("together.cpp")
        glue.write_text("\n".join([*heads, *bodies, _GLUE_WATCH]))
        obj = _object(command, glue, [], glue)
        for i, (cu, library) in enumerate(todo):
            _link(command, obj, library, tool, cu, [f"-Wl,--defsym=call_{n}=call_v{i}_{n}" for n in declarations(cu)])


def _flat(file: Path, folder: Path, heads: dict[str, None]) -> str:
    """The text of a file with the headers of its folder in it; other #include lines go to heads."""
    text, line, name = [], 0, file
    for source in file.read_text().splitlines():
        line += 1
        if of := re.match(r'#line (\d+) "(.*)"', source):
            line, name = int(of[1]) - 1, of[2]
        include = re.match(r'\s*#\s*include\s*["<]([^">]+)', source)
        if include and (folder / include[1]).is_file():
            source = f'{_flat(folder / include[1], folder, heads)}\n#line {line + 1} "{name}"'
        elif include:
            heads[source.strip()] = None
            source = ""
        text.append("" if "#pragma once" in source.splitlines()[:1] else source)
    return "\n".join(text)


def _place(cu, command, kind) -> Path:
    """Where its library lies, whose name changes with all that it depends on; the folder exists."""
    place = hashlib.sha256(os.fsencode(cu.resolve())).hexdigest()[:8]
    folder = ROOT / "build" / "launchers" / f"{cu.stem}-{place}-{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    used = [file for pattern in ("*.cu", "*.h", "*.cuh") for file in cu.parent.glob(pattern)]
    key = hashlib.sha256("\0".join([*command, _shared_state()]).encode())
    for file in sorted(used):
        key.update(file.read_bytes())
    return folder / f"{key.hexdigest()[:16]}.so"


@functools.cache
def _shared_state() -> str:
    """Changes with every file of the repository that a .cu may include, and with CUDA on CPU."""
    used = [
        *ROOT.glob("common/*.h"),
        *ROOT.glob("device/*.h"),
        Path(__file__),
        *cuda_on_cpu.INCLUDE.parent.rglob("*.*"),
    ]
    key = hashlib.sha256()
    for file in sorted(file for file in used if file.is_file() and file.suffix != ".pyc"):
        key.update(file.read_bytes())
    return key.hexdigest()


def _translated(cu, folder) -> Path:
    out = folder / f"{cu.name}.cpp"
    _need_braces(cu)
    try:
        cuda_on_cpu.translate_file(cu.resolve(), out, [ROOT])
    except cuda_on_cpu.TranslationError as error:
        raise BuildError(f"{cu.name} does not compile.\n{error}") from None
    return out


def _need_braces(cu):
    """More code is compiled after the .cu (_glue()): where a } is missing, a compiler complains about that code."""
    source = cu.read_text()
    text = host_calls.without_directives(source)
    opened = []
    for token in Tokens(text, cu.name).tokens:
        if token.text == "{":
            opened.append(token.start)
        elif token.text == "}" and opened:
            opened.pop()
    if opened:
        line = source.count("\n", 0, opened[0]) + 1
        raise BuildError(f"{cu.name} does not compile.\n{cu}:{line}: error: this {{ has no }}")


def _object(command, glue, folders, cu) -> Path:
    obj = glue.with_suffix(".o")
    _run([*command, *(f"-I{folder}" for folder in [*folders, ROOT]), "-c", glue, "-o", obj], cu)
    return obj


def _link(command, obj, library, tool, cu, words=()):
    nvcc = "nvcc" in command[0]
    link = memory_check.ldflags(memory_check.compiler()) if tool == "memory" and not nvcc else []
    link += ["-Xlinker=-z,defs" if nvcc else "-Wl,-z,defs", *words]  # what nobody defines is an error here
    new = library.with_suffix(".new")
    _run([*command, "-shared", obj, "-o", new, *link], cu)
    new.replace(library)


def _run(command, cu):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return
    error = first_error(done.stdout + done.stderr)
    missing = re.search(r"undefined reference to `(\w+)\(.*'", error)
    if missing and missing[1] in declarations(cu):
        raise BuildError(f"{cu.name} does not define what {cu.stem}.h declares: {missing[0]}")
    raise BuildError(f"{cu.name} does not compile.\n{error}")


_GLUE_HEADERS = "#include <exception>\n#include <string>\n"
_GLUE_WATCH = """
#ifdef CUDA_ON_CPU
// From now on; null: no more. Returns the error that the launches since then have left, or null.
extern "C" const char* watch(void* watch) {
    cuda_on_cpu::watch = static_cast<cuda_on_cpu::LaunchProbe*>(watch);
    const cudaError_t left = cudaGetLastError();
    return left == cudaSuccess ? nullptr : cudaGetErrorString(left);
}
#endif
"""


def _glue(functions, prefix="") -> str:
    """C++ that has, for each launcher, a function with a C name that returns an exception's text."""
    text = ""
    for name, parameters in functions.items():
        declared = ", ".join(f"{'void*' if kind.endswith('*') else kind} {p}" for kind, p in parameters)
        passed = ", ".join(f"({kind}){p}" for kind, p in parameters)
        text += f"""
extern "C" const char* call_{prefix}{name}({declared}) {{
    static std::string message;
    try {{
        {name}({passed});
        return nullptr;
    }} catch (const std::exception& error) {{
        return (message = error.what()).c_str();
    }}
}}
"""
    return text


def _host_compiler(tool: str, cu: Path) -> list[str]:
    flags = ["-std=c++17", *cuda_on_cpu.CFLAGS, f"-I{cuda_on_cpu.INCLUDE}", "-fPIC", "-pthread", "-w"]
    if tool == "memory":  # -O2 takes twice as long to compile
        # g++ reports no load of a struct that is an argument, as in __half2float(x[i]), unless the function is inlined.
        text = "".join(file.read_text() for file in (cu, cu.with_suffix(".h")) if file.exists())
        halves = re.search("_(fp16|bf16|fp8)|ptx_mma|hopper", text)
        inlined = [] if halves else ["-fno-inline"]  # with them it compiles in less time
        return [*memory_check.compiler(), *flags, *memory_check.cflags(memory_check.compiler()), "-O1", *inlined]
    if tool == "address":
        return [*memory_check.compiler(), *flags, "-fsanitize=address", "-fno-omit-frame-pointer", "-g1", "-O1"]
    return [*memory_check.compiler(), *flags, "-O2"]


def _nvcc() -> list[str]:
    from torch.cuda import get_device_capability

    from common import toolkit

    toolkit.require()
    architecture = "sm_90a" if get_device_capability() == (9, 0) else "native"  # sm_90, the native one, has no wgmma
    flags = ["-std=c++17", "-O3", "-Xcompiler=-fPIC", f"-arch={architecture}", "-lineinfo"]
    return [str(toolkit.cuda_home() / "bin" / "nvcc"), *flags]


class LaunchProbe(ctypes.Structure):
    """LaunchProbe of cuda_on_cpu/include/cuda_on_cpu/watch.h."""

    _fields_ = [
        ("stream", ctypes.c_uint * 2),
        ("has_stream", ctypes.c_uint),
        ("refused", ctypes.c_uint),
        ("launches", ctypes.c_uint),
        ("most_threads", ctypes.c_uint64),
        ("guards", ctypes.c_uint),
        ("unguarded", ctypes.c_uint),
        ("only_last", ctypes.c_uint64),
        ("guarded_device", ctypes.c_int),
        ("stream_device", ctypes.c_int),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("blocks", ctypes.c_uint),
        ("doubled", ctypes.c_uint),
        ("only_first", ctypes.c_uint),
    ]


MOST_LAUNCHES = 8  # of a launcher: one is the rule, and no lesson has more than three


class Unchecked(RuntimeError):
    """A launch has failed, and its launcher does not say so."""


class TooFewThreads(RuntimeError):
    """The largest launch has so many threads, fewer than the caller has asked for."""

    threads, grid = 0, [1, 1, 1]


_to_refuse = 0  # the number of the launch that is to fail, from now on
_doubled = False
_threads = 0


def threads_launched() -> int:
    """Of the largest grid that the last call of a launcher has started, on the CPU."""
    return _threads


def with_doubled_products(call):
    """call()'s result, where each product of tensor cores (mma.sync, wgmma) counts twice. For launchers on the CPU."""
    global _doubled
    _doubled = True
    try:
        return call()
    finally:
        _doubled = False


def refuse_launch(number, call) -> bool:
    """Runs call() while one launch fails: the first for number = 1. False: call() has fewer launches, or runs on a GPU.

    Raises Unchecked where the launcher does not raise an error of its own, and what call() raises with no launch refused.
    """
    global _to_refuse
    _to_refuse, raised = number, False
    try:
        call()
    except Unchecked:
        raise
    except RuntimeError:
        raised = True
        if _to_refuse > 0:
            raise
    finally:
        left, _to_refuse = _to_refuse, 0
    if left <= 0 and not raised:
        raise Unchecked("its launcher returns as if nothing had happened: the caller must get the error")
    return left <= 0


def _function(library, name, parameters):
    from common.machine import device

    function = library[f"call_{name}"]
    function.restype = ctypes.c_char_p
    function.argtypes = [NUMBERS.get(kind, ctypes.c_void_p) for kind, _ in parameters]
    taken = [(kind, p) for kind, p in parameters if kind != "cudaStream_t"]
    signature = f"{name}({', '.join(p for _, p in taken)})"

    def call(*args, threads=0, only_last=False, only_first=False, blocks=0):
        if len(args) != len(taken):
            raise TypeError(f"{signature} takes {len(taken)} arguments, got {len(args)}")
        values = [
            _passed(value, kind, f"{signature}: {p}", number)
            for number, (value, (kind, p)) in enumerate(zip(args, taken, strict=True), 1)
        ]
        named = zip(args, values, taken, strict=True)
        tensors = {p: (t, address) for t, address, (kind, p) in named if kind.endswith("*") and t is not None}
        has_stream = taken != parameters
        watched = functools.partial(_watched, library, name, tensors, has_stream)
        on_cpu = device.type == "cpu"
        with watched(threads, only_last, only_first, blocks) if on_cpu else _on_gpu() as stream:
            if message := function(*values, *[stream] * has_stream):
                raise RuntimeError(message.decode(errors="replace"))

    call.__name__, call.__doc__ = name, signature
    return call


@contextlib.contextmanager
def _on_gpu():
    import torch

    yield torch.cuda.current_stream().cuda_stream


@contextlib.contextmanager
def _watched(library, name, tensors, has_stream, threads, only_last, only_first, blocks):
    """Looks at what a launcher does on the CPU meanwhile. Gives the stream for it, an address."""
    global _to_refuse, _threads
    has_recorder = _has_recorder()
    for p, (t, address) in tensors.items() if has_recorder else ():
        memory_check.announce_parameter(p, address, t.nbytes, t.itemsize, t.shape[1] if t.dim() == 2 else 0)
    watch = LaunchProbe(
        has_stream=has_stream,
        refused=max(_to_refuse, 0),
        only_last=threads * (only_last or only_first),
        only_first=only_first,
        blocks=blocks,
        doubled=_doubled,
    )
    library.watch.restype = ctypes.c_char_p
    library.watch(ctypes.byref(watch))
    raised = None
    try:
        yield ctypes.addressof(watch)
    except RuntimeError as error:
        raised = error
    finally:
        left = library.watch(None)
        mistake = memory_check.launcher_returned() if has_recorder else None
        _to_refuse -= watch.launches
        _threads = watch.most_threads
    if raised and left:
        raise Unchecked(
            f"{name}() raises an error, and a later call gets the same one ({left.decode()}): cudaPeekAtLastError() leaves it "
            "there, cudaGetLastError() takes it away"
        )
    if raised and "invalid configuration argument" in str(raised):
        raise RuntimeError(f"{raised}\n{_why_invalid(watch)}") from None
    if raised:
        raise raised
    if left:
        raise Unchecked(
            f"{name}() does not say that its launch has failed ({left.decode()}): without CHECK_LAUNCH() below the launch, "
            "a later call gets this error"
        )
    if mistake:
        raise RuntimeError(mistake)
    if not watch.launches and all(t.numel() for t, _ in tensors.values()):
        raise RuntimeError(f"{name}() launches no kernel")
    if watch.launches > MOST_LAUNCHES:
        raise RuntimeError(
            f"{name}() launches {watch.launches} kernels: does the host loop over work that the blocks of one grid could do?"
        )
    if watch.most_threads < threads:
        count = f"{watch.most_threads} thread{'s' * (watch.most_threads != 1)}"
        error = TooFewThreads(
            f"{name}() launches {count}, but each of the {threads} elements needs a thread of its own"
        )
        error.threads, error.grid = watch.most_threads, list(watch.grid)
        raise error


def _why_invalid(watch):
    """What is wrong with the numbers in <<<>>> of the last launch."""
    grid, block = ("(" + ", ".join(map(str, three)) + ")" for three in (watch.grid, watch.block))
    said = f"The grid is {grid} blocks, and a block is {block} threads: "
    if 0 in [*watch.grid, *watch.block]:
        return said + "no number may be 0"
    if math.prod(watch.block) > 1024:
        return said + "a block has at most 1024 threads"
    return said + "along x a grid has at most 2^31 - 1 blocks, along y and z 65535 each"


def _has_recorder():
    return os.environ.get("CHAPTERS_SANITIZE") == "memory"


def _passed(value, kind, where, number):
    """What ctypes passes for a tensor or a number, the launcher's argument of that number."""
    import torch

    from common.machine import device

    if not kind.endswith("*"):
        try:
            return NUMBERS[kind](value)
        except TypeError:
            raise TypeError(f"{where} must be a number of type {kind}, got {value!r}") from None
    if value is None:
        return None
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{where} must be a tensor, got {value!r}")
    wanted = DTYPES.get(kind[:-1])
    if wanted and value.dtype != getattr(torch, wanted):
        raise TypeError(f"{where} must be {wanted}, got {str(value.dtype).removeprefix('torch.')}")
    if value.device.type != device.type:
        raise ValueError(f"{where} must be on the {device.type}, got {value.device}")
    if not value.is_contiguous():
        repeats = " (a stride of 0: one element in memory stands for several)" if 0 in value.stride() else ""
        raise ValueError(f"{where} must be contiguous, got strides {list(value.stride())}{repeats}")
    if value.numel() == 0 and _has_recorder():
        # torch has one address for all empty tensors, null. The memory check tells them apart by addresses of their own,
        # where no memory is.
        return number << 16
    return value.data_ptr()


def main():
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".cu"):
        sys.exit("usage: python3 -m grader.launchers name.cu")
    os.environ["CHAPTERS_SANITIZE"] = "memory"
    try:
        compiled(Path(sys.argv[1]), "cpu")
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
