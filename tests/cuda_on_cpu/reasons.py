"""Why a GPU counts something else than the microscope. test_counters.py and tests/chapters/NN_name/counters.py say where:
{(kernel, counter, or "" for all of them): a reason}."""

PREDICATED = (
    "nvcc executes a short `if` without a jump: its loads and stores are requests of warps with no lane in it, too"
)
GRID = "the grid goes by the number of multiprocessors, 132 there and 8 here"
ONE_LANE = (
    "a store of one lane needs one pass; the GPU counts more of them as bank conflicts, perhaps with loads that return"
)
MERGED = "nvcc reads neighbouring numbers at once, and none that nobody uses; the C++ reads each"
COPIES = (
    "nvcc puts three loads that never take place, `@!PT LDS RZ, [RZ]`, before asynchronous copies: see cuobjdump -sass"
)
TWICE = "a copy of 16 bytes a lane with bank conflicts asks the cache for its sectors twice"
STMATRIX = "the passes of stmatrix are counted, its instructions are not: smsp__inst_executed_op_stsm stays 0"
STRUCT = "nvcc copies a struct in pieces as large as its alignment, which g++ does not report"
