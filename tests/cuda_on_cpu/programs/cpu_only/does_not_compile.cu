/* A comment
   of two lines */
__global__ void kernel(float* a) {
    a[threadIdx.x] = undeclared;  // LINE error
}

__global__ void assembly(unsigned* a) {
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(a[0]));
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;");
#endif
    if (a[0]) asm volatile("membar.gl;" ::: "memory");  // LINE instruction
}

void launch(float* a) {
    kernel<<<1, 32>>>(a);
    kernel<<<1, 1>>>(a, "one too many");  // LINE arguments
}
