"""What a build for a GPU needs, and the way from the GPU in the machine to the GPU that torch uses."""

import os
import re
from pathlib import Path

import environment

from .machine import broken, find_cuda, first_error, ok, pip, quoted, run, warning

NEW_DRIVER = "sudo ubuntu-drivers install && sudo reboot    # under WSL: install a driver in Windows instead"


def nvcc(m):
    """nvcc compiles a .cu for a GPU; the major numbers of its CUDA version and torch's must be the same."""
    if m.toolkit:
        return ok(f"{m.toolkits[m.toolkit]} in {m.toolkit}, torch has CUDA {m.cuda}")
    if not m.cuda or not m.for_gpu:
        return ok("not needed without a GPU" if m.cuda else "no torch with CUDA to build for")
    there = "; ".join(f"{home} has {version}" for home, version in m.toolkits.items()) or "there is none"
    return broken(f"torch needs CUDA {m.cuda}: {there}", find_cuda.install(m.cuda))


def nvcc_compiler(m):
    """nvcc passes host code to a C++ compiler, $CC or gcc, and refuses one that is newer than nvcc knows."""
    if not m.toolkit:
        return ok("there is no nvcc")
    name = os.environ.get("CC", "gcc")
    chosen = ["-ccbin", name] if "CC" in os.environ else []
    options = f"-std=c++{m.torch.standard}", "-x", "cu", "-E", os.devnull, "-o", os.devnull
    status, _, err = run(m.toolkit / "bin/nvcc", *chosen, *options)
    if status == 0:
        return ok(f"nvcc accepts {name}")
    cure = "unset CC" if chosen else "sudo apt-get install g++"
    if newest := re.search(r"gcc versions later than (\d+)", err):
        cure = f"sudo apt-get install g++-{newest[1]} && export CC=g++-{newest[1]}"
    return m.gpu_fault(f"nvcc does not work with {name}: {first_error(err)}", cure)


def libcudart(m):
    """A CUDAExtension of your own links libcudart.so. NVIDIA's packages on PyPI lack this link; the lessons bring theirs."""
    places = ["lib64", "lib", "targets/*/lib", "lib/*-linux-gnu"]
    found = [file for place in places for file in sorted(m.toolkit.glob(f"{place}/libcudart.so*"))] if m.toolkit else []
    if not found or found[0].name == "libcudart.so":
        return ok(found[0] if found else "there is no nvcc that needs it")
    cure = f"ln -s {found[0].name} {quoted(found[0].with_name('libcudart.so'))}    # for a project of your own"
    return ok(f"the lessons bring their link to {found[0]}", cure)


def CUDA_HOME(m):
    """Builds of your own use the toolkit in CUDA_HOME; the lessons prefer one whose version is torch's."""
    home = os.environ.get("CUDA_HOME")
    if not home:
        return ok("not set: the lessons find the toolkit without it")
    version = find_cuda.version(Path(home))
    cure = f"export CUDA_HOME={quoted(m.toolkit)}" if m.toolkit else "unset CUDA_HOME"
    found = f"{home} has {f'CUDA {version}' if version else 'no nvcc'}, torch has {m.cuda or 'no CUDA'}"
    return ok(found) if version and (not m.cuda or m.toolkit == Path(home)) else warning(found, cure)


def torch_and_gpu(m):
    """Without a driver that is new enough, with a torch for CPUs, or with the GPU hidden, the lessons run on the CPU."""
    if m.asked["gpu"] or m.asked["error"]:
        return ok("torch comes first" if m.asked["error"] else "torch sees a GPU")
    if not m.smi:
        vendors = m.root.glob("sys/bus/pci/devices/*/vendor")
        if not any(vendor.read_text().strip() == "0x10de" for vendor in vendors):
            return ok("no GPU by NVIDIA")
        if (m.root / ".dockerenv").exists():
            return warning("this container was not given the GPU", "docker run --gpus all ...")
        return warning("a GPU by NVIDIA without a driver (no nvidia-smi)", NEW_DRIVER)
    status, out, err = m.smi
    if status != 0:
        return m.gpu_fault(f"nvidia-smi fails: {' '.join((out + err).split())[:120]}", "sudo reboot")
    if not m.gpus:
        return ok("nvidia-smi lists no GPU")
    if m.cuda is None:
        again = f"{pip()} install --force-reinstall torch=={m.torch.release}    # the one on PyPI has CUDA"
        return warning(f"torch {m.torch.version} has no CUDA", again)
    newest = re.search(r"CUDA (?:\w+ )?Version *: *(\d+)\.(\d+)", run("nvidia-smi")[1])
    if newest and int(newest[1]) < int(m.cuda.split(".")[0]):
        return m.gpu_fault(f"the driver runs CUDA {newest[1]}.{newest[2]}, torch has {m.cuda}", NEW_DRIVER)
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        hidden = f"CUDA_VISIBLE_DEVICES={os.environ['CUDA_VISIBLE_DEVICES']}"
        return warning(f"{hidden} hides the GPU", "unset CUDA_VISIBLE_DEVICES")
    return m.gpu_fault(f"torch sees no GPU: {m.asked['said'][:120]}", "sudo modprobe nvidia_uvm")


def runs_on(architectures, capability):
    """Whether code for one of these architectures runs on a GPU of that compute capability, such as (9, 0).

    sm_80 runs on 8.0 and later of the same major version, compute_80 (PTX) on 8.0 and all later ones, sm_90a on 9.0 only.
    """
    for kind, major, minor, special in re.findall(r"(sm|compute)_(\d+)(\d)(a?)\b", " ".join(architectures)):
        code = int(major), int(minor)
        later = not special and code < capability and (kind == "compute" or code[0] == capability[0])
        if code == capability or later:
            return True
    return False


def architecture(m):
    """torch's own kernels are compiled for a list of GPUs; on another GPU each fails with "no kernel image"."""
    built = m.asked["architectures"]
    for name, (major, minor) in m.gpus if built else []:
        if not runs_on(built, (major, minor)):
            # CUDA 12.6 keeps the GPUs that CUDA 13 has dropped. The command changes with each torch; this page has it.
            cure = f"xdg-open https://pytorch.org/get-started/locally    # choose CUDA 12.6, {environment.TORCH}"
            return m.gpu_fault(f"{name} is {major}.{minor}; torch is built for {' '.join(built)}", cure)
    return ok(" ".join(built) or "torch names none")


def TORCH_CUDA_ARCH_LIST(m):
    """A .cu is compiled for the GPUs in this list; where yours is not in it, each launch fails with "no kernel image"."""
    wanted = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if not wanted or re.search("[b-z]", wanted):
        return ok(wanted or "not set: for the GPU in this machine")  # torch translates names, such as Hopper
    entries = re.findall(r"(\d+)\.(\d)(a?)(\+PTX)?", wanted)
    built = [
        f"{kind}_{major}{minor}{a}" for major, minor, a, ptx in entries for kind in ("sm", "compute")[: 1 + bool(ptx)]
    ]
    for name, (major, minor) in m.gpus:
        if not runs_on(built, (major, minor)):
            return m.gpu_fault(f"{wanted}: {name} is {major}.{minor}", f"export TORCH_CUDA_ARCH_LIST={major}.{minor}")
    return ok(wanted)
