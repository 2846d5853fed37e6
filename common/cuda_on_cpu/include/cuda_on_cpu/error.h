// cudaError_t: CUDA's numbers, names and texts, and the last error of each host thread.
#pragma once

#define CUDA_ON_CPU_ERRORS(X)                                                                           \
    X(cudaSuccess, 0, "no error")                                                                       \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                     \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                    \
    X(cudaErrorInitializationError, 3, "initialization error")                                          \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                               \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                              \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                         \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")  \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                    \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                     \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                            \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                   \
    X(cudaErrorNotReady, 600, "device not ready")                                                       \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                         \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                    \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                           \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                             \
    X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                       \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                                            \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                        \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                 \
    X(cudaErrorNotSupported, 801, "operation not supported")                                            \
    X(cudaErrorInvalidClusterSize, 912,                                                                 \
      "a kernel launch error has occurred due to cluster misconfiguration")                             \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUDA_ON_CPU_ENUMERATOR(name, number, text) name = number,
    CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_ENUMERATOR)
#undef CUDA_ON_CPU_ENUMERATOR
};
using cudaError_t = cudaError;

#pragma GCC visibility push(hidden)

inline const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CUDA_ON_CPU_CASE(name, number, text) \
    case name:                               \
        return text;
        CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_CASE)
#undef CUDA_ON_CPU_CASE
    }
    return "unrecognized error code";
}

inline const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CUDA_ON_CPU_CASE(name, number, text) \
    case name:                               \
        return #name;
        CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_CASE)
#undef CUDA_ON_CPU_CASE
    }
    return "unrecognized error code";
}

namespace cuda_on_cpu {

inline thread_local cudaError_t last_error = cudaSuccess;

// Every function of the API returns through here, as CUDA's do: a success does not clear an earlier error.
inline cudaError_t record(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

// An error inside a kernel. Both cudaGetLastError() and the next call that waits for the device report it, and whichever
// comes first takes it off. (On a GPU it stays, every later call reports it, and no kernel runs any more.)
inline thread_local cudaError_t kernel_error = cudaSuccess;

inline cudaError_t synchronize() {
    const cudaError_t error = kernel_error;
    kernel_error = cudaSuccess;
    return record(error);
}

}  // namespace cuda_on_cpu

inline cudaError_t cudaPeekAtLastError() { return cuda_on_cpu::last_error; }

inline cudaError_t cudaGetLastError() {
    const cudaError_t error = cuda_on_cpu::last_error;
    cuda_on_cpu::last_error = cuda_on_cpu::kernel_error = cudaSuccess;
    return error;
}

#pragma GCC visibility pop
