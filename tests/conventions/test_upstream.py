"""What model families' own repositories say, replayed: answers, sizes, history lines, prompts."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.convention import GroundingConvention, model_size
from tapwright.conventions.history import HistoryPolicy
from tapwright.core.actions import ActionAdapter
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError
from tests.conventions.blank_screens import blank_observation

CASES = [
    case
    for path in sorted(Path("tests/golden/conventions").glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]
# What does not hold, and why; a line goes when its case agrees.
DISAGREES: dict[str, str] = {
    "098_holo_seen": "the limit of Holo1.5; `holo` is Holo1, as cases 097 and 232 have it",
}
_NEAR = 0.0015


def of_kind(*kinds: str) -> list[Any]:
    return [
        pytest.param(
            case,
            id=case["id"],
            marks=[pytest.mark.xfail(strict=True, reason=DISAGREES[case["id"]])]
            if case["id"] in DISAGREES
            else [],
        )
        for case in CASES
        if case["kind"] in kinds
    ]


def agrees(found: Any, expected: Any) -> bool:
    """Whether a value is the recorded one; places within the rounding of a pixel."""
    match found, expected:
        case Point(x=x, y=y), [right, down]:
            return bool(abs(x - right) <= _NEAR and abs(y - down) <= _NEAR)
        case float() | int(), "+":
            return found > 0
        case float() | int(), "-":
            return found < 0
        case float(), float() | int():
            return bool(abs(found - expected) <= 1e-6)
        case tuple(), list():
            return list(found) == list(expected)
        case _:
            return bool(found == expected)


def observation_of(case: dict[str, Any]) -> Observation:
    return blank_observation(Size(*case["screen"]))


def said(message: Message, case: dict[str, Any]) -> None:
    text = message.text
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert (len(text), digest) == (case["expected_chars"], case["expected_sha256"]), text


@pytest.mark.parametrize("case", of_kind("parse"))
def test_an_answer_means_what_its_family_says(case: dict[str, Any]) -> None:
    convention = conventions.get(case["convention"])
    size = Size(*case["screen"])
    if case.get("documented_refusal"):
        with pytest.raises(BadAnswerError):
            convention.parse(case["raw"], size)
        return
    several = case["expected"] if isinstance(case["expected"], list) else [case["expected"]]
    actions = convention.parse(case["raw"], size).actions
    assert len(actions) == len(several)
    for action, expected in zip(actions, several, strict=True):
        found = {name: getattr(action, name) for name in expected}
        wrong = {name: value for name, value in found.items() if not agrees(value, expected[name])}
        assert not wrong, f"expected {expected}"


@pytest.mark.parametrize("case", of_kind("render"))
def test_an_action_is_written_as_the_family_was_trained(case: dict[str, Any]) -> None:
    convention = conventions.get(case["convention"])
    action = ActionAdapter.validate_python(case["action"])
    decision = Decision(action, case.get("reasoning", ""), case.get("target", ""))
    assert convention.render(decision, Size(*case["screen"])) == case["expected"]


@pytest.mark.parametrize("case", of_kind("seen"))
def test_a_model_sees_a_screen_in_the_size_of_its_family(case: dict[str, Any]) -> None:
    seen = model_size(conventions.get(case["convention"]), Size(*case["screen"]))
    assert [seen.width, seen.height] == case["expected"]


@pytest.mark.parametrize("case", of_kind("history-line"))
def test_an_earlier_answer_comes_back_in_the_words_of_the_model(case: dict[str, Any]) -> None:
    convention = conventions.get(case["convention"])
    before = observation_of(case)
    decision = convention.parse(case["raw"], before.size)
    steps = [Step(before, decision)] * 8
    messages = HistoryPolicy().prompt(convention, "do it", steps, observation_of(case))
    lines = "\n".join(message.text for message in messages)
    assert case["expected"] in lines


@pytest.mark.parametrize("case", of_kind("prompt"))
def test_a_prompt_is_upstreams_byte_for_byte(case: dict[str, Any]) -> None:
    convention = conventions.get(case["convention"])
    messages = convention.prompt(case["instruction"], (), observation_of(case))
    said(messages[case["message"]], case)


@pytest.mark.parametrize("case", of_kind("grounding-prompt"))
def test_a_prompt_for_an_element_is_upstreams_byte_for_byte(case: dict[str, Any]) -> None:
    convention = conventions.get(case["convention"])
    assert isinstance(convention, GroundingConvention)
    messages = convention.grounding_prompt(case["instruction"], observation_of(case))
    said(messages[case["message"]], case)
