// transpose.cu: rows become columns.
#include "transpose.h"

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
// end of your code
