"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Who says it: pip while it builds, pip while it installs, Python at the import, or CUDA at a launch?",
    "pip looks at the name of a wheel and at METADATA when it installs. The loader works when Python imports.",
    "An editable install puts only the path of src/ into site-packages. Python reads .py files there at each start, and "
    "the .so that was compiled last.",
]
WRONG = {
    "import_builds": ("CHANGED_CU = 'nothing' is not right", {"answers.py": [('"build_ext"\n', '"nothing"\n')]}),
    "refuses": ("OTHER_TORCH = 'stops' is not right", {"answers.py": [('"replaces"\n', '"stops"\n')]}),
    "true_is_no_number": ("NO_TORCH = True is not right", {"answers.py": [("NO_TORCH = 1", "NO_TORCH = True")]}),
}
