"""The chapters, for the tools that call their main.py."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def folders(function: str, root: Path = ROOT) -> dict[str, Path]:
    """{number: folder} of the chapters whose main.py defines that function."""
    mains = sorted(root.glob("chapters/[0-9][0-9]_*/main.py"))
    return {main.parent.name[:2]: main.parent for main in mains if f"\ndef {function}(" in f"\n{main.read_text()}"}


def load_main(folder: Path) -> ModuleType:
    """A chapter's main.py as a module. Its folder stays in sys.path: functions may import the chapter's other files."""
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(f"{folder.name}_main", folder / "main.py")
    main = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(main)
    return main
