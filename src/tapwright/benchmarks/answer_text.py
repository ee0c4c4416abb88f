"""The part of an answer that is scored: without thoughts, special tokens, and markup.

Everything here keeps to one pass or to repetitions with a small upper bound, so that an answer of
a megabyte costs milliseconds.
"""

import html
import json
import re
import unicodedata
from collections.abc import Collection
from typing import cast

from pydantic import JsonValue

from tapwright.conventions.thoughts import strip_thoughts

__all__ = ["answer_text", "normalize_width", "read_json_values"]

_TAGS = ("answer", "final_answer", "choice", "option", "result")
_SPECIAL = re.compile(
    r"<\|(?:im_end|im_start|eot_id|end|endoftext|eom_id|return|call)\|>|</?s>|<eos>|\[/?INST\]"
)
_WIDE = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    0x3000: 0x20,
    0x00A0: 0x20,
    0x3001: ord(","),
    0x2212: ord("-"),
    0x201C: ord('"'),
    0x201D: ord('"'),
    0x2018: ord("'"),
    0x2019: ord("'"),
    0x3010: ord("["),
    0x3011: ord("]"),
}
_WIDE.update(
    {
        ord(sign): ord(plain)
        for sign in map(chr, (*range(0x24B6, 0x24EA), *range(0x1D400, 0x1D800)))
        if len(plain := unicodedata.normalize("NFKC", sign)) == 1
    }
)
_WIDE.update({first + at: 0x41 + at for first in (0x1F130, 0x1F150, 0x1F170) for at in range(26)})
_STRUCK = re.compile(r"~~[^~\n]{1,80}~~")
_LONGEST_JSON = 20_000


def normalize_width(text: str) -> str:
    """A text with full-width, circled and mathematical letters as ASCII; of the same length."""
    return text.translate(_WIDE)


def answer_text(text: str) -> str:
    """The answer behind the thoughts; empty when these do not end.

    What stands in answer tags counts alone; of several the last.
    """
    if "&quot;" in text or "&lt;" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = normalize_width(text)
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if not any(mark in text for mark in "<[◁"):
        return text
    return _read_answer_tags(_SPECIAL.sub(" ", strip_thoughts(text)))


def _read_answer_tags(text: str) -> str:
    """What stands in the last answer tags that hold something; else the whole text."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = text  # a letter whose lower case is longer: tags in lower case are found alone
    found: list[tuple[int, str]] = []
    for tag in _TAGS:
        end = folded.rfind(f"</{tag}>")
        start = folded.rfind(f"<{tag}>", 0, max(end, 0))
        inner = text[start + len(tag) + 2 : end]
        if 0 <= start < end and inner.strip():
            found.append((end, inner))
    return max(found)[1] if found else text


def read_json_values(text: str, keys: Collection[str]) -> list[JsonValue]:
    """The values of the given keys (in lower case) in a text that is JSON, alone or in a fence."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rstrip().removesuffix("```").strip()
    if not bare.startswith(("{", "[")) or len(bare) > _LONGEST_JSON:
        return []
    try:
        value = cast(JsonValue, json.loads(bare))
    except (ValueError, RecursionError):
        return []
    records = value if isinstance(value, list) else [value]
    return [
        inner
        for record in records
        if isinstance(record, dict)
        for key, inner in record.items()
        if key.lower().replace(" ", "_") in keys
    ]
