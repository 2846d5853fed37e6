// One .so of two files, built twice, with VALUE 1 and 2, and loaded into one process: the files share the runtime's
// state, the two .so do not, although their kernels have the same names.
template <int N>
__global__ void same_name(int* a) {
    __shared__ int kept[N];  // VALUE times the calls so far: shared memory stays, in this implementation
    kept[0] += VALUE;
    a[0] = kept[0];
}

extern "C" int call() {
    int a = 0;
    same_name<4><<<1, 1>>>(&a);
    return a;
}

extern "C" void refuse() { same_name<4><<<0, 1>>>(nullptr); }
