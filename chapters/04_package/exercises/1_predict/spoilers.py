"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Who says it: pip while it builds, pip while it installs, Python at the import, or CUDA at a launch?",
    "pip looks at the name of a wheel and at METADATA when it installs. The loader works when Python imports.",
    "What an editable install puts into site-packages is the path of src/. Python reads .py files there at each start, and "
    "the .so that was compiled last.",
]
WRONG = {
    "import_builds": ("CHANGED_CU = 'nothing' is not right", {"answers.py": [('"build_ext"\n', '"nothing"\n')]}),
    "refuses": ("OTHER_TORCH = 'stops' is not right", {"answers.py": [('"replaces"\n', '"stops"\n')]}),
}
