"""tools/lesson.py: what a reader sees of a finding. Some seconds."""

import os
import subprocess
import sys
from dataclasses import make_dataclass

import pytest

from cuda_on_cpu import CFLAGS, INCLUDE, memory_check, translate_file
from tests.support import ROOT, one_line, write
from tools import lesson
from tools.lesson import readers_own

LINES = (ROOT / "chapters/03_add2/add2.cu").read_text().splitlines()
NUMBER, CODE = next((number, line) for number, line in enumerate(LINES, 1) if "__global__" in line)


@pytest.mark.skipif(sys.platform != "linux", reason="the memory check needs Linux")
@pytest.mark.parametrize("message, told", [
    (f"CUDA on CPU: kernel add: reads memory at chapters/03_add2/add2.cu:{NUMBER}", "wrong   kernel add: reads memory at "),
    ("n must be positive", "Traceback (most recent call last):"),
])  # fmt: skip
def test_a_finding_is_told_with_its_line_and_no_traceback(message, told, tmp_path):
    program = tmp_path / "main.py"
    program.write_text(f"import sys\nprint('words', sys.argv[1:])\nraise RuntimeError({message!r})\n")
    memory_check.recorder(memory_check.compiler())  # else the command says that it is being built
    command = [sys.executable, "-m", "tools.lesson", "memcheck", program, "--size", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and done.stdout == "words ['--size', '3']\n"
    assert done.stderr.startswith(told) and ("Traceback" in told) == ("Traceback" in done.stderr), done.stderr
    assert (CODE in one_line(done.stderr)) == told.startswith("wrong")


KERNEL = """\
#include <string>
__global__ void look(const int* n) {
    if (*n != 0) __trap();
}
extern "C" const char* found_at(const int* n) {
    static std::string found;
    try {
        look<<<1, 1>>>(n);
        found = "nothing";
    } catch (std::exception& error) {
        found = error.what();
    }
    return found.c_str();
}
"""
PROGRAM = """\
import ctypes
import torch
from common.guarded import Inputs

found_at = ctypes.CDLL({!r}).found_at
found_at.restype = ctypes.c_char_p
inputs = Inputs((torch.zeros(10, dtype=torch.int32),))  # as check() has them
for tensor in torch.zeros(10, dtype=torch.int32), *inputs.args:
    for i in range(-1, 11):
        print(found_at(ctypes.c_void_p(tensor.data_ptr() + 4 * i)).decode())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory check needs Linux")
def test_memcheck_knows_where_tensors_begin_and_end(tmp_path):
    """Those of a lesson, and those that the harness puts between margins. 8 s"""
    compiler = memory_check.compiler()
    write(tmp_path / "look.cu", KERNEL)
    translate_file(tmp_path / "look.cu", tmp_path / "look.cpp", [])
    flags = ["-std=c++17", *CFLAGS, f"-I{INCLUDE}", "-fPIC", *memory_check.cflags(compiler)]
    link = ["-shared", "look.o", "-o", "look.so", *memory_check.ldflags(compiler), "-ldl", "-pthread"]
    for step in [*flags, "-c", "look.cpp"], link:
        subprocess.run([*compiler, *step], cwd=tmp_path, check=True)
    program = write(tmp_path / "main.py", PROGRAM.format(str(tmp_path / "look.so")))
    env = {name: value for name, value in os.environ.items() if name != "CUDA_ON_CPU_CACHE"}  # `common` has set it
    command = [sys.executable, "-m", "tools.lesson", "memcheck", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)
    *said, verdict = done.stdout.splitlines()
    assert done.returncode == 0 and verdict.startswith("memory  nothing found in 24 launches of 1 kernel"), done.stderr
    for first, *inside, last in said[:12], said[12:]:
        assert inside == 10 * ["nothing"]
        for where, text in ("4 bytes before", first), ("0 bytes past the end of", last):
            assert "out of bounds: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes" in text
            assert text.endswith(f"look.cu:3, beginning {where} the 40 bytes of a tensor")


@pytest.mark.skipif(sys.platform != "linux", reason="tools/lesson.py needs Linux")
@pytest.mark.parametrize("status", [0, 3])
def test_sanitize_ends_with_a_verdict_and_the_status_of_the_program(status):
    command = [
        sys.executable,
        "-m",
        "tools.lesson",
        "sanitize",
        "-c",
        f"print('ran', flush=True); raise SystemExit({status})",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    verdict = "memory  AddressSanitizer found nothing\n" if status == 0 else ""
    assert done.stdout == "ran\n" + verdict and done.returncode == status, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="tools/lesson.py needs Linux")
def test_what_is_said_of_a_mistake_is_shown():
    """`make test ARGS='-k "12 and pitfall"'` in small, in a worker as there. 20 s, 80 from clean"""
    options = "-q", "-p", "no:cacheprovider", "-n", "1", "-m", "not thorough", "-k", "pitfall_lanes_left_out"
    command = [sys.executable, "-m", "pytest", *options, "tests/chapters/12_reduce/test_reduce.py"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"CHAPTERS_DEVICE": "cpu"}
    )
    assert done.returncode == 0, done.stdout
    assert "found   kernel lanes_left_out_kernel" in done.stdout
    assert "reads from lane 20 of the warp, which the mask names but which has returned" in one_line(done.stdout)


def test_the_microscope_names_the_file_whose_text_load_inline_has_written(tmp_path):
    texts = {
        "square.cu": "square",
        "other.cu": "other",
        "build/cuda.cu": "square",
        "build/more/cuda.cu": "a string",
        "a.h": "",
    }
    for name, text in texts.items():
        write(tmp_path / name, text)
    row = make_dataclass("Row", ["file"])
    named = readers_own([row(str(tmp_path / name)) for name in [*texts][2:]], tmp_path)
    assert [it.file for it in named] == [str(tmp_path / name) for name in ("square.cu", "build/more/cuda.cu", "a.h")]


ASAN = """\
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x7f bp 0x7e sp 0x7d
WRITE of size 8 at 0x60 thread T0
    #0 0x7f in number_kernel(long*, long) {file}:2
    #1 0x7f in cuda_on_cpu::fiber_body() {root}/cuda_on_cpu/include/cuda_on_cpu/run_block.h:23

0x60 is located 0 bytes {side} 80-byte region [0x10,0x60)
allocated by thread T0 here:
"""


@pytest.mark.parametrize("side", ["to the right of", "after"])
def test_a_report_of_address_sanitizer_becomes_a_line(side, tmp_path, monkeypatch):
    monkeypatch.setattr(lesson, "ROOT", tmp_path)
    (file := tmp_path / "x.cu").write_text("{\n    out[i] = i;\n}\n")
    report = ASAN.format(file=file, root=tmp_path, side=side)
    assert " ".join(lesson.report_of_asan(report).split()) == (
        "wrong AddressSanitizer: heap-buffer-overflow: number_kernel writes 8 bytes at x.cu:2, 0 bytes past the end of an "
        "array of 80 bytes x.cu:2 out[i] = i; report all of it is in build/address_sanitizer.txt"
    )
    assert (tmp_path / "build/address_sanitizer.txt").read_text() == report
    for other in (
        report.replace("x.cu", "cuda_on_cpu/include/x.h"),
        "==7==ERROR: AddressSanitizer: SEGV on unknown address\n",
    ):
        assert lesson.report_of_asan(other) == other, "nothing of the reader's is in it"
