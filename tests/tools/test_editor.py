"""make editor: clangd reads the sources without an error. 1 to 9 s a file, two at a time"""

import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import ROOT
from tools import editor

# The quartet of one chapter, a binding by the stable ABI, the harness, a program, and headers of CUDA on CPU.
READ = ["chapters/03_add2/add2.*", "chapters/10_stable/bias_gelu.cpp"]
READ += [
    "common/*.h",
    "cuda_on_cpu/example.cu",
    "cuda_on_cpu/include/cuda_runtime.h",
    "cuda_on_cpu/include/cuda_on_cpu/block.h",
]


def test_each_source_has_an_entry_and_builds_have_none(tmp_path, monkeypatch):
    for name in "a.cu", "b.h", "build/c.cpp", "exercises/1_x/mine/d.cu", "notes.md":
        (tmp_path / "chapters" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "chapters" / name).write_text("")
    monkeypatch.setattr(editor, "ROOT", tmp_path)
    editor.main()
    entries = json.loads((tmp_path / "compile_commands.json").read_text())
    assert [entry["file"] for entry in entries] == [str(tmp_path / "chapters" / name) for name in ("a.cu", "b.h")]


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
    with ThreadPoolExecutor(2) as pool:
        wrong = {
            str(file): re.findall(r"^E\[[\d:.]+\] (.*)", text, re.M) or text[-500:]
            for file, text in zip(files, pool.map(said, files), strict=True)
            if "All checks completed, 0 errors" not in text
        }
    assert not wrong
