"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "With s = sigmoid(1.702 * a): out = a * s * b. The derivative of sigmoid is s * (1 - s), and the one of 1.702 * a is "
    "1.702. A thread computes both gradients of one element.",
    "d out/d a = b * (s + 1.702 * a * s * (1 - s)) and d out/d b = a * s. Each is multiplied by grad.",
    "The class: function.py of the lesson has all of it. grad may have one element in memory for all places, and a kernel "
    "needs it contiguous(). Of what is not wanted the launcher gets None, which is a nullptr for the kernel.",
]
WRONG = {
    "gradients_in_the_same_memory": (
        "the second backward pass overwrote the gradients of the first",
        {
            "quick_glu.py": [
                (
                    "        grads = [torch.empty_like(a) if wanted else None for wanted in ctx.needs_input_grad[1:]]\n",
                    "        kept = QuickGLU.__dict__.get('kept', {})\n"
                    "        if a.shape not in kept:\n"
                    "            kept[a.shape] = [torch.empty_like(a) for _ in range(2)]\n"
                    "        QuickGLU.kept = kept\n"
                    "        pairs = zip(kept[a.shape], ctx.needs_input_grad[1:], strict=True)\n"
                    "        grads = [grad if wanted else None for grad, wanted in pairs]\n",
                )
            ]
        },
    ),
    "no_contiguous": ("must be contiguous", {"quick_glu.py": [("grad.contiguous()", "grad")]}),
    "constant_sigmoid": ("of grad_a wrong", {"quick_glu.cu": [("(s + 1.702f * a[i] * s * (1 - s))", "s")]}),
    "both_written": (
        "null pointer",
        {
            "quick_glu.cu": [
                (
                    "if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n"
                    "    if (grad_b) grad_b[i] = grad[i] * a[i] * s;",
                    "grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n"
                    "    grad_b[i] = grad[i] * a[i] * s;",
                )
            ]
        },
    ),
    "one_thread": (
        "each by one lane alone",
        {
            "quick_glu.cu": [
                (
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    if (i >= n) return;\n"
                    "    const float s = sigmoid(1.702f * a[i]);\n"
                    "    if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n"
                    "    if (grad_b) grad_b[i] = grad[i] * a[i] * s;",
                    "    if (blockIdx.x > 0 || threadIdx.x > 0) return;\n"
                    "    for (int64_t i = 0; i < n; i++) {\n"
                    "        const float s = sigmoid(1.702f * a[i]);\n"
                    "        if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n"
                    "        if (grad_b) grad_b[i] = grad[i] * a[i] * s;\n"
                    "    }",
                )
            ]
        },
    ),
    "b_read_for_nothing": (
        "null pointer",
        {
            "quick_glu.cu": [
                (
                    "    if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n",
                    "    const float da = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n"
                    "    if (grad_a) grad_a[i] = da;\n",
                )
            ]
        },
    ),
    "no_second_derivative": (
        "a kernel's results have no graph",
        {
            "quick_glu.py": [
                (
                    "        if torch.is_grad_enabled():  # create_graph=True\n"
                    '            raise RuntimeError("QuickGLU has no second derivative: its backward runs a kernel")\n',
                    "",
                )
            ]
        },
    ),
    "once_differentiable": (
        "once_differentiable raises late, or not at all",
        {
            "quick_glu.py": [
                (
                    "        if torch.is_grad_enabled():  # create_graph=True\n"
                    '            raise RuntimeError("QuickGLU has no second derivative: its backward runs a kernel")\n',
                    "",
                ),
                (
                    "    @staticmethod\n    def backward",
                    "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
                ),
            ]
        },
    ),
    "asks_the_gradient": (
        "the second derivative of quick_glu(a, b) + a^3 by a is [-12.0, 0.0, 6.0]",
        {"quick_glu.py": [("if torch.is_grad_enabled():  # create_graph=True", "if grad.requires_grad:")]},
    ),
    "saves_all": (
        "the node saves a and b, expected a",
        {"quick_glu.py": [("b if ctx.needs_input_grad[1] else None", "b")]},
    ),
    "by_torch": (
        "backward does not return the gradient that the kernel computes",
        {
            "quick_glu.py": [
                (
                    (
                        "        if torch.is_grad_enabled():  # create_graph=True\n"
                        '            raise RuntimeError("QuickGLU has no second derivative: its backward runs a '
                        'kernel")\n'
                        "        a, b = ctx.saved_tensors\n"
                        "        grads = [torch.empty_like(a) if wanted else None for wanted in "
                        "ctx.needs_input_grad[1:]]\n"
                        "        ctx.launch.launch_backward(*grads, grad.contiguous(), a, b, a.numel())\n"
                        "        return None, *grads\n"
                    ),
                    (
                        "        a, b = ctx.saved_tensors\n"
                        "        s = torch.sigmoid(1.702 * a)\n"
                        "        grad_a = None if b is None else grad * b * (s + 1.702 * a * s * (1 - s))\n"
                        "        return None, grad_a, grad * a * s\n"
                    ),
                )
            ]
        },
    ),
    "both_always": (
        "backward has the kernel compute both gradients",
        {
            "quick_glu.py": [
                (
                    (
                        "        grads = [torch.empty_like(a) if wanted else None for wanted in "
                        "ctx.needs_input_grad[1:]]\n"
                        "        ctx.launch.launch_backward(*grads, grad.contiguous(), a, b, a.numel())\n"
                        "        return None, *grads\n"
                    ),
                    (
                        "        grads = [torch.empty_like(a) if ctx.needs_input_grad[1] else None, "
                        "torch.empty_like(a)]\n"
                        "        ctx.launch.launch_backward(*grads, grad.contiguous(), a, b, a.numel())\n"
                        "        return None, *grads\n"
                    ),
                )
            ]
        },
    ),
    "overflows": (
        "of grad_a wrong",
        {
            "quick_glu.cu": [
                (
                    "    if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * s * (1 - s));\n",
                    (
                        "    const float e = std::exp(-1.702f * a[i]);\n"
                        "    if (grad_a) grad_a[i] = grad[i] * b[i] * (s + 1.702f * a[i] * e / ((1 + e) * (1 + "
                        "e)));\n"
                    ),
                )
            ]
        },
    ),
    "index_of_32_bits": (
        "n = 4294967306: 4294967306 elements, more than 2^32",
        {
            "quick_glu.cu": [
                (
                    (
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                        "    const float s"
                    ),
                    (
                        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                        "    const float s"
                    ),
                )
            ]
        },
    ),
    "unsigned_product": (
        "the last blocks write element",
        {
            "quick_glu.cu": [
                (
                    (
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                        "    const float s"
                    ),
                    (
                        "    const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n) return;\n"
                        "    const float s"
                    ),
                )
            ]
        },
    ),
    "on_ctx": (
        "after a was overwritten",
        {
            "quick_glu.py": [
                (
                    "ctx.save_for_backward(a, b if ctx.needs_input_grad[1] else None)",
                    (
                        "ctx.save_for_backward(a, b if ctx.needs_input_grad[1] else None)\n"
                        "        ctx.both = a, b if ctx.needs_input_grad[1] else None"
                    ),
                ),
                ("a, b = ctx.saved_tensors", "a, b = ctx.both"),
            ]
        },
    ),
    "fixed_grid": (
        "The launcher starts 2048 threads for n = 257 and for n = 2056",
        {
            "quick_glu.cu": [
                (
                    "backward_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(grad_a",
                    "backward_kernel<<<8, 256, 0, stream>>>(grad_a",
                )
            ]
        },
    ),
    "refuses_for_a_alone": (
        "the second derivative of quick_glu(a, b) * b by b is [-0.0643, 0.0, 0.8458], expected",
        {"quick_glu.py": [("if torch.is_grad_enabled():", "if torch.is_grad_enabled() and ctx.needs_input_grad[1]:")]},
    ),
    "b_detached": (
        "the second derivative of quick_glu(a, b) * a by a, then b is",
        {
            "quick_glu.py": [
                (
                    "        if torch.is_grad_enabled():  # create_graph=True\n"
                    '            raise RuntimeError("QuickGLU has no second derivative: its backward runs a kernel")\n'
                    "        a, b = ctx.saved_tensors\n",
                    "        a, b = ctx.saved_tensors\n"
                    "        if torch.is_grad_enabled():\n"
                    "            s = torch.sigmoid(1.702 * a)\n"
                    "            grad_a = None if b is None else grad * b.detach() * (s + 1.702 * a * s * (1 - s))\n"
                    "            return None, grad_a, grad * a * s\n",
                )
            ]
        },
    ),
    "class_keeps_the_number": (
        "wrong gradient",
        {
            "quick_glu.py": [
                ("        ctx.save", "        QuickGLU.n = a.numel()\n        ctx.save"),
                ("grad.contiguous(), a, b, a.numel())", "grad.contiguous(), a, b, QuickGLU.n)"),
            ]
        },
    ),
    "one_dimension": (
        "QuickGLU, of 2 rows",
        {"quick_glu.py": [("grad.contiguous(), a, b, a.numel())", "grad.contiguous(), a, b, len(a))")]},
    ),
    "divides_by_a": (
        "of grad_a wrong",
        {"quick_glu.cu": [("(s + 1.702f * a[i] * s * (1 - s))", "(a[i] * s) / a[i] * (1 + 1.702f * a[i] * (1 - s))")]},
    ),
    "b_of_32_bits": (
        "grad_a alone: 4294967306 elements, more than 2^32: the last one is 2500, expected 5000",
        {"quick_glu.cu": [("grad[i] * b[i]", "grad[i] * b[unsigned(i)]")]},
    ),
    "grad_a_of_32_bits": (
        "grad_a alone: 4294967306 elements, more than 2^32",
        {"quick_glu.cu": [("grad_a[i] = ", "grad_a[unsigned(i)] = ")]},
    ),
    "load_of_32_bits": (
        "the last one is 5000, expected 10000",
        {"quick_glu.cu": [("grad[i] * a[i] * s", "grad[i] * a[unsigned(i)] * s")]},
    ),
}
