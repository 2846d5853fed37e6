"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The message says which promise is broken. Of a schema: Tensor(a!) x is an argument that the operator writes, -> () no "
    "result, -> Tensor a result in new memory. The promise of a fake function: the shape, dtype and strides of the result.",
    "largest: indices are int64. rotated: what rotate() returns is contiguous, and new_empty() makes such a tensor of any "
    "shape. halve_: a `!`.",
    "scaled: for factor 1 it returns its argument. x.clone() is a result in new memory. head: a view of x is no result in "
    "new memory either.",
]
WRONG = {
    "returns": ("halve_: the operator returns", {"promises.py": [("> ()", "> Tensor(a!)")]}),
    "long": ("largest: the function for fake tensors", {"promises.py": [("int64", "int32")]}),
    "other_result": (
        "gives [2.0, 1.0], torch.float32, expected [2, 1], torch.int64",
        {"promises.py": [(", dtype=torch.int64", ""), ("x.argmax(1)", "x.argmax(1).float()")]},
    ),
    "one_row": ("promises shape [1, 3]", {"promises.py": [("x.new_empty(n,", "x.new_empty(1,")]}),
    "strides": (
        "rotated: the function for fake tensors",
        {"promises.py": [("x.new_empty(x.shape[1], x.shape[0]", "torch.empty_like(x).t(")]},
    ),
    "view": ("head: ", {"promises.py": [("].clone(", "].contiguous(")]}),
    "view_by_schema": (
        "head: the schema says that the result is a view of x",
        {
            "promises.py": [
                ("head(Tensor x, int n) -> Tensor", "head(Tensor(a) x, int n) -> Tensor(a)"),
                ("x.new_empty(n, x.shape[1])", "x[:n]"),
                ("].clone(", "].view_as(x[:n]"),
            ]
        },
    ),
    "all_write": (
        "largest: the schema says that the operator writes x",
        {"promises.py": [("largest(Tensor x", "largest(Tensor(a!) x")]},
    ),
    "alias": ("scaled: ", {"promises.py": [("x.clone()", "x.view_as(x)")]}),
    "one_shape": (
        "rotated: the function for fake tensors promises shape [3, 2]",
        {
            "promises.py": [("x.new_empty(x.shape[1], x.shape[0])", "x.new_empty(3, 2)")],
        },
    ),
    "fake_on_the_cpu": (
        "makes its result on cpu, expected: on that of x",
        {"promises.py": [("x.new_empty(x.shape[0], dtype=torch.int64)", "torch.empty(x.shape[0], dtype=torch.int64)")]},
    ),
    "view_of_no_rows": (
        "opcheck calls head(x, 0)",
        {"promises.py": [("return x[:n].clone()", "return x[:n].clone() if n else x[:0]")]},
    ),
    "zero_for_nan": (
        "factor = 0.0 gives [[0.0, 0.0]], expected NaN",
        {
            "promises.py": [
                (
                    "return x.clone()  # nothing to compute",
                    (
                        "return x.clone()  # nothing to compute\n"
                        "        if factor == 0:\n"
                        "            return torch.zeros_like(x)"
                    ),
                )
            ]
        },
    ),
    "no_dimension": (
        "largest(x) with an x of shape [1, 3] returns shape [],",
        {"promises.py": [("return x.argmax(1)", "return x.argmax(1, keepdim=True).squeeze()")]},
    ),
    "whole_factor": (
        "scaled: x = [[4.0, 2.0, 8.0], [6.0, 10.0, 0.0]] gives [[-4.0",
        {"promises.py": [("return x * factor", "return x * int(factor)")]},
    ),
    "other_memory": (
        "halve_(x[1:]), x = ",
        {"promises.py": [("x.mul_(0.5)", "x.data = x / 2")]},
    ),
}
