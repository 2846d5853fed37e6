"""Which tool finds which planted mistake: what counts as an answer, and the table of the answers."""

import json

import pytest

from tests.support import ROOT
from tools.maintain import planted, tables


@pytest.mark.parametrize(
    "prints, found",
    [
        ("tree: nothing\n========= ERROR SUMMARY: 0 errors", False),
        ("tree: nothing\n========= ERROR SUMMARY: 10 errors", True),
        ("tree: nothing\n========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)", True),
        ("========= ERROR SUMMARY: 0 errors", "no answer"),  # the program knows no such kernel
        ("tree: nothing", "no answer"),
        ("hangs", "time out"),
    ],
)
def test_answers_of_compute_sanitizer(prints, found, monkeypatch):
    monkeypatch.setattr(planted, "LIMIT", 1)
    command = ["sh", "-c", "sleep 30 | cat" if prints == "hangs" else f"echo '{prints}'"]
    assert planted.verdict(command, r"SUMMARY: [1-9]", "^tree: ", r"SUMMARY: \d") == found


def test_table(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert planted.who_finds_what("gpu", folder=ROOT) == tables.nothing("make planted")
    of_both, of_ours, of_theirs, of_none = (
        dict(zip((planted.CPU, "memcheck", "racecheck"), found, strict=True))
        for found in [(True, False, True), (True, False, False), (False, True, True), (False, False, False)]
    )
    wrong = {"reverse": of_both, "tree": of_ours, "sum": of_theirs, "two_calls": of_ours | {"memcheck": "time out"}}
    right = {"bytes": of_theirs, "tile": of_none}
    data = dict.fromkeys(["gpu", "driver", "torch", "nvcc", "date", "commit", "compute-sanitizer"], "1")
    data |= {"kernels": {"memory_wrong": wrong, "memory_right": right}}
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted/gpu.json").write_text(json.dumps(data))
    text = planted.who_finds_what("gpu", folder=ROOT)
    assert "| races between warps | 2 | 2 | 0 | 1 | 1 |" in text
    assert "| missing atomics | 1 | 0 | 1 | 1 | 1 |" in text
    assert "| right kernels: false alarms | 2 | 0 | 1 | 1 | 1 |" in text
    assert "Only the memory check finds: `tree`, `two_calls`." in text
    assert "Only compute-sanitizer finds: `sum`." in text and "Neither finds: none." in text
    assert "no answer: `two_calls` (memcheck)." in text and "False alarms: `bytes` (memcheck, racecheck)." in text
    assert "Not run on a GPU yet: `no_wait`, " in text and "There was no gap" in text
