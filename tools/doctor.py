"""Say what on this machine keeps the lessons from running, and the command that mends it: `make doctor`.

python3 tools/doctor.py            each check: ok, warning or broken, what was found, and how to mend it
python3 tools/doctor.py --json     the same for programs
python3 tools/doctor.py --short    what is broken, nothing else; `make chapterNN` runs it when it fails
python3 tools/doctor.py --write    write the list of the checks into the root README

Ends with 1 when something is broken. It changes nothing, and needs no torch: Python's standard library is enough.
"""

import os
import sys

# The standard library first: a random.py on PYTHONPATH must not stop the program that is to find it.
standard = os.path.dirname(os.__file__)
sys.path.sort(key=lambda entry: entry not in (standard, os.path.join(standard, "lib-dynload")))

import argparse
import json
import re
import shutil
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import environment
from checks import CHECKS, warning
from checks.machine import Machine

README = environment.ROOT / "README.md"
LIST = re.compile(r"(<!-- checks of make doctor -->\n).*?(<!-- end of checks -->)", re.S)


def title(function):
    name = function.__name__
    return name if name.isupper() else name.replace("_", " ")  # CUDA_HOME is a variable's name


def diagnose(machine):
    """[(check, finding)] of all checks. One that fails itself is an answer, too: the others still have theirs."""
    findings = []
    for function in CHECKS:
        try:
            finding = function(machine)
        except Exception as error:
            finding = warning(f"this check failed: {type(error).__name__}: {error}", "")
        findings.append((function, finding))
    return findings


def lines(findings):
    """One line a check, and below it the cure. What is ok fits the terminal's width."""
    width = shutil.get_terminal_size((1000, 0)).columns
    for function, finding in findings:
        line = f"{finding.status:8}{title(function):<22}{finding.found}"
        yield line[:width] if finding.status == "ok" else line
        if finding.cure:
            yield f"{'':8}{finding.cure}"


def report(findings):
    """All of it; what is broken last, where a small terminal still shows it."""
    of = {status: [pair for pair in findings if pair[1].status == status] for status in ("ok", "warning", "broken")}
    count = ", ".join(f"{len(pairs)} {status}" for status, pairs in of.items())
    return "\n".join([*lines(pair for pairs in of.values() for pair in pairs), count])


def short(findings):
    wrong = [pair for pair in findings if pair[1].status == "broken"]
    if not wrong:
        return "make doctor: nothing on this machine is broken. What failed is said above."
    return "\n".join(["make doctor shows all checks; on this machine is", *lines(wrong)])


def as_json(findings):
    names = [{"check": title(function), "why": function.__doc__} for function, _ in findings]
    return json.dumps([n | f._asdict() for n, (_, f) in zip(names, findings, strict=True)], indent=2, default=str)


def table():
    """The checks as a table for the README."""
    rows = [f"| {title(function)} | {function.__doc__} |" for function in CHECKS]
    return "\n".join(["| check | why |", "|---|---|", *rows, ""])


def documented(text):
    """The README's text with today's list of checks."""
    return LIST.sub(lambda block: block[1] + table() + block[2], text)


def as_the_lessons():
    """Go on in .venv's Python where `make` would start that one: its packages and its path are what counts."""
    here = Path(sys.prefix).resolve() == environment.VENV.resolve()
    if not here and not environment.fits(environment.TORCH) and environment.runs():
        os.execv(environment.PYTHON, [str(environment.PYTHON), __file__, *sys.argv[1:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    form = parser.add_mutually_exclusive_group()
    for option in "json", "short", "write":
        form.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    if options.write:
        import files  # of the tools that write; a diagnosis does without

        return files.rewrite(README, documented)
    as_the_lessons()
    findings = diagnose(Machine())
    print((as_json if options.json else short if options.short else report)(findings))
    return any(finding.status == "broken" for _, finding in findings)


if __name__ == "__main__":
    sys.exit(bool(main()))
