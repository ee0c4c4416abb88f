"""The web app and the font in the wheel, and a README that needs no tree; hatchling calls this.

An editable install needs neither: a checkout builds the pages with `make frontend`, and the extra
`dev` has the font.
"""

import importlib.util
import re
from importlib.metadata import files
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


def _script(name: str) -> ModuleType:
    path = Path(__file__).parent / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ContentHook(BuildHookInterface[Any]):
    """Builds the pages where they are missing or not those of the sources; packs the font."""

    def dependencies(self) -> list[str]:
        """Node from PyPI, where the pages must be built and the machine has no Node."""
        frontend = _script("frontend")
        return [] if frontend.is_built() or frontend.npm() else [frontend.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, unless the install is an editable one."""
        frontend = _script("frontend")
        if version != "editable" and not frontend.is_built():
            frontend.build()
        if version != "editable" and self.target_name == "wheel":
            build_data["force_include"].update(font_files())


def font_files() -> dict[str, str]:
    """The one font that is drawn with, and its licence: source -> place in the wheel."""
    font = "NotoSansSC-Regular.otf"
    names = {font: font, "LICENSE": "NotoSansSC-LICENSE.txt"}
    found = {path.name: str(path.locate()) for path in files("pylopdf-fonts-zh-cn") or ()}
    return {found[name]: f"tapwright/drawing/fonts/{place}" for name, place in names.items()}


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

    text = re.sub(r"(!?)\[([^\]]*)\]\(((?!\w+:|#)[^)\s]+)\)", absolute, text)
    return str(_script("home").with_clone(text, source))
