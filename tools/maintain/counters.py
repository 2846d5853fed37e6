"""Reads a GPU's counters with ncu for every kernel that the microscope looks at, into results/counters/: `make counters`.

python -m tools.maintain.counters                each chapter that has launch_each_kernel(), and access.cu of tests/
python -m tools.maintain.counters 11 access      ... of these only; the others keep what they have
python -m tools.maintain.counters --compare      no GPU needed: the microscope beside each file of counters

A kernel's counts are sums over its launches. tests/cuda_on_cpu/test_counters.py compares them with the microscope's.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable

from ..chapters import ROOT, folders, kernels, load

COUNTERS = ROOT / "results" / "counters"
PROGRAMS = {"access": ROOT / "tests" / "cuda_on_cpu" / "programs" / "access.cu"}

# Requests and sectors of the L1 cache, passes of shared memory: docs.nvidia.com/nsight-compute/ProfilingGuide. ldmatrix and
# stmatrix (LDSM, STSM) count as loads and stores here. A copy is cp.async (LDGSTS): what it reads from global memory is
# among the loads, and there is no counter of its own for its passes.
METRICS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global load requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global load sectors",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global store requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global store sectors",
    "smsp__inst_executed_op_shared_ld.sum": "shared load requests",
    "smsp__inst_executed_op_ldsm.sum": "shared load requests",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared load wavefronts",
    "smsp__inst_executed_op_shared_st.sum": "shared store requests",
    "smsp__inst_executed_op_stsm.sum": "shared store requests",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "shared store wavefronts",
    "smsp__inst_executed_op_ldgsts.sum": "shared copy requests",
}
COUNTS = dict.fromkeys(METRICS.values())
# What may explain a difference, and is compared with nothing.
MORE = [
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
]


# ---- what the microscope counts ----------------------------------------------------------------------------------------


def base_name(kernel: str) -> str:
    """mine::sum<float> as sum, which is how ncu names it here."""
    return re.sub(r"<.*", "", kernel).split("::")[-1]


def of_rows(rows: Iterable[dict]) -> dict[str, dict[str, int]]:
    """{kernel: {name in COUNTS: count}} of rows of the microscope, as data."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = found.setdefault(base_name(row["kernel"]), dict.fromkeys(COUNTS, 0))
        kind = "load" if (row["space"], row["kind"]) == ("global", "copy") else row["kind"]
        for what in "requests", "sectors", "wavefronts":
            if (name := f"{row['space']} {kind} {what}") in COUNTS:
                counts[name] += row[what]
    return found


def modelled(subject: str) -> dict[str, dict[str, int]]:
    """The same of a program, or of the chapter in that folder. Compiles it for the CPU."""
    if subject in PROGRAMS:
        from cuda_on_cpu import microscope

        return of_rows(vars(row) for row in microscope.of_program([PROGRAMS[subject]]))
    command = [sys.executable, "-m", "tools.lesson", "microscope", subject[:2], "--json"]
    return of_rows(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout))


def differences(counted: dict[str, dict], model: dict[str, dict]) -> Iterable[tuple[str, str, int, int]]:
    """(kernel, name, the GPU's count, the model's) of each count of each kernel that ran on both."""
    for kernel in sorted(set(counted) & set(model)):
        for name in COUNTS:
            if name in counted[kernel]:
                yield kernel, name, counted[kernel][name], model[kernel][name]


def compare() -> None:
    for file in sorted(COUNTERS.glob("*.json")):
        data = json.loads(file.read_text())
        print(f"{data['gpu']}, {file.relative_to(ROOT)}")
        for subject, counted in data["kernels"].items():
            print(f"{subject}\n{'':30}{'':26}{'GPU':>12}{'model':>12}")
            for kernel, name, gpu, model in differences(counted, modelled(subject)):
                if gpu or model:
                    off = f"{model / gpu - 1:+10.1%}" if gpu and gpu != model else "" if gpu else "   not one"
                    print(f"{kernel:30}{name:26}{gpu:12}{model:12}{off}")


# ---- what a GPU counts -------------------------------------------------------------------------------------------------


def count(command: list, options: list[str] = ()) -> dict[str, dict[str, int]]:
    """{kernel: {name in COUNTS, or metric: count}} of what that command launches. Metrics that ncu does not know are left
    out, with a message. Exits where ncu cannot count."""
    from common import toolkit

    ncu = shutil.which("ncu", path=f"{os.environ['PATH']}:{toolkit.cuda_home()}/bin")
    if ncu is None:
        sys.exit("ncu not found. It comes with a system's CUDA toolkit; put its folder on PATH.")
    metrics = METRICS | {metric: metric for metric in MORE}
    while True:
        flags = ["--csv", "--print-units", "base", "--print-kernel-base", "function", "--target-processes", "all"]
        flags += ["--metrics", ",".join(metrics), *options]
        done = subprocess.run([ncu, *flags, *command], capture_output=True, text=True, cwd=ROOT)
        said = done.stdout + done.stderr
        unknown = [metric for metric in metrics if re.search(rf"Failed to find metric.*\b{re.escape(metric)}", said)]
        if not unknown:
            break
        print(f"{'':8}ncu does not know {', '.join(unknown)}")
        for metric in unknown:
            del metrics[metric]
    if done.returncode or (error := re.search("^==ERROR== .*", said, re.M)):
        sys.exit(f"ncu cannot count here: {error[0] if not done.returncode else said[-2000:]}")
    lines = done.stdout.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith('"ID"')) :]
    found: dict[str, dict[str, int]] = {}
    for row in csv.DictReader(line for line in table if line.startswith('"')):
        if (name := metrics.get(row["Metric Name"])) and row["Metric Value"] != "n/a":
            counts = found.setdefault(base_name(row["Kernel Name"]), {})
            counts[name] = counts.get(name, 0) + round(float(row["Metric Value"].replace(",", "")))
    return found


def counted(subject: str) -> dict[str, dict[str, int]]:
    """What a GPU counts for a program, or for the kernels of the chapter in that folder."""
    from common import toolkit

    if subject in PROGRAMS:
        program = ROOT / "build" / "counters" / subject
        program.parent.mkdir(parents=True, exist_ok=True)
        nvcc = [toolkit.cuda_home() / "bin" / "nvcc", "-O3", "-std=c++17", "-lineinfo", "-arch=native"]
        subprocess.run([*nvcc, PROGRAMS[subject], "-o", program], check=True)
        return count([program])
    command = [sys.executable, "-m", "tools.maintain.counters", "--once", subject[:2]]
    subprocess.run(command, check=True, cwd=ROOT)  # builds first: ncu would also look at the compilers
    return count(command, ["--kernel-name", f"regex:^({'|'.join(sorted(kernels()))})$"])


def measure(subjects: list[str]) -> None:
    import torch

    from .results import machine, measured_with, save

    if not torch.cuda.is_available():
        sys.exit("Counters are a GPU's; without one, --compare shows what was counted before.")
    file, failed = COUNTERS / f"{machine()}.json", []
    data = json.loads(file.read_text()) if file.exists() else {"kernels": {}}
    for subject in subjects:
        print(subject, flush=True)
        try:
            data["kernels"][subject] = counted(subject)
        except (subprocess.CalledProcessError, StopIteration, SystemExit) as error:  # the others are still worth it
            print(f"{'':8}{error}", flush=True)
            failed.append(subject)
            continue
        save(file, data | measured_with() | {"kernels": dict(sorted(data["kernels"].items()))})
    if failed:
        sys.exit(f"Not counted: {', '.join(failed)}")
    print(f"Written to {file.relative_to(ROOT)}")


def main():
    chapters = folders("launch_each_kernel")
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("subjects", nargs="*", metavar="NN|access", help="chapters and programs; all without one")
    options.add_argument("--compare", action="store_true", help="the microscope beside what was counted")
    options.add_argument("--once", choices=list(chapters), help="run that chapter's kernels; this is what ncu looks at")
    options = options.parse_args()
    if options.compare:
        return compare()
    if options.once:
        module = load(chapters[options.once] / "main.py")
        return module.launch_each_kernel(module.build())
    known = {number: folder.name for number, folder in chapters.items()} | {name: name for name in PROGRAMS}
    if unknown := [subject for subject in options.subjects if subject not in known]:
        sys.exit(f"Neither a chapter with launch_each_kernel() nor a program: {', '.join(unknown)}")
    measure([known[subject] for subject in options.subjects or known])


if __name__ == "__main__":
    main()
