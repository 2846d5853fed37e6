"""The stable ABI's headers without a GPU: what only a torch for CUDA has, and exceptions on their way to Python. 5 s"""

import pytest
import torch

from common import device
from common.cpp_extension import load
from tests.support import kept_folder, write

SOURCE = """
#include <cuda_runtime.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>

#include <stdexcept>

using namespace torch::stable::accelerator;

void attempt(const torch::stable::Tensor& x, int64_t what) {
    void* stream = &stream;
    if (what == 0) DeviceGuard guard(x.get_device_index());
    if (what == 1) TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    if (what == 1) STD_TORCH_CHECK(stream == nullptr && getCurrentStream(0).id() == 0, "a stream");
    if (what == 2) STD_CUDA_KERNEL_LAUNCH_CHECK();
    if (what == 3) DeviceGuard guard(3);
    if (what == 4) STD_CUDA_CHECK(cudaErrorInvalidValue);
    if (what == 5) throw std::runtime_error("words");
    if (what == 6) throw std::invalid_argument("words");
}

STABLE_TORCH_LIBRARY(stand_ins, m) { m.def("attempt(Tensor x, int what) -> ()"); }
STABLE_TORCH_LIBRARY_IMPL(stand_ins, CPU, m) { m.impl("attempt", TORCH_BOX(&attempt)); }
"""


@pytest.mark.thorough
@pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")
def test_stand_ins():
    folder = kept_folder("stand_ins")
    source = write(folder / "stand_ins.cpp", SOURCE)
    flags = ["-O0", "-DUSE_CUDA", "-DTORCH_TARGET_VERSION=0x020b000000000000"]
    load("stand_ins", [source], extra_cflags=flags, build_directory=str(folder), is_python_module=False)
    for what in 0, 1, 2:
        torch.ops.stand_ins.attempt(torch.ones(2), what)
    of_invalid_argument = RuntimeError if torch.__version__ >= (2, 15) else ValueError
    for what, error, words in [
        (3, RuntimeError, "invalid device ordinal .*has one device, got 3"),
        (4, RuntimeError, "CUDA error: invalid argument"),
        (5, RuntimeError, "^words$"),
        (6, of_invalid_argument, "^words$"),
    ]:
        with pytest.raises(error, match=words) as info:
            torch.ops.stand_ins.attempt(torch.ones(2), what)
        assert type(info.value) is error
    torch.ops.stand_ins.attempt(torch.ones(2), 2)  # no error is left
