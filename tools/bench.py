"""Measures the chapters and keeps the figures as data: `make bench`, or `make bench06` for one chapter.

python tools/bench.py [06 ...]    all chapters, or those, into results/<machine>.json

A chapter's main.py that has something to measure has benchmark(module), which takes what build() returns and gives
{table: rows of bench(), or anything else that JSON can hold}. A colon in a row's name says that it is a variation of an
operator; the roofline leaves it out. Tables and pictures are made from the file by tools/docs.py, never by hand.

New figures replace the old ones chapter by chapter: chapters that are not measured, and those that fail, keep theirs.
Without a GPU the file is results/cpu.json, which git ignores and no README shows.

The commit is that of the repository. A copy without .git gets it from the environment, with ", changed" behind it where
the copy differs from that commit: COMMIT=4f2a91c make bench
"""

import argparse
import datetime
import gc
import importlib.util
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
MEASURED = ["chapters", "common", "tools/bench.py", ":!*.md"]  # a change in these may change figures
sys.path.insert(0, str(ROOT))

from common import device, toolkit
from common.timing import Timing, copy_bandwidth, gpu_times, middle


def machine() -> str:
    """The name of the file for this machine: nvidia-h200."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def output(*command) -> str:
    """What it prints, or "unknown" where this machine does not have it."""
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def commit() -> str:
    """4f2a91c; or "4f2a91c, changed" where what is measured differs from the commit; or unknown."""
    if given := os.environ.get("COMMIT"):
        return given
    if not (ROOT / ".git").exists():  # git would look for one in the folders above
        return "unknown"
    changed = output("git", "status", "--porcelain", "--", *MEASURED)
    return output("git", "rev-parse", "--short", "HEAD") + (", changed" if changed else "")


def circumstances() -> dict:
    """What figures depend on besides the code: versions, and what this GPU can do at most (bytes and FLOP a second, its
    L2 cache in bytes). The FLOP are those of a float32 matrix product."""
    here = {"torch": torch.__version__, "date": str(datetime.date.today()), "commit": commit(), "limits": {}}
    if device.type == "cpu":
        return here
    driver = output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").partition("\n")[0]
    torch.set_float32_matmul_precision("highest")  # no TF32, which is not float32
    n = 8192
    a, b = torch.rand(n, n, device=device), torch.rand(n, n, device=device)
    flops = 2 * n**3 / middle(gpu_times(torch.matmul, (a, b)))[0]
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    here["limits"] = rounded({"copy": copy_bandwidth(), "flops": flops, "l2_bytes": cache})
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "nvcc": toolkit.nvcc_version()} | here


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
    sys.path.insert(0, str(folder))  # main.py may import its other files
    try:
        spec = importlib.util.spec_from_file_location(f"{folder.name}_main", folder / "main.py")
        main = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        if not hasattr(main, "benchmark"):
            return None
        print(folder.name, flush=True)
        return circumstances() | {"tables": rounded(main.benchmark(main.build()))}
    finally:
        sys.path.remove(str(folder))
        gc.collect()  # a model is a cycle of references
        torch.cuda.empty_cache()
        if "torch._dynamo" in sys.modules:
            torch.compiler.reset()  # the next chapter starts with nothing compiled


def keep(file: Path, name: str, measured: dict) -> None:
    """Puts a chapter's figures into the file; those of the other chapters stay."""
    figures = (json.loads(file.read_text()) if file.exists() else {}) | {name: measured}
    file.parent.mkdir(exist_ok=True)
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.write_text(as_json(dict(sorted(figures.items()))) + "\n")
    os.replace(unfinished, file)  # at once: whatever happens before, the file is whole


def as_json(data, indent="") -> str:
    """A row a line, so that a difference can be read; indented above that."""
    if isinstance(data, list) and any(isinstance(value, dict) for value in data):
        return "[\n" + ",\n".join(f"{indent} {json.dumps(value)}" for value in data) + f"\n{indent}]"
    if not isinstance(data, dict) or not any(isinstance(value, dict | list) for value in data.values()):
        return json.dumps(data)
    pairs = (f"{indent} {json.dumps(key)}: {as_json(value, indent + ' ')}" for key, value in data.items())
    return "{\n" + ",\n".join(pairs) + f"\n{indent}}}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="NN")
    wanted = parser.parse_args().chapters
    folders = {path.parent.name[:2]: path.parent for path in sorted(ROOT.glob("chapters/[0-9][0-9]_*/main.py"))}
    if unknown := set(wanted) - set(folders):
        sys.exit(f"There is no chapter {', '.join(sorted(unknown))}")
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("CHAPTERS_DEVICE=cuda, but torch sees no GPU.")
    file, failed = RESULTS / f"{machine()}.json", []
    for folder in (folders[number] for number in wanted or folders):
        try:
            measured = measure(folder)
        except (Exception, SystemExit):  # a build that fails exits
            traceback.print_exc()
            failed.append(folder.name)
            continue
        if measured:
            keep(file, folder.name, measured)
            print(f"{folder.name}: written to results/{file.name}", flush=True)
        elif wanted:
            failed.append(f"{folder.name} (it has nothing to measure: its main.py has no benchmark())")
    if failed:
        sys.exit(f"Not measured, {file.name} keeps what it had: {', '.join(failed)}")


if __name__ == "__main__":
    main()
