"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The bias of a query and a key is bias[query * keys + key]. A lane whose key does not exist has none.",
    "While all scores so far are -infinity, so is their maximum. What is -infinity minus -infinity?",
    "Subtract a base instead, which is 0 as long as the maximum is -infinity. Then all weights are exp(-infinity), 0.",
    "If no key was seen, the sum is still 0 at the end, and 0 / 0 is NaN. (Do not ask the maximum: fmaxf ignores a NaN.)",
]
WRONG = {
    "before_the_scale": (
        "a finite bias",
        {"bias.cu": [("score * SCALE + bias[query * keys + key]", "(score + bias[query * keys + key]) * SCALE")]},
    ),
    "bias_of_the_key_alone": ("a finite bias", {"bias.cu": [("bias[query * keys + key]", "bias[key]")]}),
    "also_past_the_end": (
        "past the end of bias",
        {
            "bias.cu": [
                (
                    "exists ? score * SCALE + bias[query * keys + key] : -INFINITY",
                    "score * SCALE + bias[query * keys + key]",
                )
            ]
        },
    ),
    "no_guard": (
        "the first 40 keys masked",
        {"bias.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = larger;")]},
    ),
    "guards_weights_alone": (
        "the first 40 keys masked",
        {
            "bias.cu": [
                ("base = larger == -INFINITY ? 0 : larger;", "base = larger;"),
                ("weight = expf(score - base)", "weight = score == -INFINITY ? 0 : expf(score - base)"),
            ]
        },
    ),
    "divides_by_0": ("no key for the first two queries", {"bias.cu": [("sum == 0 ? 0 : ", "")]}),
    "no_nan_at_all": (
        "a NaN in the last query",
        {"bias.cu": [("sum == 0 ? 0 : o / sum", "isnan(o / sum) ? 0 : o / sum")]},
    ),
    "large_for_infinite": (
        "no key for the first two queries",
        {
            "bias.cu": [
                (
                    " : -INFINITY;\n        // end",
                    " : -INFINITY;\n        if (exists) score = fmaxf(score, -1e30f);\n        // end",
                )
            ]
        },
    ),
    "no_maximum": (
        "a bias of about 1000",
        {
            "bias.cu": [
                ("base = larger == -INFINITY ? 0 : larger;", "base = 0;"),
                ("shrink = expf(maximum - base)", "shrink = 1"),
            ]
        },
    ),
    "base_at_least_0": (
        "a bias of about -1000",
        {"bias.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = fmaxf(larger, 0);")]},
    ),
    "lanes_leave": (
        "but which has returned",
        {"bias.cu": [("        float larger", "        if (score == -INFINITY) continue;\n        float larger")]},
    ),
    "every_lane_reads_all": (
        "threads repeat work",
        {
            "bias.cu": [
                (
                    "        score = exists ?",
                    "        float mine_too = 0;\n        for (int j = 0; j < 32 && first + j < keys; j++)\n"
                    "            if (const float b = bias[query * keys + first + j]; j == lane) mine_too = b;\n"
                    "        score = exists ?",
                ),
                ("SCALE + bias[query * keys + key]", "SCALE + mine_too"),
            ]
        },
    ),
    "tells_by_the_maximum": (
        "a NaN in the last query",
        {"bias.cu": [("sum == 0 ? 0 : o / sum", "maximum == -INFINITY ? 0 : o / sum")]},
    ),
    "ends_at_a_masked_step": (
        "the first 40 keys masked",
        {
            "bias.cu": [
                (
                    "        const float base = larger",
                    "        if (__all_sync(~0u, score == -INFINITY)) break;\n        const float base = larger",
                )
            ]
        },
    ),
    "base_at_least_minus_10000": (
        "biases of about -20000",
        {"bias.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = fmaxf(larger, -1e4f);")]},
    ),
    "base_at_least_minus_1e30": (
        "a bias of -3e38",
        {"bias.cu": [("base = larger == -INFINITY ? 0 : larger;", "base = fmaxf(larger, -1e30f);")]},
    ),
}
