"""common/exercises.py: what the reader of an exercise is told. The exercises themselves: tests/chapters/test_exercises.py."""

import os

import pytest
import torch

from common import device, exercises
from common.exercises import Wrong


@pytest.fixture(autouse=True)
def the_order_before(monkeypatch):
    monkeypatch.setenv("CUDA_REVERSE", os.environ.get("CUDA_REVERSE", "0"))


def inputs(n):
    return (10 * torch.arange(n, device=device),)


def told(op, reference=torch.clone, inputs=inputs, sizes=(0, 1, 2, 5, 20), **options) -> list[str]:
    """The lines, without the space before and in them."""
    with pytest.raises(Wrong) as error:
        exercises.check(op, reference, inputs, sizes, **options)
    return [" ".join(line.split()) for line in str(error.value).splitlines()]


def test_a_right_operator_passes(capsys):
    exercises.check(torch.clone, torch.clone, inputs, (0, 3), name="rows")
    assert capsys.readouterr().out == "right   rows = 0 3\n"


def test_the_smallest_size_that_fails_is_shown_around_the_first_wrong_element():
    assert told(lambda x: x + (x == 20)) == [
        "n = 5: wrong result",
        "1 of 5 elements wrong",
        "index 0 1 2 3 4",
        "input 0 10 20 30 40",
        "expected 0 10 20 30 40",
        "yours 0 10 21 30 40",
        "^",
    ]
    assert told(lambda x: x + (x == 120))[2] == "index 8 9 10 11 12 13 14 15"


def test_what_is_not_written_is_shown():
    def op(x):
        out = torch.empty_like(x)
        out[::2] = x[::2] + (x[::2] == 40)
        return out

    lines = told(op, lambda x: x.clone(), sizes=(6,))
    assert "x 0 10 20 30 40 50" in lines and "yours 0 ? 20 ? 41 ?" in lines
    assert lines[1] == "4 of 6 elements wrong; ? is not written"


def test_of_a_matrix_there_is_a_map():
    def op(x):
        out = torch.empty_like(x)
        out[:-1], out[-1, 1:] = x[:-1], x[-1, 1:]
        out[0, 2] = -1
        return out

    lines = told(op, inputs=lambda n: (torch.arange(3 * n, device=device).view(n, 3),), sizes=(2,))
    assert lines[0] == "n = 2 (input: 2 rows, 3 columns): wrong result"
    assert lines[2:5] == ["row 0 . . x", "row 1 ? . .", "index (0, 0) (0, 1) (0, 2)"]
    deep = told(lambda x: x + (x >= 90), inputs=lambda n: (torch.arange(3 * n, device=device).view(n, 3),), sizes=(40,))
    alike = ["row 22 . . .", "...", "row 29 . . .", "row 30 x x x", "...", "row 37 x x x"]
    assert deep[2:8] == alike and deep[8].startswith("index")


@pytest.mark.skipif(device.type == "cuda", reason="a GPU has no order of threads")
def test_both_orders_of_the_threads_are_tried():
    lines = told(lambda x: x + int(os.environ["CUDA_REVERSE"]))
    assert lines[0] == "n = 1 with the threads in reverse order (CUDA_REVERSE=1): wrong result"


def test_an_error_of_the_operator_names_the_size():
    def op(x):
        if len(x) == 2:
            raise RuntimeError("CUDA on CPU: kernel k: data race")
        return x.clone()

    assert told(op) == ["n = 2: kernel k: data race"]


def test_what_has_to_be_refused():
    def refuses(error):
        def call():
            if error:
                raise error

        exercises.refuses(call, ValueError, "contiguous", "a matrix")

    refuses(ValueError("x must be contiguous"))
    for error, words in [
        (None, "a matrix: ValueError is expected, and there was no error"),
        (RuntimeError("x"), "a matrix: ValueError is expected, got RuntimeError"),
        (ValueError("x is wrong"), "does not say 'contiguous'"),
    ]:
        with pytest.raises(Wrong, match=words):
            refuses(error)


def test_answers(tmp_path, capsys):
    (tmp_path / "answers.py").write_text("A = None\nB = 3\n")
    with pytest.raises(Wrong, match="A is None: write your answer into .*answers.py"):
        exercises.answer(tmp_path, "A", 1, "look")
    with pytest.raises(Wrong, match="B = 3 is not right\nlook"):
        exercises.answer(tmp_path, "B", 1, "look")
    exercises.answer(tmp_path, "B", 3, "look")
    assert capsys.readouterr().out == "right   B = 3\n"


def test_a_program_that_fails_shows_its_end(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print('first'); sys.exit('last')")
    with pytest.raises(Wrong, match=r"^python program.py ended with status 1\n(first\nlast|last\nfirst)$"):
        exercises.run(tmp_path, ["python", "program.py"])
    assert exercises.run(tmp_path, ["python", "-c", "print(1)"]) == "1\n"
