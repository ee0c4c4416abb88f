"""The modules of scripts/ and beside them, which belong to no package."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def load_script(name: str) -> ModuleType:
    """A module of scripts/, imported once."""
    return _load(ROOT / "scripts", name)


def load_example(name: str) -> ModuleType:
    """A module of examples/, imported once."""
    return _load(ROOT / "examples", name)


def load_build_hooks() -> ModuleType:
    """What hatchling calls."""
    return _load(ROOT, "hatch_build")


def _load(folder: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(folder))
