"""The microscope against the counters of GPUs (results/counters/, `make counters`), within 2 %.

The comparison is thorough: 10 to 70 s a chapter, to compile its kernels for the microscope.
"""

from __future__ import annotations

import collections
import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.cuda_on_cpu.building import ROOT, need
from tests.cuda_on_cpu.reasons import COPIES, PREDICATED, STMATRIX, STRUCT, TWICE
from tools.maintain import counters

FILES = sorted(counters.COUNTERS.glob("*.json"))
SUBJECTS = [(file, subject) for file in FILES for subject in json.loads(file.read_text())["kernels"]]
# (kernel, counter, or "" for all of them): why the model counts something else.
OF_THE_PROGRAM = {  # programs/access.cu
    ("large_struct", ""): STRUCT,
    ("shorts", ""): STRUCT,
    ("shorts_one_further", ""): STRUCT,
    ("two_doubles", ""): STRUCT,
    ("copied16_conflicts", "global load sectors"): TWICE,
    ("shared_counters", "shared store requests"): PREDICATED,
}
for kernel in "matrices_side_by_side", "matrices_apart", "matrices_padded":
    OF_THE_PROGRAM[kernel, "shared store requests"] = STMATRIX
for kernel in "copied4", "copied4_conflicts", "copied16", "copied16_conflicts":
    OF_THE_PROGRAM[kernel, "shared load requests"] = COPIES
EXPLAINED = collections.defaultdict(dict, access=OF_THE_PROGRAM)  # {subject: {(kernel, counter, or ""): a reason}}
for chapter in sorted(ROOT.glob("tests/chapters/*/counters.py")):
    EXPLAINED[chapter.parent.name] = runpy.run_path(str(chapter))["EXPLAINED"]


@pytest.mark.skipif(
    not FILES, reason="results/counters/ has no counters yet: run `make counters` on a machine with ncu"
)
def test_there_are_counters():
    assert SUBJECTS
    for subject, reasons in EXPLAINED.items():
        counted = set().union(*(json.loads(file.read_text())["kernels"].get(subject, ()) for file in FILES))
        assert {kernel for kernel, _ in reasons} <= counted, f"{subject}: reasons for what no GPU has counted"


def wrong(counted: dict, model: dict, explained=()) -> list[tuple]:
    """The counts that differ by more than 2 %, and without an explanation."""
    return [
        (kernel, name, gpu, ours)
        for kernel, name, gpu, ours in counters.differences(counted, model)
        if abs(ours - gpu) > 0.02 * gpu and not {(kernel, name), (kernel, "")} & set(explained)
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("file, subject", SUBJECTS, ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_the_model_counts_what_a_gpu_counts(file, subject):
    need("g++")
    counted, model = json.loads(file.read_text())["kernels"][subject], counters.modelled(subject)
    assert counted and not set(counted) - set(model), "kernels that the model has not seen"
    assert not wrong(counted, model, EXPLAINED[subject])


def test_a_difference_is_found():
    row = {
        "kernel": "mine::sum<float>",
        "space": "global",
        "kind": "load",
        "requests": 100,
        "sectors": 400,
        "wavefronts": 9,
    }
    model = counters.of_rows([row, row | {"kind": "copy"}, row | {"kind": "atomic"}, row | {"space": "constant"}])
    right = {"sum": dict.fromkeys(counters.COUNTS, 0) | {"global load requests": 200, "global load sectors": 808}}
    assert not wrong(right, model)
    off = {"sum": right["sum"] | {"global load sectors": 850}}
    assert wrong(off, model) == [("sum", "global load sectors", 850, 800)]
    assert not wrong(off, model, {("sum", ""): "why"}) and not wrong(
        off, model, {("sum", "global load sectors"): "why"}
    )
    assert wrong({"sum": right["sum"] | {"shared load wavefronts": 1}}, model)
    assert not wrong({"other": off["sum"]}, model)


def test_what_ncu_prints_is_understood(tmp_path, monkeypatch):
    """With an ncu that does not know one of the metrics."""
    from common import toolkit

    metric_of = {name: metric for metric, name in counters.METRICS.items()}
    table = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    for value in "1,024", "512":
        table += f'"0","scale","{metric_of["global load requests"]}","request","{value}"\n'
    table += '"1","scale","smsp__inst_executed_op_shared_ld.sum","inst","7"\n'
    table += '"1","scale","smsp__inst_executed_op_ldsm.sum","inst","2"\n'
    table += f'"1","scale","{metric_of["global load requests"]}","request","n/a"\n'
    ncu = tmp_path / "ncu"
    ncu.write_text(
        f'#!{sys.executable}\nimport sys\nif "{counters.MORE[0]}" in " ".join(sys.argv):\n'
        f'    sys.exit("==ERROR== Failed to find metric {counters.MORE[0]}")\n'
        f"print('''==PROF== Connected\\nthe program's own words\\n{table}''')\n"
    )
    ncu.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(toolkit, "cuda_home", lambda: tmp_path)
    assert counters.count(["program"]) == {"scale": {"global load requests": 1536, "shared load requests": 9}}
    ncu.write_text(f'#!{sys.executable}\nprint("==ERROR== ERR_NVGPUCTRPERM - no permission")\n')
    with pytest.raises(SystemExit, match="ncu cannot count here: ==ERROR== ERR_NVGPUCTRPERM"):
        counters.count(["program"])
