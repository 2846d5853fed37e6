// The second file of a .so, see library_one.cu.
__global__ void waits(int* a) {
    __syncthreads();
    atomicAdd(a, 1);
}

extern "C" int threads_that_waited(int threads) {
    int a = 0;
    waits<<<1, threads>>>(&a);
    return a;
}

extern "C" int last_error_in_another_file() { return cudaGetLastError(); }
