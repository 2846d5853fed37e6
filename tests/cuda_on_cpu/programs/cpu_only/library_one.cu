// Built twice, with VALUE 1 (together with library_two.cu) and with VALUE 2, and loaded into one process: the two files
// of the first .so share the runtime's state, the two .so do not, although their kernels have the same names.
template <int N>
__global__ void same_name(int* a) {
    __shared__ int kept[N];  // VALUE times the calls so far: shared memory stays, in this implementation
    kept[0] += VALUE;
    a[0] = kept[0];
}

__device__ __noinline__ int helper(int x) { return x * VALUE; }
__global__ void another(int* a) { a[0] = helper(1); }

extern "C" int call() {
    int a = 0;
    same_name<4><<<1, 1>>>(&a);
    return a;
}

extern "C" int call_another() {
    int a = 0;
    another<<<1, 1>>>(&a);
    return a;
}

extern "C" void refuse() { same_name<4><<<0, 1>>>(nullptr); }

extern "C" int last_error() { return cudaGetLastError(); }
