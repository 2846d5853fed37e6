"""common/launchers.py: a .cu called with tensors by what its header declares. On the CPU it is compiled once, 2 s."""

import pytest
import torch

from common import device, launchers
from common.progress import BuildError

HEADER = """
#pragma once
#include <cuda_runtime.h>
#include <cstdint>
// void commented_out(float* out);
void launch_fill(float* out, float value, int64_t n, cudaStream_t stream);
void launch_copy(int64_t* out,
                 const int64_t* in, bool negate, int n);
void launch_bytes(void* out, const void* in, int64_t n, cudaStream_t stream);
void fails(const double* unused);
"""
SOURCE = """
#include "many.h"
#include <stdexcept>
__global__ void fill_kernel(float* out, float value, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
void launch_fill(float* out, float value, int64_t n, cudaStream_t stream) {
    fill_kernel<<<unsigned(n / 256 + 1), 256, 0, stream>>>(out, value, n);
}
__global__ void copy_kernel(int64_t* out, const int64_t* in, bool negate, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = negate ? -in[i] : in[i];
}
void launch_copy(int64_t* out, const int64_t* in, bool negate, int n) { copy_kernel<<<1, 32>>>(out, in, negate, n); }
void launch_bytes(void* out, const void* in, int64_t n, cudaStream_t stream) {
    cudaMemcpyAsync(out, in, n, cudaMemcpyDefault, stream);
}
void fails(const double*) { throw std::runtime_error("as announced"); }
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    (folder / "many.h").write_text(HEADER)
    (folder / "many.cu").write_text(SOURCE)
    return launchers.launchers(folder / "many.cu")


def test_tensors_and_numbers_arrive(many):
    assert sorted(vars(many)) == ["fails", "launch_bytes", "launch_copy", "launch_fill"]
    out = torch.empty(300, device=device)
    many.launch_fill(out, 2.5, 300)
    assert torch.equal(out, torch.full_like(out, 2.5))
    numbers = torch.arange(100, device=device)
    copied = torch.empty_like(numbers)
    many.launch_copy(copied, numbers, True, 100)
    assert torch.equal(copied, -numbers)
    many.launch_bytes(out, numbers, 800)
    assert torch.equal(out[:200].view(torch.int64), numbers)


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        (lambda x: (x, 1.0), TypeError, r"launch_fill\(out, value, n\) takes 3 arguments, got 2"),
        (lambda x: (x.double(), 1.0, 8), TypeError, "out must be float32, got float64"),
        (lambda x: (x[::2], 1.0, 4), ValueError, "out must be contiguous"),
        (lambda x: ([1.0], 1.0, 8), TypeError, "out must be a tensor"),
        (lambda x: (x.to("meta"), 1.0, 8), ValueError, f"on the {device.type}, got meta"),
        (lambda x: (x, "1", 8), TypeError, "value must be a number of type float"),
        (lambda x: (x, 1.0, 8.5), TypeError, "n must be a number of type int64_t"),
    ],
)
def test_what_does_not_fit_is_refused(many, arguments, error, words):
    with pytest.raises(error, match=words):
        many.launch_fill(*arguments(torch.zeros(8, device=device)))


def test_an_exception_has_its_message(many):
    with pytest.raises(RuntimeError, match="as announced"):
        many.fails(None)


def test_what_cannot_be_built_is_said(tmp_path):
    (tmp_path / "odd.h").write_text("void launch_odd(std::string name);")
    (tmp_path / "odd.cu").write_text("")
    with pytest.raises(BuildError, match="takes a std::string name, which Python cannot pass"):
        launchers.launchers(tmp_path / "odd.cu")
    (tmp_path / "odd.h").write_text("void launch_odd(int n);")
    with pytest.raises(BuildError, match="(?s)odd.cu does not compile.*launch_odd"):
        launchers.launchers(tmp_path / "odd.cu")
    (tmp_path / "odd.cu").write_text('#include "odd.h"\n')
    with pytest.raises(BuildError, match="odd.cu does not define what odd.h declares"):
        launchers.launchers(tmp_path / "odd.cu")


@pytest.mark.skipif(device.type == "cuda", reason="for the CPU only")
def test_several_are_compiled_at_once(tmp_path, monkeypatch):
    """The same names in two folders do not meet, and a change is compiled again."""
    cus = []
    for value in 1, 2:
        cus.append(tmp_path / str(value) / "same.cu")
        cus[-1].parent.mkdir()
        cus[-1].with_suffix(".h").write_text("#pragma once\nvoid launch_same(float* out);\n")
        kernel = f"__global__ void same_kernel(float* out) {{ *out = {value}; }}"
        launch = "void launch_same(float* out) { same_kernel<<<1, 1>>>(out); }"
        cus[-1].write_text(f'#include <cuda_runtime.h>\n#include "same.h"\n{kernel}\n{launch}\n')
    launchers.compile_together(cus)
    monkeypatch.setattr(launchers, "_object", None)  # no compiler runs again
    out = torch.zeros(1)
    for value, cu in zip((1, 2), cus, strict=True):
        launchers.launchers(cu).launch_same(out)
        assert out.item() == value
    cus[0].write_text(cus[0].read_text().replace("= 1", "= 3"))
    with pytest.raises(TypeError):
        launchers.launchers(cus[0])
