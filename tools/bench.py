"""Measures the chapters and keeps the figures as data: `make bench`, or `make bench06` for one chapter.

python tools/bench.py [06 ...]    all chapters, or those, into results/<machine>.json

A chapter's main.py that has something to measure has benchmark(module), which takes what build() returns and gives
{table: rows of bench(), or anything else that JSON can hold}. A colon in a row's name says that it is a variation of an
operator; the roofline leaves it out. Tables and pictures are made from the file by tools/notes.py, never by hand.

What is measured again replaces what was there, chapter by chapter; the rest of the file stays, and so does all of it when
a chapter fails. Without a GPU the file is results/cpu.json, which git ignores and no README shows.

The commit is that of the repository. A copy without .git gets it from the environment:

    COMMIT=$(git rev-parse --short HEAD)    ... and ", changed" behind it, where the copy differs from that commit
"""

import argparse
import datetime
import gc
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import traceback
from pathlib import Path
from unittest import mock

import torch

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
MEASURED = ["chapters", "common", "tools/bench.py", ":!*.md"]  # what decides about figures
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import files

from common import device, toolkit
from common.timing import Timing, copy_bandwidth, gpu_times


def machine() -> str:
    """The name of the file for this machine: nvidia-h200."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def output(*command) -> str:
    """What it prints; nothing if it fails or does not exist."""
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit() -> str:
    """4f2a91c; or "4f2a91c, changed" where what is measured differs from the commit; or unknown."""
    if os.environ.get("COMMIT"):
        return os.environ["COMMIT"]
    if not (ROOT / ".git").exists():  # git would look for one in the folders above
        return "unknown"
    changed = output("git", "status", "--porcelain", "--", *MEASURED)
    return (output("git", "rev-parse", "--short", "HEAD") or "unknown") + (", changed" if changed else "")


def circumstances() -> dict[str, str]:
    """What a figure depends on, besides the code."""
    said = {"torch": torch.__version__, "date": str(datetime.date.today()), "commit": commit()}
    if device.type == "cpu":
        return said
    driver = output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").partition("\n")[0]
    return {"gpu": torch.cuda.get_device_name(), "driver": driver or "unknown", "nvcc": toolkit.nvcc_version()} | said


def limits() -> dict[str, float]:
    """What this GPU can do: bytes a second of a copy, float32 operations a second of a matrix product; its L2 in bytes."""
    if device.type == "cpu":
        return {}
    torch.set_float32_matmul_precision("highest")  # no TF32, which is not float32
    n = 8192
    a, b = torch.rand(n, n, device=device), torch.rand(n, n, device=device)
    flops = 2 * n**3 / statistics.median(gpu_times(torch.matmul, (a, b)))
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    return rounded({"copy": copy_bandwidth(), "flops": flops, "l2_bytes": cache})


def rounded(data):
    """Timings as dicts, in seconds and bytes; floats with four digits; the rest as it is."""
    if isinstance(data, Timing):
        row = {"op": data.name, "n": data.n, "dtype": data.dtype, "kernel": data.kernel, "spread": data.spread}
        row |= {"call": data.call, "bytes": data.nbytes, "flops": data.flops}
        if data.copy:
            row = rounded(row | {"copy": data.copy})
            row["of_copy"] = row["bytes"] / row["kernel"] / row["copy"]
        if data.suspect:
            row["suspect"] = data.suspect
        return rounded(row | data.more)
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded(value) for value in data]
    return float(f"{data:.4g}") if isinstance(data, float) else data


def measure(folder: Path) -> dict | None:
    """The figures of one chapter; None where it has nothing to measure."""
    with mock.patch.object(sys, "path", [str(folder), *sys.path]):  # it may import its other files
        spec = importlib.util.spec_from_file_location(f"{folder.name}_main", folder / "main.py")
        main = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        if not hasattr(main, "benchmark"):
            return None
        print(folder.name, flush=True)
        return circumstances() | {"limits": limits(), "tables": rounded(main.benchmark(main.build()))}


def keep(file: Path, name: str, measured: dict) -> None:
    """Puts a chapter's figures into the file; those of the other chapters stay."""

    def change(old):
        return as_json(dict(sorted((json.loads(old or "{}") | {name: measured}).items()))) + "\n"

    files.rewrite(file, change)


def as_json(data, indent="") -> str:
    """A row a line, so that a difference can be read; indented above that."""
    if not isinstance(data, dict) or all(not isinstance(value, dict | list) for value in data.values()):
        if isinstance(data, list) and any(isinstance(value, dict) for value in data):
            return "[\n" + ",\n".join(f"{indent} {as_json(value)}" for value in data) + f"\n{indent}]"
        return json.dumps(data)
    pairs = (f"{indent} {json.dumps(key)}: {as_json(value, indent + ' ')}" for key, value in data.items())
    return "{\n" + ",\n".join(pairs) + f"\n{indent}}}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="NN")
    wanted = parser.parse_args().chapters
    folders = sorted(path.parent for path in ROOT.glob("chapters/[0-9][0-9]_*/main.py"))
    if unknown := set(wanted) - {folder.name[:2] for folder in folders}:
        sys.exit(f"There is no chapter {', '.join(sorted(unknown))}")
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("CHAPTERS_DEVICE=cuda, but torch sees no GPU.")
    file, failed = RESULTS / f"{machine()}.json", []
    for folder in folders:
        if wanted and folder.name[:2] not in wanted:
            continue
        try:
            measured = measure(folder)
        except (Exception, SystemExit):  # a build that fails exits
            traceback.print_exc()
            failed.append(folder.name)
            continue
        finally:
            gc.collect()  # a model is a cycle of references
            torch.cuda.empty_cache()
            if "torch._dynamo" in sys.modules:
                torch.compiler.reset()  # what one chapter has compiled is no other's business
        if measured is None:
            if wanted:
                failed.append(f"{folder.name} (it has nothing to measure: its main.py has no benchmark())")
            continue
        keep(file, folder.name, measured)
        print(f"{folder.name}: written to results/{file.name}", flush=True)
    if failed:
        sys.exit(f"Not measured, {file.name} keeps what it had: {', '.join(failed)}")


if __name__ == "__main__":
    main()
