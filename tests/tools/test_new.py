"""An operator of one's own: what tools/new.py makes works at once, by the commands that it prints.

Six minutes: a chapter in a copy of the repository (2 minutes, 35 s of it for its mutants and 30 s for another formula), a
package in a folder of its own (4 minutes, one of it under the memory check).
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import torch

from common import device, toolkit
from tests.support import ROOT, chapter, one_line
from tools import new

pytestmark = pytest.mark.xdist_group("new")
LEFT_OUT = shutil.ignore_patterns("build", ".git", ".venv*", "__pycache__", ".*_cache", "*.egg-info", "mine*", "*.so")
BIN = Path(sys.executable).parent  # of this Python, with ninja and what lints
SHORT, LONG = "f", "a" * new.LONGEST
BUILD = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]  # in a package's folder
PYTEST = [sys.executable, "-m", "pytest", "-q", "--tb=line"]


def environment(**more):
    """This shell's, without what tells lessons and pytest what to do; with a GPU, only where these tests have one."""
    without = "CHAPTERS_", "PYTEST_", "CUDA_REVERSE", "PYTHONPATH", "ARGS", "MAKE"
    env = {key: value for key, value in os.environ.items() if not key.startswith(without)}
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device.type == "cpu" else {}
    return env | hidden | {"PATH": f"{BIN}{os.pathsep}{env['PATH']}", "PYTHON": sys.executable} | more


def run(command, where, **env):
    """What it prints; an error where it fails."""
    env = environment(**env)
    done = subprocess.run(command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def make_new(repository, *words, python=sys.executable, **env):
    """The commands that are to follow, as it prints them."""
    output = run([python, "-m", "tools.new", *map(str, words)], repository, **env)
    commands = output.partition("next:\n")[2].partition("to make")[0]
    return [line.partition("  # ")[0].strip() for line in commands.splitlines()]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of this one."""
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("new") / "repository", ignore=LEFT_OUT)


# ---- what it refuses ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name, why", [
    *((name, "a name has at most") for name in ("", "9a", "Rope", "a b", "a-b", "_a", "a_", "a__b", "é", LONG + "a")),
    ("class", "a Python keyword"),
    *((name, "a module has that name (") for name in ("json", "torch", "common", "chapters")),
    *((name, f"{name}.h would hide the header") for name in ("grid", "stable", "mma", "stdlib")),
    ("vec4", "chapters/06_vec4 already exists"),
])  # fmt: skip
def test_a_bad_name_is_refused_in_one_line(name, why, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["new.py", name])
    with pytest.raises(SystemExit) as info:
        new.main()
    assert why in info.value.code and "\n" not in info.value.code


def test_a_folder_that_has_something_in_it_is_refused(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    for out in tmp_path, tmp_path / "file":
        monkeypatch.setattr(sys, "argv", ["new.py", "rope", str(out)])
        with pytest.raises(SystemExit, match=rf"{out} already exists"):
            new.main()
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_a_package_lies_outside_of_the_repository():
    assert "leave OUT out for a chapter of it, or say OUT=../rope" in new.fault("rope", ROOT / "chapters" / "rope")


def test_a_package_may_be_called_like_a_chapter(tmp_path):
    assert not new.fault("vec4", tmp_path) and not new.fault("vec4", tmp_path / "new")


# ---- the files ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def made(tmp_path, capsys):
    """Chapter and package, of the shortest name and of the longest."""
    for number, name in ("14", SHORT), ("15", LONG):
        new.create(tmp_path / name, new.template("chapter"), {"99": number, "my_op": name})
        new.create(tmp_path / name / "package", new.package(), {"my_op": name})
    return tmp_path


@pytest.mark.skipif(not (BIN / "ruff").exists(), reason="needs what `make lint` installs")
def test_any_name_leaves_the_files_formatted(made):
    """A longer name makes longer lines, which a formatter would break."""
    cpp = [file for file in made.rglob("*") if file.suffix in (".h", ".cu", ".cpp")]
    assert len(cpp) == 2 * (3 + 7)
    run([BIN / "clang-format", f"--style=file:{ROOT / '.clang-format'}", "--dry-run", "-Werror", *cpp], made)
    for what in ["check", "--ignore", "I001"], ["format", "--diff"]:  # I001: here, `common` is a third party
        run([BIN / "ruff", *what, "--config", ROOT / "pyproject.toml", made], made)


def test_no_file_of_the_package_names_this_repository(made):
    ours = rf"chapter|common[/.]|import common|lesson|exercise|grader|torch-cuda-chapters|my_op|{ROOT}"
    files = [file for name in (SHORT, LONG) for file in (made / name / "package").rglob("*") if file.is_file()]
    assert len(files) == 2 * 20
    for file in files:
        assert not re.search(ours, f"{file.relative_to(made)}\n{file.read_text()}"), file


def test_every_template_of_a_chapter_is_filled_in(made):
    for name in SHORT, LONG:
        for file in filter(Path.is_file, (made / name).rglob("*")):
            assert not re.search("my_op|99", f"{file.relative_to(made)}\n{file.read_text()}"), file


# ---- a chapter ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def commands(repository):
    """{number: the commands that follow}"""
    return make_new(repository, "rope")


@pytest.fixture(scope="module")
def number(commands):
    return re.fullmatch(r"make chapter(\d\d)", commands[0])[1]


def test_a_chapter_gets_the_next_number_and_names_its_commands(commands, number, repository):
    assert int(number) == max(int(folder.name[:2]) for folder in ROOT.glob("chapters/[0-9][0-9]_*")) + 1
    targets = [f"make {what}{number}" for what in ("chapter", "test", "memcheck", "microscope")]
    docs = f"{sys.executable} -m tools.maintain.docs"
    assert commands == [*targets, f"make mutants ARGS={number}_rope", "make lint", docs]
    names = "README.md", "main.py", "rope.cpp", "rope.cu", "rope.h"
    assert sorted(file.name for file in (repository / f"chapters/{number}_rope").iterdir()) == sorted(names)


@pytest.mark.parametrize("what, says", [
    ("chapter", r"check   rope, bfloat16: n = .* ok, largest error 0\ntime .*\n        rope .*\n        torch "),
    ("test", r"\d\d passed"),
    ("memcheck", "nothing found in "),
    ("microscope", r"rope_kernel\n(.*\n)*.*100%"),
    ("mutants", r"\d+ killed, 0 survived, 0 no end, 0 invalid"),
])  # fmt: skip
def test_a_new_chapter_works_at_once(commands, repository, what, says):
    (command,) = (command for command in commands if command.startswith(f"make {what}"))
    output = run(command.split(), repository)
    assert re.search(says, output) and "failed" not in output, output


def test_the_last_command_puts_the_chapter_into_the_course(commands, number, repository):
    pytest.importorskip("cogapp")
    pytest.importorskip("matplotlib")
    run(commands[-1].split(), repository)
    run([*commands[-1].split(), "--check"], repository)
    assert f"| [{number} rope](chapters/{number}_rope) |" in (repository / "README.md").read_text()


def test_a_lesson_is_asked_for_by_test_all_alone(commands, number, repository):
    tests = ["-m", "pytest", "-n", "0", "tests/chapters/test_lessons.py", "-k", number]
    run([sys.executable, *tests, "-m", "not thorough"], repository)
    done = subprocess.run([sys.executable, *tests], cwd=repository, env=environment(), stdout=-1, text=True)
    for words in "To be written:", "in the title, what the lesson is about", "what the next chapter is about":
        assert words in done.stdout
    assert " 1 failed, " in done.stdout


# In a file of that list, what stands there and what another operator has: x * sigmoid(factor * x), with its own gradient.
SWISH = {
    "swish.cu": [("T(factor * float(x[i]))", "T(float(x[i]) / (1 + expf(-factor * float(x[i]))))")],
    "main.py": [
        ("return (factor * y)", "return (y * torch.sigmoid(factor * y))"),
        ("TOLERANCE = 0 ", "TOLERANCE = 1e-6 "),
        ("    _, ctx.factor = inputs", "    x, ctx.factor = inputs\n    ctx.save_for_backward(x)"),
        ("    return torch.ops.chapter{}.swish(grad, ctx.factor), None",
         "    x = ctx.saved_tensors[0].float()\n    s = torch.sigmoid(ctx.factor * x)\n"
         "    return (grad.float() * s * (1 + ctx.factor * x * (1 - s))).to(grad.dtype), None"),
    ],
}  # fmt: skip


def test_another_formula_needs_no_more_changes_than_the_printed_ones(repository):
    """`make test` of that chapter passes. 30 s"""
    output = run([sys.executable, "-m", "tools.new", "swish"], repository)
    listed = [repository / line.split()[0] for line in output.partition("change:")[2].splitlines()[1:]]
    (number,) = {file.parent.name[:2] for file in listed}
    for file in listed:
        text = file.read_text()
        for old, new_text in SWISH.get(file.name, []):
            assert text.count(old.format(number)) == 1, old
            text = text.replace(old.format(number), new_text)
        file.write_text(text)
    assert SWISH.keys() < {file.name for file in listed}
    assert re.search(r"\d\d passed", run(["make", f"test{number}"], repository))


# ---- a package ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    """Scripts of an environment of its own, which sees the packages of this Python's: nothing has to be fetched."""
    folder = tmp_path_factory.mktemp("venv")
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    packages = sysconfig.get_path("purelib", vars={"base": folder, "platbase": folder})
    Path(packages, "parent.pth").write_text(sysconfig.get_path("purelib"))
    for name in "pip", "pytest":
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{folder}/bin/python" -m {name} "$@"\n')
        script.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def package(venv, repository, tmp_path_factory):
    """(its folder, what the commands have printed, their environment)"""
    folder = tmp_path_factory.mktemp("a folder") / "rope"
    active = {"VIRTUAL_ENV": str(venv), "PATH": f"{venv / 'bin'}{os.pathsep}{environment()['PATH']}"}
    commands = make_new(repository, "rope", folder, python=venv / "bin" / "python", **active)
    install, wheel = "pip install --no-build-isolation -e .", "pip wheel --no-build-isolation --no-deps ."
    if device.type == "cpu":
        check = (
            f"CUDA_ON_CPU=check {install}",
            "cuda-on-cpu check -m pytest",
            "cuda-on-cpu microscope -m pytest -k right",
        )
        assert commands[1:] == [f"pip install {repository / 'cuda_on_cpu'}", install, "pytest", *check, wheel]
    else:
        assert commands[-3:] == [install, "pytest", wheel]
    # No network; and without isolation, so that cuda-on-cpu, too, is built by the setuptools that is here.
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    script = "(\nset -e\n" + "\n".join(commands) + "\n)\necho status $?"
    return folder, run(["bash", "-c", script], repository.parent, **active, **offline), active | offline


def test_a_new_package_builds_and_passes_its_tests(package):
    folder, output, _ = package
    assert re.search(r"\d\d passed", output) and "warning" not in output and output.endswith("status 0\n"), output
    assert device.type == "cuda" or re.search(r"nothing found in \d+ launches of 1 kernel", output)
    run(["git", "init", "--quiet"], folder)
    status = run(["git", "status", "--short", "--untracked-files=all"], folder)
    assert len(status.splitlines()) == 20, f"what is built is ignored: {status}"


@pytest.mark.skipif(device.type == "cuda", reason="a GPU's tools look there: compute-sanitizer pytest")
@pytest.mark.parametrize("right, wrong, says", [
    ("i < n", "i <= n", r"reads 4 bytes at [\w/. -]*rope_kernel\.cu:\d+, beginning 0 bytes past the end of the 4 bytes of"),
    (", 0, stream>>>", ">>>", "the launch of rope_kernel is on the default stream, and not on the current one"),
    ("out[i]", "out[i - (int64_t(1) << 45)]", r"where no memory is; it was at [\w/. -]*rope_kernel\.cu:\d+"),
], ids=["access", "stream", "wild"])  # fmt: skip
def test_the_memory_check_finds_a_mistake_in_a_package(package, right, wrong, says, tmp_path):
    """30 s each"""
    kernel = shutil.copytree(package[0], tmp_path / "rope") / "csrc" / "rope_kernel.cu"
    kernel.write_text(kernel.read_text().replace(right, wrong))
    run(BUILD, tmp_path / "rope", PYTHONPATH=str(ROOT), CUDA_ON_CPU="check")
    command = [sys.executable, "-m", "cuda_on_cpu", "check", "-m", "pytest", "-q", "-x"]
    env = environment(PYTHONPATH=str(ROOT))
    done = subprocess.run(command, cwd=tmp_path / "rope", env=env, capture_output=True, text=True)
    assert done.returncode == 1 and re.search(says, done.stdout), done.stdout
    assert "stale" not in done.stderr and not re.search("^___", done.stdout, re.MULTILINE)  # no traceback
    shown = re.findall(r"(?s)^wrong .*?\n {8}csrc/rope_kernel.cu:\d+ +if \(i <= n\).*?\n", done.stderr, re.MULTILINE)
    assert len(shown) == (wrong == "i <= n"), done.stderr

    kernel.write_text(kernel.read_text().replace(wrong, right))  # and not built again: the older code is still wrong
    done = subprocess.run(command, cwd=tmp_path / "rope", env=env, capture_output=True, text=True)
    said = "stale   csrc/rope_kernel.cu has changed since the build, so all of this is about the older code:"
    assert done.returncode == 1 and said in one_line(done.stderr), done.stderr


def test_a_compilers_error_is_the_last_that_is_said(repository, tmp_path):
    """12 s"""
    make_new(repository, "rope", tmp_path / "rope")
    header = tmp_path / "rope/csrc/rope.h"
    header.write_text(header.read_text().replace("float factor", "float factor, int more"))
    env = environment(PYTHONPATH=str(ROOT))
    done = subprocess.run(BUILD, cwd=tmp_path / "rope", env=env, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1].endswith(": the compiler says why, above this line")
    assert "no matching function for call to" in done.stdout + done.stderr


def changed_package(repository, folder, change):
    """A new package there with one of its worked changes, which is built and has passed its tests."""
    make_new(repository, "rope", folder)
    run(["patch", "-p1", "--input", change], folder)
    run(BUILD, folder, PYTHONPATH=str(ROOT))
    assert re.search(r"\d\d passed", run(PYTEST, folder))
    return folder


def test_the_worked_change_to_a_gradient_of_its_own(repository, tmp_path):
    """It passes its tests, and these notice a wrong derivative of either kind. 30 s"""
    folder = changed_package(repository, tmp_path / "rope", "own_gradient.diff")
    module, text = folder / "src/rope/__init__.py", (folder / "src/rope/__init__.py").read_text()
    for right, wrong in ("(2 + factor", "(1 + factor"), ("grad.contiguous(), *ctx", "2 * grad.contiguous(), *ctx"):
        module.write_text(text.replace(right, wrong))
        done = subprocess.run(
            [*PYTEST, "-k", "gradcheck"], cwd=folder, env=environment(), capture_output=True, text=True
        )
        assert "1 failed" in done.stdout and "Jacobian mismatch" in done.stdout, done.stdout


def test_the_worked_change_to_two_tensors(repository, tmp_path):
    """It passes its tests, and these notice if nobody checks the second tensor, or a gradient's. 30 s"""
    folder = changed_package(repository, tmp_path / "rope", "two_tensors.diff")
    module, unchecked = folder / "src/rope/__init__.py", r"    torch\._check\((y\.|x\.shape).*\n"
    text, count = re.subn(unchecked, "", module.read_text())
    module.write_text(text)
    env = environment()
    done = subprocess.run([*PYTEST, "-k", "every_tensor"], cwd=folder, env=env, capture_output=True, text=True)
    assert count == 3 and "4 failed, 4 passed" in done.stdout, done.stdout
    for said in (
        "1 is accepted, and must have dtype",
        "1 is accepted, and must be contiguous",
        "0 is accepted, and must have the",
    ):
        assert f"rope.rope.default: argument {said}" in done.stdout

    binding, of_grad = folder / "csrc/rope.cpp", '    check_input(grad, "grad", {x.scalar_type()});\n'
    module.write_text(text)
    assert binding.read_text().count(of_grad) == 1
    binding.write_text(binding.read_text().replace(of_grad, ""))
    done = subprocess.run([*PYTEST, "-k", "since_the_build"], cwd=folder, env=env, capture_output=True, text=True)
    assert "1 failed" in done.stdout and "csrc/rope.cpp" in done.stdout and "build again" in done.stdout, done.stdout
    run(BUILD, folder, PYTHONPATH=str(ROOT))
    done = subprocess.run([*PYTEST, "-k", "every_tensor"], cwd=folder, env=env, capture_output=True, text=True)
    assert "rope.rope_backward.default: argument 0 is accepted, and must have dtype" in done.stdout, done.stdout


def test_the_worked_change_to_rows(repository, tmp_path):
    """It passes its tests, and these notice if half of the lanes' sums are lost. 30 s"""
    folder = changed_package(repository, tmp_path / "rope", "rows.diff")
    kernel = folder / "csrc/rope_kernel.cu"
    text = kernel.read_text()
    assert text.count("apart = 16") == 1
    kernel.write_text(text.replace("apart = 16", "apart = 8"))
    run(BUILD, folder, PYTHONPATH=str(ROOT))
    wrong = [*PYTEST, "-k", "test_right and 255"]
    done = subprocess.run(wrong, cwd=folder, env=environment(), capture_output=True, text=True)
    assert "3 failed" in done.stdout, done.stdout


def test_the_worked_change_to_a_mask(repository, tmp_path):
    """It passes its tests, and these notice a mask that the gradient or the kernel ignores, that the kernel reads elsewhere,
    or that the binding does not check. A minute"""
    folder = changed_package(repository, tmp_path / "rope", "mask.diff")
    checks = '    check_input(keep, "keep", {ScalarType::Bool});\n    check_same(x, "x", keep, "keep");\n'
    for name, right, wrong, tests, says in [
        ("src/rope/__init__.py", "contiguous(), keep", "contiguous(), keep | True", "gradcheck", "Jacobian mismatch"),
        ("csrc/rope_kernel.cu", "keep[i]", "true", "test_right and 255", "3 failed"),
        ("csrc/rope_kernel.cu", "keep[i]", "keep[i / 2]", "test_right and 255", "3 failed"),
        ("csrc/rope.cpp", checks, "", "every_tensor", "3 failed, 3 passed, 2 skipped"),
    ]:
        text = (folder / name).read_text()
        assert text.count(right) == 1, right
        (folder / name).write_text(text.replace(right, wrong))
        run(BUILD, folder, PYTHONPATH=str(ROOT))
        done = subprocess.run([*PYTEST, "-k", tests], cwd=folder, env=environment(), capture_output=True, text=True)
        assert says in done.stdout, f"{wrong}: {done.stdout}"
        (folder / name).write_text(text)


def test_the_wheel_is_for_every_python_and_has_what_is_needed(package):
    (wheel,) = package[0].glob("*.whl")
    assert re.fullmatch(r"rope-0.1.0-cp310-abi3-linux_\w+\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    assert b"librecorder" not in zipfile.ZipFile(wheel).read("rope/_C.abi3.so"), "built with the memory check"
    assert {n for n in names if "dist-info" not in n} == {"rope/__init__.py", "rope/_C.abi3.so", "rope/py.typed"}


@pytest.mark.skipif(device.type == "cuda", reason="this machine has a GPU: the other tests build for it")
@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
def test_nvcc_builds_a_new_package_where_there_is_no_cuda_on_cpu(repository, tmp_path):
    """Only running it is left out. The folder has nothing beside the package: torch's own CUDAExtension is used."""
    make_new(repository, "rope", tmp_path / "rope")
    gpu = {"CUDA_HOME": str(toolkit.cuda_home()), "TORCH_CUDA_ARCH_LIST": "9.0"}
    run(BUILD, tmp_path / "rope", **gpu)
    assert b"rope_kernel" in (tmp_path / "rope/src/rope/_C.abi3.so").read_bytes()


def test_a_new_package_says_what_is_missing_without_a_gpu(repository, tmp_path):
    """torch alone would end in an IndexError."""
    make_new(repository, "rope", tmp_path / "rope")
    hidden = environment(CUDA_VISIBLE_DEVICES="")
    hidden.pop("TORCH_CUDA_ARCH_LIST", None)
    command = [sys.executable, "setup.py", "--quiet", "build_ext"]
    done = subprocess.run(command, cwd=tmp_path / "rope", env=hidden, capture_output=True, text=True)
    said = "No GPU here: install cuda-on-cpu (README.md says from where), or name"
    assert done.returncode == 1 and said in done.stderr, done.stderr


def test_a_new_package_says_that_setuptools_is_too_old(made):
    """--no-build-isolation takes what is there; setuptools 65, of Python 3.11's venv, would end in an error about a wheel."""
    old = "import runpy, setuptools; setuptools.__version__ = '65.5.0'; runpy.run_path('setup.py')"
    done = subprocess.run([sys.executable, "-c", old], cwd=made / SHORT / "package", capture_output=True, text=True)
    assert done.stderr == "setuptools 65.5.0 is too old. Run: pip install 'setuptools>=77'\n"


TRY = """if True:
    import torch, rope
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.ones(3, dtype=torch.float16, device=device, requires_grad=True)
    y = torch.compile(lambda x: rope.rope(x, 2), fullgraph=True, backend="aot_eager")(x)
    y.sum().backward()
    assert (y == 2).all() and (x.grad == 2).all()
    print("ok", torch.__version__, rope.__file__)
"""


@pytest.mark.parametrize("python", chapter("10_stable", "package").pythons())
def test_the_wheel_imports_from_another_folder_and_with_another_torch(package, python, tmp_path):
    """With each Python that CHAPTERS_PYTHONS names, or that is on the PATH, if it has a torch."""
    version, torchs = chapter("10_stable", "package").versions(python)
    if torchs is None:
        pytest.skip(f"{python} {'has no torch' if version else 'does not start'}")
    (wheel,) = package[0].glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    assert run([python, "-c", TRY], "/", PYTHONPATH=str(tmp_path)).split()[-1] == str(tmp_path / "rope/__init__.py")
    print(f"built with torch {torch.__version__}, imported with {torchs}")
