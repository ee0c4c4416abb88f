"""What a slot of a template may do to its value: functions on text, by name.

They follow Mobile-Env's
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/modifiers.py. To add
one: a function here, and a line in the table.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import quote, quote_plus

__all__ = [
    "MODIFIERS",
    "Modifier",
    "each",
]

Modifier = Callable[[str], str]

_REGEX_SPECIAL = str.maketrans({char: f"\\{char}" for char in ".^$*+?{}\\[]|()"})
_HOWTO = "how to "


def each(modifier: Modifier) -> Modifier:
    """The modifier for every item of a list with commas, which is what a mark `'` asks for."""
    return lambda value: ",".join(map(modifier, value.split(",")))


def to_list(value: str) -> str:
    """The items between commas as a list of texts, as protobuf text format writes one."""
    return "[" + ",".join(f'"{escape(item)}"' for item in value.split(",")) + "]"


def regex_list(value: str) -> str:
    """The items between commas as alternatives of a regular expression, not escaped."""
    return "(" + value.replace(",", "|") + ")"


def spacejoin(value: str) -> str:
    """Blanks for commas."""
    return value.replace(",", " ")


def regex_esc(value: str) -> str:
    """A regular expression for the text itself."""
    return value.translate(_REGEX_SPECIAL)


def url_path(value: str) -> str:
    """Percent-encoded as UTF-8 for the path of an address; `/:@=()` stay."""
    return quote(value, safe="/:@=()")


def url_query(value: str) -> str:
    """Percent-encoded as UTF-8 for the query of an address; a blank is a plus."""
    return quote_plus(value)


def url_title(value: str) -> str:
    """Hyphens for blanks, as addresses spell titles."""
    return value.replace(" ", "-")


def sentence_to_words(value: str) -> str:
    """The words between blanks, with commas between them."""
    return ",".join(value.split())


def filter_comma(value: str) -> str:
    """Without its commas."""
    return value.replace(",", "")


def remove_howto(value: str) -> str:
    """Without "how to " at its very beginning, in any case."""
    return value[len(_HOWTO) :] if value[: len(_HOWTO)].lower() == _HOWTO else value


def escape(value: str) -> str:
    """Backslashes and double quotes escaped, as inside a text of protobuf text format."""
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
"""By name. `no_quote` is not among them: it is how a slot's value enters the text."""
