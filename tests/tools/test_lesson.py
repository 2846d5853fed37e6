"""tools/lesson.py: what a reader sees of a finding. Some seconds."""

import subprocess
import sys

import pytest

from tests.support import ROOT, one_line

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
    command = [sys.executable, "-m", "tools.lesson", "memcheck", program, "--size", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and done.stdout == "words ['--size', '3']\n"
    assert done.stderr.startswith(told) and ("Traceback" in told) == ("Traceback" in done.stderr), done.stderr
    assert (CODE in one_line(done.stderr)) == told.startswith("wrong")
