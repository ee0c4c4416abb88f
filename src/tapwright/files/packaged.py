"""Tables that lie in a package beside their module, as TOML."""

import tomllib
from importlib.resources import files
from typing import Any

__all__ = ["read_table"]


def read_table(package: str, name: str) -> dict[str, Any]:
    """What stands in `<name>.toml` of a package."""
    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text("utf-8"))
