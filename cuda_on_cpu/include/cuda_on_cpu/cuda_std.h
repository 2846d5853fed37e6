// cuda::std: the standard library's names as libcu++ offers them to kernels. A kernel is an ordinary function here, so
// they are the host's own. Only what waits (atomic, barrier, latch, counting_semaphore) is written anew, in the headers
// of those names: the host's would wait for another host thread.
#pragma once

#include "cuda_on_cpu/keywords.h"

namespace cuda::std {

using namespace ::std;  // what is declared in cuda::std itself comes first

}  // namespace cuda::std
