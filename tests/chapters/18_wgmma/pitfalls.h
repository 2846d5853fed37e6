#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// Each is to give out = a b, where a is 64 x 128 and b is 128 x 64, stored by columns (64 rows of 128 numbers).
void right(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void one_parity(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void reads_too_early(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void no_fence(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void begins_anywhere(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void too_few_bytes(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void map_refused(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);

// Each is to give the same twice, by a cluster of two blocks, of which the first loads for both. Here b is 128 x 128,
// by rows.
void pair(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void leaves_early(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
void rank_in_descriptor(float* out, const __nv_bfloat16* a, const __nv_bfloat16* b, cudaStream_t stream);
