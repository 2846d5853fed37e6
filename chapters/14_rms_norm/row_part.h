// row_part.h: a thread's part of a row, from its loads to its results, for the kernels of rms_norm.cu. No torch.
#pragma once
#include <cstdint>

#include "device/number.h"
#include "device/row_packs.h"

// Element i of a thread has the same column in all rows, so a thread can add up what its columns get. The part consists
// of packs if all rows consist of packs. Otherwise it consists of single elements, and neighbours read neighbours.
template <bool whole, int size>
__device__ int column_of(int i) {
    return whole ? int(threadIdx.x + i / size * blockDim.x) * size + i % size : int(threadIdx.x + i * blockDim.x);
}

template <bool whole, bool last = false, class T, int packs>
__device__ void load_part(Pack<T> (&v)[packs], const T* row, int n) {
    constexpr int size = Pack<T>::SIZE;
    if constexpr (whole) {
        load_packs<true, last>(v, row, 0, n, T(0.f));
    } else {
        UNROLL for (int i = 0; i < packs * size; i++) {
            const int c = column_of<false, size>(i);
            v[i / size].values[i % size] = c < n ? row[c] : T(0.f);
        }
    }
}

template <bool whole, class T, int packs>
__device__ void store_part(T* row, int n, const Pack<T> (&v)[packs]) {
    constexpr int size = Pack<T>::SIZE;
    if constexpr (whole) {
        UNROLL for (int k = 0; k < packs; k++) store_pack<true>(row, 0, n, k, v[k]);
    } else {
        UNROLL for (int i = 0; i < packs * size; i++) {
            const int c = column_of<false, size>(i);
            if (c < n) row[c] = v[i / size].values[i % size];
        }
    }
}

template <int inputs, class T, int packs>
__device__ void element(Number<T> (&of)[inputs], const Pack<T> (&v)[inputs][packs], int i) {
    UNROLL for (int a = 0; a < inputs; a++) of[a] = number(v[a][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]);
}

// add_rms_norm: x becomes the sum, rounded.
template <int inputs, class T, int packs>
__device__ void add_second_to_first(Pack<T> (&v)[inputs][packs]) {
    UNROLL for (int k = 0; k < packs; k++) UNROLL for (int j = 0; j < Pack<T>::SIZE; j++) v[0][k].values[j] =
        T(number(v[0][k].values[j]) + number(v[inputs - 1][k].values[j]));
}

// PACKS of each array a thread has in flight, and BLOCKS of 512 threads must fit on a multiprocessor at a time. The
// limit is registers: with two blocks a thread has 64, with one it has 128. A single element of half precision takes a
// register, and so does a sum for the gradient of weight.
template <class Op, bool whole>
constexpr int PACKS = sizeof(typename Op::T) == 2 && (Op::OF_WEIGHT || !whole) ? 2 : 4;
template <class Op, bool whole>
constexpr int BLOCKS = whole && !Op::OF_WEIGHT ? 2 : 1;

enum class Pass { only, first, second };  // over the row

// The inputs from index `at` on. The second pass finds the sum that the first one has stored.
template <bool whole, Pass pass, class Op, class T, int packs>
__device__ void load_inputs(Pack<T> (&v)[Op::INPUTS][packs], const Op& op, int64_t at, int n) {
    if constexpr (Op::ADDS && pass == Pass::second) {
        load_part<whole, true>(v[0], op.sum + at, n);
    } else {
        UNROLL for (int a = 0; a < Op::INPUTS; a++)
            load_part<whole, Op::ADDS || pass != Pass::first>(v[a], op.in[a] + at, n);
        if constexpr (Op::ADDS) {
            add_second_to_first(v);
            store_part<whole>(op.sum + at, n, v[0]);
        }
    }
}

template <class Op, class T, int packs>
__device__ typename Op::Part part_of(const Op&, const Pack<T> (&v)[Op::INPUTS][packs], const Pack<T> (&w)[packs]) {
    typename Op::Part all = {};
    UNROLL for (int i = 0; i < packs * Pack<T>::SIZE; i++) {
        Number<T> of[Op::INPUTS];
        element(of, v, i);
        all = all + Op::part(of, number(w[i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]));
    }
    return all;
}

// of_weight: what the thread has added up for its columns, one element each.
template <bool whole, class Op, class T, int packs, int count>
__device__ void write(const Op& op, int64_t at, int n, Pack<T> (&v)[Op::INPUTS][packs], const Pack<T> (&w)[packs],
                      typename Op::Factors factors, Number<T> (&of_weight)[count]) {
    UNROLL for (int i = 0; i < count; i++) {
        Number<T> of[Op::INPUTS];
        element(of, v, i);
        T& result = v[0][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE];
        result = T(Op::result(of, number(w[i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]), factors, of_weight[i]));
    }
    store_part<whole>(op.out + at, n, v[0]);
}
