"""The sentences of the rule-based annotator, in English and Chinese: `sentences.toml` has them."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from tapwright.agents.text_matching import collapse_repetition
from tapwright.core.language import Language
from tapwright.core.observation import UiRole
from tapwright.files.packaged import read_table

Kind: TypeAlias = UiRole | Literal["item"]
Sentences: TypeAlias = Mapping[str, Sequence[str]]

_TABLE = read_table("tapwright.annotate", "sentences")
SENTENCES: Mapping[Language, Sentences] = _TABLE["sentences"]
KINDS: Mapping[Language, Mapping[Kind, str]] = _TABLE["kinds"]
PLACES: Mapping[Language, Sequence[Sequence[str]]] = _TABLE["places"]
WAYS: Mapping[Language, Mapping[str, str]] = _TABLE["ways"]
FINGER_WAYS: Mapping[str, str] = _TABLE["finger_ways"]


def render_element(
    language: Language,
    *,
    kind: Kind,
    label: str,
    place: str,
    beside: str = "",
    nth: int = 0,
    of: int = 0,
) -> str:
    """Renders an element for a person, such as 'the switch at the right, beside “Wi-Fi”'.

    `nth` of `of` (from 1) is its place among those of its name; `beside` is the text of its row.
    """
    noun, label, beside = (
        KINDS[language][kind],
        collapse_repetition(label),
        collapse_repetition(beside),
    )
    if language == "zh":
        named = f"{noun}“{label}”" if label else noun
        row = f"“{beside}”旁边的" if beside else ""
        order = f"（{of}个同名的里第{nth}个）" if of > 1 else ""
        return f"{place}{'' if row else '的'}{row}{named}{order}"
    named = f"{noun} “{label}”" if label else noun
    row = f" beside “{beside}”" if beside else ""
    order = f", number {nth} of {of} so named" if of > 1 else ""
    return f"{named}{row} {place}{order}"
