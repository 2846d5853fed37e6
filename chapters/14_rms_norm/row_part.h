// row_part.h: a thread's part of a row, from its loads to its results, for the kernels of rms_norm.cu. No torch.
#pragma once
#include <cstdint>

#include "device/number.h"
#include "device/row_packs.h"

// A long row, which begins `shift` elements after the begin of a pack. Its elements are counted from there; `end` is
// one past the last.
template <Layout layout, class Op>
struct Row {
    int64_t at, end;
    int shift;

    __device__ Row(const Op& op, int64_t row) {
        shift = layout == Layout::shifted ? shift_of(op.out + row * op.n) : 0;
        at = row * op.n - shift, end = shift + op.n;
    }
    // `size` elements from number i on: of the arrays, and of weight.
    __device__ Section section(int64_t i, int64_t size) const {
        return {at + i, i == 0 ? shift : 0, int(min(end - i, size))};
    }
    __device__ Section weights(int64_t i, int64_t size) const {
        return {i - shift, i == 0 ? shift : 0, int(min(end - i, size))};
    }
};

template <int inputs, class T, int packs>
__device__ void element(Number<T> (&of)[inputs], const Pack<T> (&v)[inputs][packs], int i) {
    UNROLL for (int a = 0; a < inputs; a++) of[a] = number(v[a][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]);
}

// add_rms_norm: x becomes the sum, rounded.
template <int inputs, class T, int packs>
__device__ void add_second_to_first(Pack<T> (&v)[inputs][packs], int k) {
    UNROLL for (int j = 0; j < Pack<T>::SIZE; j++) v[0][k].values[j] =
        T(number(v[0][k].values[j]) + number(v[inputs - 1][k].values[j]));
}

// PACKS of each array a thread has in flight, and BLOCKS of 512 threads must fit on a multiprocessor at a time. The
// limit is registers: with two blocks a thread has 64, with one it has 128. A sum for the gradient of weight takes one,
// and so does a half that is loaded alone.
template <class Op, Layout layout>
constexpr int PACKS = sizeof(typename Op::T) == 2 && (Op::OF_WEIGHT || layout == Layout::single) ? 2 : 4;
template <class Op>
constexpr int BLOCKS = Op::OF_WEIGHT ? 1 : 2;
// ... of columns_kernel, whose threads keep weights besides.
template <class Op, Layout layout>
constexpr int COLUMN_PACKS = sizeof(typename Op::T) == 2 && layout != Layout::whole ? 2 : PACKS<Op, layout>;
// ... of wide_kernel, and how many elements its 512 threads have at a time.
constexpr int WIDE_PACKS = 4;
template <class T>
constexpr int64_t WIDE_STEP = 512 * WIDE_PACKS * Pack<T>::SIZE;

enum class Pass { only, first, second };  // over the row

// A section of the inputs. The second pass finds the sum that the first one has stored.
template <Layout layout, Pass pass, class Op, class T, int packs>
__device__ void load_inputs(Pack<T> (&v)[Op::INPUTS][packs], const Op& op, Section s) {
    if constexpr (Op::ADDS && pass == Pass::second) {
        load_packs<layout, true>(v[0], op.sum, s, T(0.f));
    } else {
        // Loads come first. An addition needs registers for twice as many, and a single half takes a whole register.
        constexpr int together = !Op::ADDS                  ? packs
                                 : layout == Layout::single ? 1
                                 : layout == Layout::pairs  ? (packs + 1) / 2
                                                            : packs;
        UNROLL for (int k = 0; k < packs; k += together) {
            UNROLL for (int a = 0; a < Op::INPUTS; a++) UNROLL for (int i = k; i < k + together; i++)
                load_pack<layout, Op::ADDS || pass != Pass::first>(v[a][i], op.in[a], s, i, T(0.f));
            if constexpr (Op::ADDS) UNROLL for (int i = k; i < k + together; i++) {
                    add_second_to_first(v, i);
                    store_pack<layout>(op.sum, s, i, v[0][i]);
                }
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

// Of an operator without a gradient of weight: takes a pack of weights at a time, because all of them need registers.
template <Layout layout, class Op, class T, int packs>
__device__ void write(const Op& op, Section s, Section weights, Pack<T> (&v)[Op::INPUTS][packs],
                      typename Op::Factors factors) {
    static_assert(!Op::OF_WEIGHT);
    UNROLL for (int k = 0; k < packs; k++) {
        Pack<T> w;
        load_pack<layout>(w, op.weight, weights, k, T(0.f));
        UNROLL for (int j = 0; j < Pack<T>::SIZE; j++) {
            Number<T> of[Op::INPUTS], of_weight = 0;
            element(of, v, k * Pack<T>::SIZE + j);
            v[0][k].values[j] = T(Op::result(of, number(w.values[j]), factors, of_weight));
        }
        store_pack<layout>(op.out, s, k, v[0][k]);
    }
}

// of_weight: what the thread has added up for its columns, one element each.
template <Layout layout, class Op, class T, int packs, int count>
__device__ void write(const Op& op, Section s, Pack<T> (&v)[Op::INPUTS][packs], const Pack<T> (&w)[packs],
                      typename Op::Factors factors, Number<T> (&of_weight)[count]) {
    UNROLL for (int i = 0; i < count; i++) {
        Number<T> of[Op::INPUTS];
        element(of, v, i);
        T& result = v[0][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE];
        result = T(Op::result(of, number(w[i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]), factors, of_weight[i]));
    }
    store_packs<layout>(op.out, s, v[0]);
}
