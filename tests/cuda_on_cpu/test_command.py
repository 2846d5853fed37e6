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

from cuda_on_cpu import report
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
    assert command(*program, CXXFLAGS="-DN=3 -I include") == (3, "3 y.cu\n", "")
    process = start(*program, CXXFLAGS="-DN=3 -I include")
    assert process.communicate() == ("3 y.cu\n", "")
    with open(HERE / "include/h.cuh", "a") as header:
        header.write("// changed\n")
    process = start(*program, CXXFLAGS="-DN=3 -I include")
    assert re.fullmatch(r"build   k.cu a/k.cu +\d+\.\d s\n", process.communicate()[1])


def test_check_shows_what_is_wrong_where_and_which_threads(own):
    race = (
        "wrong   kernel add: data race: thread (1, 0, 0) of block (0, 0, 0) reads byte 0 of the 4 bytes of "
        f"cudaMallocManaged() number 1 ({at('Managed')}) at in/steps.cuh:2, and thread (0, 0, 0) of block (0, 0, 0) wrote "
        "it at in/steps.cuh:2; no __syncwarp() and no barrier is between them\n"
        "        in/steps.cuh:2      *n += 1;\n" + shown("Managed")
    )
    assert command("check", "own.cu", "race") == (1, "here\n", race)
    assert command("check", "own.cu", "caught") == (1, "here\n", race), "the program's own handler hides nothing"
    no_table = "table   none, as long as something is wrong\n"
    assert command("microscope", "own.cu", "race") == (1, "here\n", race + no_table)
    used = f"wrong   the host reads 4 bytes at {at('return *n')}: byte 0 of the 4 bytes of cudaMalloc() number 1 "
    used += f"({at('Malloc(')})\n"
    assert command("check", "own.cu", "host") == (1, "here\n", used + shown("cudaMalloc(", "return *n"))
    status, _, said = command("check", "own.cu", "memset")
    assert status == 1 and said.startswith(f"wrong   a memset at {at('Memset')} goes 4 bytes beyond the 4 bytes")
    assert command("check", "own.cu") == (
        5,
        "here\n",
        "memory  nothing found: every memory access of every kernel was checked\n",
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


NO_USE = "usage: cuda-on-cpu {} FILE.cu [MORE.cu ...] [ARGUMENT ...]\n"
LAUNCH = "int main() {\n    k<<<1, 1>>();\n}\n"
TWICE = "int main() {\n    return undeclared;\n}\nint f() { return also_undeclared; }\n"


@pytest.mark.parametrize(
    "words, source, status, said",
    [
        ("run", "", 2, re.escape(NO_USE.format("run"))),
        ("microscope", "", 2, re.escape(NO_USE.format("microscope"))),
        ("check x.cpp", "", 2, re.escape(NO_USE.format("check") + "x.cpp does not end in .cu\n")),
        ("check missing.cu", "", 1, "missing.cu: no such file\n"),
        ("run in", "", 2, re.escape(NO_USE.format("run") + "in does not end in .cu\n")),
        (
            "run in/x.cu",
            "int f() { return 1; }\n",
            1,
            r"none of these files defines main\(\), where a program begins\n",
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
    assert command("run", "own.cu", CXX="g++-of-nobody -x") == (1, "", "g++-of-nobody not found: apt-get install g++\n")


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
