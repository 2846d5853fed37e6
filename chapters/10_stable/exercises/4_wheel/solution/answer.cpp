// answer.cpp: torch.ops.answer.answer() is 42.
#include <torch/csrc/stable/library.h>

int64_t answer() { return 42; }

STABLE_TORCH_LIBRARY(answer, m) { m.def("answer() -> int"); }

STABLE_TORCH_LIBRARY_IMPL(answer, CompositeExplicitAutograd, m) { m.impl("answer", TORCH_BOX(&answer)); }

// For the check of this exercise: what the compiler got.
#ifdef TORCH_TARGET_VERSION
extern "C" const uint64_t target_version = TORCH_TARGET_VERSION;
#else
extern "C" const uint64_t target_version = 0;
#endif
