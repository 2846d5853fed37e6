"""Fixtures of all rooms. Functions that tests share are in support.py."""

import pytest
import support  # noqa: F401  puts the repository on sys.path


@pytest.fixture(params=["forward", "reverse"])
def thread_order(request, monkeypatch):
    """CUDA on CPU runs the threads of a block first to last, and with CUDA_REVERSE=1 last to first."""
    from common import device

    if device.type == "cuda" and request.param == "reverse":
        pytest.skip("a GPU has no thread order to reverse")
    monkeypatch.setenv("CUDA_REVERSE", str(int(request.param == "reverse")))
    return request.param
