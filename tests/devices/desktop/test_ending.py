"""What happens when a part of the desktop ends, or its owner does."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.actions import Hotkey, OpenApp, PressKey, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.observation import Observation
from tapwright.devices.desktop.children import Children
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.limits import MAX_DESKTOP_NODES
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tests.devices.desktop.looking import editor, find, tree, wait_for, wait_for_text

LIMIT_S = 60.0
BROKEN = "[Desktop Entry]\nType=Application\nName=Broken\nExec=false\n"


def is_running(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + LIMIT_S
    while is_running(pid):
        assert time.monotonic() < until, f"{pid} is still there"
        time.sleep(0.02)


def test_programs_end_with_their_owner_even_when_it_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from tapwright.devices.desktop.children import Children\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "children = Children()\n"
        "pid = children.start(['/bin/sh', '-c', 'setsid sleep 600 & echo $! >inner; wait'],\n"
        "    environment={'PATH': '/usr/bin:/bin'}, folder=folder, log=folder / 'log')\n"
        "print(pid, flush=True); time.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    inner = tmp_path / "inner"
    until = time.monotonic() + LIMIT_S
    while not (inner.exists() and inner.read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.02)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    wait_until_gone(pid)
    wait_until_gone(int(inner.read_text()))


def test_ending_leaves_what_is_named(tmp_path: Path) -> None:
    children = Children()
    try:
        kept, ended = (
            children.start(
                ["/bin/sleep", "600"], environment={}, folder=tmp_path, log=tmp_path / "log"
            )
            for _ in range(2)
        )
        children.end(but=[kept])
        assert is_running(kept)
        assert not is_running(ended)
        assert children.status(ended) == -signal.SIGKILL
    finally:
        children.close()
    assert not is_running(kept)


@pytest.mark.slow
def test_a_screen_that_is_gone_is_replaced_by_the_next_reset(programs: None) -> None:
    with Desktop.named("640x480") as desktop:
        os.kill(desktop.machine.screen.pid, signal.SIGKILL)
        wait_until_gone(desktop.machine.screen.pid)
        with pytest.raises(DeviceLostError):
            desktop.observe()
        desktop.reset()
        assert tree(desktop.observe()).nodes


def test_an_application_that_ends_at_once_is_named(desktop: Desktop) -> None:
    desktop.reset(state={"files..local/share/applications/broken.desktop": BROKEN})
    assert "Broken" in desktop.apps()
    with pytest.raises(DeviceError, match="broken ended with 1"):
        desktop.perform(OpenApp(app="Broken"))
    assert desktop.observe().app == "desktop"


@pytest.mark.slow
def test_an_application_that_hangs_makes_a_look_stale(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="galculator"))
    find(desktop, "7")
    front = next(one for one in desktop.machine.windows.shown() if one.pid)
    os.kill(front.pid, signal.SIGSTOP)
    assert desktop.observe().stale
    os.kill(front.pid, signal.SIGCONT)
    wait_for(desktop, lambda seen: not seen.stale, "it is still stale")


def test_an_application_that_dies_is_gone_and_starts_again(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="galculator"))
    find(desktop, "7")
    front = next(one for one in desktop.machine.windows.shown() if one.pid)
    os.kill(front.pid, signal.SIGKILL)
    wait_for(desktop, lambda seen: seen.app == "desktop", "its window is still there")
    desktop.perform(OpenApp(app="galculator"))
    find(desktop, "7")


@pytest.mark.slow
def test_an_application_that_asks_before_it_closes_stays_and_does_not_hold_up_a_reset(
    desktop: Desktop,
) -> None:
    desktop.perform(OpenApp(app="Mousepad"))
    editor(desktop)
    desktop.perform(TypeText(text="not saved"))
    wait_for_text(desktop, "not saved")
    desktop.perform(Hotkey(keys=("alt", "F4")))
    find(desktop, "Don't Save")
    desktop.reset()
    assert desktop.observe().app == "desktop"


def test_an_application_without_a_tree_is_a_window_alone(desktop: Desktop) -> None:
    desktop.reset(state=crowd(0))
    desktop.perform(OpenApp(app="Crowd"))
    seen = wait_for(desktop, lambda seen: seen.app == "crowd", "it is not in front")
    assert not seen.stale
    frames = [node for node in tree(seen).nodes if node.class_name == "atspi.Frame"]
    assert [node.text for node in frames] == ["Crowd"]
    assert {child.class_name for child in frames[0].children} == {"atspi.PushButton"}


@pytest.mark.slow
def test_of_an_application_with_more_elements_than_can_be_read_some_are(desktop: Desktop) -> None:
    desktop.reset(state=crowd(60_000))
    desktop.perform(OpenApp(app="Crowd"))
    begun = time.monotonic()
    seen = desktop.observe()
    assert time.monotonic() - begun < LIMIT_S
    assert seen.stale
    assert len(tree(seen).nodes) <= MAX_DESKTOP_NODES
    assert any(node.text == "Crowd" for node in tree(seen).nodes)


@pytest.mark.slow
def test_a_bus_that_is_gone_is_replaced_by_the_next_reset(
    programs: None, caplog: pytest.LogCaptureFixture
) -> None:
    with Desktop.named("640x480") as desktop:
        desktop.perform(OpenApp(app="galculator"))
        buses = [pid for pid in desktop.machine.children.family(keeper(desktop)) if is_bus(pid)]
        for pid in buses:
            os.kill(pid, signal.SIGKILL)
        assert buses
        for pid in buses:
            wait_until_gone(pid)
        with pytest.raises(DeviceLostError, match="bus"):
            wait_for(desktop, lambda _: False, "it is never told")
        desktop.reset(app="galculator")
        find(desktop, "7")
    gc.collect()
    assert "never retrieved" not in caplog.text


@pytest.mark.slow
def test_the_steps_before_the_screen_is_gone_are_kept(programs: None, tmp_path: Path) -> None:
    class Ender:
        """Clicks, and kills the screen after the second one."""

        name = "ender"

        def __init__(self, desktop: Desktop) -> None:
            self.desktop = desktop

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            if len(history) == 2:
                os.kill(self.desktop.machine.screen.pid, signal.SIGKILL)
                wait_until_gone(self.desktop.machine.screen.pid)
            return Decision(PressKey(key="escape"))

    task = Task("t", "Press", (), Unchecked(), max_steps=5)
    store = EpisodeStore(tmp_path)
    with Desktop.named("640x480") as desktop:
        with pytest.raises(DeviceLostError):
            asyncio.run(rollout(Ender(desktop), Environment(desktop, task), store=store))
        (id_,) = store.ids()
        assert (store.read(id_).outcome, len(store.read(id_).steps)) == ("interrupted", 2)
        desktop.reset()
        assert tree(desktop.observe()).nodes


def crowd(count: int) -> dict[str, JsonValue]:
    """The state in which the application Crowd is installed."""
    program = Path(__file__).with_name("crowd.py")
    entry = (
        "[Desktop Entry]\nType=Application\nName=Crowd\nStartupWMClass=Crowd\n"
        f"Exec={sys.executable} {program} {count}\n"
    )
    return {"files..local/share/applications/crowd.desktop": entry}


def keeper(desktop: Desktop) -> int:
    return int(desktop.machine.children._keeper.pid)


def is_bus(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "dbus-daemon"
    except OSError:
        return False
