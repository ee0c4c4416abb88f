"""How this environment's own pip or uv is called, to add an extra to the tapwright that is here.

Both add what an extra names to the tapwright that is installed, be it from a clone, a wheel or an
index, as long as they are those of its environment; any other asks an index for tapwright.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from shutil import which

__all__ = ["install_command", "own_program"]


def install_command(extra: str) -> str:
    """The command, for a shell, that installs what an extra of tapwright names."""
    requirement = quote(f"tapwright[{extra}]")
    if find_spec("pip") is None:  # uv makes such environments
        return f"uv pip install --python {quote(sys.executable)} {requirement}"
    return f"{own_program('pip')} install {requirement}"


def own_program(name: str) -> str:
    """How a program of this environment is called: by its name alone, where a shell finds it."""
    found = which(name)
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return name
    return f"{quote(sys.executable)} -m {name}"
