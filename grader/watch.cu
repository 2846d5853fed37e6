// watch.cu: built beside a reader's binding (checks.WATCH), it lets a check see the operator's launches without a GPU.
#include <cuda_runtime.h>

#ifdef CUDA_ON_CPU
extern "C" void watch(void* watch) { cuda_on_cpu::watch = static_cast<cuda_on_cpu::LaunchProbe*>(watch); }
#endif
