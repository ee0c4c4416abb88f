import asyncio
from dataclasses import replace

import pytest

from tapwright.agents.script import ScriptAgent
from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.errors import TaskError
from tapwright.tasks.solution import PerformAction, TouchElement
from tapwright.tasks.task import Judge, Task


class NoCheck:
    def start(self) -> Judge:
        raise AssertionError("an agent does not judge")


TASK = Task(
    "t", "do it", (), NoCheck(), solution=(TouchElement(text="Button 0"), PerformAction(Wait()))
)


def test_it_plays_the_solution_and_then_finishes_with_success() -> None:
    agent = ScriptAgent.for_task(TASK, 0)
    screen = FakeDevice().observe()
    decisions = [asyncio.run(agent.act(TASK.instruction, [], screen)) for _ in range(3)]
    tap = decisions[0]
    assert isinstance(tap.action, Tap)
    assert tap.action.at.distance(Point(0.5, 5 / 12)) < 0.01
    assert tap.target == "Button 0"
    assert [decision.action for decision in decisions[1:]] == [Wait(), Finish()]


def test_a_task_without_a_solution_is_told() -> None:
    with pytest.raises(TaskError, match="the task t has no scripted solution"):
        ScriptAgent.for_task(replace(TASK, solution=()), 0)


def test_an_element_that_is_not_there_is_told() -> None:
    agent = ScriptAgent.for_task(replace(TASK, solution=(TouchElement(text="nowhere"),)), 0)
    with pytest.raises(TaskError, match="no such element"):
        asyncio.run(agent.act("do it", [], FakeDevice().observe()))
