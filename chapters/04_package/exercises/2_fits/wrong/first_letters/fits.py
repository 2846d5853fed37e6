"""Does a wheel fit a user's Python and torch?"""

import zipfile
from pathlib import Path


def misfit(wheel: Path, tag: str, torch: str) -> str | None:
    """What keeps a user from importing this wheel: "python", else "torch", else None.

    wheel: the file. Its name ends in -cp312-cp312-linux_x86_64.whl, and that must be the user's `tag`:
    "cp312-cp312-linux_x86_64". torch: the version of the user's torch, "2.11.0+cu130" for example. In the wheel, a file
    named METADATA has a line such as `Requires-Dist: torch==2.11.*`: any version that begins with these two numbers fits.
    """
    # your code
    if not wheel.name.endswith(f"-{tag}.whl"):
        return "python"
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    (required,) = [line.partition("==")[2] for line in lines if line.startswith("Requires-Dist: torch==")]
    return None if torch.startswith(required.rstrip(".*")) else "torch"
    # end of your code
