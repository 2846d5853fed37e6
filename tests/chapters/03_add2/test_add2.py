"""Chapter 03: torch_launch_add2 with every argument checked, streams, what is in notes/, and the build cache."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from common import device, toolkit
from common.checking import SIZES
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
def test_side_stream_is_right_here_and_wrong_as_in_the_notes():
    """The notes launch with <<<grid, block>>>: on the default stream, which does not wait for torch's current one."""
    streams = chapter("03_add2", "streams")
    assert streams.wrong_results(operators("03_add2").add2) == 0
    assert streams.wrong_results(streams.without_stream()) == 20


@pytest.mark.thorough
def test_check_refuses_the_launch_without_a_stream(capsys):
    """As `make chapter03 ARGS=--stream` shows. 15 s, for a build."""
    chapter("03_add2", "streams").main(operators("03_add2").add2)
    said = " ".join(capsys.readouterr().out.split())
    wrong = {"cpu": 0, "cuda": 20}[device.type]
    assert f"add2_kernel<<<blocks, threads, 0, stream>>> 0 add2_kernel<<<blocks, threads>>> {wrong} " in said
    assert re.search("check <<<blocks, threads, 0, stream>>>: n = 0 1 3 .* ok, largest error 0 check", said)
    why = {
        "cpu": "the launch of add2_kernel is on the default stream, and not on the current one",
        "cuda": "wrong result on a side stream",
    }
    assert re.search(f"check <<<blocks, threads>>>: refused .*{why[device.type]}", said)


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
    for file in "common/cuda_check.h", "common/check_tensor.h", "common/grid.h":
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
    assert len(rows) == 6
    assert [row[0].strip() for row in rows][0::5] == ["first call", "events, cold L2 (bench)"]


@pytest.mark.thorough
def test_the_listings_of_the_notes(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["main.py", "--notes"])
    chapter("03_add2").main()
    said = capsys.readouterr().out
    assert re.search(r"check +custom_operation: .* ok.*\ncheck +vector_add: .* ok", said)
    assert re.search(r"show_time\(\): add2 [\d.]+ us, torch [\d.]+ us", said)


def test_the_cache_is_keyed_by_torch_and_device():
    folder = Path(operators("03_add2").__file__).parent
    assert folder.name == "add2"
    assert torch.__version__ in folder.parent.name and folder.parent.name.endswith(f"-{device.type}")
