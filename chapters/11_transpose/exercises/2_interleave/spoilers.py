"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "What a block writes is one piece of memory, 3 * here floats from out + 3 * first on. Collect them in shared memory.",
    "First write as the skeleton does, but to an array pixels[3 * threads] in shared memory. Then a barrier. Then the "
    "block copies the array to out, neighbouring threads neighbouring floats.",
    "for (int k = t; k < 3 * here; k += threads) out[3 * first + k] = pixels[k]; in this loop each thread takes part, "
    "also one that has no pixel of its own.",
]
WRONG = {
    "no_barrier": ("data race", {"interleave.cu": [("    __syncthreads();\n", "")]}),
    "returns_early": (
        "? was never written",
        {
            "interleave.cu": [
                (
                    "if (t < here)\n        for (int c = 0; c < 3; c++) pixels[3 * t + c] = in[c * n + first + t];",
                    "if (t >= here) return;\n"
                    "    for (int c = 0; c < 3; c++) pixels[3 * t + c] = in[c * n + first + t];",
                )
            ]
        },
    ),
    "every_thread_goes_on": (
        "threads repeat work that others have done",
        {"interleave.cu": [("k += threads", "k++")]},
    ),
    "planes_in_shared": (
        "each load of a warp takes 3 passes of shared memory",
        {"interleave.cu": [("3 * t + c", "c * threads + t"), ("pixels[k]", "pixels[k % 3 * threads + k / 3]")]},
    ),
}
