"""What is done to a desktop has arrived before the next action, and is drawn before a look."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer

import pytest
from Xlib import X

from tapwright.core.actions import Hotkey, OpenApp, PressKey, Tap, TypeText
from tapwright.core.geometry import to_pixel
from tapwright.core.observation import Observation
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.x11 import XConnection
from tests.devices.desktop.looking import click, editor, wait_for, words

PROGRAM = Path(__file__).with_name("slow_program.py")


@contextmanager
def stopped(pid: int, for_s: float = 0.4) -> Iterator[Event]:
    """A process that does nothing for a while; the event tells when it goes on."""
    goes_on = Event()

    def go_on() -> None:
        goes_on.set()
        os.kill(pid, signal.SIGCONT)

    os.kill(pid, signal.SIGSTOP)
    timer = Timer(for_s, go_on)
    timer.start()
    try:
        yield goes_on
    finally:
        timer.join()


def start_slow(desktop: Desktop, how: str, *, wait_s: float = 0.0, work_s: float = 0.0) -> int:
    """The program of `slow_program.py` is in front, and white; returns its process's id."""
    argv = [sys.executable, str(PROGRAM), how, str(wait_s), str(work_s)]
    pid = desktop.machine.session.start(argv)
    wait_for(desktop, lambda seen: seen.app == "slow" and shade(seen) == 255, "no program")
    return pid


def shade(seen: Observation) -> int:
    """How bright the window in front is, which is of one colour."""
    assert seen.ui_tree is not None
    box = seen.ui_tree.nodes[1].box
    assert box is not None
    x, y = to_pixel(box.center, seen.size)
    found = seen.screenshot.image().convert("L").getpixel((x, y))
    assert isinstance(found, int)
    return found


@pytest.mark.slow
def test_a_click_that_the_window_manager_holds_has_arrived_before_the_next_action(
    desktop: Desktop,
) -> None:
    desktop.perform(OpenApp(app="Mousepad"))
    at = editor(desktop).box
    assert at is not None
    with stopped(desktop.machine.session.window_manager) as goes_on:
        desktop.perform(Tap(at=at.center))
        assert goes_on.is_set()


@pytest.mark.slow
def test_a_program_that_works_reads_its_keys_before_the_next_action(desktop: Desktop) -> None:
    start_slow(desktop, "before", work_s=1.5)
    desktop.perform(PressKey(key="enter"))
    assert shade(desktop.observe()) == 0


@pytest.mark.parametrize(
    ("how", "wait_s", "work_s"), [("after", 0.0, 1.0), ("after", 0.02, 1.0), ("timer", 0.1, 0.0)]
)
@pytest.mark.slow_but_one
def test_what_a_program_does_of_a_key_in_its_own_time_is_seen(
    desktop: Desktop, how: str, wait_s: float, work_s: float
) -> None:
    start_slow(desktop, how, wait_s=wait_s, work_s=work_s)
    desktop.perform(PressKey(key="enter"))
    assert shade(desktop.observe()) == 0


@pytest.mark.slow
def test_a_button_that_its_program_presses_has_done_what_it_does_before_a_look(
    desktop: Desktop,
) -> None:
    desktop.reset(state={"files.Documents/list.txt": "milk\n"}, app="Mousepad")
    desktop.perform(Hotkey(keys=("control", "o")))
    wait_for(desktop, lambda seen: "Open File" in words(seen), "no dialog")
    desktop.perform(TypeText(text="~/Documents/list.txt"))
    click(desktop, "Open")  # the dialog looks for the file, then presses the button itself
    assert "Open File" not in words(desktop.observe())
    assert editor(desktop).text == "milk"


@pytest.mark.slow
def test_keys_are_bound_by_one_change_that_is_read_before_they_are_used(desktop: Desktop) -> None:
    pid = start_slow(desktop, "before")
    other = XConnection(desktop.machine.screen.name)
    try:
        with stopped(pid) as goes_on:
            desktop.machine.keyboard.type("שלום 你好 🚀")
            assert goes_on.is_set()
        with other.within():
            other.display.sync()
            events = [other.display.next_event() for _ in range(other.display.pending_events())]
        assert [one.type for one in events] == [X.MappingNotify]
    finally:
        other.close()
