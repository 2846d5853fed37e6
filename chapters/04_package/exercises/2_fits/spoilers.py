"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
    "place_in_the_name": (
        "torch 2.1.0: expected 'torch', yours 'python'",
        {"fits.py": [('if not wheel.name.endswith(f"-{tag}.whl")', "if wheel.name[16:-4] != tag")]},
    ),
    "name_of_the_wheel": (
        "torch 2.1.0: expected 'torch', yours 'python'",
        {"fits.py": [('if not wheel.name.endswith(f"-{tag}.whl")', 'if wheel.name != f"my_kernel-0.1.0-{tag}.whl"')]},
    ),
    "no_abi": (
        "with cp313-cp313-linux_x86_64, torch 2.11.0: expected 'python', yours None",
        {
            "fits.py": [
                (
                    'if not wheel.name.endswith(f"-{tag}.whl")',
                    (
                        'if (wheel.name.split("-")[2], wheel.name.split("-")[4]) != (tag.split("-")[0], '
                        'tag.split("-")[2] + ".whl")'
                    ),
                )
            ]
        },
    ),
    "system_only": (
        "with cp312-cp312-linux_aarch64, torch 2.11.0: expected 'python', yours None",
        {
            "fits.py": [
                (
                    'if not wheel.name.endswith(f"-{tag}.whl")',
                    (
                        'w = wheel.name.split("-")\n'
                        '    if w[2] != tag.split("-")[0] or ("linux" in w[4]) != ("linux" in tag)'
                    ),
                )
            ]
        },
    ),
    "name_of_the_metadata": (
        "There is no item named",
        {
            "fits.py": [
                (
                    ('(metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]'),
                    'metadata = "my_kernel-0.1.0.dist-info/METADATA"',
                )
            ]
        },
    ),
    "last_requirement": (
        "torch 2.11.0: expected 'torch', yours None",
        {
            "fits.py": [
                (
                    (
                        '(required,) = [line.partition("==")[2] for line in lines if '
                        'line.startswith("Requires-Dist: torch==")]'
                    ),
                    'required = lines[-1].partition("==")[2]',
                )
            ]
        },
    ),
    "torchvision": (
        "torch 2.11.0: expected None, yours 'torch'",
        {
            "fits.py": [
                (
                    (
                        '(required,) = [line.partition("==")[2] for line in lines if '
                        'line.startswith("Requires-Dist: torch==")]'
                    ),
                    (
                        'required = [line.partition("==")[2] for line in lines if '
                        'line.startswith("Requires-Dist: torch")][0]'
                    ),
                )
            ]
        },
    ),
    "second_number_only": (
        "torch 3.11.0: expected 'torch', yours None",
        {
            "fits.py": [
                ('torch.split(".")[:2] == required.split(".")[:2]', 'torch.split(".")[1] == required.split(".")[1]')
            ]
        },
    ),
    "other_way_round": (
        "torch 2.1.0: expected 'torch', yours None",
        {
            "fits.py": [
                (
                    'torch.split(".")[:2] == required.split(".")[:2]',
                    'required.startswith(".".join(torch.split(".")[:2]))',
                )
            ]
        },
    ),
    "as_a_number": (
        "torch 2.1.2: expected 'torch', yours None",
        {
            "fits.py": [
                (
                    'torch.split(".")[:2] == required.split(".")[:2]',
                    'float(".".join(torch.split(".")[:2])) == float(required[:-2])',
                )
            ]
        },
    ),
    "older_ones_fit": (
        "torch 2.1.0: expected 'torch', yours None",
        {
            "fits.py": [
                (
                    'torch.split(".")[:2] == required.split(".")[:2]',
                    (
                        '[int(x) for x in torch.split(".")[:2]] <= [int(x) for x in required.split(".")[:2]] and '
                        'required != "2.1.*"'
                    ),
                )
            ]
        },
    ),
    "third_part_on": (
        "torch 2.12.0: expected None, yours 'python'",
        {"fits.py": [('if not wheel.name.endswith(f"-{tag}.whl")', 'if wheel.stem.split("-", 2)[2] != tag')]},
    ),
    "anywhere_in_a_line": (
        "torch 2.11.0: expected None, yours 'torch'",
        {
            "fits.py": [
                (
                    '(required,) = [line.partition("==")[2] for line in lines if line.startswith("Requires-Dist: torch==")]',
                    'required = [line.partition("==")[2] for line in lines if " torch==" in line][0]',
                )
            ]
        },
    ),
    "four_letters": (
        "torch 10.12.0: expected 'torch', yours None",
        {"fits.py": [('torch.split(".")[:2] == required.split(".")[:2]', "torch[:4] == required[:4]")]},
    ),
}
