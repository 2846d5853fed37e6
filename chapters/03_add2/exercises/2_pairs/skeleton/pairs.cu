// pairs.cu: each element of a vector plus each element of another.
#include "pairs.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
// end of your code
