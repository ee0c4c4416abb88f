"""Mouse and keyboard on the record page, with a real browser and a real desktop behind it."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tapwright.core.actions import (
    CloseTab,
    Drag,
    Finish,
    Goto,
    Hotkey,
    NewTab,
    Scroll,
    SwitchTab,
    Tap,
)
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation, UiNode
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.web.device import WebDevice
from tests.devices.desktop.installed import need_desktop
from tests.devices.probe import Probe, of
from tests.devices.web.conftest import Site
from tests.web.acceptance.recording import Recorder, recording

pytestmark = pytest.mark.slow

BUTTONS: tuple[Literal["left", "middle", "right"], ...] = ("left", "middle", "right")
PAGE = """<!doctype html><meta charset=utf-8><title>hears</title>
<style>body{margin:0;height:3000px;font-size:20px} div{position:fixed;width:200px;height:120px}
</style>
<p id=heard style='position:fixed;margin:10px'>-</p>
<div draggable=true style='left:100px;top:200px;background:gold'>Cup</div>
<div id=shelf style='left:700px;top:500px;background:silver'>Shelf</div>
<script>
const hear = what => heard.textContent = what;
onmousedown = event => hear(`button ${event.button}`);
oncontextmenu = event => event.preventDefault();
onwheel = event => hear(`wheel ${Math.sign(event.deltaX)} ${event.deltaY}`);
onkeydown = event => {
    if (["Control", "Shift", "Alt"].includes(event.key)) return;
    hear(`key ${event.ctrlKey ? "ctrl+" : ""}${event.shiftKey ? "shift+" : ""}${event.code}`);
    event.preventDefault();
};
shelf.ondragover = event => event.preventDefault();
shelf.ondrop = event => { event.preventDefault(); hear("dropped"); };
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().serving() as server:
        server.pages |= {"/": PAGE, "/two": "<title>two</title><p id=heard>second page"}
        yield server


def heard(seen: Observation) -> str:
    """What the page says it has heard last."""
    assert seen.ui_tree is not None
    return next(node.text for node in seen.ui_tree.nodes if node.short_id == "heard")


def told(seen: Observation) -> str:
    """What it says, or which of the tabs is in front once there are several, or it is empty."""
    front = next(number for number, tab in enumerate(seen.tabs, start=1) if tab.active)
    alone = len(seen.tabs) == 1 and seen.url != "about:blank"
    return heard(seen) if alone else f"tab {front} of {len(seen.tabs)}"


def press_mouse(recorder: Recorder, count: int) -> int:
    """Each button once, at a bare place; returns the steps so far."""
    for button in BUTTONS:
        recorder.page.mouse.click(*recorder.at(0.5, 0.5), button=button)
        count += 1
        recorder.saved(count)
    return count


def drag(recorder: Recorder, start: tuple[float, float], end: tuple[float, float]) -> None:
    mouse = recorder.page.mouse
    mouse.move(*recorder.at(*start))
    mouse.down()
    mouse.move(*recorder.at(*end), steps=6)
    mouse.up()


def test_a_page_hears_what_is_done_on_the_record_page_and_the_recording_says_the_same(
    browser_process: Browser, tmp_path: Path, site: Site
) -> None:
    """Every button, the wheel, a drag, chords, the address and tabs."""

    def opened() -> WebDevice:
        return WebDevice(f"{site.url}/", timeout_s=60.0)

    with recording(browser_process, tmp_path, opened) as recorder:
        recorder.start()
        page = recorder.page
        count = press_mouse(recorder, 0)
        page.mouse.wheel(0, 300)
        recorder.saved(count := count + 1)
        drag(recorder, (200 / 1280, 260 / 800), (800 / 1280, 560 / 800))
        recorder.saved(count := count + 1)
        chord = page.get_by_role("textbox", name="Keys together")
        chord.press("Control+s")
        recorder.saved(count := count + 1)
        chord.fill("ctrl+shift+t")
        chord.press("Enter")
        recorder.saved(count := count + 1)
        page.get_by_role("textbox", name="Address").fill(f"{site.url}/two")
        recorder.press("Go").click()
        recorder.saved(count := count + 1)
        recorder.press("New tab").click()
        recorder.saved(count := count + 1)
        recorder.press("Switch").click()
        recorder.saved(count := count + 1)
        recorder.press("Close tab").click()
        recorder.saved(count + 1)
        recorder.finish()
        steps = recorder.episode.steps
    taps, (wheel, dropped, *rest) = steps[:3], steps[3:]
    assert [one.decision.action for one in taps] == [
        Tap(at=Point(0.5, 0.5), button=button) for button in BUTTONS
    ]
    assert [heard(one.observation) for one in steps[1:4]] == ["button 0", "button 1", "button 2"]
    assert isinstance(wheel.decision.action, Scroll)
    turned = re.fullmatch(r"wheel 0 ([\d.]+)", heard(dropped.observation))
    assert turned is not None
    assert float(turned[1]) == pytest.approx(wheel.decision.action.dy * 800, abs=1)
    assert isinstance(dropped.decision.action, Drag)
    assert [(one.decision.action, told(one.observation)) for one in rest] == [
        (Hotkey(keys=("control", "s")), "dropped"),
        (Hotkey(keys=("ctrl", "shift", "t")), "key ctrl+KeyS"),
        (Goto(url=f"{site.url}/two"), "key ctrl+shift+KeyT"),
        (NewTab(), "second page"),
        (SwitchTab(tab=0), "tab 2 of 2"),
        (CloseTab(), "tab 1 of 2"),
        (Finish(), "tab 1 of 1"),
    ]


def test_keys_that_are_held_and_ways_that_bend_are_recorded_and_arrive(
    browser_process: Browser, tmp_path: Path
) -> None:
    start, corner, end = (0.2, 0.3), (0.7, 0.3), (0.7, 0.8)
    with ExitStack() as opened:
        probe = opened.enter_context(Probe().serving())

        def device() -> WebDevice:
            return WebDevice(probe.url, timeout_s=60.0)

        recorder = opened.enter_context(recording(browser_process, tmp_path, device))
        recorder.start()
        mouse, keyboard = recorder.page.mouse, recorder.page.keyboard
        keyboard.down("Control")
        mouse.click(*recorder.at(0.5, 0.5))
        recorder.saved(1)
        mouse.wheel(0, 200)
        recorder.saved(2)
        keyboard.up("Control")
        keyboard.down("Shift")
        mouse.move(*recorder.at(*start))
        mouse.down()
        mouse.move(*recorder.at(*corner), steps=8)
        mouse.move(*recorder.at(*end), steps=8)
        mouse.up()
        recorder.saved(3)
        keyboard.up("Shift")
        recorder.finish()
        click, wheel, drag_, _ = (step.decision.action for step in recorder.episode.steps)
        seen = probe.rest()
    assert click == Tap(at=Point(0.5, 0.5), held=("control",))
    assert isinstance(wheel, Scroll)
    assert wheel.held == ("control",)
    assert isinstance(drag_, Drag)
    assert drag_.held == ("shift",)
    (bend,) = drag_.path
    assert bend.distance(Point(*corner)) < 0.01
    assert of(seen, "click", held=["control"])
    assert of(seen, "wheel", held=["control"])
    assert of(seen, "mousemove", held=["shift"], buttons=1)


def shown(seen: Observation) -> UiNode:
    """The text that the editor shows."""
    assert seen.ui_tree is not None
    return next(node for node in seen.ui_tree.nodes if node.role == "text field")


def test_an_editor_gets_what_is_done_on_the_record_page_and_the_recording_shows_it(
    browser_process: Browser, tmp_path: Path
) -> None:
    """A drag selects, the middle button pastes that, the right one has a menu, chords cut."""
    need_desktop()
    with recording(browser_process, tmp_path, Desktop) as recorder:
        recorder.start()
        page, mouse = recorder.page, recorder.page.mouse
        page.get_by_role("combobox", name="App to open").fill("Mousepad")
        recorder.press("Open").click()
        recorder.saved(1)
        page.keyboard.press("t")
        page.get_by_role("textbox", name="Text to type").fill("茶 " + "\n" * 60)
        page.keyboard.press("Enter")
        recorder.saved(2)
        mouse.move(*recorder.at(0.5, 0.5))
        mouse.wheel(0, -3000)
        recorder.saved(3)
        recorder.press("Wait 1 s").click()
        recorder.saved(4)
        place = shown(recorder.episode.steps[3].observation).box
        assert place is not None
        line = place.top + 0.012
        drag(recorder, (place.left + 0.001, line), (place.left + 0.3, line))
        recorder.saved(5)
        mouse.click(*recorder.at(place.left + 0.3, line + 0.1), button="middle")
        recorder.saved(6)
        mouse.click(*recorder.at(place.center.x, place.center.y), button="right")
        recorder.saved(7)
        chord = page.get_by_role("textbox", name="Keys together")
        for count, keys in enumerate(("escape", "ctrl+a", "ctrl+x"), start=8):
            chord.fill(keys)
            chord.press("Enter")
            recorder.saved(count)
        recorder.finish()
        steps = recorder.episode.steps
    actions = [step.decision.action for step in steps]
    assert [one.type for one in actions] == [
        "open_app", "type_text", "scroll", "wait", "drag", "tap", "tap", "press_key", "hotkey",
        "hotkey", "finish",
    ]  # fmt: skip
    assert [one.button for one in actions if isinstance(one, Tap)] == ["middle", "right"]
    bottom, top = (steps[place].observation.screenshot for place in (2, 3))
    assert bottom != top
    copied = re.sub(r"\n+", "\n", shown(steps[6].observation).text).split("\n")
    assert [line.strip() for line in copied] == ["茶", "茶"]
    menu = [steps[place].observation.ui_tree for place in (7, 8)]
    assert ["Paste" in [node.text for node in tree.nodes] for tree in menu if tree] == [True, False]
    assert shown(steps[10].observation).text == ""
