"""A plan is held to what it promises, and carried out app by app."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.agents.loops import LoopGuard
from tapwright.agents.model import UNREADABLE, ModelAgent
from tapwright.agents.plan import Subtask, read_artifact, read_plan
from tapwright.agents.planning import PlanningAgent
from tapwright.agents.wrappers import collect_answers, collect_counts, pass_apps
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Action, Answer, Finish, OpenApp, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError
from tapwright.models.scripted import ScriptedModel

APPS = ("Shop", "Messages")
SCREEN = FakeDevice().observe()


def subtask(number: int, *needs: int, **more: object) -> dict[str, object]:
    given = {"subtask_id": number, "app_name": "Shop", "description": f"part {number}"}
    return {**given, "depends_on": list(needs), **more}


def plan(*subtasks: dict[str, object]) -> str:
    return json.dumps({"task_description": "all of it", "subtasks": subtasks})


ONE = json.dumps(
    {
        "reasoning": "it is sold there",
        "app_name": "Shop",
        "package_name": "com.example.shop",
        "final_task_description": "Buy tea in the shop",
    }
)
PRICE = subtask(1, artifact_schema={"price": "of the tea"}, description="Look up the price")
SEND = subtask(2, 1, app_name="Messages", description="Send the price to Ada")
FOUND = '{"subtask_id": 1, "success": true, "summary": "found", "data": {"price": "2 €"}}'


@given(order=st.permutations(range(1, 6)))
def test_every_subtask_comes_after_what_it_needs(order: list[int]) -> None:
    made = [subtask(one, *range(1, one)) for one in order]
    found = [one.subtask_id for one in read_plan(plan(*made), ()).subtasks]
    assert found == [1, 2, 3, 4, 5]


@given(order=st.permutations(range(1, 6)))
def test_what_needs_nothing_stays_in_its_order(order: list[int]) -> None:
    found = read_plan(plan(*map(subtask, order)), ()).subtasks
    assert [one.subtask_id for one in found] == order


def test_the_answer_for_one_app_is_a_plan_of_one_subtask() -> None:
    (only,) = read_plan(f"I choose the shop.\n```json\n{ONE}\n```", APPS).subtasks
    assert (only.app_name, only.package_name) == ("Shop", "com.example.shop")
    assert only.description == "Buy tea in the shop"


def test_an_app_is_known_by_its_name_or_its_package_as_the_device_spells_it() -> None:
    named = subtask(1, app_name="Teas", package_name="com.example.shop")
    for apps in (("com.example.Shop",), ("teas", "x")):
        assert read_plan(plan(named), apps).subtasks[0].app_name == apps[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Open the shop first.", "no JSON object"),
        (plan(), "subtasks"),
        (plan(subtask(1, 2), subtask(2, 1)), "1, 2 depend on each other in a circle"),
        (plan(subtask(1, 1)), "in a circle"),
        (plan(subtask(1, 7)), "depends on 7, which there is not"),
        (plan(subtask(1), subtask(1)), "the same subtask_id"),
        (plan(subtask(1, app_name="Bank")), "no app called 'Bank'; expected one of Shop"),
        (plan(subtask(1, description="")), "description"),
        (plan(*map(subtask, range(21))), "subtasks"),
        ('{"app_name": "Shop"}', "final_task_description"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_a_bad_answer(text: str, problem: str) -> None:
    with pytest.raises(BadAnswerError, match=problem):
        read_plan(text, APPS)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("It costs 2 €.", "no JSON object"),
        ('{"subtask_id": 2, "success": true, "data": {"price": "2"}}', "of subtask 2; expected 1"),
        ('{"subtask_id": 1, "success": true, "data": {}}', "lacks price"),
        ('{"subtask_id": 1, "success": true, "data": {"price": ""}}', "lacks price"),
        ('{"subtask_id": 1, "data": {"price": "2"}}', "success"),
    ],
)
def test_an_artifact_without_what_was_asked_for_is_a_bad_answer(text: str, problem: str) -> None:
    with pytest.raises(BadAnswerError, match=problem):
        read_artifact(text, Subtask.model_validate(PRICE))


def test_a_subtask_that_failed_need_not_hand_anything_on() -> None:
    told = '{"subtask_id": 1, "success": false, "summary": "sold out"}'
    assert read_artifact(told, Subtask.model_validate(PRICE)).summary == "sold out"


class Doing:
    """Does what it is told, and keeps what it was asked."""

    name = "doing"

    def __init__(self, *actions: Action) -> None:
        self.actions = list(actions)
        self.requests: list[tuple[str, int]] = []

    async def act(self, instruction: str, history: Sequence[Step], observation: object) -> Decision:
        self.requests.append((instruction, len(history)))
        return Decision(self.actions.pop(0))


def play(agent: PlanningAgent, most: int = 9) -> list[Action]:
    async def run() -> list[Action]:
        pass_apps(agent, APPS)
        history: list[Step] = []
        while len(history) < most:
            decision = await agent.act("Tell Ada what tea costs", history, SCREEN)
            history.append(Step(SCREEN, decision))
            if isinstance(decision.action, Finish):
                break
        return [step.decision.action for step in history]

    return asyncio.run(run())


def test_each_subtask_begins_in_its_app_without_a_history_and_knows_what_it_needs() -> None:
    planner = ScriptedModel([plan(PRICE, SEND), FOUND])
    inner = Doing(Wait(), Finish(), Wait(), Answer(text="sent"), Finish())
    agent = PlanningAgent(inner, planner)
    actions = play(agent)
    assert [action.type for action in actions] == [
        "open_app", "wait", "open_app", "wait", "answer", "finish",
    ]  # fmt: skip
    assert [one.app for one in actions if isinstance(one, OpenApp)] == ["Shop", "Messages"]
    assert inner.requests[0] == ("Look up the price", 0)
    words = 'Send the price to Ada\n\nWhat is known from before:\n{"price": "2 €"}'
    assert inner.requests[2:] == [(words, 0), (words, 1), (words, 2)]
    assert "Shop, Messages" in planner.requests[0][0].text
    assert sum(isinstance(part, Picture) for part in planner.requests[1][0].parts) == 2
    assert [(one.role, one.step) for one in collect_answers(agent)] == [
        ("planner", 0),
        ("planner", 2),
    ]
    assert collect_counts(agent) == {"subtasks": 2}
    assert agent.name == "doing planned by scripted"


def test_what_is_not_handed_on_is_not_asked_for() -> None:
    planner = ScriptedModel([plan(subtask(1), subtask(2))])
    agent = PlanningAgent(Doing(Finish(), Finish()), planner)
    assert [action.type for action in play(agent)] == ["open_app", "open_app", "finish"]
    assert len(planner.requests) == 1


def test_whoever_goes_round_in_circles_in_a_subtask_is_told_so() -> None:
    inner = Doing(*[Wait()] * 3, Finish())
    agent = PlanningAgent(LoopGuard(inner, "warn"), ScriptedModel([ONE]))
    play(agent)
    assert ["Note: the last steps" in words for words, _ in inner.requests] == [False] * 3 + [True]
    assert collect_counts(agent) == {"loops": 1, "subtasks": 1}


@pytest.mark.parametrize("outcome", ["failure", "infeasible"])
def test_a_subtask_that_is_given_up_ends_the_attempt(outcome: str) -> None:
    given_up = Finish.model_validate({"outcome": outcome})
    agent = PlanningAgent(Doing(given_up), ScriptedModel([plan(PRICE, SEND)]))
    assert play(agent)[-1] == given_up


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["I would buy it."], f"{UNREADABLE} of the planner in 3 attempts; the last: no JSON"),
        ([plan(PRICE, SEND), "2 €"], f"{UNREADABLE} of the planner in 3 attempts"),
        (
            [plan(PRICE, SEND), '{"subtask_id": 1, "success": false, "summary": "sold out"}'],
            "subtask 1 failed: sold out",
        ),
    ],
)
def test_a_planner_that_does_not_help_is_a_failure_with_its_reason(
    answers: list[str], reason: str
) -> None:
    action = play(PlanningAgent(Doing(Finish()), ScriptedModel(answers)))[-1]
    assert isinstance(action, Finish)
    assert action.outcome == "failure"
    assert action.reason.startswith(reason)


def test_a_bad_plan_is_told_what_was_wrong_with_it() -> None:
    planner = ScriptedModel([plan(subtask(1, app_name="Bank")), ONE])
    agent = PlanningAgent(Doing(Finish()), planner)
    assert play(agent)[0] == OpenApp(app="Shop")
    assert "no app called 'Bank'" in planner.requests[1][-1].text


def test_what_models_said_is_kept_in_order_with_the_step_of_the_attempt() -> None:
    said = [json.dumps({"action": {"type": "wait"}}), json.dumps({"action": {"type": "finish"}})]
    inner = ModelAgent(ScriptedModel([*said, *said]), JSON_CONVENTION)
    agent = PlanningAgent(inner, ScriptedModel([plan(PRICE, SEND), FOUND]))
    play(agent)
    assert [(one.role, one.step) for one in collect_answers(agent)] == [
        ("planner", 0), ("decider", 1), ("decider", 2), ("planner", 2), ("decider", 3),
        ("decider", 4),
    ]  # fmt: skip
