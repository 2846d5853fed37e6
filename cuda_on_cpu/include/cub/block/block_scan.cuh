// cub::BlockScan: each thread gets the sum of all items before its own (exclusive), or with its own (inclusive).
#pragma once

#include "cuda_on_cpu/cub_block.h"

#pragma GCC visibility push(hidden)

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1>
class BlockScan {
public:
    struct TempStorage {
        T values[X * Y * Z], seed;
    };
    __device__ explicit BlockScan(TempStorage& storage) : storage_(storage) {}

    template <int N, class Op>
    CUDA_ON_CPU_FOR_CALLER void InclusiveScan(T (&in)[N], T (&out)[N], Op op) {
        const bool first = share(in, op);
        scan(in, out, op, first, earlier(), true);
    }
    // `prefix` is called by the first warp, with the total. What it gives thread 0 comes before the first item.
    template <int N, class Op, class Prefix>
    CUDA_ON_CPU_FOR_CALLER void InclusiveScan(T (&in)[N], T (&out)[N], Op op, Prefix& prefix) {
        scan(in, out, op, false, seeded(share(in, op), op, prefix), true);
    }
    template <int N, class Op, class Prefix>
    CUDA_ON_CPU_FOR_CALLER void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, Prefix& prefix) {
        scan(in, out, op, false, seeded(share(in, op), op, prefix), false);
    }
    template <int N, class Op>
    CUDA_ON_CPU_FOR_CALLER void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op) {
        const auto prefix = [initial](const T&) { return initial; };
        ExclusiveScan(in, out, op, prefix);
    }
    template <class Op>
    CUDA_ON_CPU_FOR_CALLER void InclusiveScan(T in, T& out, Op op) {
        InclusiveScan(array(in), array(out), op);
    }
    template <class Op>
    CUDA_ON_CPU_FOR_CALLER void ExclusiveScan(T in, T& out, T initial, Op op) {
        ExclusiveScan(array(in), array(out), initial, op);
    }
    template <class... Items>  // one item or an array of them, in and out; and where the total goes
    CUDA_ON_CPU_FOR_CALLER void InclusiveSum(Items&&... items) {
        sum(true, items...);
    }
    template <class... Items>
    CUDA_ON_CPU_FOR_CALLER void ExclusiveSum(Items&&... items) {
        sum(false, items...);
    }

private:
    static T (&array(T& item))[1] { return reinterpret_cast<T(&)[1]>(item); }

    // Afterwards values[t] is the sum of all items up to those of thread t. The result: whether this is the first
    // thread.
    template <int N, class Op>
    CUDA_ON_CPU_FOR_CALLER bool share(T (&in)[N], Op op) {
        const int rank = cuda_on_cpu::rank_in_block();
        T mine = in[0];
        for (int i = 1; i < N; i++) mine = op(mine, in[i]);
        storage_.values[rank] = mine;
        __syncthreads();
        if (rank == 0)
            for (int t = 1; t < X * Y * Z; t++) storage_.values[t] = op(storage_.values[t - 1], storage_.values[t]);
        __syncthreads();
        return rank == 0;
    }
    // The sum of the items of earlier threads; something for the first, which has none.
    CUDA_ON_CPU_FOR_CALLER T earlier() const { return storage_.values[std::max(cuda_on_cpu::rank_in_block() - 1, 0)]; }
    CUDA_ON_CPU_FOR_CALLER T total() const { return storage_.values[X * Y * Z - 1]; }
    template <class Op, class Prefix>
    CUDA_ON_CPU_FOR_CALLER T seeded(bool first, Op op, Prefix& prefix) {
        if (cuda_on_cpu::rank_in_block() < 32) {
            const T seed = prefix(total());
            if (first) storage_.seed = seed;
        }
        __syncthreads();
        return first ? storage_.seed : op(storage_.seed, earlier());
    }
    template <int N, class Op>
    CUDA_ON_CPU_FOR_CALLER void scan(T (&in)[N], T (&out)[N], Op op, bool first, T before, bool inclusive) {
        for (int i = 0; i < N; i++) {
            const T item = in[i];  // in and out may be one array
            const T with = first && i == 0 ? item : op(before, item);
            out[i] = inclusive ? with : before;
            before = with;
        }
    }
    template <int N>
    CUDA_ON_CPU_FOR_CALLER void sum(bool inclusive, T (&in)[N], T (&out)[N]) {
        const bool first = share(in, std::plus<T>());
        scan(in, out, std::plus<T>(), false, first ? T() : earlier(), inclusive);
    }
    template <int N>
    CUDA_ON_CPU_FOR_CALLER void sum(bool inclusive, T (&in)[N], T (&out)[N], T& all) {
        sum(inclusive, in, out);
        all = total();
    }
    CUDA_ON_CPU_FOR_CALLER void sum(bool inclusive, T in, T& out) { sum(inclusive, array(in), array(out)); }
    CUDA_ON_CPU_FOR_CALLER void sum(bool inclusive, T in, T& out, T& all) {
        sum(inclusive, array(in), array(out), all);
    }

    TempStorage& storage_;
};

}  // namespace cub

#pragma GCC visibility pop
