"""Chapter 10's package: one wheel, what it asks of torch, and who takes it; beside it chapter 04's, which one torch takes.

`make test-versions` runs this with the oldest and with the newest torch. Whichever comes first builds the wheel, and the
other finds it in build/: one file, one checksum. 15 s for each Python that has a torch.
"""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch

from common import device
from tests.support import ROOT, chapter, kept_folder, operators, write

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("wheel")]
package = chapter("10_stable", "package")
HEADERS = Path(torch.__file__).parent / "include" / "torch"


@pytest.fixture(scope="module")
def wheel():
    return package.wheel()


@pytest.fixture(scope="module")
def library(wheel):
    (file,) = package.installed(wheel).glob("bias_gelu/*.so")
    return file


def test_what_the_wheel_says_of_itself(wheel):
    assert re.fullmatch(r"bias_gelu-0.1.0-cp310-abi3-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = (archive.read(name).decode() for name in names if name.endswith("METADATA"))
    python = ["__init__.py", "library.py", "registration.py"]
    assert sorted(n.rpartition("/")[2] for n in names if n.startswith("bias_gelu/")) == ["_C.abi3.so", *python]
    assert "Requires-Dist: torch>=2.11" in info and "Requires-Python: >=3.10" in info


def test_one_file_whoever_built_it(wheel):
    kept = json.loads((package.place / "made-from.json").read_text())
    print(f"{wheel.name}\nsha256 {kept['sha256']}\nbuilt with {kept['by']}; here is {package.built_with()}")
    assert package.digest([wheel]) == kept["sha256"]
    modified = wheel.stat().st_mtime_ns
    assert package.wheel() == wheel and wheel.stat().st_mtime_ns == modified


def test_a_change_of_any_file_is_noticed(tmp_path, monkeypatch):
    """Also of chapter 09's files."""
    patterns = [(package.here, pattern) for pattern in package.OWN] + [(ROOT, pattern) for pattern in package.USED]
    assert [pattern for folder, pattern in patterns if not any(folder.glob(pattern))] == []
    files, before = package.files(), package.digest(package.sources())
    shared = {file.name for file in files.values() if file.parent == package.CHAPTER_09}
    assert shared == {"bias_gelu.cu", "bias_gelu.h", "library.py"}
    for name, file in files.items():
        changed = write(tmp_path / file.name, file.read_text() + "\n")
        monkeypatch.setattr(package, "files", lambda one={name: changed}: files | one)
        assert package.digest(package.sources()) != before, name


def test_an_error_names_the_file_that_you_edit(tmp_path, monkeypatch):
    """Not the package's copy of it."""
    broken = write(tmp_path / "broken.cu", "#error on purpose\n")
    files = package.files() | {"chapters/09_library/bias_gelu.cu": broken}
    monkeypatch.setattr(package, "files", lambda: files)
    monkeypatch.setattr(package, "place", kept_folder("broken_wheel"))
    with pytest.raises(package.progress.BuildError, match=f"{broken}:1:.* on purpose"):
        package.wheel()


def test_pip_in_this_chapter_says_what_builds_the_package():
    """Chapter 09's files are not there."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "."]
    done = subprocess.run(command, cwd=package.here, stdout=-1, stderr=-2, text=True)
    said = "lacks chapters/09_library/bias_gelu.cu. .* this command builds .*: make chapter10 ARGS=--wheel"
    assert done.returncode and re.search(said, done.stdout), done.stdout


@pytest.mark.parametrize("python", package.pythons())
def test_every_python_takes_it(wheel, python, capfd):
    version, torchs = package.versions(python)
    if not version:
        pytest.skip(f"{python} does not start")
    if torchs is None:
        pytest.skip(f"{python} is Python {version} and has no torch")
    said = package.try_with(python, wheel)
    with capfd.disabled():  # to be seen in `make test-versions`
        line = f"{wheel.name}, sha256 {package.digest([wheel])[:16]}..., Python {version}, torch {torchs}: {said}"
        print(f"\n{line}", file=sys.stderr, flush=True)
    assert said == "ok, bias_gelu 0.1.0"


# ---- what it asks of others ------------------------------------------------------------------------------------------


def test_no_symbol_outside_the_stable_set(library):
    found = package.foreign(library)
    assert found["unknown"] == [] and found["Python, limited API"] == []
    shims = [*HEADERS.glob("csrc/stable/c/*.h"), *HEADERS.glob("csrc/inductor/aoti_torch/**/*.h")]
    declared = set(re.findall(r"\b((?:aoti_)?torch_\w+)\(", " ".join(file.read_text() for file in shims)))
    assert len(found["torch, in C"]) > 40 and set(found["torch, in C"]) <= declared
    assert not [name for name in package.needed(library) if "python" in name]


def shims_from(version):
    """Those that torch has from 2.<version> on: they stand between an #if and an #endif in its header."""
    text = (HEADERS / "csrc" / "stable" / "c" / "shim.h").read_text()
    (part,) = re.findall(rf"^#if .*>= TORCH_VERSION_2_{version}_0\n(.*?)^#endif // TORCH_F", text, re.M | re.S) or [""]
    return set(re.findall(r"\b(torch_\w+)\(", part))


def test_no_shim_is_newer_than_the_target(library):
    newer = set().union(*map(shims_from, range(12, 20)))
    assert newer or torch.__version__ < "2.12"
    assert not newer & set(package.foreign(library)["torch, in C"])


def test_the_same_tool_finds_chapter_04s_ties():
    """C++ functions of torch, and functions of Python that later versions may change."""
    operators("04_package")
    found = package.foreign(Path(sys.modules["my_cuda_extension.my_kernel"].__file__))
    assert [name for name in found["unknown"] if "c10" in name or "2at" in name]
    print(*found["unknown"], sep="\n")


def another_torch():
    """Folders with chapter 04's package as another torch has built it, for this Python and this device."""
    ours = ".".join(torch.__version__.split(".")[:2])
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    folders = ROOT.glob(f"build/torch-*-{python}-{device.type}/my_cuda_extension/installed")
    return [folder for folder in folders if f"/torch-{ours}." not in str(folder)]


def test_chapter_04s_wheel_fails_with_another_torch(tmp_path):
    folders = another_torch()
    if not folders:
        pytest.skip("no other torch has built chapter 04's package here: make test-versions")
    for folder in folders:
        env = os.environ | {"PYTHONPATH": str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", "import my_cuda_extension"], cwd="/", env=env, stdout=-1, stderr=-2, text=True
        )
        print(folder, done.stdout.splitlines()[-1])
        assert done.returncode and re.search(r"ImportError: .*undefined symbol: _ZN\S*(c10|2at|5torch)", done.stdout)


def test_a_renamed_type_breaks_chapter_09s_library_alone(capsys):
    """`make chapter10 ARGS=--other-torch`"""
    operators("09_library"), operators("10_stable")
    rows = chapter("10_stable", "other_torch").main()
    printed = capsys.readouterr().out
    assert rows[f"torch {torch.__version__.partition('+')[0]}"] == ["ok", "ok"]
    assert re.match(r"torch::Library::_def\(.*::Tab", rows["Tag renamed to Tab"][0])
    assert all(ten == "ok" for _, ten in rows.values()), "the library by the stable ABI loads everywhere"
    assert re.search(r"^ +chapter 09 +\d\d +0 +0$", printed, re.M) and re.search(
        r"chapter 10 +0 +\d\d +\d\d$", printed, re.M
    )


# ---- TORCH_TARGET_VERSION --------------------------------------------------------------------------------------------


def compile(text, target):
    """What the compiler says of that text."""
    file = kept_folder("stable") / "target.cpp"
    file.write_text(text)
    flags = ["-std=c++20", "-fsyntax-only", "-DUSE_CUDA", f"-I{HEADERS.parent}", *target]
    return subprocess.run([os.environ.get("CXX", "c++"), *flags, file], stdout=-1, stderr=-2, text=True).stdout


def test_what_is_newer_than_the_target_does_not_compile():
    """So nobody finds out at the user's: a target of 2.11 hides what 2.13 added, in every later torch."""
    text = "#include <torch/csrc/stable/accelerator.h>\nusing namespace torch::stable::accelerator;\n"
    text += "void* f(Stream s) { return s.nativeHandle(); }\n"
    assert "nativeHandle" in compile(text, ["-DTORCH_TARGET_VERSION=0x020b000000000000"])
    if torch.__version__ >= "2.13":
        assert not compile(text, [])


def test_a_target_that_is_newer_than_torch():
    """0x0210... is 2.16, not 2.10: the bytes are hexadecimal. torch says so from 2.15 on."""
    said = compile("#include <torch/csrc/stable/tensor.h>\n", ["-DTORCH_TARGET_VERSION=0x0210000000000000"])
    if torch.__version__ >= "2.15":
        assert "TORCH_TARGET_VERSION is newer" in said
    else:
        assert "TARGET_VERSION" not in said


@pytest.mark.parametrize(
    "header", ["ATen/ops/empty_like.h", "c10/core/Device.h", "torch/extension.h", "torch/library.h"]
)
def test_a_header_of_the_other_abi_does_not_compile(header):
    said = compile(f"#include <{header}>\n", ["-DTORCH_TARGET_VERSION=0x020b000000000000"])
    assert "This file should not be included when either TORCH_STABLE_ONLY or TORCH_TARGET_VERSION is defined" in said
