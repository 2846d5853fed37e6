"""Which mistakes the memory check finds, and which compute-sanitizer finds, of those planted in
tests/cuda_on_cpu/programs/cpu_only/memory_*.cu: `make planted`, on a GPU.

Runs each kernel alone, under each of compute-sanitizer's tools on the GPU and with the memory check on the CPU, and writes
what was found to results/planted/<gpu>.json. A kernel that hangs, as a planted deadlock may, ends after LIMIT seconds.
"""

import itertools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..chapters import ROOT
from . import tables

PROGRAMS = sorted((ROOT / "tests/cuda_on_cpu/programs/cpu_only").glob("memory_*.cu"))
LIMIT = 20  # seconds
OPTIONS = {"memcheck": ["--padding", "512"]}  # bytes between two arrays, which would lie side by side
CPU = "memory check"
RIGHT = "right kernels"  # the class in which whatever is found is a false alarm


def kernels() -> list[tuple[Path, str, str]]:
    """(program, class of mistake, name) of each kernel. The programs' comments `// ---- races in a warp ----` name classes."""
    found = []
    for program in PROGRAMS:
        of = ""
        for line in program.read_text().splitlines():
            of = re.sub(r"^// ---- (.*) ----$", r"\1", line) if line.startswith("// ---- ") else of
            if name := re.match(r"(?:__cluster_dims__\(2\) )?(?:KERNEL\(|__global__ void )(\w+)", line):
                found.append((program, of, name[1]))
    return found


def verdict(command: list, wrong: str, *summary: str) -> bool | str:
    """Whether what it prints has `wrong` in it; "no answer" where that lacks one of `summary`, which it prints in any case."""
    # timeout also ends the processes that compute-sanitizer starts
    limited = ["timeout", "--signal=KILL", str(LIMIT), *map(str, command)]
    done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    complete = all(re.search(part, done.stdout, re.MULTILINE) for part in summary)
    found = bool(re.search(wrong, done.stdout, re.MULTILINE)) if complete else "no answer"
    found = "time out" if done.returncode in (-9, 137) else found
    shown = [line for line in done.stdout.splitlines() if re.search(r"========= (?!COMPUTE|Target|\s)", line)]
    sys.stdout.write(f"{found!s:10}{' '.join(map(str, command[-5:]))}: {' | '.join(shown[:2])}\n")  # whole lines
    if found == "no answer":
        sys.stdout.write(done.stdout[-1000:])
    return found


def measure() -> None:
    """Writes {"kernels": {program: {kernel: {tool: whether it reports a mistake}}}}, and with what it was measured."""
    from common import toolkit
    from cuda_on_cpu import programs

    from .gpu_sanitize import SANITIZER, TOOLS
    from .results import machine, measured_with, output, save

    folder = ROOT / "build" / "planted"
    folder.mkdir(parents=True, exist_ok=True)

    def build(program: Path) -> None:
        nvcc = [toolkit.cuda_home() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=native", "-lineinfo"]
        subprocess.run([*nvcc, program, "-o", folder / program.stem], check=True)
        programs.build([program], folder / f"{program.stem}_cpu", programs.compiler(), checked=True)

    def ask(case: tuple) -> bool | str:
        (program, _, kernel), tool = case
        if tool == CPU:
            return verdict([folder / f"{program.stem}_cpu", kernel], f"^{kernel}: (?!nothing)", f"^{kernel}: ")
        command = [SANITIZER, "--tool", tool, *OPTIONS.get(tool, []), folder / program.stem, kernel]
        return verdict(command, r"SUMMARY: [1-9]", f"^{kernel}: ", r"SUMMARY: \d")

    cases = list(itertools.product(kernels(), [CPU, *TOOLS]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each is mostly a host that waits
        list(pool.map(build, PROGRAMS))
        found: dict[str, dict] = {}
        for ((program, _, kernel), tool), answer in zip(cases, pool.map(ask, cases), strict=True):
            found.setdefault(program.stem, {}).setdefault(kernel, {})[tool] = answer
    version = re.search(r"Version (\S+)", output(f"{SANITIZER} --version"))
    data = measured_with() | {"compute-sanitizer": version[1] if version else "unknown"}
    file = tables.RESULTS / "planted" / f"{machine()}.json"
    save(file, data | {"options": OPTIONS, "kernels": found})
    print(f"Written to {file.relative_to(ROOT)}")


def who_finds_what(machine: str, folder: Path) -> str:
    """That file as a table: how many kernels of each class each tool finds; and below, which only one side finds."""
    file = tables.RESULTS / "planted" / f"{machine}.json"
    if not file.exists():
        return tables.nothing("make planted")
    data = json.loads(file.read_text())
    answers = [(of, name, data["kernels"].get(program.stem, {}).get(name)) for program, of, name in kernels()]
    here = [(of, name, answer) for of, name, answer in answers if answer]
    tools = list(here[0][2])
    rows, text = [], ""
    for of in dict.fromkeys([*(of for of, _, _ in here if of != RIGHT), RIGHT]):
        ours = [answer for each, _, answer in here if each == of]
        counts = {tool: sum(answer[tool] is True for answer in ours) for tool in tools}
        any_of = sum(any(answer[tool] is True for tool in tools[1:]) for answer in ours)
        row = {"": of + ": false alarms" * (of == RIGHT), "kernels": str(len(ours))}
        rows.append(row | {tool: str(n) for tool, n in counts.items()} | {"one of the four": str(any_of)})
    wrong = [(name, answer) for of, name, answer in here if of != RIGHT]

    def names(chosen) -> str:
        return ", ".join(f"`{name}`" for name in dict.fromkeys(chosen)) or "none"

    sides = [(name, answer[CPU] is True, any(answer[tool] is True for tool in tools[1:])) for name, answer in wrong]
    text += f"- Only the memory check finds: {names(name for name, ours, theirs in sides if ours and not theirs)}.\n"
    text += f"- Only compute-sanitizer finds: {names(name for name, ours, theirs in sides if theirs and not ours)}.\n"
    text += f"- Neither finds: {names(name for name, ours, theirs in sides if not (ours or theirs))}.\n"
    late = {name: [tool for tool in tools if answer[tool] not in (True, False)] for _, name, answer in here}
    late = [f"`{name}` ({', '.join(tools)})" for name, tools in late.items() if tools]
    text += f"- Ended after {LIMIT} s or with no answer: {', '.join(late)}.\n" if late else ""
    new = [name for _, name, answer in answers if not answer]
    text += f"- Not run on a GPU yet: {names(new)}.\n" if new else ""
    alarms = [(name, [tool for tool in tools if answer[tool] is True]) for of, name, answer in here if of == RIGHT]
    alarms = [f"`{name}` ({', '.join(tools)})" for name, tools in alarms if tools]
    text += f"- False alarms: {', '.join(alarms)}.\n" if alarms else ""
    if "memcheck" not in data.get("options", {}):
        text += (
            "- There was no gap between two arrays (`--padding`): memcheck took an access to the next one for right.\n"
        )
    with_what = tables.MEASURED_WITH.format(**data) + f"; compute-sanitizer {data['compute-sanitizer']}"
    link = f"[{file.name}]({os.path.relpath(file, folder)})"
    return f"{tables.markdown(rows)}\n{text}\n{with_what}. Data: {link}.\n"


if __name__ == "__main__":
    measure()
