"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
        "barrier left out",
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
    "one_warp_loads": (
        "1536 loads, all by 2 warps",
        {
            "interleave.cu": [
                (
                    (
                        "    if (t < here)\n"
                        "        for (int c = 0; c < 3; c++) pixels[3 * t + c] = in[c * n + first + t];\n"
                    ),
                    (
                        "    if (t < 32)\n"
                        "        for (int p = t; p < here; p += 32)\n"
                        "            for (int c = 0; c < 3; c++) pixels[3 * p + c] = in[c * n + first + p];\n"
                    ),
                )
            ],
        },
    ),
    "index_as_int": (
        "n = 4294967299: 12884901897 elements, more than 2^32",
        {
            "interleave.cu": [
                ("in[c * n + first + t]", "in[c * int(n) + int(first) + t]"),
                ("out[3 * first + k]", "out[3 * int(first) + k]"),
            ],
        },
    ),
    "one_warp_stores": (
        "1536 stores, all by 2 warps",
        {
            "interleave.cu": [
                (
                    "for (int k = t; k < 3 * here; k += threads) out",
                    ("if (t < 32)\n        for (int k = t; k < 3 * here; k += 32) out"),
                )
            ],
        },
    ),
    "fixed_grid": (
        "The launcher starts 4096 threads for n = 600 and for n = 4800",
        {"interleave.cu": [("<<<blocks_for(n, threads)", "<<<16")]},
    ),
    "load_of_32_bits": (
        "the last one is 5, expected 3",
        {"interleave.cu": [("in[c * n + first + t]", "in[unsigned(c * n + first + t)]")]},
    ),
    "no_infinity": (
        "2 elements of out have other bits, expected: none",
        {"interleave.cu": [("= pixels[k];", "= fminf(pixels[k], 3e38f);")]},
    ),
    "plane_of_32_bits": (
        "the last one is 0, expected 3",
        {"interleave.cu": [("in[c * n + first + t]", "in[unsigned(c) * unsigned(n) + first + t]")]},
    ),
    "pixel_of_32_bits": (
        "n = 4294967299",
        {"interleave.cu": [("in[c * n + first + t]", "in[c * n + int(first) + t]")]},
    ),
    "end_of_32_bits": (
        "n = 4294967299",
        {"interleave.cu": [("    if (t < here)\n", "    if (unsigned(first) + t < unsigned(n))\n")]},
    ),
}
