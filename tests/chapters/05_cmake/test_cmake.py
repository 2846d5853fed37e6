"""Chapter 05: module, program, ctest, installed library; what is said when something is missing."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from common import check, cmake, device, progress, toolkit
from tests.support import ROOT, chapter, kept_folder, operators, write

CXX = os.environ.get("CXX", "c++")
PATH = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

linux = pytest.mark.skipif(sys.platform != "linux", reason="about the loader of Linux")


def run(*command, path=PATH, **environment):
    """(exit code, stdout and stderr)"""
    env = os.environ | {"PATH": path, "CHAPTERS_DEVICE": device.type} | environment
    done = subprocess.run(list(map(str, command)), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def output(*command, **environment):
    code, text = run(*command, **environment)
    assert code == 0, text
    return text


@pytest.fixture(scope="module")
def built():
    """The build folder, with what the lesson builds."""
    return cmake.build("programs", [], ["axpy_module", "axpy_main"])


@pytest.fixture(scope="module")
def all_built():
    """The same with all targets built."""
    return cmake.build("all", [], ["all"])


# ---- the module ----------------------------------------------------------------------------------------------------


def axpy(*args, **kwargs):
    return operators("05_cmake").axpy(*args, **kwargs)


def two(n=5):
    return torch.rand(n, device=device), torch.rand(n, device=device)


@pytest.mark.parametrize("alpha", [0, 1, -2.5, 0.1, 1e-45, float("inf"), float("nan")])
def test_axpy(alpha, thread_order):
    check(lambda x, y: axpy(x, y, alpha), lambda x, y: torch.add(y, x, alpha=alpha), two, name="axpy")


def test_rounded_once():
    """The kernel says fmaf(), so the product is not rounded before the sum: the bits of float64, rounded at the end."""
    x, y = two(2**20)
    expected = (torch.tensor(0.1).double().item() * x.double() + y.double()).float()
    assert torch.equal(axpy(x, y, 0.1), expected)


@pytest.mark.parametrize("alpha", [1e300, -1e300])
def test_alpha_beyond_float32_is_refused(alpha):
    with pytest.raises(ValueError, match=r"alpha must fit into float32, got -?1e\+300"):
        axpy(*two(), alpha)


@pytest.mark.parametrize("alpha", ["2", None, [1.0], 1j])
def test_alpha_that_is_no_number_is_refused(alpha):
    with pytest.raises(TypeError, match="alpha: (float|typing.SupportsFloat)"):
        axpy(*two(), alpha)


def test_nothing_changed_is_quick_and_said(built, capsys):
    cmake.build("axpy", [], ["axpy_module", "axpy_main"])
    assert "nothing changed" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_file_that_does_not_compile_is_the_compilers_error():
    copy = kept_folder("cmake_error")
    folders = [
        "cmake",
        "common",
        "device",
        "cuda_on_cpu",
        "tools",
        "chapters/*",
    ]
    files = ["CMakeLists.txt", "pyproject.toml"]
    files += [str(f.relative_to(ROOT)) for pattern in folders for f in ROOT.glob(f"{pattern}/**/*") if f.is_file()]
    for file in files:
        if "__pycache__" not in file:
            text = (ROOT / file).read_text()
            text = text.replace("fmaf(alpha", "fmaf(beta") if file.endswith("axpy.cu") else text
            write(copy / file, "" if file.endswith("axpy.cpp") else text)  # to save time
    with pytest.raises(progress.BuildError) as info:
        cmake.build("axpy", ["axpy.cu"], ["axpy_module"], copy, copy / f"build-{device.type}")
    assert re.search(r"axpy.cu[:(]\d+.*beta", str(info.value)), info.value


@pytest.mark.thorough
def test_what_goes_wrong_without_libtorch_python(built, tmp_path):
    """It compiles, it links, and it does not import: a shared library may leave symbols to others."""
    folder = built / "chapters/05_cmake"
    module = tmp_path / "axpy.so"
    compiled = folder / "CMakeFiles/axpy_module.dir/binding.cpp.o"
    output(CXX, "-shared", compiled, "-o", module, f"-L{folder}", "-laxpy", f"-Wl,-rpath,{folder}")
    code, text = run(sys.executable, "-c", f"import sys, torch; sys.path.insert(0, {str(tmp_path)!r}); import axpy")
    assert code == 1 and re.search("undefined symbol: _ZN(5torch|8pybind11)", text), text


@pytest.mark.thorough
@linux
def test_a_missing_library_is_refused_in_a_program_and_accepted_in_a_module(capsys):
    """As `make chapter05 ARGS=--missing` shows. 6 s"""
    module = operators("05_cmake")
    capsys.readouterr()  # of the build
    chapter("05_cmake").missing(module)
    said = capsys.readouterr().out
    assert re.match(r"link +axpy_main without libaxpy\n +undefined (reference to|symbol:) \W?axpy\(", said), said
    assert re.search(r"without libtorch_python\n +no message\nimport +axpy_module\n +undefined symbol: _ZN", said), said


@pytest.mark.thorough
def test_a_module_is_called_as_its_file(built, tmp_path):
    (file,) = (built / "chapters/05_cmake").glob("axpy.*.so")
    shutil.copy(file, tmp_path / "another.so")
    code, text = run(sys.executable, "-c", f"import sys, torch; sys.path.insert(0, {str(tmp_path)!r}); import another")
    assert code == 1 and "does not define module export function (PyInit_another)" in text


@pytest.mark.thorough
def test_another_python_does_not_find_the_module(built, tmp_path):
    (file,) = (built / "chapters/05_cmake").glob("axpy.*.so")
    shutil.copy(file, tmp_path / re.sub(r"\d+", "39", file.name, count=1))
    code, text = run(sys.executable, "-c", f"import sys, torch; sys.path.insert(0, {str(tmp_path)!r}); import axpy")
    assert code == 1 and "No module named 'axpy'" in text


@pytest.mark.thorough
@linux
def test_what_goes_wrong_with_another_torch(built, tmp_path):
    """The RPATH of libaxpy names the right torch, and a library with the name of another's is loaded already."""
    empty, other = write(tmp_path / "empty.cpp", ""), tmp_path / "libc10.so"
    output(CXX, "-shared", "-fPIC", empty, "-o", other, "-Wl,-soname,libc10.so")
    load = f"import ctypes; ctypes.CDLL({str(other)!r}); ctypes.CDLL({str(built / 'chapters/05_cmake/libaxpy.so')!r})"
    code, text = run(sys.executable, "-c", load)
    assert code == 1 and re.search("undefined symbol: _Z.*(3c10|2at)", text), text


@pytest.mark.thorough
@linux
@pytest.mark.parametrize("standard, numbers", [("-l:libstdc++.so.6", True), ("-static-libstdc++", False)])
def test_what_goes_wrong_with_two_standard_libraries(built, tmp_path, standard, numbers):
    """-Bsymbolic lets the module use its own copy. Without, that depends on what else the process has loaded."""
    if not Path(output(CXX, "-print-file-name=libstdc++.a").strip()).is_absolute():
        pytest.skip(f"{CXX} has no static libstdc++")
    objects = (built / "chapters/05_cmake/CMakeFiles").glob("axpy*.dir/[!m]*.o")  # of the library and of the module
    lib = Path(torch.__file__).parent / "lib"
    linked = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-ltorch_python", standard, "-o", tmp_path / "axpy.so"]
    output(CXX, "-shared", "-Wl,-Bsymbolic", *objects, *linked)
    call = f"import axpy; axpy.axpy(*(torch.rand(n, device={device.type!r}) for n in (2, 3)))"
    code, text = run(sys.executable, "-c", f"import sys, torch; sys.path.insert(0, {str(tmp_path)!r}); {call}")
    assert code != 0 and ("x and y must have the same shape, got [2] and [3]" in text) == numbers, text


@pytest.mark.thorough
@pytest.mark.skipif(device.type == "cuda", reason="about the CPU's build; CHAPTERS_DEVICE=cpu runs it")
def test_sanitize(tmp_path):
    """`make sanitize05`: CMake's build has AddressSanitizer in it, too. Of the library alone: 20 s."""
    script = tmp_path / "build.py"
    script.write_text("from common import cmake; cmake.build('axpy', [], ['axpy'])\n")
    output(sys.executable, "-m", "tools.lesson", "sanitize", script, PYTHONPATH=str(ROOT))
    (library,) = ROOT.glob(f"build/torch-{torch.__version__}-*-address/cmake/chapters/05_cmake/libaxpy.so")
    assert b"__asan_report_store4" in library.read_bytes()


# ---- the program ---------------------------------------------------------------------------------------------------


def test_the_program_checks_and_times(built):
    text = output(built / "chapters/05_cmake/axpy_main")
    assert re.fullmatch(r"check   axpy from C\+\+: n = 0 1 3 255 256 257 1048579 +ok\n", text)
    text = output(built / "chapters/05_cmake/axpy_main", 4)
    for row in "launch_axpy", "axpy from C++", "at::add from C++":
        assert re.search(rf"^ +{re.escape(row)} +[\d.]+ us", text, re.M), text
    assert ("CPU time" in text) == (device.type == "cpu") == ("GB/s" not in text)


@pytest.mark.parametrize("size", ["-1", "33", "four", "4.5", ""])
def test_the_program_refuses_a_size(built, size):
    code, text = run(built / "chapters/05_cmake/axpy_main", size)
    assert code == 1 and f"a size must be between 0 and 32, for 2^0 to 2^32 elements, got {size}" in text


@pytest.mark.skipif(not shutil.which("ldd"), reason="ldd not found")
def test_the_program_has_no_python(built):
    libraries = output("ldd", built / "chapters/05_cmake/axpy_main")
    assert "libaxpy.so" in libraries and "libtorch_cpu.so" in libraries and "not found" not in libraries
    assert "python" not in re.sub(r"=> .*", "", libraries)


# ---- ctest ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_ctest(all_built):
    text = output("ctest", "--test-dir", all_built, "--output-on-failure")
    assert "100% tests passed" in text and re.search(r"axpy_main \.+ +Passed", text), text


@pytest.mark.thorough
def test_the_three_commands():
    """As REFERENCE.md has them, with the build folder in another place, and without the module to save time."""
    folder = kept_folder(f"cmake-{device.type}")
    output("cmake", "-S", ROOT, "-B", folder)
    output("cmake", "--build", folder, "--target", "axpy_main")
    assert "100% tests passed" in output("ctest", "--test-dir", folder)


# ---- the installed library -----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_installed_and_used_by_another_project(all_built, tmp_path):
    prefix, folder = tmp_path / "prefix", tmp_path / "build"
    output("cmake", "--install", all_built, "--prefix", prefix)
    assert str(ROOT) not in (prefix / "lib/cmake/axpy/axpyTargets.cmake").read_text()
    if shutil.which("ldd"):
        assert "not found" not in output("ldd", prefix / "lib/libaxpy.so"), "by itself it does not find torch"
    options = [f"-DCMAKE_PREFIX_PATH={prefix};{torch.utils.cmake_prefix_path}"]
    if device.type == "cuda":  # what cmake/environment.cmake does for this repository
        home = toolkit.cuda_home()
        options += [f"-DCUDA_TOOLKIT_ROOT_DIR={home}", f"-DCUDAToolkit_ROOT={home}"]
        options += [f"-DCMAKE_CUDA_COMPILER={home}/bin/nvcc", "-DTORCH_CUDA_ARCH_LIST=9.0"]
        if os.environ.get("CXX"):
            options += [f"-DCMAKE_CUDA_HOST_COMPILER={os.environ['CXX']}"]
    output("cmake", "-S", ROOT / "chapters/05_cmake/consumer", "-B", folder, *options)
    output("cmake", "--build", folder)
    assert output(folder / "consumer").split()[:3] == ["3", "3", "3"]


@pytest.mark.thorough
@pytest.mark.skipif(not toolkit.cuda_home(), reason="needs nvcc; no GPU is needed")
def test_alone_with_nvcc(tmp_path):
    """A project that shares nothing with this repository's environment.cmake. 15 s."""
    home = toolkit.cuda_home()
    options = f"-DCUDA_TOOLKIT_ROOT_DIR={home} -DCUDAToolkit_ROOT={home} -DCMAKE_CUDA_COMPILER={home}/bin/nvcc".split()
    options += [f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}", "-DTORCH_CUDA_ARCH_LIST=9.0"]
    output("cmake", "-S", ROOT / "chapters/05_cmake/alone", "-B", tmp_path, *options)
    output("cmake", "--build", tmp_path)
    assert b"launch_axpy" in (tmp_path / "libaxpy.so").read_bytes()


# ---- when something is missing -------------------------------------------------------------------------------------


@pytest.fixture
def bare_copy(tmp_path):
    """What CMake needs to get as far as its first questions, with no .venv."""
    for folder in "cmake", "tools", "common":
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in "CMakeLists.txt", "pyproject.toml":
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def configure(folder, *options, build=None, **environment):
    """What cmake says, on one line, before it gives up."""
    code, text = run("cmake", "-S", folder, "-B", build or folder / "build", *options, **environment)
    assert code != 0
    return " ".join(text.split())


@pytest.mark.thorough
def test_no_compiler_is_said_first(bare_copy):
    text = configure(bare_copy, f"-DPython_EXECUTABLE={sys.executable}", CXX="/no/such/compiler")
    assert "No C++ compiler: /no/such/compiler not found. To install one: sudo apt-get install g++" in text


@pytest.mark.thorough
def test_then_no_torch(bare_copy):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare_copy / "empty"], check=True)
    text = configure(bare_copy, f"-DPython_EXECUTABLE={bare_copy / 'empty/bin/python'}")
    assert "has no torch that fits, and there is no finished .venv. `make setup` makes one." in text
    assert not (bare_copy / ".venv").exists(), "cmake installs nothing"


@pytest.mark.thorough
def test_then_no_python_h(tmp_path):
    options = [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON"]
    text = configure(ROOT, *options, build=tmp_path)
    assert "has no Python.h. On Debian and Ubuntu: sudo apt-get install python3-dev" in text


def test_then_no_nvcc(monkeypatch):
    monkeypatch.setattr(toolkit, "_candidates", lambda: [])
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(sys.modules["common.machine"], "device", torch.device("cuda"))
    monkeypatch.delenv("CHAPTERS_DEVICE", raising=False)
    toolkit.cuda_home.cache_clear()
    try:
        with pytest.raises(SystemExit, match=r"needs an nvcc of CUDA 13.0.*\n.*pip install 'cuda-toolkit\["):
            runpy.run_path(str(ROOT / "cmake" / "facts.py"))
    finally:
        toolkit.cuda_home.cache_clear()


@pytest.mark.parametrize("name, package", [("cmake", "cmake>=3.30"), ("ninja", "ninja")])
def test_no_cmake_or_ninja(name, package, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"{name} not found. This installs it:\n.*python -m pip install '{package}'"):
        cmake.program(name, package)


def test_what_cmake_says_reaches_the_reader(tmp_path):
    Path(tmp_path, "CMakeLists.txt").write_text(
        'cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES NONE)\nmessage(FATAL_ERROR "no such thing")\n'
    )
    with pytest.raises(progress.BuildError, match=r"CMake Error at CMakeLists.txt:3 \(message\):\n +no such thing"):
        cmake.build("x", [], ["all"], tmp_path, tmp_path / "build")
