#include <ATen/ops/ones.h>
#include <axpy.h>

#include <iostream>

int main() {
#ifdef CUDA_ON_CPU
    const at::Tensor ones = at::ones({3});
#else
    const at::Tensor ones = at::ones({3}, at::kCUDA);
#endif
    std::cout << axpy(ones, ones, 2).cpu() << "\n";  // 3 3 3
}
