"""Measures the chapters and keeps the figures as data: `make bench`, or `make bench06` for one chapter.

python tools/bench.py [06 ...]    all chapters, or those, into results/<machine>.json

A chapter's main.py that has something to measure has benchmark(), which returns {table: rows of bench()}. A table in a
README and a picture are made from the file by tools/notes.py and tools/pictures.py, and never by hand. What is measured
again replaces what was there; the rest of the file stays. Without a GPU the file is results/cpu.json, which git ignores:
times of CUDA on CPU say nothing about a GPU.
"""

import argparse
import datetime
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from common import device, toolkit
from common.timing import Timing, _gpu_times, copy_bandwidth


def machine() -> str:
    """The name of the file for this machine: nvidia-h200."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def output(*command) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def circumstances() -> dict[str, str]:
    """What a figure depends on, besides the code. GITHUB_SHA or COMMIT says the commit where there is no .git."""
    commit = output("git", "rev-parse", "--short", "HEAD") or os.environ.get("COMMIT", "unknown")
    if output("git", "status", "--porcelain", "--", "chapters", "common"):
        commit += ", changed"
    said = {"torch": torch.__version__, "date": str(datetime.date.today()), "commit": commit}
    if device.type == "cpu":
        return said
    driver = output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0")
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "nvcc": toolkit.nvcc_version()} | said


def limits() -> dict[str, float]:
    """What this GPU can do: bytes a second of a copy, and float32 operations a second of a matrix product (no TF32)."""
    if device.type == "cpu":
        return {}
    torch.backends.cuda.matmul.allow_tf32 = False
    n = 8192
    a, b = torch.rand(n, n, device=device), torch.rand(n, n, device=device)
    flops = 2 * n**3 / statistics.median(_gpu_times(torch.matmul, (a, b), budget=1))
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    return {"copy": copy_bandwidth(), "flops": flops, "l2_bytes": cache}


def as_data(row: Timing) -> dict:
    """A row in seconds and bytes, with as many digits as it has."""
    data = {"op": row.name, "n": row.n, "kernel": row.kernel, "spread": row.spread, "call": row.call}
    data |= {"bytes": row.nbytes, "flops": row.flops}
    if row.copy:
        data |= {"copy": row.copy, "of_copy": row.bandwidth / row.copy}
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in data.items()}


def measure(folder: Path) -> dict | None:
    """The tables of one chapter; None where it has nothing to measure."""
    spec = importlib.util.spec_from_file_location(folder.name, folder / "main.py")
    main = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(main)
    if not hasattr(main, "benchmark"):
        return None
    print(f"{folder.name}", flush=True)
    tables = {name: [as_data(row) for row in rows] for name, rows in main.benchmark().items()}
    return circumstances() | {"limits": limits(), "tables": tables}


def write(file: Path, data: dict) -> None:
    """All of it or nothing: killed in the middle, the file is what it was."""
    file.parent.mkdir(exist_ok=True)
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(data, indent=1) + "\n")
    os.replace(unfinished, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="NN")
    wanted = parser.parse_args().chapters
    folders = sorted(path.parent for path in ROOT.glob("chapters/[0-9][0-9]_*/main.py"))
    if unknown := set(wanted) - {folder.name[:2] for folder in folders}:
        sys.exit(f"There is no chapter {', '.join(sorted(unknown))}")
    file = ROOT / "results" / f"{machine()}.json"
    for folder in folders:
        if wanted and folder.name[:2] not in wanted:
            continue
        measured = measure(folder)
        if measured is None:
            if wanted:
                sys.exit(f"{folder.name} has nothing to measure: its main.py has no benchmark()")
            continue
        data = json.loads(file.read_text()) if file.exists() else {}
        write(file, dict(sorted((data | {folder.name: measured}).items())))
        print(f"{folder.name}: {file.relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main()
