"""Chapter 04: every way to build and install the package, each into a place of its own, and what goes wrong with them.

pip fetches nothing in here. The ways share one folder, so that the sources are compiled once; it is kept, as are those
of the other builds, and the next test run compiles what has changed.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import torch

from common import device, toolkit
from common.cpp_extension import load, torch_extension
from tests.support import ROOT, chapter, kept_folder, operators, write

CHAPTER = "04_package"
pytestmark = (
    pytest.mark.thorough
)  # `make test` builds the wheel as the lesson does: test_chapters.py, test_operators.py
in_one_process = pytest.mark.xdist_group("package")  # what shares builder()'s environment and project()'s copy
needs_nvcc = pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")


def run(*command, cwd="/", fails=False, **variables):
    """What the command printed. pip finds no index, and none of the reader's settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHONPATH", "LD_LIBRARY_PATH"))}
    env |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "CHAPTERS_DEVICE": device.type}
    command = [str(word) for word in command]
    done = subprocess.run(
        command, cwd=cwd, env=env | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert fails is None or fails == (done.returncode != 0), f"{' '.join(command)}\n{done.stdout}"
    return done.stdout


def pip(*words, **kwargs):
    return run(sys.executable, "-m", "pip", "--disable-pip-version-check", *words, **kwargs)


def call(python, factor=2, **kwargs):
    """Imports the package in a new process, in another folder than the sources', and calls the operator."""
    code = (
        f"import torch, my_cuda_extension; x = torch.arange(5.0, device={device.type!r}); "
        f"assert torch.equal(my_cuda_extension.my_cuda_function(x), {factor} * x); "
        "print(my_cuda_extension.__version__, my_cuda_extension.__file__)"
    )
    return run(python, "-c", code, **kwargs)


def copy_of_the_chapter(folder):
    """folder/package, beside the headers that it needs. A file that has not changed keeps its date."""
    here = chapter(CHAPTER).here
    for file in here.rglob("*"):
        parts = file.relative_to(here).parts
        if file.is_file() and not chapter(CHAPTER).LEFT_OUT(here, parts):
            write(folder.joinpath("package", *parts), file.read_text())
    for room in "common", "cuda_on_cpu":
        if not (folder / room).exists():
            (folder / room).symlink_to(ROOT / room)
    return folder / "package"


def kept(name):
    return kept_folder(f"package-{device.type}/{name}")


def site_packages(python):
    return Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())


def new_environment(folder):
    """The Python of a new virtual environment, in which nothing is installed."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    return folder / "bin" / "python"


def lend(python):
    """Lets a second environment import what this one has, through a .pth file: torch is too large to install it twice."""
    places = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    (site_packages(python) / "lent.pth").write_text("\n".join(places))


@pytest.fixture(scope="module")
def builder():
    """A second environment that has torch and setuptools, lent by this one. One for all tests: its folder of headers is
    among the compiler's flags, and ninja would compile everything again for another."""
    python = new_environment(kept("builder"))
    lend(python)
    return python


@pytest.fixture
def environment(builder):
    """The same, with the package not installed."""
    pip("--python", builder, "uninstall", "--yes", "my_cuda_extension")
    return builder


@pytest.fixture(scope="module")
def project(builder):
    """A copy of the chapter, from which pip has built a wheel."""
    folder = copy_of_the_chapter(kept("project"))
    shutil.rmtree(folder / "wheels", ignore_errors=True)
    wheel = ["wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder / "wheels", "."]
    pip("--python", builder, *wheel, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(project):
    (file,) = (project / "wheels").glob("*.whl")
    return file


# The ways to build and to install.


@in_one_process
def test_what_is_in_the_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = (archive.read(name).decode() for name in names if name.endswith("METADATA"))
    files = [Path(name).name.split(".cpython")[0] for name in names if name.startswith("my_cuda_extension/")]
    assert sorted(files) == ["__init__.py", "my_kernel", "my_kernel.pyi", "py.typed"]
    assert "Version: 0.1.0" in info
    assert f"Requires-Dist: torch=={'.'.join(torch.__version__.split('.')[:2])}.*" in info


@in_one_process
def test_wheel_in_an_empty_environment(wheel, tmp_path):
    python = new_environment(tmp_path / "env")
    pip("--python", python, "install", "--no-deps", wheel)
    assert "No module named 'torch'" in call(python, fails=True)
    lend(python)
    assert call(python).startswith(f"0.1.0 {site_packages(python)}")


@in_one_process
def test_pip_install_editable(project, environment):
    """Python's part is used where it is: a change needs no pip. The .so stays as it was built."""
    editable = ["install", "--no-build-isolation", "--no-deps", "--editable", "."]
    pip("--python", environment, *editable, cwd=project, DEBUG="1")  # compiles all of it each time; so it is quicker
    init = project / "src" / "my_cuda_extension" / "__init__.py"
    try:
        assert call(environment) == f"0.1.0 {init}\n"
        init.write_text(init.read_text().replace("0.1.0", "0.1.1"))
        assert call(environment) == f"0.1.1 {init}\n"
    finally:
        init.write_text(init.read_text().replace("0.1.1", "0.1.0"))


@in_one_process
def test_build_ext_inplace(project, builder):
    """Between two changes of a kernel: the .so goes beside __init__.py, and only what changed is compiled."""
    kernel = project / "package_kernel.cu"
    text = kernel.read_text()
    (binding,) = project.glob("build/temp*/package.o")
    compiled = binding.stat().st_mtime_ns
    kernel.write_text(text.replace("2 * input[i]", "3 * input[i]"))
    try:
        run(builder, "setup.py", "build_ext", "--inplace", cwd=project)
        assert binding.stat().st_mtime_ns == compiled
        assert f"{project}/src/my_cuda_extension" in call(builder, 3, PYTHONPATH=str(project / "src"))
    finally:
        kernel.write_text(text)


@in_one_process
def test_build(project, builder):
    """PyPI's `build`, which needs no pip. `build/` lies beside setup.py, and is no package: it hides nothing."""
    pytest.importorskip("build", reason="build not found: pip install build")
    options = ["--wheel", "--no-isolation", "--outdir", "dist"]
    assert "Successfully built my_cuda_extension-0.1.0-cp" in run(builder, "-m", "build", *options, cwd=project)


def test_load():
    x = torch.rand(5, device=device)
    assert torch.equal(chapter(CHAPTER).build_with_load().my_cuda_function(x), 2 * x)


def test_main_builds_once(capsys):
    operators(CHAPTER)
    capsys.readouterr()
    assert chapter(CHAPTER).build() is operators(CHAPTER)
    assert "nothing changed" in capsys.readouterr().out
    assert Path(operators(CHAPTER).__file__).is_relative_to(ROOT / "build")


def test_an_error_names_the_file_that_one_edits(tmp_path, monkeypatch):
    main = chapter(CHAPTER)
    (tmp_path / "here").mkdir()
    here = copy_of_the_chapter(tmp_path / "here")
    (here / "package_kernel.cu").write_text('#error "so it is"\n')
    monkeypatch.setenv("MAX_JOBS", "1")
    for name, value in ("here", here), ("place", tmp_path), ("source", tmp_path / "here" / "source"):
        monkeypatch.setattr(main, name, value)
    for name in "wheels", "installed", "log":
        monkeypatch.setattr(main, name, tmp_path / name)
    with pytest.raises(main.progress.BuildError, match=rf"{here}/package_kernel.cu:1:\d+: .*so it is|#error.*so it is"):
        main.build()


def test_what_is_gone_or_older_is_not_packed(tmp_path, monkeypatch):
    """A file that was renamed, and one that was put back with its old date: neither is what the last build had."""
    main, source = chapter(CHAPTER), tmp_path / "source"
    renamed = write(source / "src" / "my_cuda_extension" / "renamed.py", "")
    built = write(source / "build" / "lib.linux" / "my_cuda_extension" / "renamed.py", "")
    kernel = write(source / "package_kernel.cu", "as it was before")
    before = kernel.stat().st_mtime_ns
    for name in "source", "wheels", "installed":
        monkeypatch.setattr(main, name, tmp_path / name)
    monkeypatch.setattr(main, "place", tmp_path)
    monkeypatch.setattr(main, "pip", lambda *words: sys.exit("pip"))
    with pytest.raises(SystemExit, match="pip"):
        main.build()
    assert not renamed.exists() and not built.exists()
    assert kernel.read_text() == (main.here / kernel.name).read_text() and kernel.stat().st_mtime_ns > before


def test_a_change_of_any_file_is_noticed(tmp_path, monkeypatch):
    """Also of an empty one's name, as py.typed."""
    main = chapter(CHAPTER)
    monkeypatch.setattr(main, "here", copy_of_the_chapter(tmp_path))
    before, types = main.ingredients(), main.here / "src/my_cuda_extension/py.typed"
    types.rename(types.with_name("py.typos"))
    assert main.ingredients() != before


def test_no_pip_is_said(tmp_path, monkeypatch):
    """As in an environment made by uv."""
    main = chapter(CHAPTER)
    for name, value in ("source", tmp_path), ("log", tmp_path / "pip.log"):
        monkeypatch.setattr(main, name, value)
    bare = new_environment(tmp_path / "bare")
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(main.progress.BuildError, match=rf"{bare} has no pip.*\n +{bare} -m ensurepip"):
        main.pip("wheel", ".")


# The questions that readers ask. Each test first provokes the error.


def wheel_of(name, folder):
    """An installed package as a wheel again: pip can install it with no network."""
    package = metadata.distribution(name)
    if not package.files:
        pytest.skip(f"{name} was not installed by pip, and does not say which files it has")
    with zipfile.ZipFile(folder / f"{name}-{package.version}-py3-none-any.whl", "w") as archive:
        for file in package.files:
            if ".." not in file.parts and "__pycache__" not in file.parts:
                archive.write(file.locate(), str(file))


@in_one_process
def test_no_module_named_torch(project, environment, tmp_path):
    """pip builds in an empty environment, to which it brings [build-system] requires and nothing else."""
    wheel_of("setuptools", tmp_path)
    install = ["--python", environment, "install", "--no-deps", "."]
    said = pip(*install, cwd=project, fails=True, PIP_FIND_LINKS=str(tmp_path))
    assert "No module named 'torch'" in said and "pip install --no-build-isolation ." in said

    pip(*install, "--no-build-isolation", cwd=project)
    assert call(environment).startswith(f"0.1.0 {site_packages(environment)}")


def test_torch_among_the_build_requirements_is_fetched_again(tmp_path):
    """The other way out that one finds: requires = [..., "torch"]. It has pip look for a torch, though there is one."""
    wheel_of("setuptools", tmp_path)
    folder = copy_of_the_chapter(tmp_path)
    pyproject = (folder / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(pyproject.replace("requires = [", 'requires = ["torch", '))
    said = pip("wheel", "--no-deps", ".", cwd=folder, fails=True, PIP_FIND_LINKS=str(tmp_path))
    assert "Could not find a version that satisfies the requirement torch" in said


@in_one_process
def test_libc10_so_is_not_found_unless_torch_is_there_first(wheel, tmp_path):
    """The .so names libc10.so without a path. torch knows where it is, and once loaded it serves everybody."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    env = {"PYTHONPATH": str(tmp_path / "my_cuda_extension")}
    said = run(sys.executable, "-c", "import my_kernel", fails=True, **env)
    assert "ImportError: libc10.so: cannot open shared object file" in said
    run(sys.executable, "-c", "import torch, my_kernel", **env)
    run(sys.executable, "-c", "import my_cuda_extension", PYTHONPATH=str(tmp_path))  # whose __init__ imports torch


def test_one_file_imported_in_three_ways(capsys):
    """As `make chapter04 ARGS=--import` shows. 8 s"""
    operators(CHAPTER)
    capsys.readouterr()  # of the build
    chapter(CHAPTER).import_in_three_ways()
    missing = "ImportError: libc10.so: cannot open shared object file: No such file or directory"
    rows = [re.split("  +", line.removeprefix("import").strip()) for line in capsys.readouterr().out.splitlines()]
    works = [["import torch, my_kernel", "works"], ["import my_cuda_extension", "works"]]
    assert rows == [["import my_kernel", missing], *works]


def test_undefined_symbol_of_another_torch():
    """PyPI's torch up to 2.6 had the older of libstdc++'s two std::string. What was built for them asks for functions
    whose names say so, and today's torch has none. Here: the chapter's sources, compiled as they would have been then."""
    folder = chapter(CHAPTER).here
    with pytest.raises(ImportError, match="undefined symbol: _Z") as info:
        load(
            name="old_strings",
            sources=[folder / "package.cpp", folder / "package_kernel.cu"],
            extra_include_paths=[str(ROOT)],
            extra_cflags=["-D_GLIBCXX_USE_CXX11_ABI=0", "-O0"],
            build_directory=str(kept("old_strings")),
        )
    symbol = re.search(r"undefined symbol: (\w+)", str(info.value))[1]
    if shutil.which("c++filt"):
        name = run("c++filt", symbol)
        print(symbol, name, sep="\n")
        assert "c10::" in name and "std::basic_string" in name  # today it is std::__cxx11::basic_string
    assert chapter(CHAPTER).build_with_load()  # as torch would have it compiled today


@in_one_process
def test_pip_check_knows_another_torch(wheel, environment):
    pip("--python", environment, "install", "--no-deps", wheel)
    complaint = r"my.cuda.extension 0.1.0 has requirement torch==.*, but you have torch 1.0"

    def check():
        return pip("--python", environment, "check", fails=None)  # others may have something to complain about, too

    assert not re.search(complaint, check())
    other = site_packages(environment) / "torch-1.0.dist-info"  # of another torch, what pip looks at
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 1.0\n")
    try:
        assert re.search(complaint, check())
    finally:
        shutil.rmtree(other)


def test_the_stub_says_what_the_module_has():
    """An editor believes my_kernel.pyi without a look at the .so, so somebody has to."""
    stub = ast.parse((chapter(CHAPTER).here / "src" / "my_cuda_extension" / "my_kernel.pyi").read_text())
    said = {
        f.name: f"{f.name}({', '.join(f'{a.arg}: torch.{a.annotation.id}' for a in f.args.args)}) -> torch.{f.returns.id}"
        for f in stub.body
        if isinstance(f, ast.FunctionDef)
    }
    operators(CHAPTER)
    module = sys.modules["my_cuda_extension.my_kernel"]
    functions = {name: function.__doc__.strip() for name, function in vars(module).items() if name[0] != "_"}
    assert functions == said


def test_an_import_that_an_editor_cannot_resolve(tmp_path):
    """mypy stands for the editor: it reads Python, and no .so."""
    pytest.importorskip("mypy", reason="mypy not found: pip install mypy")
    folder = copy_of_the_chapter(tmp_path)
    program = tmp_path / "program.py"
    program.write_text("from my_cuda_extension.my_kernel import my_cuda_function\nreveal_type(my_cuda_function)\n")
    options = ["--follow-imports=silent", "--no-error-summary", f"--cache-dir={kept('mypy')}"]

    def mypy(fails):
        said = run(sys.executable, "-m", "mypy", *options, program, fails=fails, MYPYPATH=str(folder / "src"))
        print(said)
        return said

    assert 'Revealed type is "def (input: torch._tensor.Tensor) -> torch._tensor.Tensor"' in mypy(fails=False)
    (folder / "src" / "my_cuda_extension" / "my_kernel.pyi").unlink()
    assert "import-not-found" in mypy(fails=True)


def test_sources_that_are_not_built(tmp_path):
    """What `import` finds if the package lies beside setup.py, and one starts Python there. Hence the folder src/."""
    folder = copy_of_the_chapter(tmp_path)
    error = "No module named 'my_cuda_extension.my_kernel'"
    assert error in run(sys.executable, "-c", "import my_cuda_extension", fails=True, PYTHONPATH=str(folder / "src"))
    assert "No module named 'my_cuda_extension'" in run(
        sys.executable, "-c", "import my_cuda_extension", fails=True, cwd=folder
    )


SOME_GPU = {"TORCH_CUDA_ARCH_LIST": os.environ.get("TORCH_CUDA_ARCH_LIST", "9.0")}  # also on a machine that has none


@needs_nvcc
def test_package_cu_and_package_cpp_are_one_package_o_to_setuptools(tmp_path):
    folder = copy_of_the_chapter(tmp_path)
    (folder / "package_kernel.cu").rename(folder / "package.cu")
    setup = (folder / "setup.py").read_text().replace("package_kernel.cu", "package.cu")
    (folder / "setup.py").write_text(setup)
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    said = run(*command, cwd=folder, fails=True, CHAPTERS_DEVICE="cuda", **SOME_GPU)
    assert re.search("ninja: error: .*multiple rules generate .*package.o", said)


@needs_nvcc
def test_in_a_project_of_your_own_with_torchs_build():
    """The way out of this repository: with three headers alone, setup.py builds with torch's own."""
    place = kept("own_project")
    for header in "cuda_check.h", "check_tensor.h", "grid.h":
        write(place / "common" / header, (ROOT / "common" / header).read_text())
    folder = copy_of_the_chapter(place)
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=folder, DEBUG="1", **SOME_GPU)
    run(sys.executable, "-c", "import my_cuda_extension", PYTHONPATH=str(folder / "src"))
    if device.type == "cuda":
        call(sys.executable, PYTHONPATH=str(folder / "src"))


def test_without_the_headers_setup_says_which(tmp_path):
    """As in the source distribution that `python -m build` makes unless told --wheel."""
    folder = copy_of_the_chapter(tmp_path)
    (tmp_path / "common").unlink()
    assert "needs common/cuda_check.h" in run(sys.executable, "setup.py", "build_ext", cwd=folder, fails=True)


# What one tells the compilers.


def kernel_for(architectures, folder, monkeypatch):
    """The kernel alone as a library, built by nvcc for those architectures; no GPU is needed."""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", architectures)
    torch_extension.load(
        name="kernel",
        sources=[str(chapter(CHAPTER).here / "package_kernel.cu")],
        extra_include_paths=[str(ROOT)],
        build_directory=str(folder),
        is_python_module=False,
    )
    (library,) = folder.glob("kernel*.so")  # torch numbers what a process builds several times under one name
    return library


ARCHITECTURES = pytest.mark.parametrize(
    "wanted, machine_code, ptx",
    [("9.0", ["sm_90"], []), ("9.0+PTX", ["sm_90"], ["sm_90"]), ("8.0;9.0", ["sm_80", "sm_90"], [])],
)


@needs_nvcc
@ARCHITECTURES
def test_architecture_list_becomes_nvccs_flags(wanted, machine_code, ptx, tmp_path, monkeypatch):
    kernel_for(wanted, tmp_path, monkeypatch)
    codes = re.findall(r"-gencode=arch=compute_\d+,code=(\w+)", (tmp_path / "build.ninja").read_text())
    assert sorted(codes) == sorted(machine_code + [p.replace("sm", "compute") for p in ptx])


@needs_nvcc
@ARCHITECTURES
def test_what_the_architecture_list_puts_into_the_file(wanted, machine_code, ptx, tmp_path, monkeypatch):
    cuobjdump = toolkit.cuda_home() / "bin" / "cuobjdump"
    cuobjdump = cuobjdump if cuobjdump.exists() else shutil.which("cuobjdump")
    if not cuobjdump:
        pytest.skip("cuobjdump not found: pip install nvidia-cuda-cuobjdump, or a system's CUDA toolkit")
    said = run(cuobjdump, "--list-elf", "--list-ptx", kernel_for(wanted, tmp_path, monkeypatch))
    print(said)
    assert sorted(re.findall(r"(sm_\w+)\.cubin", said)) == machine_code
    assert re.findall(r"(sm_\w+)\.ptx", said) == ptx


def compile_times(folder):
    """{object file: (start, end)} in milliseconds of the first build, from the log that ninja keeps. Later builds, which
    compile some of them again, count from their own beginning."""
    (log,) = folder.glob("build/temp*/.ninja_log")
    rows = [line.split("\t") for line in log.read_text().splitlines() if not line.startswith("#")]
    return {Path(row[3]).name: (int(row[0]), int(row[1])) for row in reversed(rows)}


def overlap(times):
    """Whether the second began before the first was half done: on a busy machine ninja writes down an end too late."""
    (first_start, first_end), (second_start, _) = sorted(times.values())
    return second_start < (first_start + first_end) / 2


@in_one_process
def test_debug_build_and_max_jobs(project):
    """DEBUG=1: an unoptimised .so that knows its lines. MAX_JOBS=1: one compiler at a time, for a machine with little
    memory; otherwise torch starts two more than there are cores."""
    folder = copy_of_the_chapter(kept("debug"))
    run(sys.executable, "setup.py", "build_ext", "--inplace", cwd=folder, DEBUG="1", MAX_JOBS="1")
    assert overlap(compile_times(project)) == (os.environ.get("MAX_JOBS") != "1")
    assert not overlap(compile_times(folder))

    (release,) = project.glob("build/lib*/my_cuda_extension/*.so")
    (debug,) = folder.glob("src/my_cuda_extension/*.so")
    assert b".debug_line" in debug.read_bytes() and b".debug_line" not in release.read_bytes()
    (ninja,) = folder.glob("build/temp*/build.ninja")
    assert re.search(r"^post_cflags = .*-g -O0", ninja.read_text(), re.M)
    if device.type == "cuda":
        assert re.search(r"^cuda_post_cflags = .*-g -G -O0", ninja.read_text(), re.M)
    call(sys.executable, PYTHONPATH=str(folder / "src"))


@needs_nvcc
def test_fast_math_flushes_small_numbers_to_zero_in_the_code():
    """.ftz, flush to zero, is part of the instruction; so the difference is visible without a GPU."""
    nvcc = toolkit.cuda_home() / "bin" / "nvcc"
    kernel = chapter(CHAPTER).here / "package_kernel.cu"
    code = [
        run(nvcc, "-arch=sm_90", "-ptx", f"-I{ROOT}", *flags, kernel, "-o", "-") for flags in ([], ["--use_fast_math"])
    ]
    assert [".ftz" in ptx for ptx in code] == [False, True]


@pytest.mark.skipif(device.type == "cpu", reason="--use_fast_math changes what a GPU does")
def test_fast_math_is_another_number():
    fast = chapter(CHAPTER).build_with_load("my_kernel_fast_math", ["--use_fast_math"]).my_cuda_function
    exact = operators(CHAPTER).my_cuda_function
    x = torch.tensor([1.0, 1e-37, 1e-40], device=device)
    assert torch.equal(exact(x), 2 * x) and exact(x)[2] > 0
    assert torch.equal(fast(x)[:2], 2 * x[:2]) and fast(x)[2] == 0
