"""The modules of scripts/, which belong to no package."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def load_script(name: str) -> ModuleType:
    """A module of scripts/, imported once."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / "scripts"))
