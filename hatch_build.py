"""The web app in wheel and sdist, and a README that needs no tree; hatchling calls this.

An editable install needs no pages: a checkout builds them with `make frontend`.
"""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


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


class ReadmeHook(MetadataHookInterface):
    """The README as PyPI shows it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme`; links lead to `Source` of [project.urls], where that is known."""
        source = metadata.get("urls", {}).get("Source")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": readme_without_the_tree(text, source),
        }


def readme_without_the_tree(text: str, source: str | None) -> str:
    """The README with absolute links; without a `source`, with the words and no pictures."""

    def absolute(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if source is None:
            return "" if picture else words
        return f"{picture}[{words}]({source}/{'raw' if picture else 'blob'}/HEAD/{target})"

    return re.sub(r"(!?)\[([^\]]*)\]\(((?!\w+:|#)[^)\s]+)\)", absolute, text)
