"""The same task on the built-in phone, directly and over adb: same trees, pictures and verdict.

A real phone takes no state and no seed, so the phone behind the wire is reset to the task's state
first, and over adb the task is played without any. Pictures are compared pixel by pixel; a PNG's
icons differ at their edges from run to run, so a few pixels in ten thousand may.
"""

import asyncio
from dataclasses import replace

import pytest
from PIL import ImageChops
from pydantic import JsonValue

from tapwright.agents.script import ScriptAgent
from tapwright.core.episode import Episode
from tapwright.core.observation import Observation
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.tasks import suites
from tapwright.tasks.task import Setup, Task
from tapwright_adb_simulator import AdbPhone, AdbServer
from tests.devices.adb.conftest import wired

TASKS = {task.id: task for task in suites.get("phone")()}


class Watched(AndroidPhone):
    """Ours, but with the state of apps, which no real phone tells: that of the phone behind."""

    behind: AdbPhone

    def state(self, path: str) -> JsonValue:
        with self.behind.held() as device:
            return device.state(path)


def played(environment: Environment, task: Task) -> Episode:
    return asyncio.run(rollout(ScriptAgent.for_task(task, 0), environment))


def alike(one: Observation, other: Observation) -> bool:
    if one.screenshot.sha256 == other.screenshot.sha256:
        return True
    changed = ImageChops.difference(one.screenshot.image(), other.screenshot.image()).convert("L")
    different = sum(changed.point(lambda value: 255 if value > 8 else 0).histogram()[1:])
    return different <= one.size.width * one.size.height / 2000


@pytest.mark.slow
@pytest.mark.parametrize("id_", ["wifi_off", "note_new", "shop_cart", "contact_favorite_zh"])
def test_a_task_is_the_same_over_adb(id_: str, adb: AdbServer) -> None:
    task = TASKS[id_]
    setup = task.setup
    with Phone.named("540x1200") as inner:
        directly = played(Environment(inner, task), task)
        with wired(adb, inner) as (phone, ours):
            phone.reset(seed=setup.seed, state=setup.state, app=setup.app, language=task.language)
            watched = Watched(ours.shell)
            watched.behind = phone
            watched.language = task.language
            over = played(Environment(watched, replace(task, setup=Setup(app=setup.app))), task)
            watched.close()
    assert (over.outcome, directly.outcome) == ("success", "success")
    assert len(over.steps) == len(directly.steps)
    for one, other in zip(directly.steps, over.steps, strict=True):
        assert one.decision.action == other.decision.action
        assert one.reward == other.reward
        seen, again = one.observation, other.observation
        assert (again.app, again.size, again.stale) == (seen.app, seen.size, False)
        assert tree(again) == tree(seen)
        assert alike(seen, again)


def tree(seen: Observation) -> str:
    """The tree, without the declaration that Android writes before it."""
    assert seen.ui_tree is not None
    return seen.ui_tree.xml[seen.ui_tree.xml.index("<hierarchy") :]
