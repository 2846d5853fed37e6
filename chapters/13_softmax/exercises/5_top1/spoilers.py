"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Kernel: let a struct hold a value and an index, and write a function that returns the better of two: the larger value, "
    "else the smaller index. Reduction by threads, lanes and warps is then as in block_sum() of chapter 12.",
    "Thread t has the elements t, t + 64, t + 128 ... So of two equal values the smaller index may be in the lane with the "
    "larger number: compare the indices. A shuffle moves one number, so a pair takes two shuffles.",
    "NaN: isnan(a) and not isnan(b) means that a is better; both NaN is a tie. NaN == NaN is false.",
    'Binding: check_input(x, "x", {ScalarType::Float}); the other checks by STD_TORCH_CHECK; a DeviceGuard; '
    "torch::stable::new_empty(x, {rows}, ScalarType::Long) for the indices; then the launcher, as in softmax.cpp.",
    "Gradient: only the element at indices[r] has determined values[r], so it gets grad_values[r], and all others get 0: "
    "zeros of x's shape, and scatter(1, indices[:, None], grad_values[:, None]).",
]
WRONG = {
    "last_of_ties": ("expected index 1, got 2", {"top1.cu": [("index <", "index >")]}),
    "ties_by_lane": (
        "expected index 1, got 2",
        {
            "top1.cu": [
                (
                    "if (a.value == b.value || both) return a.index < b.index ? a : b;\n"
                    "    return a.value > b.value || isnan(a.value) ? a : b;",
                    "if (both) return a.index < b.index ? a : b;\n"
                    "    return a.value >= b.value || isnan(a.value) ? a : b;",
                )
            ]
        },
    ),
    "nan_dropped": (
        "nan",
        {
            "top1.cu": [
                (
                    "const bool both = isnan(a.value) && isnan(b.value);\n"
                    "    if (a.value == b.value || both) return a.index < b.index ? a : b;\n"
                    "    return a.value > b.value || isnan(a.value) ? a : b;",
                    "if (a.value == b.value) return a.index < b.index ? a : b;\n    return a.value > b.value ? a : b;",
                )
            ]
        },
    ),
    "one_thread": (
        "400 loads, each by one lane alone",
        {
            "top1.cu": [
                ("    const int t = int(threadIdx.x);\n", "    if (threadIdx.x > 0) return;\n"),
                ("for (int64_t i = t; i < n; i += threads)", "for (int64_t i = 0; i < n; i++)"),
                (
                    "    for (int distance = 16; distance > 0; distance /= 2) {\n"
                    "        const float value = __shfl_down_sync(~0u, top.value, distance);\n"
                    "        const int64_t index = __shfl_down_sync(~0u, top.index, distance);\n"
                    "        top = better(top, {value, index});\n"
                    "    }\n"
                    "    if (t % 32 == 0) tops[t / 32] = top;\n"
                    "    __syncthreads();\n"
                    "    if (t > 0) return;\n"
                    "    for (const Top of_warp : tops) top = better(top, of_warp);\n",
                    "",
                ),
            ]
        },
    ),
    "always_three": (
        "result 0 of a matrix of 5 rows is torch.float32 of shape [3]",
        {"gradient.py": [("return x.new_empty(x.shape[0])", "return x.new_empty(3)")]},
    ),
    "strides_forgotten": (
        "two columns of a matrix",
        {
            "top1.cpp": [
                (
                    'check_input(x, "x", {ScalarType::Float}',
                    'STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "x must have dtype Float"',
                )
            ]
        },
    ),
    "indices_in_float": ("int64", {"gradient.py": [(", dtype=torch.int64", "")]}),
    "saved_beside": (
        "nothing by save_for_backward()",
        {
            "gradient.py": [
                ("ctx.save_for_backward(indices)", "ctx.indices = indices"),
                ("(indices,) = ctx.saved_tensors", "indices = ctx.indices"),
            ]
        },
    ),
    "detached": (
        "the second derivative is [[2.0, 2.0, 2.0]], expected [[2.0, 2.0, 20.0]]",
        {"gradient.py": [("grad_values[:, None])", "grad_values.detach()[:, None])")]},
    ),
    "gradient_to_all": (
        "expected the gradient",
        {
            "gradient.py": [
                (
                    "_, indices = output\n    ctx.save_for_backward(indices)\n    ctx.shape = x.shape",
                    "values, _ = output\n    ctx.save_for_backward(x, values)",
                ),
                (
                    "(indices,) = ctx.saved_tensors\n"
                    "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], "
                    "grad_values[:, None])",
                    "x, values = ctx.saved_tensors\n    return grad_values[:, None] * (x == values[:, None])",
                ),
            ]
        },
    ),
    "each_thread_reads_all": (
        "800 elements, and 25600 loads",
        {
            "top1.cu": [
                (
                    (
                        "    Top top = {-INFINITY, n};  // after all elements\n"
                        "    for (int64_t i = t; i < n; i += threads) top = better(top, {x[i], i});\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) {\n"
                        "        const float value = __shfl_down_sync(~0u, top.value, distance);\n"
                        "        const int64_t index = __shfl_down_sync(~0u, top.index, distance);\n"
                        "        top = better(top, {value, index});\n"
                        "    }\n"
                        "    if (t % 32 == 0) tops[t / 32] = top;\n"
                        "    __syncthreads();\n"
                        "    if (t > 0) return;\n"
                        "    for (const Top of_warp : tops) top = better(top, of_warp);\n"
                    ),
                    (
                        "    Top top = {-INFINITY, n};\n"
                        "    for (int64_t i = 0; i < n; i++) top = better(top, {x[i], i});\n"
                        "    if (t > 0) return;\n"
                    ),
                )
            ]
        },
    ),
    "one_warp": (
        "400 loads, all by 2 warps",
        {
            "top1.cu": [
                ("for (int64_t i = t; i < n; i += threads) top", "for (int64_t i = t; t < 32 && i < n; i += 32) top")
            ]
        },
    ),
    "row_of_32_bits": (
        "How many bits has the place where a row begins?",
        {"top1.cu": [("    x += blockIdx.x * n;\n", "    x += int(blockIdx.x) * int(n);\n")]},
    ),
    "unsigned_row": (
        "of the last one expected 1 at 1023, got 0 at 0",
        {"top1.cu": [("    x += blockIdx.x * n;\n", "    x += blockIdx.x * unsigned(n);\n")]},
    ),
    "three_dimensions": ("a batch of matrices", {"top1.cpp": [("x.dim() == 2 &&", "x.dim() >= 2 &&")]}),
    "no_guard": (
        "when top1 launches, no DeviceGuard is there",
        {"top1.cpp": [("    const DeviceGuard guard(x.get_device_index());\n", "")]},
    ),
    "on_the_host": (
        "top1 launches no kernel",
        {
            "top1.cpp": [
                (
                    (
                        "    launch_top1(data<float>(values), data<int64_t>(indices), data<const float>(x), "
                        "rows, n, current_stream(x));\n"
                    ),
                    (
                        "    for (int64_t r = 0; r < rows; r++) {\n"
                        "        const float* p = data<const float>(x) + r * n;\n"
                        "        int64_t best = 0;\n"
                        "        for (int64_t i = 1; i < n; i++) if (p[i] > p[best] || (p[i] != p[i] && p[best] "
                        "== p[best])) best = i;\n"
                        "        data<float>(values)[r] = p[best], data<int64_t>(indices)[r] = best;\n"
                        "    }\n"
                    ),
                )
            ]
        },
    ),
    "fake_elsewhere": (
        "fake() makes results on cpu of a matrix on cuda",
        {
            "gradient.py": [
                (
                    "return x.new_empty(x.shape[0]), x.new_empty(x.shape[0], dtype=torch.int64)",
                    "return torch.empty(x.shape[0]), torch.empty(x.shape[0], dtype=torch.int64)",
                )
            ]
        },
    ),
    "compares_bits": (
        "NaN, n = 2",
        {
            "top1.cu": [
                (
                    (
                        "    const bool both = isnan(a.value) && isnan(b.value);\n"
                        "    if (a.value == b.value || both) return a.index < b.index ? a : b;\n"
                        "    return a.value > b.value || isnan(a.value) ? a : b;\n"
                    ),
                    (
                        "    const int p = __float_as_int(a.value), q = __float_as_int(b.value);\n"
                        "    const int k = p >= 0 ? p : p ^ 0x7fffffff, m = q >= 0 ? q : q ^ 0x7fffffff;\n"
                        "    if (k == m) return a.index < b.index ? a : b;\n"
                        "    return k > m ? a : b;\n"
                    ),
                ),
                ("Top top = {-INFINITY, n};", "Top top = {__int_as_float(int(0xffffffff)), n};"),
            ],
        },
    ),
    "index_of_32_bits": (
        "i has 32 bits, and n has 64",
        {
            "top1.cu": [
                ("    int64_t index;\n", "    int index;\n"),
                (
                    "for (int64_t i = t; i < n; i += threads) top = better(top, {x[i], i});",
                    "for (int i = t; i < n; i += threads) top = better(top, {x[i], i});",
                ),
                ("{-INFINITY, n}", "{-INFINITY, int(n)}"),
                ("const int64_t index = __shfl", "const int index = __shfl"),
            ],
        },
    ),
    "index_in_float": (
        "expected 16777217, got 16777216",
        {
            "top1.cu": [
                ("    int64_t index;\n", "    float index;\n"),
                ("{-INFINITY, n}", "{-INFINITY, float(n)}"),
                ("{x[i], i}", "{x[i], float(i)}"),
                ("const int64_t index = __shfl", "const float index = __shfl"),
                ("indices[blockIdx.x] = top.index", "indices[blockIdx.x] = int64_t(top.index)"),
            ],
        },
    ),
    "at_most_1024": (
        "expected 16777217, got 0",
        {
            "top1.cu": [
                (
                    "    Top top = {-INFINITY, n};",
                    (
                        "    float mine[16];\n"
                        "    for (int j = 0; j < 16; j++) mine[j] = t + j * threads < n ? x[t + j * threads] : -INFINITY;\n"
                        "    Top top = {-INFINITY, n};"
                    ),
                ),
                (
                    "for (int64_t i = t; i < n; i += threads) top = better(top, {x[i], i});",
                    (
                        "for (int j = 0; j < 16; j++) if (t + j * threads < n) top = better(top, {mine[j], t + j * "
                        "threads});"
                    ),
                ),
            ],
        },
    ),
    "int_index": (
        "top1.cu:14: index has 32 bits",
        {
            "top1.cu": [
                ("    int64_t index;\n", "    int index;\n"),
                ("{-INFINITY, n}", "{-INFINITY, int(n)}"),
                ("{x[i], i}", "{x[i], int(i)}"),
                ("const int64_t index = __shfl", "const int index = __shfl"),
            ],
        },
    ),
    "int_in_while": (
        "an n above 2^32 is never reached",
        {
            "top1.cu": [
                (
                    "for (int64_t i = t; i < n; i += threads) top = better(top, {x[i], i});",
                    ("int i = t;\n    while (i < n) { top = better(top, {x[i], i}); i += threads; }"),
                ),
            ],
        },
    ),
    "static_indices": (
        "(then came another call)",
        {
            "top1.cpp": [
                (
                    "const Tensor indices = torch::stable::new_empty(x, {rows}, ScalarType::Long);",
                    (
                        "static Tensor indices = torch::stable::new_empty(x, {rows}, ScalarType::Long);\n"
                        "    if (indices.size(0) != rows) indices = torch::stable::new_empty(x, {rows}, ScalarType::Long);"
                    ),
                ),
            ],
        },
    ),
    "all_floats": (
        "float16: RuntimeError is expected",
        {
            "top1.cpp": [
                ("{ScalarType::Float}", "FLOATS"),
            ],
        },
    ),
    "one_hot": (
        "[inf, nan, nan]",
        {
            "gradient.py": [
                (
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], grad_values[:, None])"
                    ),
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return torch.nn.functional.one_hot(indices, ctx.shape[1]) * grad_values[:, None]"
                    ),
                ),
            ],
        },
    ),
    "fake_of_views": (
        "fake() makes results with strides",
        {
            "gradient.py": [
                (
                    "return x.new_empty(x.shape[0]), x.new_empty(x.shape[0], dtype=torch.int64)",
                    "return x[:, 0], x[:, 0].long()",
                ),
            ],
        },
    ),
    "fake_on_cuda": (
        "fake() makes results on cuda:0",
        {
            "gradient.py": [
                (
                    "return x.new_empty(x.shape[0]), x.new_empty(x.shape[0], dtype=torch.int64)",
                    (
                        'return torch.empty(x.shape[0], device="cuda"), torch.empty(x.shape[0], dtype=torch.int64, '
                        'device="cuda")'
                    ),
                ),
            ],
        },
    ),
    "indices_beside_x": (
        "after another call, and indices.zero_()",
        {
            "gradient.py": [
                (
                    ("ctx.save_for_backward(indices)\n    ctx.shape = x.shape"),
                    ("ctx.save_for_backward(x)\n    ctx.indices = indices"),
                ),
                (
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], grad_values[:, None])"
                    ),
                    (
                        "(x,) = ctx.saved_tensors\n"
                        "    return torch.zeros_like(x).scatter(1, ctx.indices[:, None], grad_values[:, None])"
                    ),
                ),
            ],
        },
    ),
    "keeps_x": (
        "after another call, and x.zero_()",
        {
            "gradient.py": [
                (
                    ("ctx.save_for_backward(indices)\n    ctx.shape = x.shape"),
                    ("ctx.save_for_backward(indices)\n    ctx.x = x"),
                ),
                (
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], grad_values[:, None])"
                    ),
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return torch.zeros_like(ctx.x).scatter(1, ctx.x.argmax(1)[:, None], grad_values[:, None])"
                    ),
                ),
            ],
        },
    ),
    "global_indices": (
        "after another call",
        {
            "gradient.py": [
                (
                    ("_, indices = output\n    ctx.save_for_backward(indices)\n    ctx.shape = x.shape"),
                    ("global last\n    _, last = output\n    ctx.save_for_backward(x)"),
                ),
                (
                    (
                        "(indices,) = ctx.saved_tensors\n"
                        "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], grad_values[:, None])"
                    ),
                    (
                        "(x,) = ctx.saved_tensors\n"
                        "    return torch.zeros_like(x).scatter(1, last[:, None], grad_values[:, None])"
                    ),
                ),
            ],
        },
    ),
}
