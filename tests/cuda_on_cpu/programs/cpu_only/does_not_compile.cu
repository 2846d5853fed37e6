/* A comment
   of two lines */
#include <cuda/ptx>
__global__ void kernel(float* a) {
    a[threadIdx.x] = undeclared;  // LINE error
}

__global__ void assembly(unsigned* a) {
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(a[0]));
#if __CUDA_ARCH__ >= 1000
    asm volatile("tcgen05.wait::ld.sync.aligned;");
#endif
    if (a[0]) asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");  // LINE instruction
}

__global__ void newer() {
    cuda::ptx::tcgen05_wait_ld();  // LINE lacking
}

__global__ void shared(float* a) {
    __shared__ float s[2] = {1, 2};  // LINE initialiser
    a[0] = s[0];
}

int twice(int n) { return 2 * n; }

__global__ void calls(int* a) {
    a[0] = twice(a[1]);  // LINE host
}

void launch(float* a) {
    kernel<<<1, 32>>>(a);
    kernel<<<1, 1>>>(a, "one too many");  // LINE arguments
}
