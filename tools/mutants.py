"""Break the code in small ways, one at a time, and see whether the tests notice: python tools/mutants.py [AREA | FILE ...]

tests/mutants/<area>.py lists the breakages (mutants). Each names the tests that must fail because of it. The code is broken
in copies of the repository, build/mutants/0, 1, ...; a copy keeps what it compiled for the next run.

A mutant is killed when every test that it names fails. It survives when one of them passes: then a test is missing. It
is not judged where a test that it names is skipped, or where the machine has fewer GPUs than it needs. It is invalid when
it tells nothing: its text does not stand exactly once in the file, the result does not compile, or a test that it names
fails without the mutant, too, or ends in an error outside of its own body.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path.cwd() if Path("tests/mutants").is_dir() else Path(__file__).resolve().parent.parent
COPIES = ROOT / "build" / "mutants"
LEFT_OUT = shutil.ignore_patterns("build", ".git", ".venv*", "__pycache__", ".*_cache", "*.egg-info")
TIMEOUT = 900  # seconds, for the tests of one mutant; the first run of a copy compiles
# An error of a compiler or a linker, as g++, clang and nvcc print it.
NOT_BUILT = re.compile(
    r"\S*\.(cu|cpp|h|cuh)(\.cpp)?(:\d+(:\d+)?:|\(\d+\):) (fatal )?error\b|ld returned \d|SyntaxError"
)


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
        return [self.tests] if isinstance(self.tests, str) else list(self.tests)

    def __str__(self):
        before, after = ([line.strip() for line in text.split("\n")] for text in (self.text, self.replacement))
        gone, new = (
            [line for line in lines if line not in others] for lines, others in ((before, after), (after, before))
        )
        return f"{self.file}: {(gone or before)[0]!r} becomes {''.join(new[:1])!r}"


def rows(wanted: list[str]) -> list[Mutant]:
    """The mutants of these areas or files; of all without any."""
    found = []
    for path in sorted((ROOT / "tests" / "mutants").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"mutants_of_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found += [(path.stem, mutant) for mutant in module.MUTANTS]
    known = {name for area, mutant in found for name in (area, mutant.file)}
    if unknown := set(wanted) - known:
        sys.exit(f"No mutants of {', '.join(sorted(unknown))}; there are: {', '.join(sorted(known))}")
    return [mutant for area, mutant in found if not wanted or {area, mutant.file} & set(wanted)]


def synchronize(copy: Path) -> None:
    """Makes the copy's files those of the repository. What is equal keeps its date, so it is not compiled again."""
    there = set()
    for folder, folders, files in os.walk(ROOT):
        ignored = LEFT_OUT(folder, folders + files)
        folders[:] = [name for name in folders if name not in ignored]
        for name in set(files) - ignored:
            source = Path(folder, name)
            target = copy / source.relative_to(ROOT)
            there.add(target)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
    for folder, folders, files in os.walk(copy):
        folders[:] = [name for name in folders if name not in LEFT_OUT(folder, folders)]
        for name in files:
            if Path(folder, name) not in there:
                Path(folder, name).unlink()


def run_tests(copy: Path, names: list[str], gpus: int, jobs: int, compiled: bool = True) -> dict[str, str]:
    """{name: 'passed', 'failed', 'skipped' or what else became of it}, in the copy. compiled: a compiler's error in a test's
    message counts as such; not so where what was broken is Python."""
    report = copy / "build" / "mutants.xml"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    env = {k: v for k, v in os.environ.items() if k not in ("CHAPTERS_DEVICE", "PYTEST_ADDOPTS", "ARGS")}
    env |= {"MAX_JOBS": str(jobs), "PYTHONDONTWRITEBYTECODE": "1"} | ({} if gpus else {"CHAPTERS_DEVICE": "cpu"})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *names]
    process = subprocess.Popen(
        command, cwd=copy, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return dict.fromkeys(names, f"no end after {TIMEOUT} s")
    missing = [name for name in names if re.search(rf"^ERROR: not found: .*{re.escape(name)}$", output, re.M)]
    if missing:  # pytest has run none of the others, either
        rest = [name for name in names if name not in missing]
        return dict.fromkeys(missing, "no such test") | (run_tests(copy, rest, gpus, jobs, compiled) if rest else {})
    if process.returncode < 0:  # a crash: each by itself tells whose it was
        if len(names) == 1:
            return {names[0]: "failed"}
        return {name: run_tests(copy, [name], gpus, jobs, compiled)[name] for name in names}
    if not report.exists():
        return dict.fromkeys(names, f"pytest ended with {process.returncode}: {output[-500:]}")
    cases = collections.defaultdict(list)
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        text = "" if outcome is None else f"{outcome.get('message')}\n{outcome.text}"
        tag = "passed" if outcome is None else {"failure": "failed"}.get(outcome.tag, outcome.tag)
        if compiled and tag in ("failed", "error") and NOT_BUILT.search(text):
            tag = f"does not compile: {NOT_BUILT.search(text + chr(10))[0]}"
        cases[f"{case.get('classname')}::{case.get('name')}"].append((tag, text))
    return {name: outcome_of(name, cases, output) for name in names}


def outcome_of(name: str, cases: dict, output: str) -> str:
    """Of all cases that a node id stands for: failed when one of them failed; skipped only when all were."""
    path, _, test = name.partition("::")
    key = f"{path.removesuffix('.py').replace('/', '.')}::{test}"
    tags = {tag for case, found in cases.items() if case == key or case.startswith(key + "[") for tag, _ in found}
    others = sorted(tags - {"passed", "failed", "skipped"})
    return next(
        (tag for tag in [*others, "failed", "passed", "skipped"] if tag in tags), f"did not run: {output[-500:]}"
    )


def judge(copy: Path, mutant: Mutant, jobs: int) -> tuple[str, str]:
    """('killed', 'survived', 'invalid' or 'not judged', why)"""
    file = copy / mutant.file
    text = file.read_text()
    if text.count(mutant.text) != 1:
        return "invalid", f"the text stands {text.count(mutant.text)} times in {mutant.file}"
    broken = text.replace(mutant.text, mutant.replacement)
    if file.suffix == ".py":
        try:
            compile(broken, file, "exec")
        except SyntaxError as error:
            return "invalid", f"does not compile: {error}"
    file.write_text(broken)
    try:
        outcomes = run_tests(copy, mutant.names, mutant.gpus, jobs, file.suffix != ".py")
    finally:
        file.write_text(text)
    passed = [name for name in mutant.names if outcomes[name] in ("passed",) or outcomes[name].startswith("no end")]
    others = [f"{name}: {outcomes[name]}" for name in mutant.names if outcomes[name] != "failed"]
    return ("killed", "") if not others else ("survived" if passed else "invalid", "; ".join(others))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="AREA | FILE", help="only mutants of these areas or files")
    parser.add_argument(
        "--gpus", type=int, help="judge what needs this many GPUs at most (default: those of this machine)"
    )
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="copies side by side")
    parser.add_argument("--only-gpus", action="store_true", help="leave out what needs none")
    options = parser.parse_args()
    if options.gpus is None:
        import torch

        options.gpus = torch.cuda.device_count()

    start, results, printing = time.monotonic(), [], threading.Lock()
    mutants = [m for m in rows(options.names) if m.gpus or not options.only_gpus]
    jobs = max(1, (os.cpu_count() or 1) // options.workers)

    def tell(mutant, verdict, why=""):
        with printing:
            results.append((verdict, mutant, why))
            print(f"{len(results):4} of {len(mutants)}  {verdict:<10}  {mutant}", flush=True)
            if why:
                print(f"{'':12}{why}", flush=True)

    # One copy judges all mutants of a file: then each extension is built in as few copies as possible.
    groups = collections.defaultdict(list)
    for mutant in mutants:
        if mutant.gpus > options.gpus:
            tell(mutant, "not judged", f"needs {mutant.gpus} GPU{'s' * (mutant.gpus > 1)}")
        else:
            groups[mutant.file, mutant.gpus].append(mutant)
    copies = queue.SimpleQueue()
    for number in range(options.workers):
        copies.put(COPIES / str(number))

    def judge_group(group):
        copy = copies.get()
        try:
            synchronize(copy)
            names = list(dict.fromkeys(name for mutant in group for name in mutant.names))
            unmutated = run_tests(copy, names, group[0].gpus, jobs)
            for mutant in group:
                odd = {unmutated[name]: name for name in mutant.names if unmutated[name] != "passed"}
                if "skipped" in odd:
                    tell(mutant, "not judged", f"{odd['skipped']} is skipped here")
                elif odd:
                    tell(mutant, "invalid", "; ".join(f"{name} without the mutant: {tag}" for tag, name in odd.items()))
                else:
                    tell(mutant, *judge(copy, mutant, jobs))
        finally:
            copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        list(pool.map(judge_group, groups.values()))

    count = collections.Counter(verdict for verdict, _, _ in results)
    for bad in "survived", "invalid":
        for _, mutant, why in (r for r in results if r[0] == bad):
            print(f"\n{bad}: {mutant}\n    {why}")
    print(
        f"\n{len(results)} mutants: {count['killed']} killed, {count['survived']} survived, {count['invalid']} invalid, "
        f"{count['not judged']} not judged on this machine; {time.monotonic() - start:.0f} s"
    )
    return bool(count["survived"] + count["invalid"])


if __name__ == "__main__":
    sys.modules["mutants"] = sys.modules["__main__"]  # tests/mutants/*.py import Mutant from here
    sys.exit(main())
