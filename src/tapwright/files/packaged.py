"""Tables that lie in a package beside their module, as TOML or JSON."""

import json
import tomllib
from importlib.resources import files
from typing import Any

__all__ = ["read_listed", "read_table"]


def read_table(package: str, name: str) -> dict[str, Any]:
    """What stands in `<name>.toml` of a package."""
    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text("utf-8"))


def read_listed(package: str) -> dict[str, Any]:
    """What stands in `listed.json` of a family's package, which is written from its members."""
    listed: dict[str, Any] = json.loads(files(package).joinpath("listed.json").read_bytes())
    return listed
