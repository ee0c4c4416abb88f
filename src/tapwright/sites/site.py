"""What is known of a site: its licence, who is signed in, and the tables that checks read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from tapwright.core.language import Language

__all__ = ["NOW", "Site", "moment", "read_words"]


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


def read_words(site: str, language: Language) -> dict[str, Any]:
    """What `content/SITE.json` says in one language: what has two is replaced by the one."""
    text = (resources("tapwright.sites") / f"content/{site}.json").read_text("utf-8")
    words: dict[str, Any] = _choose(json.loads(text), language)
    return words


def _choose(value: Any, language: Language) -> Any:
    match value:
        case {"en": _, "zh": _, **rest}:
            return {**rest, "text": value[language]} if rest else value[language]
        case Mapping():
            return {name: _choose(one, language) for name, one in value.items()}
        case list():
            return [_choose(one, language) for one in value]
        case _:
            return value


NOW = datetime(2026, 3, 16, 9, 0, tzinfo=UTC)
"""A Monday morning."""


def moment(days: float) -> str:
    """So many days after `NOW`, or before when negative, to the minute, in ISO 8601."""
    return (NOW + timedelta(minutes=round(days * 24 * 60))).isoformat()
