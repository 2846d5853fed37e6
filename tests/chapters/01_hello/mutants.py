"""Small breakages of chapter 01, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/01_hello/test_hello.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
CU, CPP = "chapters/01_hello/hello.cu", "chapters/01_hello/hello.cpp"

MUTANTS = [
    # ---- the kernel and what is copied back
    Mutant(CU, "out[threadIdx.x] = letters[threadIdx.x]", "out[threadIdx.x] = letters[0]",
           T + "every_thread_writes_its_letter"),
    Mutant(CU, "<<<1, hello_length, 0, stream>>>", "<<<1, hello_length - 1, 0, stream>>>",
           T + "every_thread_writes_its_letter", why="new memory can hold the letter of the run before"),
    # ---- Python's lock during a wait for the GPU
    Mutant(CPP, "    const pybind11::gil_scoped_release no_gil;", "    ",
           GPU + "other_threads_run_while_one_waits_for_the_gpu", gpus=1),
]  # fmt: skip
