// copy_rows.h: what copy_rows.cu offers wgmma.cu.
#pragma once
#include "operand.h"

// Copies up to two operands to `to`, so that TMA can read the copies. Operands without rows are left out. Whether it
// has launched a kernel.
template <class T>
bool launch_copy_rows(Stored<T>& a, Stored<T>& b, T* to, cudaStream_t stream);
