"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Begin with forward: element i belongs to column i % columns. It is dropped if uniform(seed, i) < p.",
    "Backward: the same seed gives the same numbers, so the kernel asks uniform(seed, i) again, and no mask is saved. "
    "grad_bias[column] is a sum over rows. If a thread adds up all rows of its column, no two threads write one element.",
    "for (int64_t i = column; i < rows * columns; i += columns) visits a column's elements. Without rows the sum is 0, and "
    "also has to be written.",
    "bias_dropout.py: library.py of the lesson has a save() and a backward(). Here it is "
    "save(ctx, inputs, output), with all "
    "four arguments in `inputs`, because none is keyword-only. backward returns a gradient "
    "for each: None for p and for seed. The "
    'functions for fake tensors: torch.library.register_fake("exercise::bias_dropout", lambda x, bias, p, seed: ...).',
]
WRONG = {
    "not_scaled": ("wrong result", {"bias_dropout.cu": [(") / (1 - p)", ")")]}),
    "one_thread": (
        "each by one lane alone",
        {
            "bias_dropout.cu": [
                (
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out[i] =",
                    "    for (int64_t i = 0; i < n && blockIdx.x + threadIdx.x == 0; i++)\n        out[i] =",
                )
            ]
        },
    ),
    "race": (
        "data race",
        {
            "bias_dropout.cu": [
                ("// A thread has one column: it goes down the rows and adds up.\n", ""),
                (
                    "const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    if (column >= columns) return;\n"
                    "    float sum = 0;\n"
                    "    for (int64_t i = column; i < rows * columns; i += columns) {\n"
                    "        grad_x[i] = uniform(seed, i) < p ? 0 : grad[i] / (1 - p);\n"
                    "        sum += grad_x[i];\n"
                    "    }\n"
                    "    grad_bias[column] = sum;",
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    if (i < columns) grad_bias[i] = 0;\n"
                    "    __syncthreads();\n"
                    "    if (i >= rows * columns) return;\n"
                    "    grad_x[i] = uniform(seed, i) < p ? 0 : grad[i] / (1 - p);\n"
                    "    grad_bias[i % columns] += grad_x[i];",
                ),
                (
                    "bias_dropout_backward_kernel<<<blocks_for(columns, 256), 256, 0, stream>>>(grad_x, "
                    "grad_bias, grad, rows, columns,\n"
                    "                                                                               p, seed);",
                    "bias_dropout_backward_kernel<<<blocks_for(columns + rows * columns, 256), 256, 0, "
                    "stream>>>(grad_x, grad_bias, grad,\n"
                    "                                                                                    "
                    "            rows, columns, p, seed);",
                ),
            ]
        },
    ),
    "other_mask": (
        "of grad_x wrong",
        {
            "bias_dropout.cu": [
                ("grad_x[i] = uniform(seed, i) < p ? 0 :", "grad_x[i] = uniform(seed, column) < p ? 0 :")
            ]
        },
    ),
    "no_rows": ("without rows", {"bias_dropout.cu": [("(columns ", "(rows == 0 || columns ")]}),
    "no_fake": (
        "exercise::bias_dropout has no function for fake tensors",
        {
            "bias_dropout.py": [
                (
                    'library.impl("bias_dropout_backward", backward, device_type.upper())',
                    'library.impl("bias_dropout_backward", backward, device_type.upper())\n',
                ),
                (
                    '    torch.library.register_fake("exercise::bias_dropout", lambda x, bias, p, seed: '
                    "torch.empty_like(x))\n"
                    "    torch.library.register_fake(\n"
                    '        "exercise::bias_dropout_backward",\n'
                    "        lambda grad, p, seed: (torch.empty_like(grad), grad.new_empty(grad.shape[1])),\n"
                    "    )\n"
                    "\n",
                    "",
                ),
            ]
        },
    ),
    "fake_bias": ("promises", {"bias_dropout.py": [(".shape[1]))", ".shape[0]))")]}),
    "saves_x": (
        "the node saves 1056 bytes",
        {
            "bias_dropout.py": [
                ("_, _, ctx.p, ctx.seed = inputs", "x, _, ctx.p, ctx.seed = inputs\n        ctx.save_for_backward(x)")
            ]
        },
    ),
    "expanded": ("must be contiguous", {"bias_dropout.py": [("grad.contiguous()", "grad")]}),
    "fixed_grid": (
        "The launcher starts 2560 threads for columns = 300 and for columns = 600",
        {"bias_dropout.cu": [("<<<blocks_for(n, 256), 256,", "<<<10, 256,")]},
    ),
    "capped_grid": (
        "p = 0.5: 4294967306 elements, more than 2^32, 262144 threads, and each computes one element",
        {"bias_dropout.cu": [("<<<blocks_for(n, 256), 256,", "<<<min(blocks_for(n, 256), 1024u), 256,")]},
    ),
    "capped_grid_of_backward": (
        "backward: 4294967306 elements, more than 2^32, 16384 threads, and each computes 2 elements",
        {"bias_dropout.cu": [("<<<blocks_for(columns, 256), 256,", "<<<min(blocks_for(columns, 256), 64u), 256,")]},
    ),
    "fixed_grid_of_backward": (
        "The launcher starts 512 threads for columns = 300 and for columns = 600",
        {"bias_dropout.cu": [("<<<blocks_for(columns, 256), 256,", "<<<2, 256,")]},
    ),
    "index_of_32_bits": (
        "rows = 1, columns = 4294967306, p = 0.5: 4294967306 elements, more than 2^32",
        {
            "bias_dropout.cu": [
                (
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n)",
                    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)",
                )
            ]
        },
    ),
    "column_of_32_bits": (
        "p = 0.5, backward: 4294967306 elements, more than 2^32",
        {"bias_dropout.cu": [("const int64_t column = int64_t(blockIdx.x)", "const unsigned column = blockIdx.x")]},
    ),
    "mask_times_value": (
        "columns = 3 (x: 1100 rows, 3 columns): wrong result",
        {
            "bias_dropout.cu": [
                (
                    "if (i < n) out[i] = uniform(seed, i) < p ? 0 : (x[i] + bias[i % columns]) / (1 - p);",
                    "if (i < n) out[i] = float(!(uniform(seed, i) < p)) * (x[i] + bias[i % columns]) / (1 - p);",
                ),
                (
                    "grad_x[i] = uniform(seed, i) < p ? 0 : grad[i] / (1 - p);",
                    "grad_x[i] = float(!(uniform(seed, i) < p)) * grad[i] / (1 - p);",
                ),
            ]
        },
    ),
    "up_to_p": (
        "columns = 3 (x: 19 rows, 3 columns): wrong result",
        {
            "bias_dropout.cu": [
                ("out[i] = uniform(seed, i) < p", "out[i] = uniform(seed, i) <= p"),
                (
                    "grad_x[i] = uniform(seed, i) < p ? 0 : grad[i] / (1 - p);",
                    "grad_x[i] = uniform(seed, i) <= p ? 0 : grad[i] / (1 - p);",
                ),
            ]
        },
    ),
    "on_ctx": (
        "the node keeps a tensor as ctx.x",
        {"bias_dropout.py": [("_, _, ctx.p, ctx.seed = inputs", "ctx.x, _, ctx.p, ctx.seed = inputs")]},
    ),
    "p_and_seed_of_the_last_call": (
        "the gradient of the first result is wrong",
        {
            "bias_dropout.py": [
                ("_, _, ctx.p, ctx.seed = inputs", "_, _, save.p, save.seed = inputs"),
                ("ctx.p, ctx.seed)", "save.p, save.seed)"),
            ]
        },
    ),
    "p_and_seed_typed_in": (
        "and its gradient",
        {"bias_dropout.py": [("grad.contiguous(), ctx.p, ctx.seed)", "grad.contiguous(), 0.25, 7)")]},
    ),
    "fake_device": (
        "returns a tensor on another device",
        {
            "bias_dropout.py": [
                (
                    "lambda x, bias, p, seed: torch.empty_like(x)",
                    "lambda x, bias, p, seed: torch.empty(x.shape, device='cpu')",
                )
            ]
        },
    ),
    "bias_of_32_bits": (
        "rows = 1, columns = 4294967306, p = 0.5: 4294967306 elements, more than 2^32: the last one is 24",
        {"bias_dropout.cu": [("bias[i % columns]", "bias[unsigned(i % columns)]")]},
    ),
    "mask_of_32_bits": (
        "more than 2^32: the last one is 0, expected 6",
        {"bias_dropout.cu": [("out[i] = uniform(seed, i)", "out[i] = uniform(seed, int(i))")]},
    ),
    "mask_of_32_bits_in_backward": (
        "backward: 4294967306 elements, more than 2^32: the last one is 0, expected 6",
        {"bias_dropout.cu": [("grad_x[i] = uniform(seed, i)", "grad_x[i] = uniform(seed, unsigned(i))")]},
    ),
    "grad_bias_of_32_bits": (
        "the last of grad_bias is",
        {"bias_dropout.cu": [("grad_bias[column] = sum", "grad_bias[unsigned(column)] = sum")]},
    ),
    "row_of_32_bits": (
        "rows = 5, columns = 1073742824, p = 0.5, backward",
        {
            "bias_dropout.cu": [
                (
                    "for (int64_t i = column; i < rows * columns; i += columns) {",
                    "for (unsigned row = 0; row < rows; row++) {\n"
                    "        const int64_t i = row * unsigned(columns) + column;",
                )
            ]
        },
    ),
    "rows_up_to_1024": (
        "columns = 3 (grad: 1100 rows, 3 columns): wrong result",
        {
            "bias_dropout.cu": [
                ("i < rows * columns; i +=", "i < min(rows, int64_t(1024)) * columns; i +="),
            ]
        },
    ),
}
