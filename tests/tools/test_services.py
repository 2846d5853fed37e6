"""What GitHub and VS Code start is there: the files .github/workflows and .devcontainer are run nowhere else."""

import json
import re

from tests.support import ROOT


def test_the_workflow_calls_ci_run_and_has_its_limit():
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    (command,) = re.findall(r"^ +- run: (\.\S+)$", text, re.M)
    (minutes,) = re.findall(r"^ +timeout-minutes: (\d+)$", text, re.M)
    assert (ROOT / command).stat().st_mode & 0o111 and int(minutes) <= 90


def test_the_container_starts_a_target_of_make():
    text = (ROOT / ".devcontainer/devcontainer.json").read_text()
    container = json.loads(re.sub(r"^ *//.*", "", text, flags=re.M))
    target = container["postCreateCommand"].removeprefix("make ")
    assert re.search(rf"^{target}:$", (ROOT / "Makefile").read_text(), re.M)
