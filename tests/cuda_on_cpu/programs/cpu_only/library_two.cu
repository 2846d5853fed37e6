__device__ __noinline__ int helper(int x) { return x; }
__global__ void another(int* a) { a[0] = helper(VALUE); }

extern "C" int last_error() { return cudaGetLastError(); }

extern "C" int call_another() {
    int a = 0;
    another<<<1, 1>>>(&a);
    return a;
}
