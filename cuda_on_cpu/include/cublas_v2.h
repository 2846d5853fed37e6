// cuBLAS's names, for programs that include it and have kernels of their own. There is no cuBLAS here: handles and
// their settings are accepted, and whatever would compute throws std::runtime_error, which names the function.
#pragma once

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

#pragma GCC visibility push(hidden)

using cublasHandle_t = struct cublasContext*;

namespace cuda_on_cpu {

[[noreturn]] inline void no_cublas(const char* function) {
    throw std::runtime_error("CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no " + std::string(function) +
                             "()");
}

// A handle is asked for nothing, but some programs compare it with NULL.
template <class Handle>
cublasStatus_t give_handle(Handle* handle) {
    static char something;
    *handle = reinterpret_cast<Handle>(&something);
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cuda_on_cpu

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) { return cuda_on_cpu::give_handle(handle); }
inline cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline const char* cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "a status of cuBLAS that is none of success";
}
inline const char* cublasGetStatusName(cublasStatus_t status) { return cublasGetStatusString(status); }

#define CUDA_ON_CPU_NONE(name)                 \
    template <class... Arguments>              \
    cublasStatus_t name(const Arguments&...) { \
        cuda_on_cpu::no_cublas(#name);         \
    }
#define CUDA_ON_CPU_REAL(name) CUDA_ON_CPU_NONE(cublasS##name) CUDA_ON_CPU_NONE(cublasD##name)
#define CUDA_ON_CPU_COMPLEX(name) CUDA_ON_CPU_NONE(cublasC##name) CUDA_ON_CPU_NONE(cublasZ##name)
#define CUDA_ON_CPU_ALL(name) CUDA_ON_CPU_REAL(name) CUDA_ON_CPU_COMPLEX(name)
#define CUDA_ON_CPU_BATCHED(name) \
    CUDA_ON_CPU_ALL(name) CUDA_ON_CPU_ALL(name##Batched) CUDA_ON_CPU_ALL(name##StridedBatched)

// Vectors.
CUDA_ON_CPU_ALL(axpy)
CUDA_ON_CPU_ALL(copy)
CUDA_ON_CPU_ALL(swap)
CUDA_ON_CPU_ALL(scal)
CUDA_ON_CPU_ALL(rot)
CUDA_ON_CPU_ALL(rotg)
CUDA_ON_CPU_REAL(rotm)
CUDA_ON_CPU_REAL(rotmg)
CUDA_ON_CPU_REAL(dot)
CUDA_ON_CPU_COMPLEX(dotu)
CUDA_ON_CPU_COMPLEX(dotc)
CUDA_ON_CPU_REAL(nrm2)
CUDA_ON_CPU_REAL(asum)
CUDA_ON_CPU_NONE(cublasScnrm2)
CUDA_ON_CPU_NONE(cublasDznrm2)
CUDA_ON_CPU_NONE(cublasScasum)
CUDA_ON_CPU_NONE(cublasDzasum)
CUDA_ON_CPU_NONE(cublasCsscal)
CUDA_ON_CPU_NONE(cublasZdscal)
CUDA_ON_CPU_NONE(cublasIsamax)
CUDA_ON_CPU_NONE(cublasIdamax)
CUDA_ON_CPU_NONE(cublasIcamax)
CUDA_ON_CPU_NONE(cublasIzamax)
CUDA_ON_CPU_NONE(cublasIsamin)
CUDA_ON_CPU_NONE(cublasIdamin)
CUDA_ON_CPU_NONE(cublasIcamin)
CUDA_ON_CPU_NONE(cublasIzamin)
CUDA_ON_CPU_NONE(cublasAxpyEx)
CUDA_ON_CPU_NONE(cublasCopyEx)
CUDA_ON_CPU_NONE(cublasDotEx)
CUDA_ON_CPU_NONE(cublasNrm2Ex)
CUDA_ON_CPU_NONE(cublasScalEx)

// A matrix and a vector.
CUDA_ON_CPU_BATCHED(gemv)
CUDA_ON_CPU_ALL(gbmv)
CUDA_ON_CPU_ALL(trmv)
CUDA_ON_CPU_ALL(trsv)
CUDA_ON_CPU_ALL(tbmv)
CUDA_ON_CPU_ALL(tbsv)
CUDA_ON_CPU_ALL(tpmv)
CUDA_ON_CPU_ALL(tpsv)
CUDA_ON_CPU_ALL(symv)
CUDA_ON_CPU_REAL(sbmv)
CUDA_ON_CPU_REAL(spmv)
CUDA_ON_CPU_REAL(ger)
CUDA_ON_CPU_COMPLEX(geru)
CUDA_ON_CPU_COMPLEX(gerc)
CUDA_ON_CPU_COMPLEX(hemv)
CUDA_ON_CPU_ALL(syr)
CUDA_ON_CPU_ALL(syr2)
CUDA_ON_CPU_COMPLEX(her)
CUDA_ON_CPU_COMPLEX(her2)

// Matrices.
CUDA_ON_CPU_BATCHED(gemm)
CUDA_ON_CPU_COMPLEX(gemm3m)
CUDA_ON_CPU_NONE(cublasHgemm)
CUDA_ON_CPU_NONE(cublasHgemmBatched)
CUDA_ON_CPU_NONE(cublasHgemmStridedBatched)
CUDA_ON_CPU_NONE(cublasSgemmEx)
CUDA_ON_CPU_NONE(cublasCgemmEx)
CUDA_ON_CPU_NONE(cublasGemmEx)
CUDA_ON_CPU_NONE(cublasGemmBatchedEx)
CUDA_ON_CPU_NONE(cublasGemmStridedBatchedEx)
CUDA_ON_CPU_ALL(symm)
CUDA_ON_CPU_ALL(syrk)
CUDA_ON_CPU_ALL(syr2k)
CUDA_ON_CPU_ALL(syrkx)
CUDA_ON_CPU_COMPLEX(hemm)
CUDA_ON_CPU_COMPLEX(herk)
CUDA_ON_CPU_COMPLEX(her2k)
CUDA_ON_CPU_ALL(trmm)
CUDA_ON_CPU_ALL(trsm)
CUDA_ON_CPU_ALL(trsmBatched)
CUDA_ON_CPU_ALL(geam)
CUDA_ON_CPU_ALL(dgmm)
CUDA_ON_CPU_ALL(getrfBatched)
CUDA_ON_CPU_ALL(getrsBatched)
CUDA_ON_CPU_ALL(getriBatched)
CUDA_ON_CPU_ALL(matinvBatched)
CUDA_ON_CPU_ALL(geqrfBatched)
CUDA_ON_CPU_ALL(gelsBatched)

// Copies.
CUDA_ON_CPU_NONE(cublasSetVector)
CUDA_ON_CPU_NONE(cublasGetVector)
CUDA_ON_CPU_NONE(cublasSetMatrix)
CUDA_ON_CPU_NONE(cublasGetMatrix)
CUDA_ON_CPU_NONE(cublasSetVectorAsync)
CUDA_ON_CPU_NONE(cublasGetVectorAsync)
CUDA_ON_CPU_NONE(cublasSetMatrixAsync)
CUDA_ON_CPU_NONE(cublasGetMatrixAsync)

#undef CUDA_ON_CPU_BATCHED
#undef CUDA_ON_CPU_ALL
#undef CUDA_ON_CPU_COMPLEX
#undef CUDA_ON_CPU_REAL
#pragma GCC visibility pop
