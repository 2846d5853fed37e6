// The words that CUDA adds to C++.
#pragma once

// The standard headers come first: some of them use a word that is redefined below.
#include <limits.h>
#include <math.h>  // not <cmath>: CUDA has sqrt(), abs(), ... in the global namespace, for every type
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_on_cpu/program.h"   // empty, except in a program with a main()
#include "cuda_on_cpu/recorder.h"  // empty, except in a build for the memory check

#ifndef __CUDA__  // clang in an editor (clangd) reads a .cu as CUDA, after cuda_on_cpu/editor.h
// Hidden, so that two .so in one Python process may each have a kernel of the same name. Otherwise the loader would use
// one kernel for both, and one copy of a static variable in a template, which is what shared memory in a template
// becomes.
#define __global__ __attribute__((visibility("hidden")))
#define __device__ __attribute__((visibility("hidden")))
#define __host__
#ifdef CUDA_ON_CPU_MEMORY_CHECK  // each in a section of its own, since some are const: the microscope knows them by it
#define CUDA_ON_CPU_TEXT_(x) #x
#define CUDA_ON_CPU_TEXT(x) CUDA_ON_CPU_TEXT_(x)
#define __constant__ static __attribute__((unused, section("cuda_constant" CUDA_ON_CPU_TEXT(__COUNTER__))))
#else
#define __constant__ static __attribute__((unused))
#endif
#define __managed__ static __attribute__((unused))
#define __shared__ static __attribute__((unused))  // one copy is enough: blocks run one after another
#endif

#define __align__(n) __attribute__((aligned(n)))  // alignas is not allowed in the middle of a declaration
#define __forceinline__ inline
// Empty: libstdc++ writes __attribute__((__noinline__)), which becomes __attribute__(()), and that is allowed.
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
// Before a function in a kernel that the standard library makes constexpr as of C++20 (host_calls.py).
#if __cplusplus < 202002L
#define CUDA_ON_CPU_UNTIL_CPP20(error) _Pragma(error)
#else
#define CUDA_ON_CPU_UNTIL_CPP20(error)
#endif
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
