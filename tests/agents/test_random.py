import asyncio

import pytest

from tapwright.agents.agent import Agent
from tapwright.agents.random import RandomAgent
from tapwright.core.actions import Answer, Finish, Tap
from tapwright.core.episode import Decision, Step
from tapwright.devices.fake import FakeDevice, Scene


def decide(agent: Agent, instruction: str, steps: int = 0) -> Decision:
    look = FakeDevice().observe()
    history = [Step(look, Decision(Finish()))] * steps
    return asyncio.run(agent.act(instruction, history, look))


def test_it_is_an_agent() -> None:
    assert isinstance(RandomAgent(), Agent)


def test_the_same_seed_decides_the_same_whatever_was_asked_before() -> None:
    one, other = RandomAgent(7), RandomAgent(7)
    decide(one, "something else")
    for steps in range(10):
        assert decide(one, "go", steps) == decide(other, "go", steps)


def test_another_seed_decides_otherwise_now_and_then() -> None:
    one, other = RandomAgent(1), RandomAgent(2)
    assert any(decide(one, "go", n) != decide(other, "go", n) for n in range(20))


def test_it_answers_a_question_with_one_of_its_letters() -> None:
    question = "Question: Which?\nOptions:\nA. one\nB. two\n"
    letters = set()
    for seed in range(20):
        action = decide(RandomAgent(seed), question).action
        assert isinstance(action, Answer)
        letters.add(action.text)
    assert letters == {"A", "B"}


def test_asked_for_a_place_it_taps_something(settings_scene: Scene) -> None:
    action = decide(RandomAgent(), "Output only the coordinate (x,y). the switch").action
    assert isinstance(action, Tap)


@pytest.mark.slow
def test_it_ends_before_long() -> None:
    kinds = {decide(RandomAgent(), "go", steps).action.type for steps in range(300)}
    assert kinds == {"tap", "swipe", "type_text", "press_key", "finish"}
