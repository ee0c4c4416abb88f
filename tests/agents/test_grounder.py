"""One model decides what is touched, another one finds it."""

import asyncio
import json

import pytest

from tapwright.agents.grounder import Grounder, gives_places
from tapwright.agents.model import UNREADABLE, ModelAgent
from tapwright.agents.query_policy import (
    DEFAULT_QUERY_POLICY,
    MOBIAGENT_GROUNDER_QUERY_POLICY,
    MOBIAGENT_QUERY_POLICY,
    QueryPolicy,
)
from tapwright.conventions import conventions
from tapwright.core.actions import Finish, LongPress, Swipe, Tap, TypeText
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import UsageError
from tapwright.models.scripted import ScriptedModel

SCREEN = FakeDevice().observe()
CLICK = '{"reasoning": "I pay", "action": "click", "parameters": {"target_element": "Pay"}}'
BOX = '```json\n[{"bbox_2d": [100, 200, 300, 400], "label": "Pay"}]\n```'


def pair(
    decider: str,
    grounder: str,
    *,
    convention: str = "mobimind-decider",
    pointing: str = "mobimind-grounder-qwen3",
    policies: tuple[QueryPolicy, QueryPolicy] = (DEFAULT_QUERY_POLICY, DEFAULT_QUERY_POLICY),
) -> tuple[ModelAgent, ScriptedModel]:
    found = ScriptedModel([grounder])
    return ModelAgent(
        ScriptedModel([decider]),
        conventions.get(convention),
        policy=policies[0],
        grounder=Grounder(found, conventions.get(pointing), policies[1]),
    ), found


def act(agent: ModelAgent) -> Decision:
    return asyncio.run(agent.act("Pay the bill", [], SCREEN))


@pytest.mark.parametrize(
    ("pointing", "answer"),
    [
        ("mobimind-grounder-qwen3", BOX),
        ("mobimind-grounder-qwen3", '{"bbox2d": [100, 200, 300, 400]}'),
        ("mobimind-grounder-qwen3", '{"bbox": [100, 200, 300, 400]}'),
        ("mobimind-grounder-qwen3", '{"bbox-2d": [100, 200, 300, 400]}'),
        ("mobimind-grounder-qwen3", '{"coordinates": [200, 300]}'),
        ("json", '{"action": {"type": "tap", "at": [200, 300]}}'),
        ("holo", None),
        ("mmbench-gui", None),
        ("ui-tars-1.5", None),
    ],
)
def test_what_the_decider_names_is_tapped_where_the_grounder_finds_it(
    pointing: str, answer: str | None
) -> None:
    place = Decision(Tap(at=Point(0.2, 0.3)), "", "Pay")
    said = answer or conventions.get(pointing).render(place, SCREEN.size)
    agent, found = pair(CLICK, said, pointing=pointing)
    decision = act(agent)
    assert isinstance(decision.action, Tap)
    assert decision.action.at.x == pytest.approx(0.2, abs=0.01)
    assert decision.action.at.y == pytest.approx(0.3, abs=0.01)
    assert (decision.reasoning, decision.target) == ("I pay", "Pay")
    assert "Pay" in "".join(message.text for message in found.requests[0])
    assert [(one.role, one.status) for one in agent.answers] == [
        ("decider", "ok"),
        ("grounder", "ok"),
    ]


def test_the_grounder_is_told_why_where_its_convention_asks_for_that() -> None:
    agent, found = pair(CLICK, BOX)
    act(agent)
    assert "User's intent: I pay\nTarget element's description: Pay" in found.requests[0][0].text


def test_a_place_of_the_deciders_own_is_found_better() -> None:
    said = {"target": "Pay", "action": {"type": "long_press", "at": [900, 900]}}
    agent, _ = pair(json.dumps(said), BOX, convention="json")
    action = act(agent).action
    assert isinstance(action, LongPress)
    assert action.at == Point(0.2, 0.3)
    agent, _ = pair(json.dumps(said), "I see no such thing.", convention="json")
    assert act(agent).action == LongPress(at=Point(0.9, 0.9))


def test_a_grounder_that_sees_no_such_element_is_believed_at_once() -> None:
    none = '{"action": {"type": "finish", "outcome": "infeasible"}}'
    agent, found = pair(CLICK, none, pointing="json")
    action = act(agent).action
    assert isinstance(action, Finish)
    assert action.reason == f"{UNREADABLE} of the grounder answers that the screen has no 'Pay'"
    assert len(found.requests) == 1


@pytest.mark.parametrize(
    "said",
    [
        '{"action": "swipe", "parameters": {"direction": "UP"}}',
        '{"action": "input", "parameters": {"text": "12"}}',
        '{"action": "done", "parameters": {"status": "success"}}',
    ],
)
def test_what_has_no_place_is_not_asked_about(said: str) -> None:
    agent, found = pair(said, BOX)
    assert isinstance(act(agent).action, Swipe | TypeText | Finish)
    assert found.requests == []


def test_a_grounder_that_finds_nothing_ends_the_attempt_and_no_old_place_is_used() -> None:
    agent, found = pair(CLICK, "nothing")
    decision = act(agent)
    assert isinstance(decision.action, Finish)
    assert decision.action.reason.startswith(f"{UNREADABLE} of the grounder in 3 attempts")
    assert len(found.requests) == 3


def test_as_mobiagent_both_see_half_the_picture_and_the_place_is_right() -> None:
    half = '{"coordinates": [27, 60]}'
    agent, found = pair(
        CLICK,
        half,
        pointing="mobimind-grounder",
        policies=(MOBIAGENT_QUERY_POLICY, MOBIAGENT_GROUNDER_QUERY_POLICY),
    )
    action = act(agent).action
    (picture,) = (part for part in found.requests[0][0].parts if isinstance(part, Picture))
    sent = picture.screenshot.size
    assert (sent.width, sent.height) == (SCREEN.size.width // 2, SCREEN.size.height // 2)
    assert action == Tap(at=Point(27.5 / sent.width, 60.5 / sent.height))


def test_parts_that_do_not_fit_are_refused_before_anybody_is_asked() -> None:
    model = ScriptedModel(["x"])
    with pytest.raises(UsageError, match="gives no places"):
        Grounder(model, conventions.get("mobimind-decider"))
    with pytest.raises(UsageError, match="names what is tapped and not where"):
        ModelAgent(model, conventions.get("mobimind-decider"))


def test_all_conventions_but_mobimind_s_decider_give_places() -> None:
    silent = [name for name in conventions.names() if not gives_places(conventions.get(name))]
    assert silent == ["mobimind-decider"]


def test_the_agent_is_called_by_all_its_parts() -> None:
    agent, _ = pair(CLICK, BOX)
    assert agent.name == "scripted mobimind-decider + scripted mobimind-grounder-qwen3"
