"""Chapter 03: the notes' torch_launch_add2 with every argument checked, streams, and the build cache."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from common import check, device, toolkit
from common.checking import SIZES
from common.cpp_extension import load
from tests.support import ROOT, chapter, kept_folder, operators, write


@pytest.fixture
def launch():
    return operators("03_add2").torch_launch_add2


def tensors(n=8):
    return torch.full((n,), -1.0, device=device), torch.rand(n, device=device), torch.rand(n, device=device)


@pytest.mark.parametrize("n", SIZES)
def test_adds_n_elements_and_leaves_the_rest(launch, n, thread_order):
    c, a, b = tensors(n + 5)
    assert launch(c, a, b, n) is None
    assert torch.equal(c[:n], (a + b)[:n])
    assert torch.equal(c[n:], torch.full((5,), -1.0, device=device))


@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
def test_side_stream_is_right_here_and_wrong_as_in_the_notes(launch):
    """The notes launch with <<<grid, block>>>: on the default stream, which does not wait for torch's current one."""

    def on_the_default_stream(c, a, b, n):
        with torch.cuda.stream(torch.cuda.default_stream()):
            launch(c, a, b, n)

    wrong = dict.fromkeys([launch, on_the_default_stream], 0)
    for operator in wrong:
        for _ in range(20):
            c, a, b = (torch.zeros(2**20, device=device) for _ in range(3))
            torch.cuda.synchronize()
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                torch.cuda._sleep(10_000_000)  # the side stream is busy for 5 ms before a and b get their values
                a.fill_(1)
                b.fill_(2)
                operator(c, a, b, len(c))
                result = c.clone()
            torch.cuda.synchronize()
            wrong[operator] += not bool((result == 3).all())
    assert wrong == {launch: 0, on_the_default_stream: 20}


@pytest.mark.thorough
@pytest.mark.skipif(device.type != "cpu", reason="on a GPU the result is wrong: the test above")
def test_check_refuses_the_default_stream_without_a_gpu(tmp_path):
    """30 s, for a build."""
    chapter = ROOT / "chapters/03_add2"
    source = (chapter / "add2.cpp").read_text()
    assert source.count("c10::cuda::getCurrentCUDAStream()") == 2
    binding = tmp_path / "add2.cpp"
    binding.write_text(source.replace("c10::cuda::getCurrentCUDAStream()", "nullptr"))
    kernels = str(chapter / "add2.cu")
    wrong = load("on_the_default_stream", [str(binding), kernels], extra_include_paths=[str(ROOT), str(chapter)])
    a, b = torch.rand(9), torch.rand(9)
    assert torch.equal(wrong.add2(a, b), a + b)  # there is one stream
    with pytest.raises(
        RuntimeError, match="the launch of add2_kernel is on the default stream, and not on the current one"
    ):
        check(wrong.add2, torch.add, lambda n: (torch.rand(n), torch.rand(n)), sizes=(9,))


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
def test_a_refused_call_leaves_the_context_usable(launch):
    for _ in range(3):
        with pytest.raises(TypeError):
            operators("03_add2").add2(torch.rand(3, device=device).double(), torch.rand(3, device=device))
        operators("03_add2").add2(torch.empty(0, device=device), torch.empty(0, device=device))
        torch.cuda.synchronize()
    a = torch.rand(3, device=device)
    assert torch.equal(operators("03_add2").add2(a, a), 2 * a)


@pytest.mark.thorough
def test_build_cache_rebuilds_what_a_change_touches(tmp_path):
    """ninja knows from the compiler which files a source includes, so the next process notices a changed header."""
    (tmp_path / "small.h").write_text("#pragma once\n#include <cuda_runtime.h>\nvoid launch_nothing();\n")
    (tmp_path / "small.cu").write_text(
        '#include "small.h"\n__global__ void nothing() {}\nvoid launch_nothing() { nothing<<<1, 1>>>(); }\n'
    )
    (tmp_path / "small.cpp").write_text(
        '#include "small.h"\n#include <Python.h>\n'  # a module without pybind11, which takes long to compile
        'static PyModuleDef module = {PyModuleDef_HEAD_INIT, "small", nullptr, -1};\n'
        "PyMODINIT_FUNC PyInit_small() { launch_nothing(); return PyModule_Create(&module); }\n"
    )
    sources = [str(tmp_path / "small.cpp"), str(tmp_path / "small.cu")]
    load = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    load += (
        f"from common.cpp_extension import load; load('small', {sources}, build_directory={str(tmp_path / 'build')!r})"
    )

    def built():
        done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
        files = {file for file in ("small.cu", "small.cpp") if f"  {file} " in done.stdout}
        return files, "nothing changed" in done.stdout

    def change(file):
        (tmp_path / file).write_text((tmp_path / file).read_text() + "// changed\n")

    assert built() == ({"small.cu", "small.cpp"}, False)
    assert built() == (set(), True)
    change("small.cu")
    assert built() == ({"small.cu"}, False)
    change("small.h")
    assert built() == ({"small.cu", "small.cpp"}, False)


@pytest.mark.thorough
@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
def test_the_files_build_in_a_project_of_their_own_with_torchs_load():
    """As the root README says: name.h, name.cu and name.cpp, three headers of common/, and torch's load."""
    project = kept_folder("project")
    for file in "common/cuda_check.h", "common/check_input.h", "common/grid.h":
        write(project / file, (ROOT / file).read_text())
    for file in "add2.h", "add2.cu", "add2.cpp":
        write(project / file, (chapter("03_add2").here / file).read_text())
    code = (
        "import torch; from torch.utils.cpp_extension import load\n"
        "module = load('add2', ['add2.cpp', 'add2.cu'], extra_include_paths=['.'], build_directory='.')\n"
        "a = torch.ones(3, device='cuda') if torch.cuda.is_available() else None\n"
        "print(module.add2, a if a is None else module.add2(a, a).tolist())\n"
    )
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"  # for ninja
    env = {"TORCH_CUDA_ARCH_LIST": "9.0"} | os.environ | {"CUDA_HOME": str(toolkit.cuda_home()), "PATH": path}
    done = subprocess.run([sys.executable, "-c", code], cwd=project, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "add2" in done.stdout and done.stdout.rstrip().endswith(
        "[2.0, 2.0, 2.0]" if torch.cuda.is_available() else "None"
    )


@pytest.mark.skipif(
    device.type == "cuda", reason="the GPU's table is recorded by tools/maintain/docs.py; CHAPTERS_DEVICE=cpu runs it"
)
def test_the_table_of_timing_mistakes(capsys, monkeypatch):
    mistakes = chapter("03_add2", "timing_mistakes")
    monkeypatch.setattr(mistakes, "N", 2**10)  # to save time
    mistakes.main(operators("03_add2"))
    rows = re.findall(r"^        (.{33}) *([\d.]+) us *([\d.]+) us   (.+)$", capsys.readouterr().out, re.M)
    assert len(rows) == 7
    assert [row[0].strip() for row in rows][0::6] == ["first call", "events, cold L2 (bench)"]


def test_the_cache_is_keyed_by_torch_and_device():
    folder = Path(operators("03_add2").__file__).parent
    assert folder.name == "add2"
    assert torch.__version__ in folder.parent.name and folder.parent.name.endswith(f"-{device.type}")
