"""`python -m cuda_on_cpu run|check|microscope`: what a reader sees of a program of their own. Needs g++, and no torch.

Some 15 s from clean.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from cuda_on_cpu import CFLAGS, INCLUDE, __version__, memory_check, report, translate_file
from tests.cuda_on_cpu.building import KEPT, ROOT, need
from tests.support import one_line, write

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("command")]  # one process compiles a program, once
HERE = KEPT / "command"  # the reader's folder
COMMAND = [sys.executable, "-m", "cuda_on_cpu"]

OWN = """\
#include <cstdio>
#include <stdexcept>
#include "in/steps.cuh"
int main(int count, char** words) {
    int* n;
    cudaMallocManaged(&n, 4);
    puts("here");
    switch (count > 1 ? *words[1] : 0) {
        case 'r':
            add<<<1, 2>>>(n);
            return 0;
        case 'c':
            try {
                add<<<1, 2>>>(n);
            } catch (std::exception&) {
            }
            return 5;
        case 'h':
            cudaMalloc(&n, 4);
            return *n;
        case 'l':
            add<<<1, 2048>>>(n);
            return count > 2 ? cudaGetLastError() : 0;
        case 'n':
            return 0;
        case 'm':
            cudaMemset(n, 0, 8);
            return 0;
        case 'e':
            throw std::out_of_range("17");
        case 'i':
            throw 7;
        case 'a':
            abort();
        case 's':
            *reinterpret_cast<volatile int*>(count) = 1;
        case 'w':
            fflush(stdout);
            for (;;) pause();
    }
    add<<<1, 1>>>(n);
    return 5;
}
"""
STEPS = "__global__ void add(int* n) {\n    *n += 1;\n}\n"


@pytest.fixture
def own():
    need("g++")
    write(HERE / "in/steps.cuh", STEPS)
    write(HERE / "own.cu", OWN)


def start(*words, **environment) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CUDA_ON_CPU_CACHE": str(KEPT / "cache")} | environment
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*COMMAND, *map(str, words)],
        cwd=HERE,
        env=environment,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where pytest runs in the background
    )


def command(*words, **environment) -> tuple[int, str, str]:
    """The exit status, what it has printed and on stderr: no lines of a build, each sentence in one line."""
    process = start(*words, **environment)
    output, said = process.communicate()
    return process.returncode, output, re.sub(r"^build   .*\n", "", one_line(said), flags=re.MULTILINE)


COUNTED = """\
#include <unistd.h>
__global__ void j() {}
__global__ void k(int) {}
int main(int count, char**) {
    k<<<1, 1>>>(1);
    if (count == 1) j<<<2, 1>>>(), k<<<1, 2>>>(2);
    _exit(5);
}
"""


def at(code: str) -> str:
    """own.cu:LINE of the line with that code"""
    return next(f"own.cu:{i}" for i, line in enumerate(OWN.splitlines(), 1) if code in line)


def shown(*codes: str) -> str:
    """These lines of own.cu as a report shows them."""
    lines = [line for line in OWN.splitlines() if any(code in line for code in codes)]
    return "".join(f"        {at(line):15} {line}\n" for line in lines)


def test_a_program_of_several_files(own):
    """Two of one name, a header that CXXFLAGS finds, arguments, a status; what has not changed is not built again."""
    write(
        HERE / "include/h.cuh", "inline int launch() { int* n; cudaMallocManaged(&n, 4), k<<<1, 1>>>(n); return *n; }\n"
    )
    write(HERE / "a/k.cu", "__global__ void k(int* n) { *n = N; }\n#include <h.cuh>\nint one() { return launch(); }\n")
    write(
        HERE / "k.cu",
        "#include <cstdio>\nint one();\n"
        'int main(int n, char** words) { printf("%d %s\\n", n, words[n - 1]); return one(); }\n',
    )
    program = ("run", "k.cu", "a/k.cu", "x", "y.cu")
    hint = "memory  nothing was checked: cuda-on-cpu check, or make memcheck FILE='k.cu a/k.cu', looks at each access\n"
    status, out, said = command(*program, CXXFLAGS="-DN=3 -I include")
    assert (status, out) == (3, "3 y.cu\n") and one_line(said) == hint
    process = start(*program, CXXFLAGS="-DN=3 -I include")
    out, said = process.communicate()
    assert out == "3 y.cu\n" and one_line(said) == hint  # it is not built again, and a wrong program stays unchecked
    with open(HERE / "include/h.cuh", "a") as header:
        header.write("// changed\n")
    process = start(*program, CXXFLAGS="-DN=3 -I include")
    said = one_line(process.communicate()[1])
    assert re.fullmatch(r"build   k.cu a/k.cu +\d+\.\d s\n" + re.escape(hint), said), said


def test_check_shows_what_is_wrong_where_and_which_threads(own):
    race = (
        "wrong   kernel add: data race: thread (1, 0, 0) of block (0, 0, 0) writes byte 0 of the 4 bytes of "
        f"cudaMallocManaged() number 1 ({at('Managed')}) at in/steps.cuh:2, and thread (0, 0, 0) of block (0, 0, 0) wrote "
        "it at in/steps.cuh:2; threads that update one number need an atomic, such as atomicAdd()\n"
        "        in/steps.cuh:2      *n += 1;\n" + shown("Managed")
    )
    assert command("check", "own.cu", "race") == (1, "here\n", race)
    assert command("check", "own.cu", "caught") == (1, "here\n", race), "the program's own handler hides nothing"
    no_table = "table   none, as long as something is wrong\n"
    assert command("microscope", "own.cu", "race") == (1, "here\n", race + no_table)
    used = f"wrong   the host reads 4 bytes at {at('return *n')}: byte 0 of the 4 bytes of cudaMalloc() number 1 "
    used += f"({at('Malloc(')}); only kernels can use that memory, and the host copies it with cudaMemcpy()\n"
    assert command("check", "own.cu", "host") == (1, "here\n", used + shown("cudaMalloc(", "return *n"))
    status, _, said = command("check", "own.cu", "memset")
    assert status == 1 and said.startswith(f"wrong   a memset at {at('Memset')} goes 4 bytes beyond the 4 bytes")
    assert command("check", "own.cu") == (
        5,
        "here\n",
        "memory  nothing found in 1 launch of 1 kernel: every memory access was checked\n",
    )


def test_a_mistake_is_said_once():
    first = "kernel k, block (0, 0, 0), thread (1, 0, 0): __shfl_xor_sync() at k.cu:20: reads a lane that has returned"
    elsewhere, another = first.replace("(0, 0, 0)", "(3, 0, 0)"), first.replace("20", "21")
    assert report.once([first, elsewhere, another]) == [first, another]


def test_what_was_launched_is_counted(own):
    for arguments, launches in ("", "3 launches of 2 kernels"), ("1", "1 launch of 1 kernel"):
        write(HERE / "x.cu", COUNTED)
        said = f"memory  nothing found in {launches}: every memory access was checked\n"
        assert command("check", "x.cu", *arguments) == (5, "", said)
    no_kernel = "no kernel was launched, so there "
    assert command("check", "own.cu", "nothing") == (1, "here\n", f"memory  {no_kernel}was nothing to check\n")
    assert command("microscope", "own.cu", "nothing") == (1, "here\n", f"{no_kernel}is nothing to show\n")


PICTURED = "__global__ void j(int* n) {\n    n[threadIdx.x] = 1;\n}\n__global__ void k(int* n) {\n    n[0] = 2;\n}\n"
PICTURED += "int main(int count, char**) {\n    int* n;\n    cudaMallocManaged(&n, 128);\n    j<<<1, 32>>>(n);\n"
PICTURED += "    if (count > 1) k<<<1, 1>>>(n);\n}\n"


def test_the_microscope_shows_one_kernel_or_one_line(own):
    write(HERE / "p.cu", PICTURED)
    status, both, _ = command("microscope", "p.cu", "--kernel")
    assert status == 0 and re.findall(r"^[jk]$", both, re.MULTILINE) == ["j", "k"], "a word for the program"
    status, one, _ = command("microscope", "--kernel", "k", "p.cu", "x")
    assert status == 0 and re.findall(r"^[jk]$", one, re.MULTILINE) == ["k"]
    assert one.endswith("""

What to try
nothing: no line asks for more than twice what it needs. (Not counted: what a kernel reads again, and
how long it waits.)
""")
    status, picture, _ = command("microscope", "--picture", "2", "p.cu")
    assert status == 0 and picture.startswith("j, line 2: n[threadIdx.x] = 1;\n") and "4 sectors of 32 bytes" in picture
    assert command("microscope", "p.cu", "x", "--kernel", "k") == (0, one, ""), "as make passes ARGS on"
    status, out, _ = command("microscope", "p.cu", "--", "--kernel", "k")
    assert status == 0 and re.findall(r"^[jk]$", out, re.MULTILINE) == ["j", "k"], "words for the program"
    assert command("microscope", "--picture=3", "p.cu")[::2] == (1, "no kernel accesses memory in line 3; there is 2\n")
    assert command("microscope", "--kernel=k", "p.cu")[::2] == (1, "no kernel has k in its name; there is j\n")


MODULE = """\
import ctypes
f = ctypes.CDLL("./{}.so").f
print(*(f(n) for n in (5, 6, 4)), flush=True)
"""
LIBRARY = """\
__global__ void k(int* n) { n[threadIdx.x] = 1; }
extern "C" int f(int threads) {
    int* n;
    cudaMalloc(&n, 16);
    try {
        k<<<1, threads>>>(n);
    } catch (std::exception&) {
        return 1;
    }
    return 0;
}
"""


@pytest.mark.parametrize("checked", [True, False])
def test_check_of_a_python_module(own, checked, monkeypatch):
    """A mistake is shown once at the end, though the module has caught two; and who was not built for the check is told."""
    monkeypatch.setenv("CUDA_ON_CPU_CACHE", str(KEPT / "cache"))
    name = f"checked_{checked}"
    write(HERE / "lib.cu", LIBRARY)
    write(HERE / "use.py", MODULE.format(name))
    translate_file(HERE / "lib.cu", HERE / "lib.cpp", [])
    compile_, link = (memory_check.cflags(["g++"]), memory_check.ldflags(["g++"])) if checked else ([], [])
    compile_ = ["g++", "-std=c++17", *CFLAGS, f"-I{INCLUDE}", "-fPIC", *compile_, "-c", "lib.cpp"]
    for build in compile_, ["g++", "-shared", "lib.o", "-o", f"{name}.so", *link, "-ldl", "-pthread"]:
        subprocess.run(build, cwd=HERE, check=True)
    status, out, said = command("check", "-m", "use", CXX="g++")
    if checked:
        assert (status, out) == (1, "1 1 0\n")
        assert said.count("wrong   kernel k: out of bounds: thread (4, 0, 0)") == 1 == said.count("wrong "), said
        assert "\n        lib.cu:1        __global__ void k(int* n) { n[threadIdx.x] = 1; }\n" in said, said
        assert "memory  " not in said
        status, out, said = command("microscope", "-m", "use", "--kernel", "k", CXX="g++")
        assert (status, said) == (0, "") and out.startswith("1 1 0\nk\n  lib.cu\n"), out
        assert "     1  __global__ void k(int* n) { n[threadIdx.x] = 1; }\n" in out and "global store" in out, out
        assert command("microscope", "-m", "use", "--picture", "9", CXX="g++")[2].endswith("in line 9; there is 1\n")
        assert "[--kernel NAME] [--picture LINE] -m MODULE" in command("microscope", "--help")[1]
    else:
        assert (status, out) == (1, "0 0 0\n")
        assert said.startswith("memory  no kernel was launched that was built for the memory check."), said
        assert "   CUDA_ON_CPU=check pip install --no-build-isolation -e .\n" in said
        status, out, said = command("microscope", "-m", "use", CXX="g++")
        assert (status, out) == (1, "0 0 0\n") and said.startswith("no kernel was launched that was built for"), said
        write(HERE / "fails.py", "raise SystemExit(3)\n")
        status, _, said = command("microscope", "-m", "fails", CXX="g++")
        assert status == 3 and said.startswith("table   none: no kernel was launched that was built for"), said


def test_a_launch_that_cuda_refuses(own):
    """A program that asks for the error deals with it. One that does not ask would go on with what is in memory."""
    refused = (
        f"wrong   CUDA refused the launch of add at {at('2048')}: 2048 threads in a block, at most 1024. The program "
    )
    refused += "never asked: cudaGetLastError() after a launch says it\n" + shown("2048")
    for name in "run", "check":
        assert command(name, "own.cu", "launch") == (1, "here\n", refused)
    no_table = "table   none, as long as something is wrong\n"
    assert command("microscope", "own.cu", "launch") == (1, "here\n", refused + no_table)
    status, out, said = command("run", "own.cu", "launch", "and ask")
    assert (status, out) == (9, "here\n") and said.startswith("memory  nothing was checked: "), (
        "nothing about the launch"
    )


@pytest.mark.parametrize(
    "word, said",
    [
        ("exception", "wrong   uncaught exception std::out_of_range: 17\n"),
        ("int", "wrong   uncaught exception int\n"),
        ("abort", f"wrong   the program was ended by SIGABRT at {at('abort')}\n" + shown("abort")),
        ("segfault", f"wrong   the program was ended by SIGSEGV at {at('volatile')}\n" + shown("volatile")),
    ],
    ids=lambda text: text.split()[0],
)
def test_however_a_program_ends_its_reader_is_told(own, word, said):
    """Also what it has printed before, which abort() would lose."""
    assert command("run", "own.cu", word) == (1, "here\n", said)


def test_an_interrupted_program(own):
    command("run", "own.cu")
    process = start("run", "own.cu", "wait")
    assert process.stdout.readline() == "here\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate() == ("", "interrupted\n") and process.returncode == 1


SPINS = """\
#include <cstdio>
__global__ void k(volatile int* n, bool looks) {
    while (looks) {
        if (*n) break;
    }
    for (unsigned i = 1; i; i += 2) *n += i;
}
int main(int count, char**) {
    int* n;
    cudaMallocManaged(&n, 4);
    puts("here"), fflush(stdout);
    k<<<1, 64>>>(n, count == 1);
}
"""


@pytest.mark.parametrize("name", ["run", "check"])
@pytest.mark.parametrize("words", [[], ["and gives no turn"]], ids=["looks", "computes"])
def test_an_interrupted_kernel_says_where_it_is(own, name, words):
    write(HERE / "spins.cu", SPINS)
    process = start(name, "spins.cu", *words)
    assert process.stdout.readline() == "here\n"
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    output, said = process.communicate(timeout=60)
    where = "no thread has got on: 64 threads spin in a loop at spins.cu:3"
    if words:
        where = "thread (0, 0, 0) of block (0, 0, 0) has run and given no other a turn; it was at spins.cu:6"
    assert f"wrong   kernel k was interrupted: {where}" in one_line(said), said
    assert process.returncode == 1 and output == "" and "SIG" not in said


@pytest.mark.parametrize("name", ["run", "check"])
def test_an_endless_loop_is_ended_and_its_line_is_named(own, name):
    write(HERE / "spins.cu", SPINS)
    said = command(name, "spins.cu", "and gives no turn", CUDA_ON_CPU_TIMEOUT="0.2")[2]
    assert said.count("kernel k was ended: for 0.2 s thread (0, 0, 0) of block (0, 0, 0) has run") == 1, said
    assert said.count("; it was at spins.cu:6\n") == 1, said


def test_a_kernel_that_runs_for_long_is_named(own):
    write(HERE / "spins.cu", SPINS)
    process = start("run", "spins.cu")
    said = ""
    while "Ctrl-C" not in said:
        assert (line := process.stderr.readline()), said
        said += line
    assert re.search(r"CUDA on CPU: kernel k is still running, after \d\d+ s; Ctrl-C ends it", said)
    os.killpg(process.pid, signal.SIGINT)
    assert "kernel k was interrupted" in process.communicate(timeout=60)[1]


NO_USE = "usage: cuda-on-cpu {} FILE.cu [MORE.cu ...] [ARGUMENT ...]\n"
LAUNCH = "int main() {\n    k<<<1, 1>>();\n}\n"
TWICE = "int main() {\n    return undeclared;\n}\nint f() { return also_undeclared; }\n"


@pytest.mark.parametrize(
    "words, source, status, said",
    [
        ("run", "", 2, re.escape(NO_USE.format("run"))),
        ("microscope", "", 2, re.escape(NO_USE.format("microscope"))),
        ("check x.cpp", "", 2, re.escape(NO_USE.format("check") + "x.cpp does not end in .cu\n")),
        ("check in/use.py", "", 2, "usage.*\nin/use.py does not end in .cu; for Python: cuda-on-cpu check -m in.use\n"),
        ("check missing.cu", "", 1, "missing.cu: no such file in /.*\n"),
        ("run in", "", 2, re.escape(NO_USE.format("run") + "in does not end in .cu\n")),
        (
            "run in/x.cu",
            "int f() { return 1; }\n",
            1,
            r"no main\(\), where a program begins, in in/x.cu\n",
        ),
        (
            "run in/x.cu",
            "\n#include <torch/extension.h>\n",
            1,
            "in/x.cu:2 includes torch/extension.h: this is an operator, which Python loads, and not a program. In the "
            "repository of CUDA on CPU, make new NAME=mine begins an operator that PyTorch can call\n",
        ),
        ("run ./in/../x.cu", LAUNCH, 1, re.escape("in/../x.cu:2: <<< without >>>\n")),
        ("check x.cu", TWICE, 1, "x.cu: In function .*\nx.cu:2:12: error: .undeclared.*\n.*undeclared;\n .*\n"),
        ("run x.cu", '#include "h.h"\n' + TWICE, 1, "(In file .*x.cu:1:\n)?h.h:1:1: error: .*\n.*wrong;\n .*\n"),
        (
            "run x.cu",
            "int f();\nint main() {\n    return f();\n}\n",
            1,
            r"(?s).*x.cu:3:.*undefined reference to .f\(\).*",
        ),
    ],
    ids=lambda text: str(text)[:20],
)
def test_what_cannot_be_built(own, words, source, status, said):
    """One message, with the path as it was given; of a compiler's errors the first."""
    write(HERE / "h.h", "wrong;\n")
    write(HERE / words.split()[-1] if source else HERE / "x.cu", source)
    result = command(*words.split(), CXXFLAGS="-O0 -g")
    assert result[:2] == (status, "") and re.fullmatch(said, result[2]), result


def test_no_compiler(own):
    said = "CXX=g++-of-nobody -x: no such program\n"
    assert command("run", "own.cu", CXX="g++-of-nobody -x") == (1, "", said)
    assert command("run", "own.cu", CXX="", PATH="") == (1, "", "g++ not found: apt-get install g++\n")


def test_help_names_the_arguments_of_each_command():
    said = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    for line in (
        "check FILE.cu [MORE.cu ...] [ARGUMENT ...]",
        "translate [-I FOLDER] [--depfile FILE] FILE.cu [OUT.cpp]",
    ):
        assert f"\n{line}\n" in said
    version = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert version == f"cuda-on-cpu {__version__}\n"


def test_clang_says_the_same(own):
    need("clang++")
    assert command("run", "own.cu", "int", CXX="clang++") == (1, "here\n", "wrong   uncaught exception int\n")
    write(HERE / "x.cu", TWICE)
    status, _, said = command("run", "x.cu", CXX="clang++")
    assert status == 1 and said.startswith("x.cu:2:12: error: use of undeclared") and "also_undeclared" not in said


def test_a_sentence_is_wrapped_and_code_is_not():
    sentence, code = " ".join(40 * ["word"]), "own.cu:6       " + " + ".join(60 * "a")
    *lines, last = report.told("wrong", f"{sentence}\n{code}").splitlines()
    assert last == 8 * " " + code
    assert one_line("\n".join(lines)) == f"wrong   {sentence}"
    assert len(lines) == 3 and max(map(len, lines)) <= 100


def test_a_terminal_sees_at_once_what_is_built(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    with report.building("own.cu"):
        end = time.monotonic() + 5
        while not terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        assert re.fullmatch(r"build   own.cu +0\.[0-3] s \.\.\.\033\[K\r", terminal.getvalue())
    assert re.search(r"\r\033\[Kbuild   own.cu +\d\.\d s\n$", terminal.getvalue())
