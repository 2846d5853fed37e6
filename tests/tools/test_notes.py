"""The READMEs show what runs printed: nothing in between the two."""

import sys

import pytest
from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import notes


def test_readmes_show_what_results_hold(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["notes.py", "--check"])
    with pytest.raises(SystemExit) as done:
        notes.main()
    assert not done.value.code, capsys.readouterr().out


def test_every_result_is_shown_somewhere():
    blocks = [block for readme in notes.readmes() for block in notes.BLOCK.finditer(readme.read_text())]
    shown = {notes.result_file(block[1], block[2]) for block in blocks}
    assert set(ROOT.glob("results/*/*.txt")) <= shown  # and the other way round is what --check says


def test_a_changed_figure_is_noticed():
    readme = next(r for r in notes.readmes() if notes.BLOCK.search(r.read_text()))
    text = readme.read_text()
    block = notes.BLOCK.search(text)
    changed = text.replace(block[3], block[3].replace("s", "z", 1))
    assert changed != text and notes.filled(changed) == text


def test_a_changed_table_of_what_operators_take_is_noticed():
    text = (ROOT / "chapters/README.md").read_text()
    changed = text.replace("| float32 |", "| float16 |", 1)
    assert changed != text and notes.filled(changed) == text
