"""What every chapter is: a quartet, a note, a main.py that builds and runs. Chapters are found by looking."""

import functools
import inspect
import os
import re
import subprocess
import sys

import pytest
import torch

from common import device, timing, toolkit
from tests.support import CHAPTERS, ROOT, chapter, operators, without_network
from tools.chapters import defines, folders

per_chapter = pytest.mark.parametrize("folder", CHAPTERS, ids=lambda folder: folder.name)


def quartet(folder):
    """name.h, name.cu and name.cpp: the one .cpp that includes the header of its name. It may be another chapter's header.

    The .cu is name_kernel.cu where setuptools builds the chapter: it would make one name.o of .cpp and .cu."""
    own = ((cpp, rf'^#include "(.*/)?{cpp.stem}\.h"') for cpp in folder.glob("*.cpp"))
    ((binding, include),) = ((cpp, found) for cpp, line in own if (found := re.search(line, cpp.read_text(), re.M)))
    kernels = ROOT / include[1] if include[1] else folder
    end = "_kernel.cu" if (kernels / "setup.py").exists() else ".cu"
    return kernels / f"{binding.stem}.h", kernels / f"{binding.stem}{end}", binding


@per_chapter
def test_has_its_quartet(folder):
    for file in *quartet(folder), folder / "main.py", folder / "README.md":
        assert file.is_file(), f"{folder.name} has no {file.name}"


@per_chapter
def test_no_torch_header_in_the_cu(folder):
    _, file, _ = quartet(folder)
    includes = re.findall(r'#include [<"](.*?)[>"]', file.read_text())
    assert not [i for i in includes if i.split("/")[0] in ("torch", "ATen", "c10")], f"{file}: nvcc would need minutes"


@per_chapter
def test_import_does_nothing(folder, capfd):
    chapter(folder.name)
    assert capfd.readouterr() == ("", "")


@per_chapter
def test_a_main_finds_its_neighbours_wherever_it_is_started(folder):
    """A person who starts it has its folder in sys.path; tests, `make bench` and pictures do not: main.py names it."""
    text = (folder / "main.py").read_text()
    neighbours = {place.stem for place in folder.iterdir() if place.suffix == ".py" or place.name == "notes"}
    used = neighbours & set(re.findall(r"^ *(?:from|import) (\w+)", text, re.M))
    paths = re.search(r"^sys\.path\[:0\] = \[([^]]*)", text, re.M)
    assert not used or (paths and "str(here)" in paths[1]), f"main.py imports {used}"


@per_chapter
def test_main_has_the_names_that_every_main_has(folder):
    """And what each function needs to be called. A main.py that imports bench() times operators, so it has all of them."""
    main = chapter(folder.name)
    needed = {"build": [], "launch_each_kernel": ["module"], "main": []}
    timed = {"inputs": ["n"], "operators": ["module"], "benchmark": ["module"]}
    for name, arguments in (needed | timed).items():
        if name in needed or hasattr(main, "bench") or hasattr(main, name):
            parameters = inspect.signature(getattr(main, name)).parameters.values()
            assert [p.name for p in parameters if p.default is p.empty] == arguments, name
            assert defines(folder / "main.py", name), f"folders({name!r}) does not find this chapter"


@pytest.mark.parametrize("folder", folders("operators").values(), ids=lambda folder: folder.name)
def test_what_is_timed_takes_the_inputs(folder):
    """The first operator is ours. The others are not called: on a GPU, torch.compile takes long."""
    main = chapter(folder.name)
    ours, *others = main.operators(operators(folder.name)).values()
    assert others, "timed beside nothing"
    ours(*main.inputs(256))


def is_a_lesson(folder, out):
    """In plain text: it goes into a pipe or a file."""
    where = "CUDA on CPU" if device.type == "cpu" else torch.cuda.get_device_name()
    first = out.splitlines()[0]
    return first.startswith(f"chapter {folder.name[:2]} · ") and where in first and not re.search("[\033\r]", out)


@pytest.mark.parametrize("folder", CHAPTERS[::-1], ids=lambda folder: folder.name)  # the last ones take longest
def test_the_lesson_runs(folder, monkeypatch, capfd):
    """main() as a reader starts it, with few samples of each time. 1 to 7 s when built"""
    monkeypatch.setattr(sys, "argv", ["main.py"])
    monkeypatch.setattr(timing, "_repeats", lambda *_: 2)
    monkeypatch.setattr(timing, "call_time", functools.partial(timing.call_time, budget=0))
    monkeypatch.chdir("/")
    chapter(folder.name).main()
    out, err = capfd.readouterr()
    assert is_a_lesson(folder, out) and "Warning" not in err


@pytest.mark.thorough
@per_chapter
def test_runs_from_another_folder(folder):
    """In a process of its own, with nothing activated and without a network. 7 s"""
    command = [*without_network(), sys.executable, str(folder / "main.py")]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CHAPTERS_", "CUDA_REVERSE"))}
    env["CHAPTERS_DEVICE"] = device.type
    done = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert is_a_lesson(folder, done.stdout)
    assert "Warning" not in done.stderr


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the memory check needs Linux")
@pytest.mark.parametrize("folder", CHAPTERS, ids=lambda folder: folder.name)
def test_the_memory_check_finds_nothing_in_the_tests_of_kernels(folder):
    """What the tests marked `kernels` try in `make test`, with each access of each kernel looked at. The check finds a race in
    either order of threads."""
    if torch.__version__.startswith("2.11.") and "cmake.build(" in inspect.getsource(chapter(folder.name).build):
        pytest.skip("with torch 2.11, exceptions of what CMake has built do not arrive under the memory check")
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "kernels and not thorough", "-k", folder.name]
    command = [sys.executable, "-m", "tools.lesson", "memcheck", *tests, "tests/chapters"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.thorough
@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU: the other tests build for it")
@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
@per_chapter
def test_builds_for_a_gpu_without_one(folder):
    """nvcc compiles and the linker links what readers with a GPU will get; only running it is left out."""
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); import main\n"
        "for name in dir(main):\n"
        "    if name.startswith('build') and callable(getattr(main, name)): print(getattr(main, name)())\n"
        "import torch; print(torch.ops.loaded_libraries)"  # of chapters that are no Python module
    )
    env = os.environ | {"CHAPTERS_DEVICE": "cuda", "TORCH_CUDA_ARCH_LIST": "9.0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "<module" in done.stdout and "-cuda" in done.stdout


@per_chapter
def test_cuda_without_a_gpu_is_a_clear_message(folder, monkeypatch):
    """Before anything is built, for a device that is not there."""
    monkeypatch.setattr(sys.modules["common.machine"], "device", torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(sys, "argv", ["main.py"])
    with pytest.raises(SystemExit) as info:
        chapter(folder.name).main()
    assert info.value.code == "CHAPTERS_DEVICE=cuda, but torch sees no GPU. Unset it to run the lesson on the CPU."


@per_chapter
def test_every_launch_is_on_the_given_stream_and_checked(folder):
    """A launch without a stream is on the default one; what is wrong with it surfaces in an innocent call later on."""
    launches, folder = 0, quartet(folder)[1].parent
    for file in *folder.glob("*.cu"), *folder.glob("*.h"), *folder.glob("notes/*.cu"):
        for function in re.split(r"^}\n", file.read_text(), flags=re.M):
            for configuration in re.findall(r"<<<(.*?)>>>", re.sub("//.*", "", function), re.S):
                launches += 1
                on_stream = re.search(
                    r", (stream|c10::cuda::getCurrentCUDAStream\(\))$", configuration
                )  # no size is one
                assert on_stream, f"{file}: {configuration}"
            _, *after_launches = re.split(r"<<<.*?>>>", function, flags=re.S)
            for after in after_launches:  # of the branches of an `if`, the last one may check for all
                checked = re.search(r"    CHECK_LAUNCH\(\);\n", after) or re.match(r"[^;]*;\s*(}\);\s*)?} else", after)
                assert checked, f"{file}: {function}"
    for file in *folder.glob("*.cu"), *folder.glob("*.h"):
        for launch in re.findall(r".*cudaLaunchKernelEx\(.*", text := file.read_text()):
            launches += 1
            assert "CHECK_CUDA(" in launch and "config.stream = stream;" in text, f"{file}: {launch}"
    assert launches


@per_chapter
def test_no_launch_lowers_the_limit_of_shared_memory(folder):
    """A kernel has one limit for all host threads. A launcher that sets it to what one launch needs makes another thread's
    launch fail, once in some thousand calls."""
    for file in *folder.glob("*.cu"), *folder.glob("*.h"):
        text = file.read_text()
        assert "cudaFuncAttributeMaxDynamicSharedMemorySize" not in text, f"{file}: call allow_shared_memory(kernel)"
