"""Chapter 02: the 2-D grid, and what cpp_sources must declare."""

import re
import sys

import pytest
import torch

from common import check, device
from tests.support import chapter, operators

SIDES = [0, 1, 3, 15, 16, 17, 255, 256, 257]


@pytest.fixture(params=["square_matrix", "square_by_columns"])
def square(request):
    return getattr(operators("02_square"), request.param)


@pytest.mark.parametrize("height", SIDES)
def test_every_shape_around_a_block(square, height, thread_order):
    check(square, torch.square, lambda width: (torch.rand(height, width, device=device),), SIDES, rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(65535 * 16 + 1, 1), (1, 65535 * 16 + 1)])
def test_more_rows_or_columns_than_65535_blocks_cover(square, shape):
    matrix = torch.rand(shape, device=device)
    assert torch.equal(square(matrix), matrix.square())


@pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2)])
def test_other_ranks_are_refused(square, shape):
    with pytest.raises(ValueError, match=f"matrix must have 2 dimensions, got {len(shape)}"):
        square(torch.rand(shape, device=device))


@pytest.mark.thorough
def test_what_cpp_sources_does_not_declare_does_not_build(capsys, monkeypatch):
    """As in the second listing of --notes, which is built with a declaration as well, and then is right."""
    monkeypatch.setattr(sys, "argv", ["main.py", "--notes"])
    chapter("02_square").main()
    said = capsys.readouterr().out
    assert re.search(r"check +add_cuda: .* ok", said) and re.search(r"check +custom_operation: .* ok", said)
    assert re.search("custom_operation.* was not declared|undeclared identifier 'custom_op", said)
