// copy_rows.h: what copy_rows.cu offers wgmma.cu.
#pragma once
#include "operand.h"

// Copies each operand that TMA cannot read to `to`, and makes a or b refer to the copy. Returns whether it has launched
// a kernel.
template <class T>
bool launch_copy_rows(Stored<T>& a, Stored<T>& b, T* to, cudaStream_t stream);
