"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "wheel.name is a string. A wheel is a zip file: Python's zipfile lists names and reads files in it.",
    "METADATA lies in a folder whose name ends in .dist-info. Of its lines, look at that which begins with "
    "`Requires-Dist: torch==`.",
    "Compare the first two parts of version.split('.'): as a text, '2.11' begins with '2.1'.",
]
WRONG = {
    "first_letters": (
        "torch 2.11.0: expected 'torch', yours None",
        {"fits.py": [('split(".")[:2] == required.split(".")[:2]', 'startswith(required.rstrip(".*"))')]},
    ),
    "whole_version": (
        "torch 2.11.0+cu130: expected None, yours 'torch'",
        {
            "fits.py": [
                (
                    'split(".")[:2] == required.split(".")[:2]',
                    'rpartition(".")[0] + ".*" == required and "+" not in torch',
                )
            ]
        },
    ),
    "python_only": (
        "expected 'python', yours None",
        {"fits.py": [('not wheel.name.endswith(f"-{tag}.whl")', 'tag.split("-")[0] not in wheel.name')]},
    ),
}
