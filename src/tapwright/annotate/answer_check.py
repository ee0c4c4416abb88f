"""Checks a model's reconstructed reasoning against the recording: accept, repair or reject.

The recording is the truth: it fixes how many steps there are, what each one did, and every
parameter but the element's description. The model is only compared, never trusted; what is
stored has the recording's values. A value is mended only where nothing can be lost.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.actions import Action
from tapwright.annotate.answer_items import Candidate, called, candidates, is_schema, numbers
from tapwright.annotate.function_calls import Call, call_of, function_name
from tapwright.annotate.item_check import Given, check_item
from tapwright.annotate.json_extraction import Unwrapped, unwrap
from tapwright.annotate.reasoning_checks import copied
from tapwright.episode import Step
from tapwright.geometry import Size
from tapwright.language import Language, language_of

__all__ = ["Status", "Verdict", "check_answer"]

_UNKNOWN_SCREEN = Size(1, 1)
"""For an action without its screen: as wide as it is high."""

Status: TypeAlias = Literal["accept", "repair", "reject"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an answer.

    `codes` say why it was rejected, the first one first; `repairs` what was mended, `warnings` what
    is doubtful but may stand. `given` has what can be kept of it: all steps unless it was rejected,
    else those that stand on their own, of which it is certain that they belong to their step.
    `wrong` has what was said in the place of a step and cannot stand, each with its own codes.
    """

    status: Status
    calls: tuple[Call, ...] = field(repr=False)
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    wrong: tuple[Given, ...] = ()

    def as_react(self) -> list[dict[str, JsonValue]]:
        """The steps as MobiAgent's react.json has them; empty when the answer was rejected."""
        if self.status == "reject":
            return []
        return [
            {
                "reasoning": one.reasoning,
                "function": {
                    "name": self.calls[one.step].name,
                    "parameters": dict(self.calls[one.step].with_target(one.target)),
                },
            }
            for one in self.given
        ]


def check_answer(
    steps: Sequence[Action | Step],
    raw: str,
    *,
    language: Language | None = None,
    first: int = 1,
    numbered_by: str = "",
) -> Verdict:
    """Check a raw answer that should hold one item for each recorded step.

    `first` is the number that the first of the steps has in the answer's own count (a window of a
    long episode begins later than at 1). `numbered_by` is the key in which that number was asked
    for; without, it is a key too many. With a `language`, reasoning in another one is rejected;
    without, a mixture is only a warning. Takes time linear in the answer's length.
    """
    calls = tuple(
        call_of(step.decision.action, step.observation.size)
        if isinstance(step, Step)
        else call_of(step, _UNKNOWN_SCREEN)
        for step in steps
    )
    if not raw.strip():
        return Verdict("reject", calls, ("EMPTY", "NO_JSON"))
    longest = 20_000 + 4_000 * len(calls)
    unwrapped = unwrap(raw, longest=longest)
    found = candidates(unwrapped)
    if not found:
        return Verdict("reject", calls, _why_none(raw, unwrapped, longest))
    asked = (numbered_by,) if numbered_by else ()
    judged = [
        _judge(candidate, calls, language=language, first=first, asked=asked) for candidate in found
    ]
    chosen = _choose(found, judged, calls, unwrapped)
    if len(unwrapped.text) > longest and chosen.status != "reject":
        # All that it was asked for, and then it went on and on: who knows what it was about.
        return Verdict("reject", calls, ("TOO_LONG",))
    return chosen


def _choose(
    found: Sequence[Candidate],
    judged: Sequence[Verdict],
    calls: tuple[Call, ...],
    unwrapped: Unwrapped,
) -> Verdict:
    good = [number for number, verdict in enumerate(judged) if verdict.status != "reject"]
    values = {json.dumps(judged[number].as_react(), sort_keys=True) for number in good}
    last = len(found) - 1
    if len(values) > 1 and not found[last].corrects:
        return Verdict("reject", calls, ("AMBIGUOUS",))
    if good and good[-1] != last:
        # What came last is what was meant, and it is not the one that fits.
        return Verdict("reject", calls, ("AMBIGUOUS", *judged[last].codes))
    chosen, verdict = found[last], judged[last]
    repairs = [*unwrapped.repairs, *verdict.repairs]
    if not unwrapped.strict:
        repairs += unwrapped.around(chosen.documents[0], chosen.documents[-1])
    if len(found) > 1 and len(values) > 1:
        repairs.append("CORRECTED")
    return Verdict(
        "reject" if verdict.codes else "repair" if repairs else "accept",
        calls,
        verdict.codes,
        tuple(dict.fromkeys(repairs)),
        verdict.warnings,
        verdict.given,
        verdict.wrong,
    )


def _why_none(raw: str, unwrapped: Unwrapped, longest: int) -> tuple[str, ...]:
    for document in unwrapped.documents:
        if isinstance(document.value, dict) and set(document.value) & {"error", "errors", "detail"}:
            return "API_ERROR", "NO_JSON"
    if len(raw) > longest:
        return "TOO_LONG", "NO_JSON"
    if unwrapped.thinking:
        return "TRUNCATED", "NO_JSON"
    if re.search(r"[\[{]\s*$|[\[{]\s*[\"']\s*\w*$", raw):
        return "TRUNCATED", "NO_JSON"
    if re.search(r"抱歉|对不起|不能|无法|sorry|can(?:no|')t|unable", raw, re.IGNORECASE):
        return "NO_JSON", "REFUSAL"
    if "reasoning" in raw.lower() and "{" in raw:
        return "UNPARSEABLE", "NO_JSON"
    return ("NO_JSON",)


def _judge(
    candidate: Candidate,
    calls: tuple[Call, ...],
    *,
    language: Language | None,
    first: int,
    asked: Collection[str],
) -> Verdict:
    items, repairs = list(candidate.items), list(candidate.repairs)
    places = _numbered(items, len(calls), first)
    numbered = places is not None
    codes: list[str] = []
    if len(items) > 2 * len(calls) + 50:
        return Verdict("reject", calls, ("COUNT_HIGH", "TOO_LONG"))
    if is_schema(items):
        codes.append("SCHEMA_ECHO")
    if places is None and numbers(items):
        codes.append("STEP_NUMBERS")
    if len(items) != len(calls):
        codes += ["COUNT_LOW" if len(items) < len(calls) else "COUNT_HIGH"]
    codes += _done_codes(items, calls)
    if places is None:
        places = list(range(len(items)))
    elif places != sorted(places):
        repairs.append("REORDER_BY_INDEX")
    given = [
        check_item(item, place, calls[place], language=language, asked=asked)
        for place, item in sorted(zip(places, items, strict=True), key=lambda pair: pair[0])
        if place < len(calls)
    ]
    for number in copied([one.reasoning for one in given]):
        one = given[number]
        if calls[one.step].name != "wait":
            given[number] = Given(one.step, codes=(*one.codes, "REASONING_COPIED"))
    codes += [code for one in given for code in one.codes]
    if candidate.cut or (codes and "CLOSERS" in repairs):
        codes.insert(0, "TRUNCATED")
    kept = [one for one in given if not one.codes]
    if codes:
        # Where an ellipsis stands for the rest, what is before it is as good as cut off there.
        stops = "ITEM_NOT_OBJECT" in codes or {"SYNTAX", "DONE_MISSING"} <= {*repairs, *codes}
        kept = _certain(given, kept, codes, numbered=numbered, cut=candidate.cut, stops=stops)
    languages = {language_of(one.reasoning) for one in kept}
    warnings = [name for one in kept for name in one.warnings]
    return Verdict(
        "reject" if codes else "repair" if repairs else "accept",
        calls,
        tuple(dict.fromkeys(codes)),
        tuple(dict.fromkeys([*repairs, *(name for one in kept for name in one.repairs)])),
        tuple(dict.fromkeys([*warnings, *(["LANGUAGE_MIXED"] if len(languages) > 1 else [])])),
        tuple(kept),
        tuple(one for one in given if one.codes),
    )


def _certain(
    given: Sequence[Given],
    kept: Sequence[Given],
    codes: Sequence[str],
    *,
    numbered: bool,
    cut: bool,
    stops: bool,
) -> list[Given]:
    """What can be kept of a rejected answer: of which it is certain that it belongs to its step."""
    if numbered:
        return list(kept[:-1] if cut else kept)
    if "COUNT_HIGH" not in codes and (cut or stops):
        # Nothing slipped before the place where it stops: the steps up to there are in order.
        prefix: list[Given] = []
        for one in given[:-1] if cut else given:
            if one.codes:
                break
            prefix.append(one)
        return prefix
    slipped = {
        "COUNT_HIGH",
        "COUNT_LOW",
        "TYPE_MISMATCH",
        "STEP_NUMBERS",
        "DONE_NOT_LAST",
        "SCHEMA_ECHO",
    }
    return [] if slipped & set(codes) else list(kept)


def _numbered(items: Sequence[JsonValue], count: int, first: int) -> list[int] | None:
    """Which step each item says it is for, from 0; None when they do not say, or cannot be."""
    own = numbers(items)
    if not own or len(set(own)) != len(own):
        return None
    begin = 0 if min(own) == 0 and first == 1 else first
    places = [number - begin for number in own]
    return places if all(0 <= place < count for place in places) else None


def _done_codes(items: Sequence[JsonValue], calls: Sequence[Call]) -> list[str]:
    if not calls or calls[-1].name != "done":
        return []
    done = [number for number, item in enumerate(items) if _name_of(item) == "done"]
    if not done:
        return ["DONE_MISSING"]
    if len(done) > 1:
        return ["DONE_DUPLICATE"]
    ordered = _numbered(items, len(calls), 1)
    last = len(items) - 1 if ordered is None else ordered.index(max(ordered))
    return [] if done[0] == last else ["DONE_NOT_LAST"]


def _name_of(item: JsonValue) -> str | None:
    if not isinstance(item, dict):
        return None
    name = called(item, [])[0]
    return function_name(name) if isinstance(name, str) else None
