"""Builds: every parameter reaches torch, progress is shown, locks hold, and a build that fails says why."""

import functools
import inspect
import io
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import torch
import torch.utils.cpp_extension

from common import cpp_extension, device, progress, toolkit
from tests.support import ROOT


@pytest.mark.parametrize("name", ["load", "load_inline"])
def test_every_parameter_of_torchs_reaches_torch(name, tmp_path, monkeypatch):
    """By position and by keyword. (That inspect.signature shows torch's proves nothing: functools.wraps sees to that.)"""
    torchs = getattr(torch.utils.cpp_extension, name)
    theirs = inspect.signature(torchs)
    given = {p: f"-D{p}" for p in theirs.parameters} | {
        "sources": ["a.cpp"],
        "cpp_sources": ["x"],
        "cuda_sources": ["y"],
    }
    given |= {p: [f"-D{p}"] for p in theirs.parameters if p.startswith("extra")} | {"build_directory": str(tmp_path)}
    given = {p: given[p] for p in theirs.parameters}
    calls = []
    recorder = functools.wraps(torchs)(lambda **call: calls.append(call))
    monkeypatch.setattr(cpp_extension.torch_extension, name, recorder)
    monkeypatch.setattr(cpp_extension, "device", torch.device("cuda"))
    monkeypatch.setattr(toolkit, "require", lambda: None)
    getattr(cpp_extension, name)(**given)
    getattr(cpp_extension, name)(*given.values())
    for call in calls:
        assert call.pop("extra_ldflags")[-1] == "-Dextra_ldflags"
        assert call == {p: v for p, v in given.items() if p != "extra_ldflags"}
    assert len(calls) == 2


@pytest.mark.parametrize("name", ["load", "load_inline"])
def test_an_unknown_parameter_is_refused(name):
    with pytest.raises(TypeError, match="no_such_parameter"):
        getattr(cpp_extension, name)("x", ["x.cpp"], no_such_parameter=1)


# The smallest extension. JOIN pastes the name that load() gives it: small, small_v1, ...
HEAD = "#include <Python.h>\n#define JOIN(a, b) a##b\n#define INIT(name) JOIN(PyInit_, name)\n"
GOOD = 'static PyModuleDef d = {PyModuleDef_HEAD_INIT, "small"}; '
GOOD += "PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&d); }\n"


@pytest.fixture
def extension(tmp_path):
    """Builds a small extension from a string in a folder of its own, with Python's header only: that takes a second."""

    def build(source, name="small"):
        file = tmp_path / f"{name}.cpp"
        file.write_text(HEAD + source)
        folder = tmp_path / "build"
        return cpp_extension.load(name=name, sources=[str(file)], build_directory=str(folder))

    return build


def test_build_shows_the_file_and_its_time_then_that_nothing_changed(extension, tmp_path, capsys):
    """Three compilations. Above 100 lines ninja drops entries of its log: fewer than before, although a file was built."""
    built = r"build   small.cpp +\d+\.\d s\nbuild   small +\d+\.\d s\n"
    assert extension(GOOD).__name__.startswith("small")
    assert re.fullmatch(built, capsys.readouterr().out)
    extension(GOOD)
    assert re.fullmatch(r"build   small +\d+\.\d s   nothing changed\n", capsys.readouterr().out)
    log = tmp_path / "build" / ".ninja_log"
    head, *entries = log.read_text().splitlines()
    log.write_text("\n".join([head, *entries * 100]) + "\n")
    extension(GOOD + "// changed\n")
    assert len(log.read_text().splitlines()) < 100
    assert re.fullmatch(built, capsys.readouterr().out)


def test_builds_go_where_the_environment_says(tmp_path):
    def said(**more):
        program = "import os, common; print(common.BUILD, os.environ['CUDA_ON_CPU_CACHE'])"
        env = {key: value for key, value in os.environ.items() if key not in ("CHAPTERS_BUILD", "CUDA_ON_CPU_CACHE")}
        return subprocess.check_output([sys.executable, "-c", program], text=True, cwd=ROOT, env=env | more).split()

    assert said(CHAPTERS_BUILD=str(tmp_path)) == [str(tmp_path), f"{tmp_path}/cuda_on_cpu"]
    assert said() == said(CHAPTERS_BUILD="") == [f"{ROOT}/build", f"{ROOT}/build/cuda_on_cpu"]


def test_the_folder_is_one_for_each_kind_of_build(monkeypatch):
    """A .so that another torch, Python or device has built never loads."""
    folders = [cpp_extension.extension_folder("x")]
    for module, name, value in (
        (torch, "__version__", "2.11.0"),
        (sys, "version_info", SimpleNamespace(major=3, minor=99)),
        (cpp_extension, "device", SimpleNamespace(type="tpu")),
        (cpp_extension, "BUILD", ROOT / "build/recorded"),
        (cpp_extension, "TOOL", "address"),
        (cpp_extension, "TOOL", "memory"),
    ):
        monkeypatch.setattr(module, name, value)
        folders.append(cpp_extension.extension_folder("x"))
        monkeypatch.undo()
    assert len(set(folders)) == len(folders)


@pytest.mark.parametrize(
    "output, source",
    [
        ("add2.o", "add2.cpp"),  # torch
        ("add2.cuda.o", "add2.cu"),
        ("add2.cu.o", "add2.cu"),  # CUDA on CPU; and CMake
        ("chapters/05_cmake/CMakeFiles/axpy.dir/add2.cpp.o", "add2.cpp"),
        ("chapters/05_cmake/CMakeFiles/axpy.dir/add2.cu.cpp.o", "add2.cu"),
        ("CMakeFiles/x.dir/stranger.cpp.o", "stranger.cpp.o"),
    ],
)
def test_an_object_is_named_by_its_source(output, source):
    assert progress._source_of(output, ["here/add2.cpp", "here/add2.cu"]) == source


def test_a_clock_runs_in_a_terminal(tmp_path, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", terminal)
    with progress.watch("slow", [], str(tmp_path)):
        while "..." not in terminal.getvalue():
            time.sleep(0.05)
    last = r"\033\[K\r\033\[Kbuild   slow +\d+\.\d s   nothing changed\n"
    assert re.match(r"build   slow +\d+\.\d s \.\.\.", terminal.getvalue()) and re.search(last, terminal.getvalue())


def test_build_error_is_the_compilers_first(extension, tmp_path):
    with pytest.raises(progress.BuildError) as info:
        extension(GOOD + "int g() { return undeclared; }\nint h() { return also_undeclared; }\n")
    text = str(info.value)
    assert f"{tmp_path / 'small.cpp'}:5:" in text and "undeclared" in text and "also_undeclared" not in text
    assert len(text.splitlines()) < 15
    assert "also_undeclared" in info.value.log.read_text(), "the log has everything"


@pytest.mark.skipif(device.type == "cuda", reason="about the translator; CHAPTERS_DEVICE=cpu runs it")
def test_a_launch_with_a_typing_error_is_a_build_error(tmp_path):
    (tmp_path / "typo.cu").write_text("__global__ void k() {}\nvoid f() { k<<<1, 1>>(); }\n")
    with pytest.raises(progress.BuildError, match=r"typo does not build.\n.*typo.cu:2: <<< without >>>"):
        cpp_extension.load("typo", [str(tmp_path / "typo.cu")], build_directory=str(tmp_path / "build"))


def test_a_folder_that_cannot_be_written_is_a_clear_message(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(progress.BuildError, match="use a copy of the repository that you own"):
        cpp_extension.load("x", ["x.cpp"], build_directory=str(tmp_path / "file" / "build"))


def test_a_lock_left_by_a_killed_build_is_not_waited_for(extension, tmp_path):
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "lock").touch()  # what torch before 2.15 leaves behind when it is killed
    (folder / ".in_use").touch()  # and what we leave
    assert extension(GOOD).__name__.startswith("small")  # or this test never ends


@pytest.mark.parametrize(
    "output, first",
    [
        (
            '[1/2] nvcc -Werror x\nFAILED: x.o\nx.cu(7): error: identifier "y" is undefined\n\n1 error\n',
            "x.cu(7): error",
        ),
        ("In file included from a.cpp:1:\nb.h:3:1: error: expected ';'\n", "b.h:3:1: error"),
        ("[3/3] c++ x.o -o x\n/usr/bin/ld: cannot find -lcudart: No such file\n", "/usr/bin/ld: cannot find -lcudart"),
        ("x.o: in function `f':\nx.cpp:(.text+0x5): undefined reference to `g'\n", "x.cpp:(.text+0x5): undefined"),
        ("nvcc fatal   : Unsupported gpu architecture 'compute_50'\n", "nvcc fatal"),
        ("no word of it\n", "no word of it"),
    ],
)
def test_first_error(output, first):
    assert progress.first_error(output).startswith(first)
    more = "[2/3] c++ -c b.cpp\nFAILED: [code=1] b.o\nb.cpp:1:1: error: another\nninja: build stopped\n"
    if first != "no word of it":
        context = "a.cpp: In function 'void f()':\na.cpp: At global scope:\n"
        assert progress.first_error(output + context + more) == progress.first_error(output)
        assert progress.first_error(output + more) == progress.first_error(output)


def test_unknown_device_is_refused(monkeypatch):
    monkeypatch.setenv("CHAPTERS_DEVICE", "tpu")
    with pytest.raises(SystemExit, match="CHAPTERS_DEVICE must be cpu or cuda, got 'tpu'"):
        sys.modules["common.machine"]._choose()  # common.machine is also the name of what it chose


def test_no_nvcc_is_a_clear_message(monkeypatch):
    monkeypatch.setattr(toolkit, "_candidates", lambda: [])
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(toolkit, "cuda_home", choice)
    with pytest.raises(RuntimeError, match=r"needs an nvcc of CUDA 13.0.*\n.*pip install 'cuda-toolkit\[.*==13.0"):
        toolkit.require()


choice = toolkit.cuda_home.__wrapped__  # cuda_home() itself remembers its first answer


def fake_toolkit(folder, version):
    nvcc = folder / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {version}, V{version}.1'\n")
    nvcc.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "there, chosen",
    [
        (["12.4", "13.2", "13.0"], "13.0"),  # torch's own version, wherever it stands
        (["12.4", "13.2", "13.1"], "13.2"),  # else the first of its major version
        (["12.4"], None),
    ],
)
def test_the_toolkit_of_torchs_own_cuda_version_is_chosen(there, chosen, tmp_path, monkeypatch):
    homes = [fake_toolkit(tmp_path / version, version) for version in there]
    monkeypatch.setattr(toolkit, "_candidates", lambda: homes)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert choice() == (chosen and tmp_path / chosen)


def listing(folder):
    return {file: (file.lstat().st_mtime_ns, file.lstat().st_size) for file in folder.rglob("*")}


def test_a_toolkit_from_pypi_is_completed_in_build_and_stays_as_it_is(tmp_path, monkeypatch):
    """-lcudart means libcudart.so. NVIDIA's packages have libcudart.so.13 only. Eight builds want the links at once."""
    home = fake_toolkit(tmp_path / "a Python" / "cu13", "13.0")
    source = tmp_path / "answer.cpp"
    source.write_text('extern "C" int answer() { return 42; }')
    (home / "lib").mkdir()
    library = home / "lib" / "libcudart.so.13"
    subprocess.run(["c++", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", source, "-o", library], check=True)
    before = listing(tmp_path / "a Python")
    monkeypatch.setattr(toolkit, "COMPLETED", tmp_path / "build" / "cuda")
    monkeypatch.setattr(toolkit, "_candidates", lambda: [home])
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with ThreadPoolExecutor(8) as pool:
        (found,) = set(pool.map(lambda _: toolkit._completed(home), range(8)))
    assert found == choice() and list(toolkit.COMPLETED.iterdir()) == [found] and found.parent == toolkit.COMPLETED
    assert toolkit.find_cuda.version(found) == "13.0"
    source.write_text('extern "C" int answer();\nint main() { return answer(); }')
    link = ["c++", source, f"-L{found / 'lib'}", "-lcudart", f"-Wl,-rpath,{found / 'lib'}", "-o", tmp_path / "program"]
    subprocess.run(link, check=True)
    assert subprocess.run([tmp_path / "program"]).returncode == 42  # the loader finds libcudart.so.13 there, too
    assert listing(tmp_path / "a Python") == before

    (home / "bin" / "cuobjdump").touch()  # another package was installed
    assert (choice() / "bin" / "cuobjdump").exists()
    monkeypatch.setattr(toolkit, "COMPLETED", source / "build")  # a checkout in which one cannot write
    assert choice() == home
    (home / "lib" / "libcudart.so").symlink_to(library.name)  # a system's toolkit has it
    monkeypatch.setattr(toolkit, "COMPLETED", tmp_path / "build" / "cuda")
    assert choice() == home
