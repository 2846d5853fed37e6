// direct.h: what direct.cu offers. No torch.
#pragma once
#include "operand.h"
#include "work.h"

// task: of a plan with tiles of 64 x 64.
template <class T>
void launch_direct(const Stored<T>& a, const Stored<T>& b, const Task<T>& task, cudaStream_t stream);
