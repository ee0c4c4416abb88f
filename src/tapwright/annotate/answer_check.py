"""Checks a model's reasoning for recorded steps against the recording: accept, repair or reject.

The recording is the truth: it has the number of steps, the action of each, and every parameter but
the description of the element. The answer is only compared with it; what is stored has the
recording's values. A value is repaired only where nothing can be lost.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.annotate import answer_items
from tapwright.annotate.function_calls import FunctionCall, function_call, function_name
from tapwright.annotate.item_check import CheckedItem, check_item
from tapwright.annotate.json_extraction import ExtractedJson, extract_json
from tapwright.annotate.reasoning_checks import find_copies
from tapwright.core.actions import Action
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.language import Language, language_of

__all__ = ["AnswerVerdict", "VerdictStatus", "check_answer"]

_UNKNOWN_SCREEN = Size(1, 1)
"""For an action without its screen: as wide as it is high."""

VerdictStatus: TypeAlias = Literal["accept", "repair", "reject"]


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The verdict on an answer.

    `codes` are the reasons for a rejection, in order; `repairs` and `warnings` are codes too.
    `given` has the accepted items: all steps unless the answer was rejected, else those that
    certainly belong to their step. `wrong` has the rejected items, each with its own codes.
    """

    status: VerdictStatus
    calls: tuple[FunctionCall, ...] = field(repr=False)
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    given: tuple[CheckedItem, ...] = ()
    wrong: tuple[CheckedItem, ...] = ()

    def as_react(self) -> list[dict[str, JsonValue]]:
        """Return the steps in the form of MobiAgent's react.json; empty after a rejection."""
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
) -> AnswerVerdict:
    """Checks a raw answer that should have one item for each recorded step.

    `first` is the number of the first step in the answer's own count (a window of a long episode
    starts later than at 1). `numbered_by` is the key that was requested for that number; without
    it, such a key is extra. With a `language`, reasoning in another one is rejected; without, a
    mixture is only a warning. Takes time linear in the answer's length.
    """
    calls = tuple(
        function_call(step.decision.first, step.observation.size)
        if isinstance(step, Step)
        else function_call(step, _UNKNOWN_SCREEN)
        for step in steps
    )
    if not raw.strip():
        return AnswerVerdict("reject", calls, ("EMPTY", "NO_JSON"))
    longest = 20_000 + 4_000 * len(calls)
    unwrapped = extract_json(raw, longest=longest)
    found = answer_items.find_candidates(unwrapped)
    if not found:
        return AnswerVerdict("reject", calls, _no_candidate_codes(raw, unwrapped, longest))
    extra_keys = (numbered_by,) if numbered_by else ()
    judged = [
        _check_candidate(candidate, calls, language=language, first=first, extra_keys=extra_keys)
        for candidate in found
    ]
    chosen = _choose_verdict(found, judged, calls, unwrapped)
    if len(unwrapped.text) > longest and chosen.status != "reject":
        # A valid list in an answer that is far too long may belong to anything.
        return AnswerVerdict("reject", calls, ("TOO_LONG",))
    return chosen


def _choose_verdict(
    found: Sequence[answer_items.AnswerCandidate],
    judged: Sequence[AnswerVerdict],
    calls: tuple[FunctionCall, ...],
    unwrapped: ExtractedJson,
) -> AnswerVerdict:
    good = [number for number, verdict in enumerate(judged) if verdict.status != "reject"]
    values = {json.dumps(judged[number].as_react(), sort_keys=True) for number in good}
    last = len(found) - 1
    if len(values) > 1 and not found[last].corrects:
        return AnswerVerdict("reject", calls, ("AMBIGUOUS",))
    if good and good[-1] != last:
        # The last list counts, and it is not the one that fits.
        return AnswerVerdict("reject", calls, ("AMBIGUOUS", *judged[last].codes))
    chosen, verdict = found[last], judged[last]
    repairs = [*unwrapped.repairs, *verdict.repairs]
    if not unwrapped.strict:
        repairs += unwrapped.around(chosen.documents[0], chosen.documents[-1])
    if len(found) > 1 and len(values) > 1:
        repairs.append("CORRECTED")
    return AnswerVerdict(
        "reject" if verdict.codes else "repair" if repairs else "accept",
        calls,
        verdict.codes,
        tuple(dict.fromkeys(repairs)),
        verdict.warnings,
        verdict.given,
        verdict.wrong,
    )


def _no_candidate_codes(raw: str, unwrapped: ExtractedJson, longest: int) -> tuple[str, ...]:
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


def _check_candidate(
    candidate: answer_items.AnswerCandidate,
    calls: tuple[FunctionCall, ...],
    *,
    language: Language | None,
    first: int,
    extra_keys: Collection[str],
) -> AnswerVerdict:
    items, repairs = list(candidate.items), list(candidate.repairs)
    places = _match_numbers(items, len(calls), first)
    numbered = places is not None
    codes: list[str] = []
    if len(items) > 2 * len(calls) + 50:
        return AnswerVerdict("reject", calls, ("COUNT_HIGH", "TOO_LONG"))
    if answer_items.is_schema(items):
        codes.append("SCHEMA_ECHO")
    if places is None and answer_items.find_step_numbers(items):
        codes.append("STEP_NUMBERS")
    if len(items) != len(calls):
        codes += ["COUNT_LOW" if len(items) < len(calls) else "COUNT_HIGH"]
    codes += _done_codes(items, calls)
    if places is None:
        places = list(range(len(items)))
    elif places != sorted(places):
        repairs.append("REORDER_BY_INDEX")
    given = [
        check_item(item, place, calls[place], language=language, extra_keys=extra_keys)
        for place, item in sorted(zip(places, items, strict=True), key=lambda pair: pair[0])
        if place < len(calls)
    ]
    for number in find_copies([one.reasoning for one in given]):
        one = given[number]
        if calls[one.step].name != "wait":
            given[number] = CheckedItem(one.step, codes=(*one.codes, "REASONING_COPIED"))
    codes += [code for one in given for code in one.codes]
    if candidate.cut or (codes and "CLOSERS" in repairs):
        codes.insert(0, "TRUNCATED")
    kept = [one for one in given if not one.codes]
    if codes:
        # An ellipsis for the rest truncates the answer there.
        stops = "ITEM_NOT_OBJECT" in codes or {"SYNTAX", "DONE_MISSING"} <= {*repairs, *codes}
        kept = _keep_certain(given, kept, codes, numbered=numbered, cut=candidate.cut, stops=stops)
    languages = {language_of(one.reasoning) for one in kept}
    warnings = [name for one in kept for name in one.warnings]
    return AnswerVerdict(
        "reject" if codes else "repair" if repairs else "accept",
        calls,
        tuple(dict.fromkeys(codes)),
        tuple(dict.fromkeys([*repairs, *(name for one in kept for name in one.repairs)])),
        tuple(dict.fromkeys([*warnings, *(["LANGUAGE_MIXED"] if len(languages) > 1 else [])])),
        tuple(kept),
        tuple(one for one in given if one.codes),
    )


def _keep_certain(
    given: Sequence[CheckedItem],
    kept: Sequence[CheckedItem],
    codes: Sequence[str],
    *,
    numbered: bool,
    cut: bool,
    stops: bool,
) -> list[CheckedItem]:
    """Returns the items of a rejected answer that certainly belong to their step."""
    if numbered:
        return list(kept[:-1] if cut else kept)
    if "COUNT_HIGH" not in codes and (cut or stops):
        # No item was lost before the truncation: the steps up to there are in order.
        prefix: list[CheckedItem] = []
        for one in given[:-1] if cut else given:
            if one.codes:
                break
            prefix.append(one)
        return prefix
    slipped = {
        "COUNT_HIGH", "COUNT_LOW", "TYPE_MISMATCH", "STEP_NUMBERS", "DONE_NOT_LAST", "SCHEMA_ECHO",
    }  # fmt: skip
    return [] if slipped & set(codes) else list(kept)


def _match_numbers(items: Sequence[JsonValue], count: int, first: int) -> list[int] | None:
    """Returns the step of each item by its own number, from 0; None without valid numbers."""
    own = answer_items.find_step_numbers(items)
    if not own or len(set(own)) != len(own):
        return None
    begin = 0 if min(own) == 0 and first == 1 else first
    places = [number - begin for number in own]
    return places if all(0 <= place < count for place in places) else None


def _done_codes(items: Sequence[JsonValue], calls: Sequence[FunctionCall]) -> list[str]:
    if not calls or calls[-1].name != "done":
        return []
    done = [number for number, item in enumerate(items) if _name_of(item) == "done"]
    if not done:
        return ["DONE_MISSING"]
    if len(done) > 1:
        return ["DONE_DUPLICATE"]
    ordered = _match_numbers(items, len(calls), 1)
    last = len(items) - 1 if ordered is None else ordered.index(max(ordered))
    return [] if done[0] == last else ["DONE_NOT_LAST"]


def _name_of(item: JsonValue) -> str | None:
    if not isinstance(item, dict):
        return None
    name = answer_items.find_call(item, [])[0]
    return function_name(name) if isinstance(name, str) else None
