"""common/torch_private.py: each private name of torch that the harness uses is there and has its effect. 5 s

Where one of these fails with a new torch, the harness would fail, too, or would only become slow or blind.
"""

import os
import subprocess
import sys

import pytest
import torch

from common import cpp_extension, device, torch_private
from tests.support import ROOT

library = torch.library.Library("torch_private", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x + x, "CPU")
twice = torch.ops.torch_private.twice.default


class Seen(torch_private.DispatchMode):
    """The names of the operators that torch's dispatcher calls meanwhile."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.name())
        return func(*args, **(kwargs or {}))


def test_a_dispatch_mode_sees_each_call():
    with Seen() as seen:
        torch.ones(3).add_(1)
    assert seen.names == ["aten::ones", "aten::add_.Tensor"]


SLOW = "torch._dynamo", "torch.distributed.tensor", "sympy"


@pytest.mark.thorough
def test_neither_a_dispatch_mode_nor_assert_close_imports_what_takes_a_second():
    """_should_skip_dynamo, _HAS_DTENSOR"""
    code = f"""if True:
        import sys, torch
        from common import checking, guarded
        with guarded.Guarded():
            torch.testing.assert_close(torch.ones(3), torch.ones(3))
        print(*(name for name in {SLOW} if name in sys.modules))
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=-1, text=True, check=True)
    assert not done.stdout.strip()


def test_trees():
    x, y = torch.ones(1), torch.zeros(1)
    tree = {"a": [x, 3], "b": (y, None)}
    leaves, spec = torch_private.tree_flatten(tree)
    assert [leaf is expected for leaf, expected in zip(leaves, [x, 3, y, None], strict=True)] == [True] * 4
    assert torch_private.tree_unflatten(leaves, spec) == tree
    assert torch_private.tree_map_only(torch.Tensor, float, tree) == {"a": [1.0, 3], "b": (0.0, None)}


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64], ids=str)
def test_tolerances_are_those_of_assert_close(dtype):
    x = torch.ones(1, dtype=dtype)
    rtol, atol = torch_private.get_tolerances(x, x, rtol=None, atol=None)
    torch.testing.assert_close(x + 0.9 * (rtol + atol), x)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(x + 1.5 * (rtol + atol), x)


def test_a_kernel_is_called_with_the_mode_on():
    """resolve_key, _op_dk"""
    assert torch_private.kernel(twice, on_gpu=True) is None
    call = torch_private.kernel(twice, on_gpu=False)
    with Seen() as seen:
        assert call(torch.full((), 3)) == 6
    assert "aten::add.Tensor" in seen.names


def test_never_compiled():
    """_disable_dynamo"""
    compiling = []

    def function(x):
        compiling.append(torch.compiler.is_compiling())
        return x + 1

    for wrapped in torch_private.never_compiled(function), function:
        torch.compile(lambda x, wrapped=wrapped: wrapped(x) * 2, backend="eager")(torch.ones(3))
    assert compiling == [False, True]


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
def test_the_gpu_sleeps():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch_private.sleep_on_gpu(20_000_000)
    end.record()
    end.synchronize()
    assert 2 < start.elapsed_time(end) < 50


def test_load_inline_only_writes_files(tmp_path):
    """_jit_compile"""
    torchs = cpp_extension.torch_extension
    with torch_private.only_writes_files(torchs):
        files = torchs.load_inline("inline", "int f() { return 1; }", functions="f", build_directory=str(tmp_path))
    assert files == [str(tmp_path / "main.cpp")] and [*tmp_path.iterdir()] == [tmp_path / "main.cpp"]
    assert 'm.def("f"' in (tmp_path / "main.cpp").read_text()


def test_quoting(tmp_path, monkeypatch):
    """_prepare_ldflags, and _wrap_compiler where torch has it"""
    monkeypatch.setenv("CXX", "ccache g++")
    monkeypatch.setenv("TORCH_NO_COMPILER_WRAPPER", "1")
    folder, torchs = tmp_path / "My Projects", cpp_extension.torch_extension
    folder.mkdir()
    with torch_private.quoting(torchs):
        flags = torchs._prepare_ldflags([f"-L{folder}"], False, False, False, False)
        assert f"'-L{folder}'" in flags
        if torch.__version__ >= (2, 15):
            assert torchs._wrap_compiler(os.environ["CXX"]) == ["ccache", "g++"]
            assert torchs._wrap_compiler("nvcc") == ["nvcc"]


def test_a_hopper_gets_code_for_sm_90a(monkeypatch):
    """_get_cuda_arch_flags"""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0;9.0+PTX")
    assert torch_private.architectures(cpp_extension.torch_extension) == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90a,code=compute_90a",
        "-gencode=arch=compute_90a,code=sm_90a",
    ]
