/* A comment
   of two lines */
__global__ void kernel(float* a) {
    a[threadIdx.x] = undeclared;  // LINE error
}

void launch(float* a) {
    kernel<<<1, 32>>>(a);
    kernel<<<1, 1>>>(a, "one too many");  // LINE arguments
}
