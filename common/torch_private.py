"""Every private name of torch that the harness uses, and why. Any release of torch may silently change one of them, so
tests/common/test_torch_private.py asks whether each is there and has its effect.

It must not import torch.utils.cpp_extension, which looks for CUDA when it is imported. common/cpp_extension.py imports it
when CUDA's place is known.
"""

import contextlib
import functools
import os
import re
import shlex
from unittest import mock

import torch
from torch.testing import _comparison
from torch.testing._comparison import get_tolerances  # what assert_close() takes for rtol=None and atol=None
from torch.utils._python_dispatch import TorchDispatchMode  # sees each call that reaches torch's dispatcher
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten  # tensors in lists, tuples and dicts

__all__ = ["TorchDispatchMode", "get_tolerances", "tree_flatten", "tree_map_only", "tree_unflatten"]

# torch 2.15's assert_close() imports torch.distributed and with it sympy, most of a second, to ask whether a tensor is
# distributed over several machines. Ours never are.
_comparison._HAS_DTENSOR = False


class DispatchMode(TorchDispatchMode):
    """TorchDispatchMode, whose subclasses are made without an import of torch._dynamo, which takes a second."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False


def never_compiled(function):
    """That function. torch.compile leaves it and its callees alone. Only for a process that has imported torch._dynamo."""
    return torch._disable_dynamo(function, recursive=True)


def kernel(op, on_gpu):
    """What torch would call for that operator and plain tensors: past autograd, and with the dispatch mode on. None if the
    operator has no kernel of its own."""
    try:
        key = torch._ops.resolve_key(op, torch.DispatchKey.CUDA if on_gpu else torch.DispatchKey.CPU)
    except NotImplementedError:
        return None
    return functools.partial(op._op_dk, key)


def sleep_on_gpu(cycles):
    """Keeps torch's current stream busy: 2 million cycles are about a millisecond."""
    torch.cuda._sleep(cycles)


def architectures(cpp_extension):
    """nvcc's flags for the GPUs of this machine, or for those in TORCH_CUDA_ARCH_LIST, as torch chooses them. But a Hopper
    gets code for sm_90a: that for sm_90 has no wgmma."""
    return [re.sub(r"_90\b", "_90a", flag) for flag in cpp_extension._get_cuda_arch_flags()]


def only_writes_files(cpp_extension):
    """Inside, load_inline() only writes its strings to files, with headers and binding, and returns their names."""
    return mock.patch.object(cpp_extension, "_jit_compile", lambda name, sources, *args, **kwargs: sources)


@contextlib.contextmanager
def quoting(cpp_extension):
    """torch quotes the folders of headers, but not those of libraries: a .venv in `My Projects` would not link. torch 2.15
    also quotes CXX as if it were one word, but "ccache g++" is two words."""
    prepare, wrap = cpp_extension._prepare_ldflags, getattr(cpp_extension, "_wrap_compiler", None)

    def quoted(*args, **kwargs):
        flags = prepare(*args, **kwargs)
        return [shlex.quote(flag) if flag.startswith("-L") and os.path.isdir(flag[2:]) else flag for flag in flags]

    def words(compiler):  # of CXX, or nvcc
        return wrap(shlex.split(compiler) if compiler == os.environ.get("CXX") else compiler)

    with (
        mock.patch.object(cpp_extension, "_prepare_ldflags", quoted),
        mock.patch.object(cpp_extension, "_wrap_compiler", words, create=True),
    ):
        yield
