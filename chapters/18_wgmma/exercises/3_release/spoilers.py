"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "After wgmma_wait<1>() in step 5, which products are surely over, and which buffer have they read?",
    "The products of step 5 may still be under way, and read buffer 5 % 3. Those of step 4 are over.",
    "In step 0 there is no buffer to be released yet.",
]
WRONG = {
    "never": ("many steps", {"product.cu": [("step > 0) mbarrier_arrive", "step < 0) mbarrier_arrive")]}),
    "too_late": (
        "many steps",
        {"product.cu": [("step > 0) mbarrier_arrive(empty(step - 1))", "step > 2) mbarrier_arrive(empty(step - 3))")]},
    ),
    "waits_for_all": (
        "must stay under way",
        {
            "product.cu": [
                (
                    "        if (threadIdx.x == 0 && step > 0) mbarrier_arrive(empty(step - 1))",
                    "        wgmma_wait<0>();\n        if (threadIdx.x == 0) mbarrier_arrive(empty(step))",
                )
            ]
        },
    ),
    "every_thread": ("many steps", {"product.cu": [("if (threadIdx.x == 0 && step > 0)", "if (step > 0)")]}),
    "empty_groups": (
        "an empty group counts as well",
        {
            "product.cu": [
                ("        wgmma_commit();\n", "        wgmma_commit();\n        wgmma_commit();\n"),
                ("step > 0) mbarrier_arrive(empty(step - 1))", "true) mbarrier_arrive(empty(step))"),
            ]
        },
    ),
    "waits_for_all_by_a_name": (
        "must stay under way",
        {
            "product.cu": [
                (
                    "        wgmma_wait<1>();\n",
                    "        constexpr int none = 0;\n        wgmma_wait<none>();\n        if (steps < 0) wgmma_wait<1>();\n",
                ),
                ("step > 0) mbarrier_arrive(empty(step - 1))", "true) mbarrier_arrive(empty(step))"),
            ]
        },
    ),
    "more_buffers": (
        "STAGES = 3 is given",
        {
            "product.cu": [
                ("STAGES = 3", "STAGES = 13"),
                ("step > 0) mbarrier_arrive(empty(step - 1))", "true) mbarrier_arrive(empty(step))"),
            ]
        },
    ),
}
