"""Demonstrations on a fake device, for tests."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.device import Device
from tapwright.devices.fake import EndlessScenes, FakeDevice, painted_scene
from tapwright.record.commands import Act
from tapwright.record.demonstration import Demonstration
from tapwright.record.journal import Journal, JournalHeader
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.task import Task

TAP = Tap(at=Point(0.5, 0.4))
TASK = Task("press", "Get to button 2", ("fake",), When(TreeShows("Button 2")))


def opening(episode: str = "demo") -> JournalHeader:
    return JournalHeader(
        episode=episode, owner="ann", place="fake", instruction="", created="2026-01-01T00:00:00"
    )


def begun(
    store: Path,
    device: Device | None = None,
    *,
    task: Task = TASK,
    has_pending: Callable[[], bool] = lambda: True,
) -> Demonstration:
    """A demonstration on a fresh device, or on none that is needed."""
    journal = Journal.create(store, opening())
    made = Demonstration(EpisodeStore(store), journal, task, has_pending=has_pending)
    made.attach(device or FakeDevice(EndlessScenes()))
    return made


def gone_on(store: Path, device: Device | None = None) -> Demonstration:
    """The same demonstration after a restart, on a device that nobody else has used."""
    made = Demonstration(
        EpisodeStore(store), Journal.open(store, "demo"), TASK, has_pending=lambda: True
    )
    made.attach(device or FakeDevice(EndlessScenes()), None)
    return made


def act(demonstration: Demonstration, key: str) -> Act:
    """A tap on what is shown, once that is the screen that a fake device has now."""
    device, history = demonstration._watcher.device, demonstration.frame_history
    if isinstance(device, FakeDevice):
        with history._changed:
            history._changed.wait_for(
                lambda: history._frames[-1].time_s >= device._changed_s, timeout=30
            )
    return Act(key=key, action=TAP, frame=history.number)


SEES = """event_sources { id: 1 view_hierarchy_event {
  selector: '#$"button"' properties { property_name: "text" pattern: "Button 2" } } }"""
LOGS = 'event_sources { id: 1 log_event { filters: "T:I" pattern: "n=2" } }'
WRONG = 'event_sources { id: 3 log_event { filters: "T:I" pattern: "n=1" } }'
WITHOUT_FINISH = {
    "log": LOGS
    + """event_slots { reward_listener { events { id: 1 } transformation: "y = 1" }
      episode_end_listener { events { id: 1 } transformation: "y = True" } }""",
    "view": SEES
    + """event_slots { reward_listener { events { id: 1 } transformation: "y = 1" }
      episode_end_listener { events { id: 1 } transformation: "y = True" } }""",
    "log and view": LOGS.replace("id: 1", "id: 2", 1)
    + SEES
    + """event_slots {
      score_listener { type: AND events { id: 1 } events { id: 2 } transformation: "y = 1" }
      episode_end_listener { type: AND events { id: 1 } events { id: 2 }
        transformation: "y = True" } }""",
    "view or log that fails": SEES
    + WRONG.replace("n=1", "n=7")
    + """event_slots {
      episode_end_listener { type: OR events { event { events { id: 1 }
        transformation: "y = True" } } events { event { events { id: 3 }
        transformation: "y = False" } } } }""",
    "fails": WRONG
    + """event_slots {
      episode_end_listener { events { id: 3 } transformation: "y = False" } }""",
    "too many": LOGS
    + """max_num_steps: 2 event_slots {
      episode_end_listener { events { id: 1 } transformation: "y = True" } }""",
}


def logging_device() -> FakeDevice:
    scenes = [
        replace(painted_scene(number), log=(f"03-14 09:41:07.000  1042  1042 I T: n={number}",))
        for number in range(6)
    ]
    return FakeDevice(scenes)


def event_task(name: str) -> Task:
    return task_from_definition(
        parse_task(f'id: "it" command: "Get to button 2." {WITHOUT_FINISH[name]}')
    )
