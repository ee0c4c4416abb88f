"""Modifiers of a template's slots: functions on text, by name.

They follow Mobile-Env's
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/modifiers.py. To add
one: a function here, and a line in the table.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import quote, quote_plus

__all__ = ["MODIFIERS", "Modifier", "map_items"]

Modifier = Callable[[str], str]

_REGEX_SPECIAL = str.maketrans({char: f"\\{char}" for char in ".^$*+?{}\\[]|()"})
_HOWTO = "how to "


def map_items(modifier: Modifier) -> Modifier:
    """Returns the modifier for every item of a list with commas, as the mark `'` requests."""
    return lambda value: ",".join(map(modifier, value.split(",")))


def to_list(value: str) -> str:
    """Renders the items between commas as a list of texts in protobuf text format."""
    return "[" + ",".join(f'"{escape(item)}"' for item in value.split(",")) + "]"


def regex_list(value: str) -> str:
    """Renders the items between commas as alternatives of a regular expression, not escaped."""
    return "(" + value.replace(",", "|") + ")"


def spacejoin(value: str) -> str:
    """Replaces commas by blanks."""
    return value.replace(",", " ")


def regex_esc(value: str) -> str:
    """Escapes a text for a regular expression."""
    return value.translate(_REGEX_SPECIAL)


def url_path(value: str) -> str:
    """Percent-encodes a text as UTF-8 for the path of a URL; `/:@=()` stay."""
    return quote(value, safe="/:@=()")


def url_query(value: str) -> str:
    """Percent-encodes a text as UTF-8 for the query of a URL; a blank becomes a plus."""
    return quote_plus(value)


def url_title(value: str) -> str:
    """Replaces blanks by hyphens, as in the titles of URLs."""
    return value.replace(" ", "-")


def sentence_to_words(value: str) -> str:
    """Joins the words of a text with commas."""
    return ",".join(value.split())


def filter_comma(value: str) -> str:
    """Removes the commas of a text."""
    return value.replace(",", "")


def remove_howto(value: str) -> str:
    """Removes "how to " from the start of a text, whatever its case."""
    return value[len(_HOWTO) :] if value[: len(_HOWTO)].lower() == _HOWTO else value


def escape(value: str) -> str:
    """Escapes backslashes and double quotes, as inside a text of protobuf text format."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


MODIFIERS: Mapping[str, Modifier] = MappingProxyType(
    {
        "escape": escape,
        "filter_comma": filter_comma,
        "lower": str.lower,
        "regex_esc": regex_esc,
        "regex_list": regex_list,
        "remove_howto": remove_howto,
        "sentence_to_words": sentence_to_words,
        "spacejoin": spacejoin,
        "to_list": to_list,
        "upper": str.upper,
        "url_path": url_path,
        "url_query": url_query,
        "url_title": url_title,
    }
)
"""By name. `no_quote` is not among them, as it decides how a value enters the text."""
