// watch.cu: for the check, without a GPU: it gives the operator a stream, and looks at where it launches.
#include <cuda_runtime.h>

#ifdef CUDA_ON_CPU
extern "C" void watch(void* watch) { cuda_on_cpu::watch = static_cast<cuda_on_cpu::Watch*>(watch); }
#endif
