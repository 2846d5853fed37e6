// torch's header, without the functions that only a torch for CUDA has, and with stand-ins for some of them.
#pragma once

#undef USE_CUDA  // what asks torch's header to declare these functions
#include_next <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <cuda_runtime.h>

#include <cstring>

static inline AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device, void** stream) {
    if (cuda_on_cpu::watch) cuda_on_cpu::watch->stream_device = device;
    *stream = cuda_on_cpu::current_stream();  // all work on it is done when the launch returns
    return AOTI_TORCH_SUCCESS;
}

// For STD_CUDA_CHECK and STD_CUDA_KERNEL_LAUNCH_CHECK. As torch's own, it takes the error off the list.
static inline AOTITorchError torch_c10_cuda_check_msg(int32_t error, const char*, const char*, uint32_t, bool,
                                                      char** message) {
    *message = nullptr;
    if (error == cudaSuccess) return AOTI_TORCH_SUCCESS;
    (void)cudaGetLastError();
    *message = strdup(("CUDA error: " + std::string(cudaGetErrorString(cudaError_t(error)))).c_str());
    return AOTI_TORCH_SUCCESS;
}
static inline void torch_c10_cuda_free_error_msg(char* message) { std::free(message); }
