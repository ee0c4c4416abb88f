"""Annotations as MobiAgent's react.json, and a react.json as annotations.

The file is a list of {"reasoning", "function": {"name", "parameters"}, "action_index"}, the last
counting from 1 (https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72/collect). What is read is
checked like a model's answer: where it does not fit the recording it is not taken.
"""

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from pydantic import JsonValue

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.answer_check import check_answer
from tapwright.annotate.errors import REACT_JSON
from tapwright.annotate.function_calls import function_call
from tapwright.core.episode import Episode
from tapwright.files.regular import read_regular
from tapwright.formats.mobiagent.actions import add_direction_words, strip_direction_words

__all__ = ["encode_react", "read_react", "render_react"]


def render_react(episode: Episode, *, left_out: Collection[int] = ()) -> list[JsonValue]:
    """Renders the reasoned steps of an annotated episode as the items of a react.json.

    The steps in `left_out` (from 0) and those without reasoning have no item. Every parameter but
    the target is the recording's.
    """
    items: list[JsonValue] = []
    for number, step in enumerate(episode.steps, start=1):
        decision = step.decision
        if not decision.reasoning or number - 1 in left_out:
            continue
        call = function_call(decision.first, step.observation.size)
        parameters: dict[str, JsonValue] = {**call.with_target(decision.target)}
        reasoning = decision.reasoning
        if isinstance(direction := parameters.get("direction"), str):
            reasoning = add_direction_words(reasoning, direction.lower())
        items.append(
            {
                "reasoning": reasoning,
                "function": {"name": call.name, "parameters": parameters},
                "action_index": number,
            }
        )
    return items


def encode_react(items: Sequence[JsonValue]) -> bytes:
    """Encodes a react.json, indented as MobiAgent's are."""
    return json.dumps(list(items), ensure_ascii=False, indent=4).encode("utf-8", "replace")


def read_react(episode: Episode, path: Path) -> list[Reasoning]:
    """Reads a react.json as an episode's reasonings; those that do not fit have codes.

    Raises:
        TapwrightError: the file cannot be read, or nothing in it fits.
    """
    try:
        raw = read_regular(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise REACT_JSON(f"{path}: cannot be read: {error}") from error
    verdict = check_answer(episode.steps, raw, numbered_by="action_index")
    if not verdict.given:
        raise REACT_JSON(
            f"{path}: does not fit {episode.id}: {', '.join(verdict.codes)}",
            hint=f"tapwright explain {verdict.codes[0]}" if verdict.codes else "",
        )
    given = {one.step: one for one in verdict.given}
    wrong = {one.step: one.codes for one in verdict.wrong}
    return [
        Reasoning(
            number,
            strip_direction_words(given[number].reasoning),
            given[number].target,
            repairs=verdict.repairs,
            warnings=given[number].warnings,
        )
        if number in given
        else Reasoning(number, "", "", codes=wrong.get(number, verdict.codes))
        for number in range(len(episode.steps))
    ]
