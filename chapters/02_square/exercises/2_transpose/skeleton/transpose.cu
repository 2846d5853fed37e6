// transpose.cu: rows become columns.
#include "transpose.h"

#include "common/check.h"
#include "common/grid.h"

// your code
// end of your code
