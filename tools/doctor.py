"""Find what on this machine keeps the lessons from running, and print the command that mends each fault: `make doctor`.

python3 tools/doctor.py            every diagnosis: ok, warning or broken, what was found, and how to mend it
python3 tools/doctor.py --json     the same for programs
python3 tools/doctor.py --short    only what is broken; `make chapterNN` prints this when it fails

Ends with status 1 when something is broken. The doctor changes nothing, and needs only Python's standard library.
"""

import os
import sys

if __name__ == "__main__":  # the standard library first: a random.py on PYTHONPATH must not stop this program
    standard = os.path.dirname(os.__file__)
    sys.path.sort(key=lambda entry: entry not in (standard, os.path.join(standard, "lib-dynload")))

import argparse
import json
import shutil
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import environment
from diagnoses import DIAGNOSES
from diagnoses.machine import Machine, warning


def title(diagnosis):
    name = diagnosis.__name__
    return name if name.isupper() else name.replace("_", " ")  # CUDA_HOME is the name of a variable


def table():
    """The diagnoses as a Markdown table, for the README."""
    rows = [f"| {title(diagnosis)} | {diagnosis.__doc__} |" for diagnosis in DIAGNOSES]
    return "\n".join(["| diagnosis | why |", "|---|---|", *rows, ""])


def diagnose(machine):
    """[(diagnosis, finding)] of all. A diagnosis that raises is reported as a warning, and the others still run."""
    findings = []
    for diagnosis in DIAGNOSES:
        try:
            finding = diagnosis(machine)
        except Exception as error:
            finding = warning(f"this diagnosis failed: {type(error).__name__}: {error}")
        findings.append((diagnosis, finding))
    return findings


def lines(findings):
    """One line a finding, and its cure below. A line that is ok is cut to the width of the terminal."""
    width = shutil.get_terminal_size((1000, 0)).columns
    for diagnosis, (status, found, cure) in findings:
        line = f"{status:8}{title(diagnosis):<22}{found}"
        yield line[:width] if status == "ok" else line
        if cure:
            yield f"{'':8}{cure}"


def report(findings):
    """All findings. Those that are broken come last, where a small terminal still shows them."""
    of = {status: [pair for pair in findings if pair[1].status == status] for status in ("ok", "warning", "broken")}
    count = ", ".join(f"{len(pairs)} {status}" for status, pairs in of.items())
    return "\n".join([*lines(sum(of.values(), [])), count])


def short(findings):
    wrong = [pair for pair in findings if pair[1].status == "broken"]
    if not wrong:
        return "make doctor: nothing on this machine is broken. The output above says what failed."
    return "\n".join(["make doctor prints all diagnoses. Broken on this machine:", *lines(wrong)])


def as_json(findings):
    rows = [{"diagnosis": title(d), "why": d.__doc__, **finding._asdict()} for d, finding in findings]
    return json.dumps(rows, indent=2, default=str)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", dest="form", action="store_const", const=as_json, default=report)
    form.add_argument("--short", dest="form", action="store_const", const=short)
    form = parser.parse_args().form
    # Go on in .venv's Python where `make` would use that one: the lessons see its packages and its path.
    here = Path(sys.prefix).resolve() == environment.VENV.resolve()
    if not here and not environment.fits(environment.TORCH) and environment.runs():
        os.execv(environment.PYTHON, [str(environment.PYTHON), __file__, *sys.argv[1:]])
    findings = diagnose(Machine())
    print(form(findings))
    return any(finding.status == "broken" for _, finding in findings)


if __name__ == "__main__":
    sys.exit(main())
