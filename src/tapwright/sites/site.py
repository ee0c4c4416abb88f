"""What is known of a site: its licence, who is signed in, and the tables that checks read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from tapwright.core.language import Language

__all__ = ["Site"]


@dataclass(frozen=True, slots=True)
class Site:
    """A web application. `tables` are its state: name -> the SQL that gives its rows, in order.

    `kind` says what people do there ("issue tracker"), `content` makes what fills it, `user` and
    `account` who is signed in, as the site and as people say it. `locales` are its own names of the
    two languages. A column of a table that ends in "[]" is a JSON array.
    """

    name: str
    title: str
    kind: str
    version: str
    licence: str
    home: str
    database: str
    user: str
    account: str
    tables: Mapping[str, str]
    content: Callable[[int, Language], dict[str, Any]]
    locales: Mapping[Language, str]

    @property
    def program(self) -> Path:
        """The program that the site's own Python runs."""
        return Path(str(resources("tapwright.sites") / f"programs/{self.name}_site.py"))

    @property
    def lock(self) -> Path:
        """Its packages at exact versions, with the hashes of what may be installed."""
        return Path(str(resources("tapwright.sites") / f"locks/{self.name}.txt"))
