"""From the GPU in the machine to the one that torch sees. Where torch sees it, the driver is in order."""

import os
import re

import environment

from . import broken, check, ok, warning
from .machine import pip, quoted, run

DRIVER = "sudo ubuntu-drivers install && sudo reboot"


@check
def driver(m):
    """An older driver than torch's CUDA needs, and torch sees no GPU: the lessons run on the CPU, without a word."""
    if m.asked["gpu"] or not m.smi:
        if m.hardware and not (m.asked["gpu"] or m.container or m.wsl):
            return warning("a GPU by NVIDIA, and no driver (nvidia-smi)", DRIVER)
        return ok(f"{m.gpus[0].driver}, {m.gpus[0].name}" if m.gpus else "no nvidia-smi")
    status, out, err = m.smi_said
    if status != 0:
        return m.serious(f"nvidia-smi fails: {' '.join((out + err).split())[:120]}", "sudo reboot")
    if not m.gpus:
        return ok("nvidia-smi lists no GPU")
    here = f"{m.gpus[0].driver} runs CUDA {'.'.join(map(str, m.driver_cuda)) or '?'}"
    needed = m.torch.cuda if m.torch and m.torch.cuda else ""
    if needed and m.driver_cuda and m.driver_cuda[0] < int(needed.split(".")[0]):
        cure = "explorer.exe https://www.nvidia.com/drivers" if m.wsl else DRIVER
        where = " in Windows" if m.wsl else " on the container's host" if m.container else ""
        return m.serious(f"{here}, torch has {needed}", f"{cure}    # a driver for CUDA {needed}{where}")
    return ok(f"{here}, {m.gpus[0].name}")


@check
def torch_and_gpu(m):
    """A torch without CUDA, or a variable that hides the GPU, and a lesson runs on the CPU, without a word."""
    if m.asked["gpu"] or not m.gpus:
        return ok("torch sees the GPU" if m.asked["gpu"] else "no GPU to see")
    if m.torch is None or m.asked["error"]:
        return ok("torch comes first")
    if m.torch.cuda is None:
        version = m.torch.version.partition("+")[0]
        again = f"{pip()} install --force-reinstall torch=={version}    # from PyPI: that one has CUDA"
        return warning(f"torch {m.torch.version} has no CUDA", again)
    if driver(m).status != "ok":
        return ok("the driver comes first")
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        hidden = f"CUDA_VISIBLE_DEVICES={os.environ['CUDA_VISIBLE_DEVICES']}"
        return warning(f"{hidden} hides the GPU", "unset CUDA_VISIBLE_DEVICES")
    return m.serious(f"torch sees no GPU: {m.asked['said'][:120]}", "sudo modprobe nvidia_uvm")


def runs_on(architectures, capability):
    """Whether code for one of these (sm_80, compute_90, ...) runs on a GPU of that compute capability.

    sm_80 runs on 8.0 and later of the same major version, compute_80 (PTX) on 8.0 and all later ones, sm_90a on 9.0 only.
    """
    for kind, major, minor, special in re.findall(r"(sm|compute)_(\d+)(\d)(a?)\b", " ".join(architectures)):
        code = int(major), int(minor)
        later = not special and code < capability and (kind == "compute" or code[0] == capability[0])
        if code == capability or later:
            return True
    return False


@check
def architecture(m):
    """torch's own kernels are built for a list of GPUs; on another one each fails with "no kernel image"."""
    built = m.asked["architectures"]
    for gpu in m.gpus if built else []:
        if not runs_on(built, gpu.capability):
            name = f"{gpu.name} is {'.'.join(map(str, gpu.capability))}"
            # CUDA 12.6 keeps the GPUs that CUDA 13 has dropped. Which command gets it changes; that page says it.
            cure = f"xdg-open https://pytorch.org/get-started/locally    # a torch of CUDA 12.6, {environment.TORCH}"
            return m.serious(f"{name}; torch is built for {' '.join(built)}", cure)
    return ok(" ".join(built) or "torch names none")


@check
def TORCH_CUDA_ARCH_LIST(m):
    """It decides for which GPUs a .cu is compiled: without yours, each launch fails with "no kernel image"."""
    wanted = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if not wanted or wanted == "native" or not (m.torch and m.torch.cuda):
        return ok(wanted or "not set: for the GPU in this machine")
    torch = m.torch.text("utils/cpp_extension.py")
    expanded = wanted.replace(" ", ";")
    for name, numbers in re.findall(r"\('([A-Z][a-z]+(?:\+[A-Z][a-z]+)?)', '([^']+)'\)", torch):
        expanded = expanded.replace(name, numbers)  # Hopper: as torch does
    built = []
    for entry in expanded.split(";"):
        number = entry.removesuffix("+PTX")
        if not re.fullmatch(r"\d+\.\da?", number) or f"'{number}'" not in torch:
            return m.serious(f"{wanted}: torch does not know {entry!r}", "unset TORCH_CUDA_ARCH_LIST")
        built += [f"sm_{number.replace('.', '')}"] + [f"compute_{number.replace('.', '')}"] * entry.endswith("+PTX")
    known = run(m.toolkit / "bin/nvcc", "--list-gpu-arch")[1].split() if m.toolkit else []
    for one in built:
        if known and one.replace("sm_", "compute_").removesuffix("a") not in known:
            return m.serious(f"{wanted}: nvcc {m.toolkits[m.toolkit]} has no {one}", "unset TORCH_CUDA_ARCH_LIST")
    for gpu in m.gpus:
        if not runs_on(built, gpu.capability):
            needs = ".".join(map(str, gpu.capability))
            return m.serious(f"{wanted}: {gpu.name} needs {needs}", f"export TORCH_CUDA_ARCH_LIST={needs}")
    return ok(wanted)


@check
def container(m):
    """A container sees the host's GPU only when it was started so."""
    if not m.container:
        return ok("not in one")
    if m.gpus or m.asked["gpu"] or not m.hardware:
        return ok("in one, with the GPU" if m.gpus or m.asked["gpu"] else "in one; no GPU by NVIDIA in this machine")
    found = broken if os.environ.get("CHAPTERS_DEVICE") == "cuda" else warning
    return found(
        "the GPU of this machine is not passed into this container",
        "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...",
    )


@check
def WSL(m):
    """WSL has no driver of its own, it borrows Windows'; one installed in Linux hides it."""
    if not m.wsl:
        return ok("not in one")
    inside = next((m.root / "usr/lib/x86_64-linux-gnu").glob("libcuda.so.1"), None)
    if not (m.root / "dev/dxg").exists() and not m.container:
        name = os.environ.get("WSL_DISTRO_NAME", "Ubuntu")
        return warning("WSL 1, which has no GPU", f"wsl --set-version {quoted(name)} 2    # in Windows")
    if inside and not m.container:
        return m.serious(f"{inside} hides Windows' driver", "sudo apt-get purge '^libnvidia-compute.*'")
    driver = (m.root / "usr/lib/wsl/lib/libcuda.so.1").exists()
    return ok("WSL 2, with Windows' driver" if driver else "WSL 2; Windows has no driver by NVIDIA")
