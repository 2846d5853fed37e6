// hello.h: the function that hello.cpp calls and hello.cu defines. Both include this file, so its declaration is
// written only once.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

constexpr int hello_length = 12;  // "Hello World!" without the 0 at its end

// Writes "Hello World!" to out[0] ... out[11], memory of the current device, in the order of `stream`.
void launch_hello(int8_t* out, cudaStream_t stream);
