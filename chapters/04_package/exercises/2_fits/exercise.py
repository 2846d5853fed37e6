"""fits: say whether a wheel runs in an environment

Write misfit(wheel, tag, torch), which says, before anybody installs the wheel, whether it fits a user's Python, system and
torch. The wheel's name tells one part of that, and the file METADATA in the wheel tells the other. The check has sixteen
wheels and users.
"""

import zipfile

from grader.checks import Wrong, module, place

MINUTES = 20
FAILS = "expected 'python', yours None"
LINUX, MAC = "cp312-cp312-linux_x86_64", "cp312-cp312-macosx_14_0_arm64"


def run(mine):
    misfit = module(mine / "fits.py").misfit
    cases = [
        (LINUX, "2.11.*", "cp311-cp311-linux_x86_64", "2.11.0", "python"),
        (LINUX, "2.11.*", LINUX, "2.11.0", None),
        (LINUX, "2.11.*", LINUX, "2.12.0", "torch"),
        (LINUX, "2.11.*", LINUX, "2.11.1", None),
        (LINUX, "2.11.*", LINUX, "2.11.0+cu130", None),
        (LINUX, "2.1.*", LINUX, "2.11.0", "torch"),
        (LINUX, "2.11.*", MAC, "2.11.0", "python"),
        (MAC, "2.11.*", LINUX, "2.9.1", "python"),
        (LINUX, "2.11.*", "cp312-cp312-linux_aarch64", "2.11.0", "python"),
        ("cp313-cp313t-linux_x86_64", "2.11.*", "cp313-cp313-linux_x86_64", "2.11.0", "python"),
        (LINUX, "2.11.*", LINUX, "2.1.0", "torch"),
        (LINUX, "2.10.*", LINUX, "2.1.2", "torch"),
        (LINUX, "2.11.*", LINUX, "3.11.0", "torch"),
        (MAC, "2.12.*", MAC, "2.12.0", None),
        (LINUX, "3.0.*", LINUX, "3.0.1", None),
        (LINUX, "10.1.*", LINUX, "10.12.0", "torch"),
    ]
    for i, (tag, required, theirs, torch, expected) in enumerate(cases):
        package = "my_kernel-0.1.0" if i < 8 else f"other-{i}.0"
        build = "-1" * (i == 13)  # a wheel's name may have a build number
        wheel = place(mine) / f"{package}{build}-{tag}.whl"
        wheel.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel, "w") as archive:
            name, version = package.split("-")
            requires = ["torchvision==0.26.*", f"torch=={required}", "torchaudio==2.11.*"]
            if i == 14:  # the order of lines and files, and what else there is, is not fixed
                archive.writestr(f"{package}.dist-info/WHEEL", "Wheel-Version: 1.0\n")
                requires = ["numpy", f"torch=={required}"]
            archive.writestr(f"{name}/__init__.py", "")
            archive.writestr(
                f"{package}.dist-info/METADATA",
                f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: for torch==9.9.*\n"
                + "".join(f"Requires-Dist: {requirement}\n" for requirement in requires),
            )
            archive.writestr(f"{package}.dist-info/RECORD", "")
        if (yours := misfit(wheel, theirs, torch)) != expected:
            raise Wrong(
                f"{wheel.name} requires {', '.join(requires)}\n"
                f"a user with {theirs}, torch {torch}: expected {expected!r}, yours {yours!r}"
            )
    print(f"right   {len(cases)} wheels and users")
