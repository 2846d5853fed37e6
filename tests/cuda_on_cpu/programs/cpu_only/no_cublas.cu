// A program that has kernels beside calls of cuBLAS: the kernels run, and the first call that would compute throws.

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>

template <class F>
void message_of(F f) {
    try {
        f();
    } catch (const std::runtime_error& error) {
        std::printf("%s\n", error.what());
    }
}

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }

int main() {
    cublasHandle_t handle = nullptr;
    cublasLtHandle_t lt = nullptr;
    bool ok = cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS && cublasLtCreate(&lt) == CUBLAS_STATUS_SUCCESS;
    ok = ok && handle && lt && cublasSetStream(handle, nullptr) == CUBLAS_STATUS_SUCCESS;
    ok = ok && cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS;

    float x[] = {1, 2, 3}, one = 1;
    twice<<<1, 3>>>(x);
    std::printf("%d %g\n", ok, x[2]);
    message_of([&] { cublasSaxpy(handle, 3, &one, x, 1, x, 1); });
    message_of([&] { cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, x, 1, x, 1, &one, x, 1); });
    message_of([&] { cublasZgemmStridedBatched(handle, CUBLAS_OP_C, NULL); });
    cublasLtMatmulDesc_t description;
    message_of([&] { cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F); });
    ok = cublasLtDestroy(lt) == CUBLAS_STATUS_SUCCESS && cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS;
    std::printf("%d %g\n", ok, x[2]);
}
