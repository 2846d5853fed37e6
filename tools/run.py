"""Starts a program with the words of the environment's ARGS after its own: python -m tools.run PROGRAM [ARGUMENT ...]

The Makefile's way to pass ARGS on. Quotes hold words together as in a shell, and nothing else means anything.
"""

import os
import shlex
import sys

try:
    words = shlex.split(os.environ.get("ARGS", ""))
except ValueError as error:
    sys.exit(f"ARGS={os.environ['ARGS']}: {error}")
os.execvp(sys.argv[1], [*sys.argv[1:], *words])
