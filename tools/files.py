"""Files that tools write for git to keep: whole or not at all, whoever is killed and however full the disk is."""

import contextlib
import fcntl
import os
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parents[1] / "build" / ".writing"  # the kernel's (flock): it ends with the process


def rewrite(file: Path, change) -> None:
    """Replaces a file by change(its text; "" where there is none), a str or bytes. Nobody else writes it meanwhile.

    Ends the program with a clear message where it cannot be written. Until all is written, the file is what it was.
    """
    file = file.resolve()  # of a link, what it points to
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        LOCK.parent.mkdir(exist_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(LOCK, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            new = change(file.read_text() if file.exists() else "")
            try:
                with open(unfinished, "wb") as out:
                    out.write(new if isinstance(new, bytes) else new.encode())
                    out.flush()
                    os.fsync(out.fileno())  # a file system on a network says only now that it is full
                os.replace(unfinished, file)
            except OSError:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
                raise
    except OSError as error:
        sys.exit(f"{file} could not be written, and is what it was: {error.strerror}")


def write(file: Path, new) -> None:
    rewrite(file, lambda old: new)
