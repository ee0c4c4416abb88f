import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.agents.script import ScriptAgent
from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.geometry import Point
from tapwright.core.task_setup import SetupCall
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.environment.environment import Environment
from tapwright.environment.errors import SetupFailedError
from tapwright.environment.rollout import rollout
from tapwright.errors import UnsupportedActionError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.episode_judge import judge_episode
from tapwright.tasks.errors import BadDefinitionError, NotRecordedError
from tapwright.tasks.solution import PerformAction, SolutionScript, TouchElement
from tapwright.tasks.task import Task

TEXT = """
id: "two" command: "Get to button 2." command: "Then say so." max_num_steps: 4
event_sources { id: 1 view_hierarchy_event {
  selector: '#$"button"' properties { property_name: "text" pattern: "Button (2|3)" } } }
event_sources { id: 2 finish_event { } }
event_sources { id: 3 state_event { path: "count" } repeatability: LAST }
event_sources { id: 4 log_event { filters: "T:I" pattern: "n=(.)" } }
event_slots {
  reward_listener { id: 10 events { id: 1 } transformation: "y = 1" }
  episode_end_listener { type: AND events { event { events { id: 1 } cache_until: -1 } }
    events { id: 2 } transformation: "y = True" }
  extra_listener { events { id: 3 } transformation: "y = {'count': x}" }
  instruction_listener { events { id: 4 } transformation: "y = 'saw ' + x[0]" }
}
tapwright {
  language: "en" apps: "fake" seed: 7
  state { key: "a.b" value { number_value: 2 } } replies: "the second" replies: "yes"
  solution { on { text: "Button 0" } }
  solution { do { fields { key: "type" value { string_value: "wait" } }
    fields { key: "duration_s" value { number_value: 1.5 } } } }
  solution { do { fields { key: "type" value { string_value: "finish" } } } }
}
"""


def task(text: str = TEXT) -> Task:
    definition = task_from_definition(parse_task(text))
    return replace(definition, setup=replace(definition.setup, state={}))


def device() -> FakeDevice:
    scenes = [painted_scene(number) for number in range(3)]
    return FakeDevice(
        [
            replace(
                scene,
                state={"count": number},
                log=(f"03-14 09:41:07.000  1042  1042 I T: n={number}",),
            )
            for number, scene in enumerate(scenes)
        ]
    )


def test_a_definition_says_all_that_a_task_has() -> None:
    found = task_from_definition(parse_task(TEXT))
    assert found.instruction == "Get to button 2. Then say so."
    assert (found.max_steps, found.apps, found.language) == (4, ("fake",), "en")
    assert (found.setup.seed, found.setup.state) == (7, {"a.b": 2})
    assert found.replies == ("the second", "yes")
    assert found.solution == (
        TouchElement(text="Button 0"),
        PerformAction(Wait(duration_s=1.5)),
        PerformAction(Finish()),
    )


def test_the_repr_of_a_check_has_its_events_and_not_its_set_up() -> None:
    said = repr(task().check)
    assert "Button (2|3)" in said
    assert "seed" not in said
    assert said == repr(task().check)


def test_a_definition_is_played_and_its_recording_judged_alike(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    environment = Environment(device(), task())
    agent = ScriptAgent.for_task(environment.task, 0)
    episode = asyncio.run(rollout(agent, environment, store=store))
    assert episode.outcome == "success"
    assert [step.reward for step in episode.steps] == [0, 1, 0]
    assert [step.state for step in episode.steps] == [{"count": 1}, {"count": 2}, {"count": 2}]
    judged = judge_episode(episode, parse_task(TEXT))
    assert judged.missing == ()
    assert [one.outcome.reward for one in judged.steps[1:]] == [0, 1, 0]
    assert [one.outcome.instructions for one in judged.steps[1:]] == [
        step.instructions for step in episode.steps
    ]
    assert [one.outcome.fired for one in judged.steps] == [
        (3, 4),
        (3, 4),
        (1, 3, 4, 10),
        (2,),
    ]
    assert judged.steps[-1].outcome.success is True


def test_what_was_so_at_the_reset_is_in_the_recording(tmp_path: Path) -> None:
    definition = parse_task("""
id: "at_the_reset" command: "Wait."
event_sources { id: 1 log_event { filters: "T:I" pattern: "n=0" } }
event_sources { id: 2 state_event { path: "count" equals { number_value: 0 } } }
event_slots { reward_listener { type: OR events { id: 1 } events { id: 2 }
  transformation: "y = 1" } }
""")
    environment = Environment(device(), task_from_definition(definition))
    agent = ScriptAgent(SolutionScript((PerformAction(Finish()),)))
    store = EpisodeStore(tmp_path)
    episode = asyncio.run(rollout(agent, environment, store=store))
    judged = judge_episode(episode, definition)
    assert (episode.state, len(episode.log)) == ({"count": 0}, 1)
    assert [one.outcome.fired for one in judged.steps] == [(1, 2), ()]
    assert judged.missing == ()


def test_what_a_recording_does_not_hold_is_told(tmp_path: Path) -> None:
    environment = Environment(device(), task())
    agent = ScriptAgent.for_task(environment.task, 0)
    episode = asyncio.run(rollout(agent, environment))
    judged = judge_episode(replace(episode, final=None), parse_task(TEXT))
    assert "the screen after step 3, which was the last" in judged.missing
    assert "step 1: the state 'count'" in judged.missing
    with pytest.raises(NotRecordedError):
        judge_episode(replace(episode, steps=()), parse_task(TEXT))


def test_the_extras_of_a_step_are_told_beside_it() -> None:
    environment = Environment(device(), task())
    environment.reset()
    assert environment.step(Tap(at=Point(0.5, 0.4)))[4]["extras"] == {"count": [1]}


def test_a_limit_of_the_definition_truncates() -> None:
    environment = Environment(device(), task(TEXT + "max_duration_sec: 1"))
    environment.reset()
    ends = [environment.step(Tap(at=Point(0.5, 0.4))) for _ in range(2)]
    assert [end[2:4] for end in ends] == [(False, False), (False, True)]
    assert ends[-1][4]["outcome"] == "truncated"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("setup_steps { }", "has no command"),
        ("reset_steps { adb_call { } }", "has no command"),
        ("tapwright { solution { do { } } }", "move 1"),
        (
            "reset_steps { sleep { } success_condition { wait_for_message { message: '(' } } }",
            "wait_for_message",
        ),
        ("event_sources { id: 1 log_event { pattern: '(' } }", "event source 1"),
    ],
)
def test_a_definition_that_cannot_work_is_refused_when_it_becomes_a_task(
    text: str, words: str
) -> None:
    with pytest.raises(BadDefinitionError, match=words):
        task_from_definition(parse_task(text))


class Prepared(FakeDevice):
    """A fake device that counts what it is told, and shows the next scene at every third call."""

    def __init__(self) -> None:
        super().__init__(device().scenes)
        self.calls: list[str] = []

    def set_up(self, call: SetupCall) -> None:
        if call.name == "shell_command":
            raise UnsupportedActionError("no shell here")
        self.calls.append(call.name)
        if len(self.calls) % 3 == 0:
            self.perform(Wait(duration_s=1))

    def apps(self) -> Sequence[str]:
        return ("com.example.fake",)


def prepared(steps: str) -> Prepared:
    fake = Prepared()
    Environment(fake, task_from_definition(parse_task(steps))).reset()
    return fake


BACK = "adb_call { press_button { button: BACK } }"


def test_a_step_is_tried_until_it_has_worked() -> None:
    check = 'success_condition { wait_for_message { message: "n=1" } num_retries: %d }'
    assert prepared(f"reset_steps {{ {BACK} {check % 0} }}").calls == ["press_button"] * 3
    with pytest.raises(SetupFailedError, match=r"n=7.*in 5 tries"):
        prepared(f"reset_steps {{ {BACK} {check.replace('n=1', 'n=7') % 5} }}")


def test_a_message_is_waited_for_as_long_as_the_file_says() -> None:
    check = 'success_condition { wait_for_message { message: "n=2" timeout_sec: %s } }'
    fake = prepared(f"reset_steps {{ sleep {{ time_sec: 1 }} {check % 3} }}")
    assert len(fake.performed) == 2


def test_the_app_in_front_and_the_installed_ones_are_conditions() -> None:
    app = 'wait_for_app_screen { app_screen { activity: "%s/.Main" } }'
    install = 'check_install { package_name: "com.example.fake" }'
    prepared(f"reset_steps {{ {BACK} success_condition {{ {app % 'com.example.fake'} }} }}")
    prepared(f"reset_steps {{ {BACK} success_condition {{ {install} }} }}")
    with pytest.raises(SetupFailedError, match=r"com\.other"):
        prepared(f"reset_steps {{ {BACK} success_condition {{ {app % 'com.other'} }} }}")


def test_set_up_steps_are_done_once_and_reset_steps_every_time() -> None:
    fake = Prepared()
    text = f"setup_steps {{ {BACK} }} reset_steps {{ adb_call {{ rotate {{ }} }} }}"
    environment = Environment(fake, task_from_definition(parse_task(text)))
    environment.reset()
    environment.reset()
    assert fake.calls == ["press_button", "rotate", "rotate"]


def test_a_call_that_a_device_does_not_do_is_refused_by_name() -> None:
    shell = 'reset_steps { adb_call { shell_command { command: "rm" } } }'
    with pytest.raises(SetupFailedError, match=r"shell_command.*no shell here"):
        prepared(shell)
    plain = Environment(device(), task_from_definition(parse_task(shell)))
    with pytest.raises(SetupFailedError, match="has no set-up calls"):
        plain.reset()
