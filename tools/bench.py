"""Measures the chapters and keeps the figures as data: `make bench`, or `make bench06` for one chapter.

A chapter's main.py that has something to measure has benchmark(module), which takes what build() returns and gives
{table: rows of bench(), or anything else that JSON can hold}. A colon in a row's name says that it is a variation of an
operator; the roofline leaves it out. tools/docs.py makes tables and pictures of results/<machine>.json.

New figures replace the old ones chapter by chapter: chapters that are not measured, and those that fail, keep theirs.
A copy without .git gets the commit from the environment: COMMIT=4f2a91c make bench
"""

import datetime
import gc
import json
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
sys.path.insert(0, str(ROOT))

from chapter import folders, load_main

from common import device, toolkit
from common.timing import Timing, copy_bandwidth, gpu_times, middle


def machine() -> str:
    """The name of the file for this machine: nvidia-h200."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def output(command) -> str:
    return subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def commit() -> str:
    """4f2a91c; or "4f2a91c, changed" where what is measured differs from the commit; or unknown."""
    if not (ROOT / ".git").exists():  # git would look for one in the folders above
        return os.environ.get("COMMIT", "unknown")
    changed = output("git status --porcelain -- chapters common tools/bench.py ':!*.md'")
    return (output("git rev-parse --short HEAD") or "unknown") + ", changed" * bool(changed)


def measured_with() -> dict:
    """The machine, the versions, the date and the commit, as tables.MEASURED_WITH names them; of a CPU no GPU's part."""
    here = {"torch": torch.__version__, "date": str(datetime.date.today()), "commit": commit()}
    if device.type == "cpu":
        return here
    driver = output("nvidia-smi --query-gpu=driver_version --format=csv,noheader").partition("\n")[0] or "unknown"
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "nvcc": toolkit.nvcc_version()} | here


def circumstances() -> dict:
    """What figures depend on besides the code: measured_with(), and what this GPU can do at most (bytes and FLOP a second,
    its L2 cache in bytes). The FLOP are those of a float32 matrix product."""
    here = measured_with() | {"limits": {}}
    if device.type == "cpu":
        return here
    torch.set_float32_matmul_precision("highest")  # no TF32, which is not float32
    n = 8192
    a, b = torch.rand(n, n, device=device), torch.rand(n, n, device=device)
    flops = 2 * n**3 / middle(gpu_times(torch.matmul, (a, b)))[0]
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    here["limits"] = rounded({"copy": copy_bandwidth(), "flops": flops, "l2_bytes": cache})
    return here


def rounded(data):
    """Timings as dicts, in seconds and bytes; floats with four digits; the rest as it is."""
    if isinstance(data, Timing):
        row = {"op": data.name, "n": data.n, "dtype": data.dtype, "kernel": data.kernel, "spread": data.spread}
        row |= {"call": data.call, "bytes": data.nbytes, "flops": data.flops}
        if data.copy:
            row = rounded(row | {"copy": data.copy})
            row["of_copy"] = row["bytes"] / row["kernel"] / row["copy"]
        return rounded(row | ({"suspect": data.suspect} if data.suspect else {}) | data.more)
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded(value) for value in data]
    return float(f"{data:.4g}") if isinstance(data, float) else data


def measure(folder: Path) -> dict:
    try:
        main = load_main(folder)
        return circumstances() | {"tables": rounded(main.benchmark(main.build()))}
    finally:
        gc.collect()  # a model is a cycle of references
        torch.cuda.empty_cache()
        if "torch._dynamo" in sys.modules:
            torch.compiler.reset()  # the next chapter starts with nothing compiled


def keep(file: Path, name: str, measured: dict) -> None:
    """Puts a chapter's figures into the file; those of the other chapters stay."""
    figures = (json.loads(file.read_text()) if file.exists() else {}) | {name: measured}
    file.parent.mkdir(exist_ok=True)
    text = json.dumps(dict(sorted(figures.items())), indent=1)
    # A row a line, so that a difference can be read.
    file.write_text(re.sub(r"\n {5,}|\n    (?=[]}])", " ", text) + "\n")


def main():
    measured = folders("benchmark", ROOT)
    file, failed = RESULTS / f"{machine()}.json", []
    for folder in (measured[number] for number in sys.argv[1:] or measured):
        print(folder.name, flush=True)
        try:
            keep(file, folder.name, measure(folder))
        except (Exception, SystemExit):  # a build that fails exits
            traceback.print_exc()
            failed.append(folder.name)
    if failed:
        sys.exit(f"Not measured, results/{file.name} keeps what it had: {', '.join(failed)}")
    print(f"Written to results/{file.name}")


if __name__ == "__main__":
    main()
