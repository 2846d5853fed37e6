"""Find what on this machine keeps the lessons from running, and print the command that fixes each fault: `make doctor`.

python -m tools.doctor            every diagnosis: ok, warning or broken, what was found, and how to fix it
python -m tools.doctor --short    only what is broken; `make chapterNN` prints this when it fails

Ends with status 1 when something is broken. The doctor changes nothing, and needs only Python's standard library.
"""

import os
import sys
from pathlib import Path

from . import environment
from .diagnoses import DIAGNOSES, WITH_GPU, WITH_TORCH, Machine, ok, warning


def title(diagnosis):
    name = diagnosis.__name__
    return name if name.isupper() else name.replace("_", " ")  # CUDA_HOME is the name of a variable


def table():
    """The diagnoses as a Markdown table, for the README."""
    rows = [f"| {title(diagnosis)} | {diagnosis.__doc__} |" for diagnosis in DIAGNOSES]
    return "\n".join(["| diagnosis | why |", "|---|---|", *rows, ""])


def finding(diagnosis, machine):
    if diagnosis in WITH_TORCH + WITH_GPU and not machine.torch:
        return ok("torch comes first")
    if diagnosis in WITH_GPU and (not machine.torch.gpus or os.environ.get("CHAPTERS_DEVICE") == "cpu"):
        return ok("the lessons run on the CPU")
    try:
        return diagnosis(machine)
    except Exception as error:  # the others still run
        return warning(f"this diagnosis failed: {type(error).__name__}: {error}")


def lines(findings):
    """One line a finding, and its cure below. Those that are broken come last, where a small terminal still shows them."""
    rank = ["ok", "warning", "broken"].index
    for diagnosis, (status, found, cure) in sorted(findings, key=lambda pair: rank(pair[1].status)):
        yield f"{status:8}{title(diagnosis):<22}{found}"
        if cure:
            yield f"{'':8}{cure}"


def main():
    # Go on in .venv's Python where `make` would use that one: the lessons see its packages and its path.
    here = Path(sys.prefix).resolve() == environment.VENV.resolve()
    if not here and not environment.fits(environment.TORCH) and environment.runs():
        os.execv(environment.PYTHON, [str(environment.PYTHON), "-m", "tools.doctor", *sys.argv[1:]])
    machine = Machine()
    findings = [(diagnosis, finding(diagnosis, machine)) for diagnosis in DIAGNOSES]
    wrong = [pair for pair in findings if pair[1].status == "broken"]
    if "--short" not in sys.argv:
        print(*lines(findings), sep="\n")
    elif wrong:
        print("make doctor prints all diagnoses. Broken on this machine:", *lines(wrong), sep="\n")
    else:
        print("make doctor: nothing on this machine is broken. The output above says what failed.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
