import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from tapwright.core.actions import LongPress, Swipe, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.devices.webdriver.capabilities import read_capabilities
from tapwright.devices.webdriver.connection import WebDriverConnection
from tapwright.devices.webdriver.device import open_webdriver
from tapwright.devices.webdriver.inputs import input_of
from tapwright.devices.webdriver.session import Session
from tapwright.testing import check_device
from tests.devices.webdriver.programs import appium, chrome_options, chromedriver_program, free_port

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with appium() as url:
        yield url


def written(tmp_path: Path, capabilities: dict[str, object]) -> Path:
    file = tmp_path / "caps.json"
    file.write_text(json.dumps(capabilities))
    return file


def test_a_browser_behind_appium_keeps_the_laws_of_devices(server: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><input id=name><p>Hello", encoding="utf-8")
    file = written(
        tmp_path,
        {
            "platformName": "linux",
            "appium:automationName": "Chromium",
            "appium:executable": chromedriver_program(),
            "appium:chromedriverPort": free_port(),
            **chrome_options(),
        },
    )
    with open_webdriver(f"{server},{file},start={page.as_uri()}") as device:
        tree = device.observe().ui_tree
        assert tree is not None
        box = next(one for one in tree.nodes if one.short_id == "name").box
        assert box is not None
        device.perform(TypeText(text="世界", at=box.center))
        after = device.observe().ui_tree
        assert after is not None
        assert [one.text for one in after.nodes if one.short_id == "name"] == ["世界"]
        device.reset()
        check_device(device)


FAKE = {
    "platformName": "Fake",
    "appium:automationName": "Fake",
    "tapwright:platform": "ios",
}


def app(tmp_path: Path) -> dict[str, object]:
    file = tmp_path / "app.xml"
    file.write_text(
        "<app><title>My App</title>"
        '<XCUIElementTypeButton label="Go" x="10" y="20" width="100" height="50"/></app>'
    )
    return {**FAKE, "appium:app": str(file)}


def test_a_driver_that_is_not_known_is_read_as_the_file_says(server: str, tmp_path: Path) -> None:
    with open_webdriver(f"{server},{written(tmp_path, app(tmp_path))}") as device:
        tree = device.observe().ui_tree
        assert tree is not None
        (button,) = [one for one in tree.nodes if one.role == "button"]
        assert button.text == "Go"
        for action in (Tap(at=Point(0.5, 0.5)), LongPress(at=Point(0.5, 0.5), duration_s=0.6)):
            device.perform(action)


def test_a_gesture_is_what_the_protocol_says(server: str, tmp_path: Path) -> None:
    capabilities = read_capabilities(written(tmp_path, app(tmp_path)))
    connection = WebDriverConnection(server, capabilities, timeout_s=60.0)
    session = Session(connection, capabilities)
    screen = input_of("ios", session)
    screen.perform(
        Swipe(start=Point(0.5, 0.75), end=Point(0.5, 0.25)), lambda at: (at.x * 400, at.y * 800)
    )
    (performed,) = logged(session)
    assert [step["type"] for step in performed] == [
        "pointerMove", "pointerDown", "pointerMove", "pause", "pointerUp",
    ]  # fmt: skip
    assert [(step["x"], step["y"]) for step in performed if "x" in step] == [(200, 600), (200, 200)]
    session.end()
    connection.close()


def logged(session: Session) -> list[list[dict[str, JsonValue]]]:
    """The steps of each gesture that the fake driver has logged."""
    found: Any = session.post("se/log", {"type": "actions"})
    return [gesture[0]["actions"] for gesture in found]
