"""Put the built web app into the wheel and the sdist; hatchling calls this.

An editable install needs no pages: a checkout builds them with `make frontend`.
"""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _frontend(root: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("frontend", Path(root, "scripts", "frontend.py"))
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{root}/scripts/frontend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FrontendHook(BuildHookInterface[Any]):
    """Builds the pages where they are missing or not those of the sources."""

    def dependencies(self) -> list[str]:
        """Node from PyPI, where the pages must be built and the machine has no Node."""
        frontend = _frontend(self.root)
        return [] if frontend.is_built() or frontend.npm() else [frontend.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, unless the install is an editable one."""
        frontend = _frontend(self.root)
        if version != "editable" and not frontend.is_built():
            frontend.build()
