"""make editor: clangd reads the sources without an error. 1 to 9 s a file, two at a time"""

import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import ROOT
from tools import editor

READ = [
    "chapters/03_add2/*.h",
    "chapters/03_add2/*.cu",
    "chapters/03_add2/*.cpp",
    "chapters/00_threads/hierarchy.cu",  # a lambda that reads shared memory
    "chapters/09_library/bias_gelu.cpp",
    "chapters/10_stable/bias_gelu.cpp",
    "chapters/12_reduce/exercises/5_maximum/solution/*.cu",  # shared memory in a function; the header is the skeleton's
    "common/*.h",
    "device/*.h",
    "cuda_on_cpu/example.cu",
    "cuda_on_cpu/include/cuda_runtime.h",
    "cuda_on_cpu/include/cuda_on_cpu/block.h",
    "tests/chapters/11_transpose/traced.cu",  # includes a file of the chapter
    "tests/cuda_on_cpu/programs/grid.cu",  # clusters
]


def test_each_source_has_an_entry_and_builds_have_none(tmp_path, monkeypatch):
    for name in "a.cu", "b.h", "build/c.cpp", "exercises/1_x/mine/d.cu", "notes.md":
        (tmp_path / "chapters" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "chapters" / name).write_text("")
    monkeypatch.setattr(editor, "ROOT", tmp_path)
    editor.main()
    entries = json.loads((tmp_path / "compile_commands.json").read_text())
    assert [entry["file"] for entry in entries] == [str(tmp_path / "chapters" / name) for name in ("a.cu", "b.h")]


def test_a_source_for_the_stable_abi_is_read_for_torch_2_11():
    stable, other = (editor.flags(ROOT / "chapters" / name) for name in ("10_stable/bias_gelu.cpp", "03_add2/add2.cpp"))
    assert set(editor.STABLE) <= set(stable) and not set(editor.STABLE) & set(other)


@pytest.mark.skipif(not shutil.which("clangd"), reason="clangd not found: apt-get install clangd")
def test_clangd_understands():
    """Each file is compiled. That completion and the like work is tried in the first line only."""
    editor.main()

    def said(file):
        done = subprocess.run(
            ["clangd", "--check-lines=1", f"--check={file}"], cwd=ROOT, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    files = [file for pattern in READ for file in sorted(ROOT.glob(pattern))]
    version = subprocess.run(["clangd", "--version"], capture_output=True, text=True).stdout
    if int(re.search(r"version (\d+)", version)[1]) < 16:  # it crashes on a .cu that needs C++20, as torch's headers do
        files = [file for file in files if file.suffix != ".cu" or "-std=c++20" not in editor.flags(file)]
    with ThreadPoolExecutor(2) as pool:
        wrong = {
            str(file): re.findall(r"^E\[[\d:.]+\] (.*)", text, re.M) or text[-500:]
            for file, text in zip(files, pool.map(said, files), strict=True)
            if "All checks completed, 0 errors" not in text
        }
    assert not wrong
