// prepare.cu: a crop of an image, flipped, in planes of floats, normalised: in one kernel.
#include "prepare.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"

// your code
// end of your code
