"""fits: will this wheel run in that environment?

The reader's function looks at the name of a wheel, and into the wheel. The wheels here have METADATA and no more.
"""

import zipfile

from grader.checks import Wrong, module, place

MINUTES = 20
FAILS = "expected 'python', yours None"
LINUX, MAC = "cp312-cp312-linux_x86_64", "cp312-cp312-macosx_14_0_arm64"


def run(mine):
    misfit = module(mine / "fits.py").misfit
    for tag, required, theirs, torch, expected in [
        (LINUX, "2.11.*", "cp311-cp311-linux_x86_64", "2.11.0", "python"),
        (LINUX, "2.11.*", LINUX, "2.11.0", None),
        (LINUX, "2.11.*", LINUX, "2.12.0", "torch"),
        (LINUX, "2.11.*", LINUX, "2.11.1", None),
        (LINUX, "2.11.*", LINUX, "2.11.0+cu130", None),
        (LINUX, "2.1.*", LINUX, "2.11.0", "torch"),
        (LINUX, "2.11.*", MAC, "2.11.0", "python"),
        (MAC, "2.11.*", LINUX, "2.9.1", "python"),
    ]:
        wheel = place(mine) / f"my_kernel-0.1.0-{tag}.whl"
        wheel.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("my_kernel/__init__.py", "")
            archive.writestr(
                "my_kernel-0.1.0.dist-info/METADATA",
                f"Metadata-Version: 2.4\nName: my_kernel\nVersion: 0.1.0\nRequires-Dist: numpy>=1.26\n"
                f"Requires-Dist: torch=={required}\n",
            )
        if (yours := misfit(wheel, theirs, torch)) != expected:
            raise Wrong(
                f"{wheel.name} requires torch=={required}\n"
                f"a user with {theirs}, torch {torch}: expected {expected!r}, yours {yours!r}"
            )
    print("right   eight wheels and users")
