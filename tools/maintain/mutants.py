"""Break the code in small ways, one at a time, and see whether the tests notice.

    python -m tools.maintain.mutants [FOLDER | FILE ...]

tests/**/mutants*.py list the breakages (mutants). Each names the tests that must fail because of it. The code is broken in
copies of the repository, build/mutants/0, 1, ...; a copy keeps what it compiled for the next run.

A mutant is killed when every test that it names fails. It survives when one of them passes: then a test is missing. It
is not judged where a test is skipped or a GPU is missing. It is invalid when it tells nothing: its text does not stand
exactly once in the file, the result does not compile, or a test fails anyway or ends in an error outside of its own body.
"""

import argparse
import concurrent.futures
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns("build", ".git", ".venv*", "__pycache__", ".*_cache", "*.egg-info")
TIMEOUT = 900  # seconds, for the tests of one mutant; the first run of a copy compiles
TAGS = "ERROR", "FAILED", "PASSED", "SKIPPED"  # pytest's; the first that a case of a test has is the test's
# An error of a compiler or a linker, as g++, clang and nvcc print it.
NOT_BUILT = re.compile(r"\S*\.(cu|cpp|h|cuh)(\.cpp)?(:\d+(:\d+)?:|\(\d+\):) (fatal )?error\b|ld returned \d")


@dataclass(frozen=True)
class Mutant:
    """text stands exactly once in the file (its path in the repository); replacement takes its place.

    tests: a pytest node id or several; without [parameters] it stands for all cases of that test, and one of them must fail.
    gpus: how many GPUs the tests need to notice it; with 0 they run with CHAPTERS_DEVICE=cpu, also where there is a GPU.
    """

    file: str
    text: str
    replacement: str
    tests: str | list[str]
    gpus: int = 0
    why: str = ""

    @property
    def names(self) -> list[str]:
        return [self.tests] if isinstance(self.tests, str) else self.tests

    def __str__(self):
        return f"{self.file}: {self.text.strip()!r} becomes {self.replacement.strip()!r}"


def rows(wanted: list[str]) -> list[Mutant]:
    """All mutants, or only those that these folders list, and those that break these files, or a file in these folders."""
    found = []
    for path in sorted(ROOT.glob("tests/**/mutants*.py")):
        for mutant in runpy.run_path(str(path))["MUTANTS"]:
            found.append((mutant, {path.parent.name, mutant.file, *Path(mutant.file).parts[:-1]}))
    known = set().union(*(names for _, names in found))
    if unknown := set(wanted) - known:
        sys.exit(f"No mutants of {', '.join(sorted(unknown))}; there are: {', '.join(sorted(known))}")
    return [mutant for mutant, names in found if not wanted or names & set(wanted)]


def synchronize(copy: Path) -> None:
    """Makes the copy's files those of the repository. What is equal keeps its date, so it is not compiled again."""

    def update(source, target):
        if not os.path.exists(target) or Path(source).read_bytes() != Path(target).read_bytes():
            shutil.copy(source, target)

    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, copy_function=update, dirs_exist_ok=True)
    for path in copy.rglob("*"):
        name = path.relative_to(copy)
        if "build" not in name.parts and path.is_file() and not (ROOT / name).exists():
            path.unlink()


def run_tests(copy: Path, names: list[str], gpus: int, compiled: bool) -> dict[str, str]:
    """{name: one of TAGS, or what else became of it}. compiled: a compiler's error in the output counts as such."""
    options = ["-v", "-rN", "--color=no", "--show-capture=no", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *names]
    env = os.environ | ({} if gpus else {"CHAPTERS_DEVICE": "cpu"})
    process = subprocess.Popen(
        command, cwd=copy, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return dict.fromkeys(names, "no end")
    if process.returncode not in (0, 1):  # a crash, or there is no such test: each by itself tells whose it was
        if len(names) > 1:
            return {name: run_tests(copy, [name], gpus, compiled)[name] for name in names}
        return {names[0]: "FAILED" if process.returncode < 0 else f"did not run: {output[-500:]}"}
    if compiled and (error := NOT_BUILT.search(output)):
        return dict.fromkeys(names, f"does not compile: {error[0]}")
    outcomes = {}
    for name in names:
        tags = re.findall(rf"^{re.escape(name)}(?:\[.*\])?(?: <- .*)? ({'|'.join(TAGS)})", output, re.M)
        outcomes[name] = next((tag for tag in TAGS if tag in tags), f"did not run: {output[-500:]}")
    return outcomes


def judge(copy: Path, mutant: Mutant, unmutated: dict[str, str]) -> tuple[str, str]:
    """('killed', 'survived', 'no end', 'invalid' or 'not judged', why)"""
    for name in mutant.names:
        if unmutated[name] != "PASSED":
            verdict = "not judged" if unmutated[name].startswith("SKIPPED") else "invalid"
            return verdict, f"{name} without the mutant: {unmutated[name]}"
    file = copy / mutant.file
    text = file.read_text()
    broken = text.replace(mutant.text, mutant.replacement)
    if text.count(mutant.text) != 1:
        return "invalid", f"the text stands {text.count(mutant.text)} times in {mutant.file}"
    try:
        if file.suffix == ".py":
            compile(broken, file, "exec")
        file.write_text(broken)
        outcomes = run_tests(copy, mutant.names, mutant.gpus, file.suffix != ".py")
    except SyntaxError as error:
        return "invalid", f"does not compile: {error}"
    finally:
        file.write_text(text)
    tags = outcomes.values()
    verdict = "survived" if "PASSED" in tags else "no end" if "no end" in tags else "invalid"
    others = "; ".join(f"{name}: {tag}" for name, tag in outcomes.items() if tag != "FAILED")
    return (verdict, others) if others else ("killed", "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="FOLDER | FILE", help="only mutants of these: 03_add2, chapters")
    parser.add_argument("--gpus", type=int, default=torch.cuda.device_count(), help="judge what needs up to so many")
    parser.add_argument("--workers", type=int, default=max(1, os.cpu_count() // 2), help="copies side by side")
    parser.add_argument("--only-gpus", action="store_true", help="leave out what needs none")
    options = parser.parse_args()
    for name in "CHAPTERS_DEVICE", "PYTEST_ADDOPTS", "ARGS":
        os.environ.pop(name, None)
    os.environ |= {"MAX_JOBS": str(max(1, os.cpu_count() // options.workers)), "PYTHONDONTWRITEBYTECODE": "1"}
    mutants = [mutant for mutant in rows(options.names) if mutant.gpus or not options.only_gpus]
    start, verdicts, bad = time.monotonic(), [], []

    # One copy judges all mutants of a file: then each extension is built in as few copies as possible.
    groups = {}
    for mutant in mutants:
        groups.setdefault((mutant.file, mutant.gpus), []).append(mutant)
    todo = iter(list(groups.items()))

    def work(number):
        copy = ROOT / "build" / "mutants" / str(number)
        for (file, gpus), group in todo:
            names = list(dict.fromkeys(name for mutant in group for name in mutant.names))
            unmutated = dict.fromkeys(names, f"SKIPPED, needs {gpus} GPUs")
            if gpus <= options.gpus:
                synchronize(copy)
                unmutated = run_tests(copy, names, gpus, not file.endswith(".py"))
            for mutant in group:
                verdict, why = judge(copy, mutant, unmutated)
                verdicts.append(verdict)
                if verdict not in ("killed", "not judged"):
                    bad.append(f"{verdict}: {mutant}\n    {why}\n")
                print(f"{len(verdicts):4} of {len(mutants)}  {verdict:<10}  {mutant}  {why}\n", end="", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(work, range(options.workers)))

    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in ("killed", "survived", "no end", "invalid", "not judged"))
    print("", *bad, f"{len(mutants)} mutants: {counts}; {time.monotonic() - start:.0f} s", sep="\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
