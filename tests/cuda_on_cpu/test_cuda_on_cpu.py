"""CUDA on CPU: the translator, and programs in tests/cuda_on_cpu that run in both thread orders. Needs no torch."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
PORTABLE = sorted(p.stem for p in PROGRAMS.glob("*.cu") if p.stem != "speed")  # do the same on a GPU

sys.path.insert(0, str(HERE.parents[1] / "common"))  # not `common` itself, which needs torch
from cuda_on_cpu import CFLAGS, INCLUDE, TranslationError, translate, translate_file  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
COMPILERS = {"g++": ["g++", "-std=c++17"], "clang++": ["clang++", "-std=c++20"]}
AARCH64 = ["aarch64-linux-gnu-g++", "-std=c++17", "-static"]


@pytest.fixture(params=COMPILERS)
def compiler(request) -> list[str]:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} not found: apt-get install {request.param.replace('clang++', 'clang')}")
    return COMPILERS[request.param]


def compile_cu(cu: Path, out: Path, compiler: list[str], *flags: str) -> subprocess.CompletedProcess:
    cpp = out.with_name(f"{cu.stem}.cpp")
    translate_file(cu, cpp)
    command = [*compiler, "-O1", "-g", *flags, *CFLAGS, f"-I{INCLUDE}", f"-I{PROGRAMS}", cpp, "-o", out, "-pthread"]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def build(name: str, folder: Path, compiler: list[str], *flags: str) -> Path:
    out = folder / Path(name).name
    result = compile_cu(PROGRAMS / f"{name}.cu", out, compiler, *flags)
    assert result.returncode == 0, result.stderr
    return out


def run(*command, reverse: bool = False, **environment: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "CUDA_REVERSE": str(int(reverse)), **environment}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=60)


def line_of(name: str, mark: str) -> int:
    """The number of the line that ends in `// LINE mark`."""
    lines = (PROGRAMS / f"{name}.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// LINE {mark}"))


# ---- programs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PORTABLE)
def test_program(name, compiler, tmp_path):
    program = build(name, tmp_path, compiler, *WARNINGS)
    for reverse in (False, True):
        result = run(program, reverse=reverse)
        assert (result.returncode, result.stdout) == (0, "ok\n"), f"{reverse=} {result.stdout}{result.stderr}"


@pytest.mark.parametrize("name", PORTABLE)
def test_program_on_aarch64(name, tmp_path):
    if platform.machine() in ("aarch64", "arm64"):
        pytest.skip("this machine is one: test_program has run it")
    if not shutil.which(AARCH64[0]) or not shutil.which("qemu-aarch64"):
        pytest.skip("cross compiler or emulator not found: apt-get install g++-aarch64-linux-gnu qemu-user")
    program = build(name, tmp_path, AARCH64, *WARNINGS)
    for reverse in (False, True):
        result = run("qemu-aarch64", program, reverse=reverse)
        assert (result.returncode, result.stdout) == (0, "ok\n"), f"{reverse=} {result.stdout}{result.stderr}"


def test_optimised(compiler, tmp_path):
    """Optimisers may not carry values over a __syncthreads()."""
    for name in ("shared", "warp"):
        program = build(name, tmp_path, [*compiler, "-O3", "-fPIC"])
        assert run(program).stdout == run(program, reverse=True).stdout == "ok\n"


def test_headers_alone_give_no_warning(compiler, tmp_path):
    source = tmp_path / "empty.cpp"
    source.write_text("#include <cuda.h>\n#include <cuda_runtime_api.h>\n")
    for standard in ("c++17", "c++20"):
        command = [*compiler, f"-std={standard}", *WARNINGS, "-Wpedantic", *CFLAGS, f"-I{INCLUDE}", "-c", source]
        subprocess.run([*command, "-o", tmp_path / "empty.o"], check=True)


# ---- mistakes that are found ---------------------------------------------------------------------------------------


def test_opposite_order_finds_a_missing_barrier(compiler, tmp_path):
    program = build("cpu_only/order", tmp_path, compiler, *WARNINGS)
    forward, backward = (run(program, reverse=reverse).stdout.splitlines() for reverse in (False, True))
    assert forward[0] == backward[0] == "with: 63"
    assert forward[1] != backward[1]
    order = "order: 0.0 0.1 0.2 0.0 0.1 0.2 1.0 1.1 1.2 1.0 1.1 1.2"
    assert forward[2] == order
    assert backward[2] == "order: 1.2 1.1 1.0 1.2 1.1 1.0 0.2 0.1 0.0 0.2 0.1 0.0"
    assert run(program, CUDA_REVERSE="").stdout.splitlines()[2] == order


@pytest.mark.parametrize("reverse", [False, True])
def test_waits(compiler, reverse, tmp_path):
    """Deadlocks, a divergent barrier, a wrong mask, an exception: each is reported, and the next launch works."""
    name = "cpu_only/waits"
    result = run(build(name, tmp_path, compiler, *WARNINGS), reverse=reverse)
    assert result.returncode == 0, result.stderr
    said = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    marks = ("barrier", "warp", "never", "shuffle", "masks", "odd", "even")
    places = {mark: f"waits.cu:{line_of(name, mark)}" for mark in marks}

    def contains(kernel: str, *words: str) -> None:
        assert not [word for word in words if word not in said[kernel]], said[kernel]

    block = "(2, 1, 0)" if reverse else "(0, 0, 0)"
    contains("barrier_and_warp", f"deadlock in kernel barrier_and_warp, block {block}")
    contains("barrier_and_warp", "40 threads wait in __syncthreads() at", places["barrier"])
    contains("barrier_and_warp", "24 threads wait in __syncwarp()", places["warp"], "the first is (40, 0, 0)")
    contains("lane_never_comes", "3 threads wait in __shfl_down_sync() with mask 0x0000000f", places["shuffle"])
    contains("lane_never_comes", "1 thread waits in __syncthreads()", places["never"], "the first is (3, 0, 0)")
    contains("masks_differ", "deadlock", "16 threads wait in __syncwarp() with mask 0xffffffff", places["masks"])
    contains("divergent_barrier", places["odd"], places["even"], "must reach the same one")
    contains("not_in_mask", "kernel not_in_mask, block (0, 0, 0), thread (1, ", f"waits.cu:{line_of(name, 'mask')}")
    assert said["throws"] == "thrown by a kernel"
    contains("destructors", "deadlock")
    assert said["destroyed"] == "64"
    contains("launches", "a kernel launches sum")
    assert len(said) == 9  # no line says that the next launch gave a wrong sum


def test_address_sanitizer(compiler, tmp_path):
    name = "cpu_only/out_of_bounds"
    program = build(name, tmp_path, compiler, *WARNINGS, "-fsanitize=address")
    kinds = {"global": "heap-buffer-overflow", "shared": "global-buffer-overflow", "dynamic": "use-after-poison"}
    for where, kind in {**kinds, "local": "stack-buffer-overflow"}.items():
        result = run(program, where)
        assert result.returncode != 0
        assert f"AddressSanitizer: {kind}" in result.stderr
        top = rf"#0 .* in {where}\(.*out_of_bounds.cu:{line_of(name, where)}\b"
        assert re.search(top, result.stderr), result.stderr
    for option in ("0", "1"):  # and no false alarm on stacks that are left and used again
        result = run(program, "none", ASAN_OPTIONS=f"detect_stack_use_after_return={option}")
        assert (result.returncode, result.stdout) == (0, "ok 496\n"), result.stderr


def test_compile_error_names_the_line_of_the_cu(compiler, tmp_path):
    name = "cpu_only/does_not_compile"
    result = compile_cu(PROGRAMS / f"{name}.cu", tmp_path / "out", compiler)
    assert result.returncode != 0
    errors = re.findall(r"^(.*?):(\d+):\d+: error:", result.stderr, re.MULTILINE)
    assert errors == [(str(PROGRAMS / f"{name}.cu"), str(line_of(name, mark))) for mark in ("error", "arguments")]


def test_debugger_shows_the_cu(tmp_path):
    if not shutil.which("gdb"):
        pytest.skip("gdb not found: apt-get install gdb")
    name = "cpu_only/order"
    program = build(name, tmp_path, COMPILERS["g++"], "-O0")
    line = line_of(name, "read")
    commands = [f"break order.cu:{line} if threadIdx.x == 40", "run", "backtrace", "print blockDim.x"]
    result = run("gdb", "-batch", *(f"-ex={command}" for command in commands), program, DEBUGINFOD_URLS="")
    assert re.search(rf"neighbour \(.*order.cu:{line}\b", result.stdout), result.stdout + result.stderr
    assert "$1 = 64" in result.stdout


# ---- several files, several libraries ------------------------------------------------------------------------------


def test_two_libraries_in_one_process(compiler, tmp_path):
    """Kernels of the same name in two .so: neither their shared memory nor their last error is shared."""
    libraries = []
    for value in (1, 2):
        cpps = []
        for stem in ("library_one", "library_two"):
            cpps.append(tmp_path / f"{stem}.cpp")
            translate_file(PROGRAMS / "cpu_only" / f"{stem}.cu", cpps[-1])
        out = tmp_path / f"library{value}.so"
        flags = ["-O0", "-fPIC", "-shared", f"-DVALUE={value}", *CFLAGS, f"-I{INCLUDE}"]
        subprocess.run([*compiler, *flags, *cpps, "-o", out], check=True)
        # Global: the second library's symbols are looked up in the first, unless they are hidden.
        libraries.append(ctypes.CDLL(str(out), mode=ctypes.RTLD_GLOBAL))
        exported = run("nm", "-D", "--defined-only", out).stdout
        ours = re.findall(r".*(?:_ZN?11cuda_on_cpu|_Z9same_name|_Z7another|cuda[A-Z]|threadIdx).*", exported)
        assert "call_another" in exported
        assert not ours
        assert not re.findall(r".* [uBD] (?!_ZZNSt).*", exported)  # nor any variable but the standard library's
    one, two = libraries
    assert [one.call(), two.call(), one.call(), two.call()] == [1, 2, 2, 4]
    assert [one.call_another(), two.call_another()] == [1, 2]
    one.refuse()
    assert two.last_error() == 0
    assert one.last_error() == 9  # set in one file of the .so, read in the other
    assert one.last_error() == 0


# ---- translator ----------------------------------------------------------------------------------------------------


def body(source: str) -> str:
    """The translation without its first two lines, with the launch's functions left out."""
    text = translate(source, "a.cu")
    head, text = text[: text.index("\n#line")], text[text.index('"a.cu"\n') + 7 :]
    assert head == "#include <cuda_runtime.h>"
    assert text.count("\n") == source.count("\n")
    pattern = r"cuda_on_cpu::launch\(CUDA_ON_CPU_NAME\((.*?)\), "
    pattern += r"\[=\]\(const auto&\.\.\. cuda_p_\) \{ \1\(cuda_p_\.\.\.\); \}, "
    pattern += r"\[=\]\(auto cuda_f_\) -> decltype\(cuda_f_\(\1\)\) \{ return cuda_f_\(\1\); \}, "
    return re.sub(pattern, r"LAUNCH{\1}(", text)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("k<<<1, 2>>>(a);", "LAUNCH{k}(1, 2)(a);"),
        ("k <<< g , b >>> (a)", "LAUNCH{k}( g , b ) (a)"),
        ("k<<<1, 2, 3, s>>>()", "LAUNCH{k}(1, 2, 3, s)()"),
        ("a::b<c, 4>::k<d<e<f>>, (x > y)><<<1, 1>>>(p)", "LAUNCH{a::b<c, 4>::k<d<e<f>>, (x > y)>}(1, 1)(p)"),
        ("x = y; ::k<<<1, 1>>>()", "x = y; LAUNCH{::k}(1, 1)()"),
        ("k<T> <<<1, 1>>>()", "LAUNCH{k<T>}(1, 1)()"),
        ("k<sizeof(int) << 2><<<1, 1>>>()", "LAUNCH{k<sizeof(int) << 2>}(1, 1)()"),
        ("T::template k<U><<<1, 1>>>()", "LAUNCH{T::template k<U>}(1, 1)()"),
        ("if (x) k<<<1, 1>>>(); else k<<<2, 2>>>();", "if (x) LAUNCH{k}(1, 1)(); else LAUNCH{k}(2, 2)();"),
        ("return (k)<<<1, 1>>>()", "return LAUNCH{(k)}(1, 1)()"),
        ("(x ? k : l)<<<1, 1>>>()", "LAUNCH{(x ? k : l)}(1, 1)()"),
        ("t[i + 1]<<<1, 1>>>()", "LAUNCH{t[i + 1]}(1, 1)()"),
        ("(*p).q->k<<<1, 1>>>()", "LAUNCH{(*p).q->k}(1, 1)()"),
        ("get<3>(x)<<<1, 1>>>()", "LAUNCH{get<3>(x)}(1, 1)()"),
        ("k<<<d(a >> 1, b << 1), f({1, 2}), n>>2>>>(x >> 3)", "LAUNCH{k}(d(a >> 1, b << 1), f({1, 2}), n>>2)(x >> 3)"),
        ("k<<<1, sizeof(V<T>)>>>()", "LAUNCH{k}(1, sizeof(V<T>))()"),
        ("k<<<1, V<T>>>>()", "LAUNCH{k}(1, V<T>)()"),
        ("x = 1'0; k<<<1, 2>>>(); y = '0';", "x = 1'0; LAUNCH{k}(1, 2)(); y = '0';"),
        ("k<<<1, ')'>>>(a)", "LAUNCH{k}(1, ')')(a)"),
        ("k<<<1, // )>>>(\n 2>>>(a)", "LAUNCH{k}(1, // )>>>(\n 2)(a)"),
        ("k<int, // one\n  4>\n  <<<1,\n 1>>>\n(a)", "LAUNCH{k<int, 4>}(\n\n1,\n 1)\n(a)"),
        ("k<<<1, 1>>>(a), l<<<2, 2>>>(b)", "LAUNCH{k}(1, 1)(a), LAUNCH{l}(2, 2)(b)"),
        ("k<<<1, 1>>>([&] { l<<<2, 2>>>(b); })", "LAUNCH{k}(1, 1)([&] { LAUNCH{l}(2, 2)(b); })"),
        ("#define L(k, a) k##_kernel<<<1, 1>>>(a)", "#define L(k, a) LAUNCH{k##_kernel}(1, 1)(a)"),
        ("#define L(k) \\\n  k<int> \\\n  <<<1, 1>>>(a)", "#define L(k) \\\n  LAUNCH{k<int>}(\\\n1, 1)(a)"),
        ("extern __shared__ float s[];", "[[maybe_unused]] float* const s = cuda_on_cpu::dynamic_shared();"),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "[[maybe_unused]] unsigned char* const s = cuda_on_cpu::dynamic_shared();",
        ),
        (
            "extern alignas(sizeof(T)) __shared__ volatile\n a::V<T, 2> s [ ];",
            "[[maybe_unused]] volatile a::V<T, 2>* const s = cuda_on_cpu::dynamic_shared()\n;",
        ),
        ("extern __shared__ int s[][4];", "[[maybe_unused]] int (*const s)[4] = cuda_on_cpu::dynamic_shared();"),
        ("static __shared__ int s[4];", "       __shared__ int s[4];"),
        ("__constant__ static const int s[4];", "__constant__        const int s[4];"),
        ("static const __constant__ float f = 1;", "       const __constant__ float f = 1;"),
        ("__shared__ alignas(16) int s;", "__shared__ __align__(16) int s;"),
    ],
)
def test_translated(source, expected):
    assert body(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a << b; a <<= b; a >> b; a < b > c;",
        "A<B<C<int>>> x; A<B<C<int>>>(y);",
        "// k<<<1, 1>>>(a)\n/* k<<<1,\n1>>>(a) */",
        "// a comment that goes on \\\n k<<<1, 1>>>(a)",
        '"k<<<1, 1>>>(a)"; "\\"<<<"; "\\\\"; x;',
        'R"(k<<<1, 1>>>(a) " )"; u8R"x(<<< )" )x"; LR"(<<<)";',
        "'<'; '\\''; '\"'; 1'000'000 << 2; 0x1'0p+3;",
        "#error don't <- a lonely quote\nint x;",
        '#include <a/b.h>\n#include "c.h"\n',
        "std::ostream& operator<<<T>(std::ostream&, T);",
        "__shared__ int s[4]; extern int t[]; static int u; int extern__shared__;",
        "caf\u00e9 = \u03b1 << \u03b2;\r\nint x;\r\n",
    ],
)
def test_left_alone(source):
    assert body(source) == source


@pytest.mark.parametrize(
    "source, message",
    [
        ("\n\nk<<<1, 1(a);", "a.cu:3: <<< without >>>"),
        ("k<<<1, 1;\n", "a.cu:1: <<< without >>>"),
        ("k<<<1, (1>>>(a);", "a.cu:1: <<< without >>>"),
        ("x;\nk<<<1, 1>>>;", "a.cu:2: expected ( and the kernel's arguments"),
        ("\n= <<<1, 1>>>(a);", "a.cu:2: expected a kernel's name"),
        ("int> <<<1, 1>>>(a);", "a.cu:1: the > before <<< has no matching <"),
        (")<<<1, 1>>>(a);", "a.cu:1: ) without ("),
        ("(]<<<1, 1>>>(a);", "a.cu:1: ] without ["),
        ("\nextern __shared__ int a[], b[];", "a.cu:2: expected extern __shared__ T name[];"),
        ("extern __shared__ int a[3];", "a.cu:1: expected extern __shared__ T name[];"),
        ("extern __shared__ int a", "a.cu:1: expected extern __shared__ T name[];"),
    ],
)
def test_translation_error(source, message):
    with pytest.raises(TranslationError) as error:
        translate(source, "a.cu")
    assert str(error.value).startswith(message)


def test_file_name_is_quoted():
    assert '#line 1 "a \\"b\\" \\\\ c.cu"\n' in translate("", 'a "b" \\ c.cu')


def test_translate_file_writes_only_what_is_new(tmp_path):
    cu, out = tmp_path / "a.cu", tmp_path / "folder" / "a.cpp"
    cu.write_bytes(b"k<<<1, 1>>>(\xff);\r\n")  # neither UTF-8 nor a Unix line end
    translate_file(cu, out)
    assert out.read_bytes().endswith(b"1, 1)(\xff);\r\n")
    os.utime(out, ns=(1, 1))
    translate_file(cu, out)
    assert out.stat().st_mtime_ns == 1
    cu.write_text("int x;\n")
    translate_file(cu, out)
    assert out.read_text() == f'#include <cuda_runtime.h>\n#line 1 "{cu}"\nint x;\n'
    assert [p.name for p in out.parent.iterdir()] == ["a.cpp"]


def test_command_line(tmp_path):
    script = HERE.parents[1] / "common/cuda_on_cpu/translate.py"
    cu, out = tmp_path / "a.cu", tmp_path / "a.cpp"
    cu.write_text("k<<<1, 1>>>(a);\n")
    subprocess.run([sys.executable, script, cu, out], check=True)
    assert out.read_text() == translate(cu.read_text(), str(cu))
    cu.write_text("\nk<<<")
    result = run(sys.executable, script, cu, out)
    assert (result.returncode, result.stderr) == (1, f"{cu}:2: <<< without >>>\n")
