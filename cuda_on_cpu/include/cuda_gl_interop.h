#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no cuda_gl_interop.h"
