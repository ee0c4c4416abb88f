import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

import pytest

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.errors import BadDeviceOutputError, CommandRefusedError, SessionLostError
from tapwright.devices.webdriver.capabilities import parse_address
from tapwright.devices.webdriver.device import WebDriverDevice, open_webdriver
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.testing import BadBody, CutBody, Fault, HttpError, Reset, Slow
from tapwright.testing.webdriver.server import FakeWebDriver

TAP = Tap(at=Point(0.5, 0.5))


@pytest.fixture
def server() -> Iterator[FakeWebDriver]:
    with FakeWebDriver("ios") as server:
        yield server


def impatient(server: FakeWebDriver) -> WebDriverDevice:
    return WebDriverDevice(parse_address(server.url), timeout_s=2.0)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (Slow(), DeviceLostError, "no answer within 2 s"),
        (Reset(), DeviceLostError, "the connection broke"),
        (CutBody(), DeviceLostError, "the connection broke"),
        (BadBody(), DeviceError, "does not speak WebDriver: status 200, '<html>"),
        (BadBody("{}"), DeviceError, "does not speak WebDriver"),
        (BadBody('{"value": 7}'), BadDeviceOutputError, "its screenshot cannot be read"),
        (
            HttpError(500, "the screen is off\nstack"),
            CommandRefusedError,
            "error: the screen is off$",
        ),
    ],
)
@pytest.mark.slow_but_one
def test_a_fault_is_named_within_the_deadline(
    server: FakeWebDriver, fault: Fault, error: type[DeviceError], words: str
) -> None:
    with impatient(server) as device:
        server.faults["screenshot"] = fault
        begun = monotonic()
        with pytest.raises(error, match=words):
            device.observe()
        assert monotonic() - begun < 30
        server.faults.clear()
        assert device.observe().ui_tree is not None


def test_a_forgotten_session_is_lost_and_a_reset_opens_another(server: FakeWebDriver) -> None:
    with impatient(server) as device:
        server.forget()
        with pytest.raises(SessionLostError, match="invalid session id") as caught:
            device.perform(TAP)
        assert "reset opens another" in caught.value.hint
        with pytest.raises(SessionLostError, match="the session is gone"):
            device.observe()
        device.reset()
        assert device.observe().app == "com.example.notes"


class ForgettingAgent:
    """Taps, until the server has forgotten the session."""

    name = "tapping"

    def __init__(self, server: FakeWebDriver) -> None:
        self._server = server

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if history:
            self._server.forget()
        return Decision(TAP)


def test_the_steps_before_a_fault_are_kept(server: FakeWebDriver, tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    task = Task("t", "Tap", (), When(TreeShows("never shown")), max_steps=5)
    with impatient(server) as device, pytest.raises(SessionLostError):
        asyncio.run(rollout(ForgettingAgent(server), Environment(device, task), store=store))
    (id_,) = store.ids()
    episode = store.read(id_)
    assert (episode.outcome, len(episode.steps)) == ("interrupted", 1)


def test_no_server_is_told_with_how_to_start_one() -> None:
    with pytest.raises(DeviceError, match="no WebDriver server can be reached") as caught:
        open_webdriver("http://127.0.0.1:1")
    assert "appium" in caught.value.hint


def test_a_session_that_is_refused_is_told(server: FakeWebDriver, tmp_path: Path) -> None:
    file = tmp_path / "caps.json"
    file.write_text(json.dumps({"platformName": "mac", "appium:automationName": "Mac2"}))
    with pytest.raises(DeviceError, match="Could not find a driver"):
        open_webdriver(f"{server.url},{file}")


def test_no_message_has_a_secret(server: FakeWebDriver, tmp_path: Path) -> None:
    file = tmp_path / "caps.json"
    key = "k-9f2c51aa"
    file.write_text(
        json.dumps({"tapwright:login": f"anna:{key}", "cloud:options": {"pin": "112233"}})
    )
    server.faults["session"] = HttpError(401, f"no user anna:{key} with pin 112233, only {key}")
    with pytest.raises(DeviceError) as caught:
        open_webdriver(f"{server.url},{file}")
    assert key not in str(caught.value)
    assert "112233" not in str(caught.value)
    server.faults["session"] = BadBody(f"<html>{key} is not known</html>")
    with pytest.raises(DeviceError) as shown:
        open_webdriver(f"{server.url},{file}")
    assert key not in str(shown.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<html", "its page source cannot be read: line 1"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', "has a document type"),
        ("<a>" * 20_000 + "</a>" * 20_000, "more than 100,000 elements, or more than 10,000"),
        ("", "its page source cannot be read"),
    ],
)
def test_a_page_source_that_cannot_be_read_is_told(
    server: FakeWebDriver, source: str, words: str
) -> None:
    with impatient(server) as device:
        server.faults["source"] = BadBody(json.dumps({"value": source}))
        with pytest.raises(BadDeviceOutputError, match=words):
            device.observe()


def test_the_session_ends_with_the_device(server: FakeWebDriver) -> None:
    device = impatient(server)
    device.close()
    device.close()
    assert server.commands.count("delete") == 1


def test_a_device_is_closed_though_its_server_is_gone() -> None:
    with FakeWebDriver("ios") as server:
        device = impatient(server)
    device.close()
