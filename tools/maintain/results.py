"""results/: figures as data, each with the machine, the versions, the date and the commit."""

import datetime
import json
import os
import re
import subprocess
from pathlib import Path

import torch

from common import device, toolkit

from ..chapters import ROOT

RESULTS = ROOT / "results"


def machine() -> str:
    """The name of the file for this machine: nvidia-h200."""
    name = torch.cuda.get_device_name() if device.type == "cuda" else "cpu"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def output(command) -> str:
    return subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def commit() -> str:
    """4f2a91c; or "4f2a91c, changed" where what is measured differs from the commit; or what COMMIT says, or unknown."""
    if "COMMIT" in os.environ or not (ROOT / ".git").exists():  # git would look for one in the folders above
        return os.environ.get("COMMIT", "unknown")
    changed = output(
        "git status --porcelain -- chapters common device tools/maintain/bench.py tools/maintain/sweep.py ':!*.md'"
    )
    return (output("git rev-parse --short HEAD") or "unknown") + ", changed" * bool(changed)


def measured_with() -> dict:
    """The machine, the versions, the date and the commit, as tables.MEASURED_WITH names them; of a CPU no GPU's part."""
    here = {"torch": torch.__version__, "date": str(datetime.date.today()), "commit": commit()}
    if device.type == "cpu":
        return here
    driver = output("nvidia-smi --query-gpu=driver_version --format=csv,noheader").partition("\n")[0] or "unknown"
    return {"gpu": torch.cuda.get_device_name(), "driver": driver, "nvcc": toolkit.nvcc_version()} | here


def keep(file: Path, name: str, measured: dict) -> None:
    """Puts a chapter's figures into the file; those of the other chapters stay."""
    figures = (json.loads(file.read_text()) if file.exists() else {}) | {name: measured}
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(dict(sorted(figures.items())), indent=1)
    # A row a line, so that a difference can be read.
    file.write_text(re.sub(r"\n {5,}|\n    (?=[]}])", " ", text) + "\n")


def save(file: Path, data: dict) -> None:
    """Writes {"kernels": {subject: {kernel: ...}}, ...} with a kernel a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(re.sub(r"\n {4,}|\n   (?=})", " ", json.dumps(data, indent=1)) + "\n")
