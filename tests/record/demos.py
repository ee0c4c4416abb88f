"""Demonstrations on a fake device, for tests."""

from collections.abc import Callable
from pathlib import Path

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.device import Device
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.record.commands import Act
from tapwright.record.demonstration import Demonstration
from tapwright.record.journal import Journal, JournalHeader
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
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
