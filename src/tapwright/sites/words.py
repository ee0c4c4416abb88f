"""What the contents of sites are made with: words in both languages, and the time of a reset."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files as resources
from typing import Any

from tapwright.core.language import Language

__all__ = ["NOW", "moment", "read_words"]


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
