"""Extracts the JSON in a model's raw answer, and lists the repairs that it needed.

Models wrap JSON (fences, prose, thoughts, special tokens) and write it wrongly (trailing commas,
Python literals, full-width punctuation, missing closers). Each repair has a code, so that a person
can see it; truncated JSON is never completed silently.
"""

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import json_repair
from pydantic import JsonValue

from tapwright.conventions.thoughts import split_thoughts
from tapwright.files.python_source import read_literal

__all__ = ["ExtractedJson", "JsonDocument", "extract_json", "load_strict"]

_FENCE = re.compile(r"```[\w+-]*[ \t]*(?:\r?\n|$)|```")
_WHOLE_FENCE = re.compile(r"```json\r?\n(?P<inside>.*)\n[ \t]*```", re.DOTALL)
_SPECIAL = re.compile(r"<[|｜][^<>|｜\n]{1,40}[|｜]>|</s>|\[/?INST\]")
_TAGS = re.compile(r"</?(?:pre|code|p|div|span|br)\b[^<>]*>", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_OPENERS = re.compile(r"[\[{]")
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00a0\u3000"
_GAP = rf"[\s{_INVISIBLE}]*"
_JSON_LIKE = re.compile(rf"\[{_GAP}(?:[\[{{\"'“‘]|$)|\{{{_GAP}(?:[\"'“‘}}]|\w+{_GAP}[:：])")
_CORRECTS = re.compile(
    r"更正|修正|改正|修改后|有误|应为|correct|fixed|revised|instead", re.IGNORECASE
)
_WIDE = {"：": ":", "，": ",", "｛": "{", "｝": "}", "［": "[", "］": "]"}
_CLOSING_QUOTE = {'"': '"', "“": "”", "”": "”", "＂": "＂"}
_MOST_FAILURES = 16
_MOST_DOCUMENTS = 2000


class _DuplicateKeyError(ValueError):
    """An object has a duplicate key with different values."""


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """One JSON value in an answer: its place, and the repairs in it.

    With `cut` the text ends in the middle of it; with `corrects` the words before it announce that
    it replaces an earlier one.
    """

    start: int
    end: int
    value: JsonValue
    repairs: tuple[str, ...] = ()
    cut: bool = False
    corrects: bool = False


@dataclass(frozen=True, slots=True)
class ExtractedJson:
    """The values in an answer, in order, and the repairs around them.

    With `strict` the answer is one value and nothing else, bare or in one json fence; with
    `thinking` it ends before the thoughts do, so that all values are drafts.
    """

    documents: tuple[JsonDocument, ...]
    repairs: tuple[str, ...] = ()
    strict: bool = False
    thinking: bool = False
    text: str = field(default="", repr=False)

    def around(self, first: JsonDocument, last: JsonDocument) -> list[str]:
        """Return the codes of what is outside of the chosen documents: fences, prose, tokens."""
        outside = self.text[: first.start] + "\n" + self.text[last.end :]
        repairs = ["FENCE"] if "```" in outside else []
        outside = _FENCE.sub("", outside)
        if _SPECIAL.search(outside):
            repairs.append("SPECIAL_TOKENS")
        rest = _SPECIAL.sub("", outside)
        if any(char in rest for char in _INVISIBLE):
            repairs.append("INVISIBLE")
        return [*repairs, "PROSE"] if rest.strip(_INVISIBLE + " \t\r\n") else repairs


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise _DuplicateKeyError(f"the key {key!r} stands twice")
        made[key] = value
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def load_strict(text: str) -> JsonValue:
    """Parses strict JSON; refuses duplicate keys with different values, NaN and infinities.

    Raises:
        ValueError: it is not.
    """
    value: JsonValue = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    return value


def extract_json(raw: str, *, longest: int) -> ExtractedJson:
    """Finds the JSON values in a raw answer.

    Broken JSON in an answer of more than `longest` characters is not repaired.
    """
    bare = raw.strip()
    fenced = _WHOLE_FENCE.fullmatch(bare)
    for text in (bare, fenced["inside"] if fenced else None):
        if text is not None and isinstance(value := _strict(text), list | dict):
            return ExtractedJson((JsonDocument(0, len(raw), value),), strict=True)
    return _search(raw, longest)


def _search(raw: str, longest: int) -> ExtractedJson:
    thoughts, text = split_thoughts(raw)
    if text is None:
        return ExtractedJson((), thinking=True)
    repairs = ["THINK"] if thoughts else []
    untagged = _TAGS.sub("", text)
    if '"' not in untagged and re.search("&(?:quot|#34|#x22);", untagged):
        repairs, text = [*repairs, "HTML_ESCAPES"], html.unescape(untagged)
    stripped = text.strip(_INVISIBLE + " \t\r\n")
    stripped = _FENCE.sub("", stripped).strip() if stripped.startswith("```") else stripped
    if '\\"' in stripped and not re.search(r'(?<!\\)"', stripped):
        stripped = f'"{stripped}"'  # the inside of a string
    if stripped.startswith('"') and isinstance(inner := _strict(stripped), str):
        found = extract_json(inner, longest=longest)
        return ExtractedJson(
            found.documents, (*repairs, "DECODE_STRING", *found.repairs), text=found.text
        )
    return ExtractedJson(tuple(_find_documents(text, longest)), tuple(repairs), text=text)


def _find_documents(text: str, longest: int) -> Iterator[JsonDocument]:
    at, behind, failures, found = 0, 0, 0, 0
    while found < _MOST_DOCUMENTS and (opener := _OPENERS.search(text, at)) is not None:
        start = opener.start()
        corrects = _CORRECTS.search(text, behind, start) is not None
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            if (
                len(text) > longest
                or not _JSON_LIKE.match(text, start)
                or failures > _MOST_FAILURES
            ):
                failures, at = failures + 1, start + 1
                if failures > 100 * _MOST_FAILURES:
                    return
                continue
            end, closed = _find_end(text, start)
            repaired = _repair(text[start:end], longest)
            if repaired is None:
                failures, at = failures + 1, start + 1
                continue
            value, repairs = repaired
            cut = not closed and not text[start:end].rstrip().endswith(("}", "]"))
            repairs = repairs if closed else (*repairs, "CLOSERS")
            yield JsonDocument(start, end, value, repairs, cut, corrects)
            at = end
        else:
            yield JsonDocument(start, at, value, (), False, corrects)
        behind = at
        found += 1


def _find_end(text: str, start: int) -> tuple[int, bool]:
    """Finds the end of the value that starts at `start`, and whether its brackets close.

    A value whose brackets do not close goes to the end of its fence, or of the text.
    """
    depth, quote, at = 0, "", start
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in '"“＂':
            quote = _CLOSING_QUOTE[char]
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0:
                return at + 1, True
        at += 1
    fence = text.find("\n```", start)
    end = fence if fence >= 0 else len(text)
    last = max(text.rfind("}", start, end), text.rfind("]", start, end)) + 1
    # Words in a paragraph of their own, after the last bracket, are no part of it.
    words = re.fullmatch(r"\s*\n\s*\n[^\W\d_][^\"“{\[]*", text[last:end]) if last > 0 else None
    return (last if words else end), False


def _repair(text: str, longest: int) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Repairs a broken text; returns its value and the codes of the repairs, or None."""
    if len(text) > longest:
        return None
    cleaned, repairs = _clean(text)
    try:
        value = json.loads(cleaned, strict=False, object_pairs_hook=_object)
    except _DuplicateKeyError:
        return None
    except (ValueError, RecursionError):
        return _parse_literal(text) or _repair_with_library(text, cleaned)
    return value, tuple(repairs)


def _clean(text: str) -> tuple[str, list[str]]:
    """Corrects the text outside of strings, and doubles bad escapes."""
    out: list[str] = []
    repairs: dict[str, None] = {}
    quote, at = "", 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                follows = text[at + 1 : at + 2]
                if follows in '"\\/bfnrtu' and follows:
                    out.append(char + follows)
                else:
                    repairs["BAD_ESCAPE"] = None
                    out.append(follows if follows == "'" else "\\\\" + follows)
                at += 2
                continue
            if char == quote:
                out.append('"')
                quote = ""
            elif char == '"':
                out.append('\\"')
            else:
                if char < " ":
                    repairs["CONTROL_CHARS"] = None
                out.append(char)
        elif char in '"“”＂':
            if char != '"':
                repairs["CURLY_QUOTES"] = None
            quote = _CLOSING_QUOTE[char]
            out.append('"')
        elif char in _WIDE:
            repairs["FULLWIDTH_PUNCT"] = None
            out.append(_WIDE[char])
        elif char in _INVISIBLE:
            repairs["INVISIBLE"] = None
            out.append(" ")
        elif text.startswith("//", at):
            repairs["COMMENTS"] = None
            newline = text.find("\n", at)
            at = len(text) if newline < 0 else newline
            continue
        elif text.startswith("/*", at):
            repairs["COMMENTS"] = None
            close = text.find("*/", at)
            at = len(text) if close < 0 else close + 2
            continue
        else:
            out.append(char)
        at += 1
    return _without_trailing_commas(out, repairs), list(repairs)


def _without_trailing_commas(pieces: list[str], repairs: dict[str, None]) -> str:
    kept: list[str] = []
    inside = False
    for piece in pieces:
        if piece == '"':
            inside = not inside
        if piece in ("]", "}") and not inside:
            last = next((at for at in reversed(range(len(kept))) if kept[at].strip()), None)
            if last is not None and kept[last] == ",":
                del kept[last]
                repairs["TRAILING_COMMA"] = None
        kept.append(piece)
    return "".join(kept)


def _parse_literal(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    if "'" not in text:
        return None
    try:
        value = read_literal(text)
        return load_strict(json.dumps(value, allow_nan=False)), ("PY_LITERAL",)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _repair_with_library(text: str, cleaned: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Repairs a text with json_repair, unless letters were lost or invented."""
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    content = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), cleaned.replace("\\n", " "))
    if _letters(content) != _letters(json.dumps(value, ensure_ascii=False).replace("\\n", " ")):
        return None
    return value, ("SYNTAX",)


def _letters(text: str) -> Counter[str]:
    return Counter(char for char in text if char.isalnum())


def _strict(text: str) -> JsonValue:
    try:
        return load_strict(text)
    except (ValueError, RecursionError):
        return None


def _no_constant(text: str) -> JsonValue:
    raise ValueError(f"{text} is not JSON")
