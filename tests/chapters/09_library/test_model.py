"""Chapter 09: the exported model, compiled by AOTInductor, in a program with no Python."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import torch

from common import device
from tests.support import chapter

PATH = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
pytestmark = pytest.mark.thorough  # torch compiles the model, for half a minute; the next run finds it


def run(*command):
    """(exit code, stdout and stderr)"""
    env = os.environ | {"PATH": PATH, "CHAPTERS_DEVICE": device.type}
    done = subprocess.run(list(map(str, command)), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def exported():
    """(the program, the package)"""
    return chapter("09_library").run_model()


def test_a_program_runs_the_exported_model(exported):
    code, text = run(*exported)
    assert code == 0 and re.fullmatch(r"check   bias_gelu.pt2 from C\+\+: rows = 0 1 3 255 256 257 131075 +ok\n", text)


@pytest.mark.skipif(not shutil.which("ldd"), reason="ldd not found")
def test_the_program_has_no_python(exported):
    code, libraries = run("ldd", exported[0])
    assert code == 0 and "libbias_gelu.so" in libraries and "libtorch_cpu.so" in libraries, libraries
    assert "not found" not in libraries and "python" not in re.sub(r"=> .*", "", libraries)


@pytest.mark.parametrize(
    "text, said", [(None, "file open failed"), ("no model", "(central directory|not a ZIP archive)")]
)
def test_a_file_that_is_no_model(exported, tmp_path, text, said):
    file = tmp_path / "model.pt2"
    if text:
        file.write_text(text)
    code, printed = run(exported[0], file)
    assert code == 1 and re.fullmatch(rf"{re.escape(str(file))}: .*{said}\n", printed), printed


LOAD = "torch._C._aoti.AOTIModelPackageLoader"  # C++'s; torch._inductor.aoti_load_package compiles before it loads


def test_a_model_without_the_library(exported):
    """The package does not contain the kernel, only the operator's name. So it is in a program from which the linker has
    dropped libbias_gelu."""
    code, text = run(sys.executable, "-c", f"import torch; {LOAD}({str(exported[1])!r}, 'model', False, 1, -1)")
    assert code == 1 and "Could not find schema for chapter09::bias_gelu" in text


WRONG_INPUT = """
import torch
torch.ops.load_library({library!r})
model = {load}({package!r}, 'model', False, 1, -1)
print(model.boxed_run([torch.rand({shape}, dtype={dtype}, device={device!r})])[0].shape)
"""


@pytest.mark.parametrize("shape, dtype", [((3, 9), torch.float32), ((3, 8), torch.float64)], ids=str)
def test_a_model_does_not_check_its_inputs(exported, shape, dtype, monkeypatch):
    """Its own loop reads the memory as the export says, and hands the operator what it expects. A variable asks for checks."""
    library, package = (str(exported[0].parent / name) for name in ("libbias_gelu.so", "bias_gelu.pt2"))
    code = WRONG_INPUT.format(load=LOAD, library=library, package=package, shape=shape, dtype=dtype, device=str(device))
    assert run(sys.executable, "-c", code) == (0, "torch.Size([3, 8])\n")
    monkeypatch.setenv("AOTI_RUNTIME_CHECK_INPUTS", "1")
    code, text = run(sys.executable, "-c", code)
    assert code == 1 and re.search(r"input_handles\[0\]|unmatched", text), text
