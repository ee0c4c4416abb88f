"""Devices as an admin sees them, and how one is taken from a demonstration."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tapwright.core.actions import Action
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.store.store import EpisodeStore
from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.team import Team
from tests.web.asking import HOST, OURS
from tests.web.recording.talking import TAP, Page

SOCKET = HOST.replace("http", "ws") + "/ws/session?session="


class Stuck(FakeDevice):
    """A device that hangs when it is to do something."""

    def __init__(self, acting: Event, going_on: Event) -> None:
        super().__init__(EndlessScenes())
        self._acting, self._going_on = acting, going_on

    def perform(self, action: Action) -> None:
        self._acting.set()
        self._going_on.wait()


@pytest.fixture
def events() -> Iterator[tuple[Event, Event]]:
    acting, going_on = Event(), Event()
    yield acting, going_on
    going_on.set()


@pytest.fixture
def sign_in(tmp_path: Path, events: tuple[Event, Event]) -> Iterator[Callable[[str], TestClient]]:
    """Browsers of one server in which these members sign in."""
    team = Team(f"sqlite:///{tmp_path}/team.db")
    tokens = {
        "root": team.accounts.add("root", "admin"),
        "anna": team.accounts.add("anna", "annotator"),
        "bo": team.accounts.add("bo", "annotator"),
    }
    config = WebConfig(
        episodes=tmp_path / "episodes",
        devices={"fake": lambda: FakeDevice(EndlessScenes()), "stuck": partial(Stuck, *events)},
        authenticator=team.accounts,
        team=team,
    )
    with TestClient(create_app(config), base_url=HOST) as browser:
        cookies: dict[str, str] = {}
        for name, token in tokens.items():
            answer = browser.post("/api/login", json={"token": token}, headers=OURS)
            cookies[name] = answer.headers["set-cookie"].split(";")[0]
        browser.cookies.clear()

        def switch(name: str) -> TestClient:
            browser.cookies.clear()
            browser.headers["cookie"] = cookies[name]
            return browser

        yield switch
    team.close()


def begin(browser: TestClient, device: str = "fake") -> str:
    body = {"device": device, "instruction": "Tap"}
    answer = browser.post("/api/sessions", json=body, headers=OURS)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["session"])


def use_of(browser: TestClient, device: str) -> dict[str, object]:
    uses: list[dict[str, object]] = browser.get("/api/devices/uses").json()
    return next(one for one in uses if one["name"] == device)


def until(browser: TestClient, device: str, **wanted: object) -> dict[str, object]:
    """How a device is used, once it is as wanted."""
    deadline = monotonic() + 60
    while not wanted.items() <= (use := use_of(browser, device)).items():
        assert monotonic() < deadline, use
    return use


def test_a_released_device_is_free_and_the_demonstration_is_kept(
    sign_in: Callable[[str], TestClient], tmp_path: Path
) -> None:
    anna = sign_in("anna")
    session = begin(anna)
    with anna.websocket_connect(SOCKET + session, headers={"Origin": HOST}) as socket:
        page = Page(socket)
        page.hello()
        assert page.act()["t"] == "saved"
        root = sign_in("root")
        use = use_of(root, "fake")
        assert (use["state"], use["user"], use["session"]) == ("leased", "anna", session)
        assert (use["steps"], use["tabs"]) == (1, 1)
        what = {"device": "fake", "session": session}
        assert root.post("/api/devices/release", json=what, headers=OURS).status_code == 200
        assert page.until("released")["by"] == "root"
        refused = page.act()
        assert (refused["code"], refused["values"]) == ("TW353", {"by": "root"})
    use = until(root, "fake", state="free")
    assert (use["session"], use["answers"]) == ("", None)
    gone = root.post("/api/devices/release", json=what, headers=OURS)
    assert (gone.status_code, gone.json()["code"]) == (404, "TW350")
    anna = sign_in("anna")
    assert anna.get("/api/sessions").json()[0]["released"] == "root"
    with (
        pytest.raises(WebSocketDisconnect),
        anna.websocket_connect(SOCKET + session, headers={"Origin": HOST}),
    ):
        pass
    assert use_of(sign_in("root"), "fake")["state"] == "free"
    assert EpisodeStore(tmp_path / "episodes").read(session).outcome == "interrupted"


def test_a_released_demonstration_goes_on_once_its_person_resumes_it(
    sign_in: Callable[[str], TestClient],
) -> None:
    anna = sign_in("anna")
    session = begin(anna)
    with anna.websocket_connect(SOCKET + session, headers={"Origin": HOST}) as socket:
        page = Page(socket)
        page.hello()
        assert page.act()["t"] == "saved"
    root = sign_in("root")
    what = {"device": "fake", "session": session}
    assert root.post("/api/devices/release", json=what, headers=OURS).status_code == 200
    other = sign_in("bo").post("/api/sessions/resume", json={"session": session}, headers=OURS)
    assert other.status_code == 404
    anna = sign_in("anna")
    resumed = anna.post("/api/sessions/resume", json={"session": session}, headers=OURS)
    assert resumed.json() == {"session": session}
    with anna.websocket_connect(SOCKET + session, headers={"Origin": HOST}) as socket:
        page = Page(socket)
        state = page.hello()
        assert len(state["steps"]) == 1
        while not state["connected"]:
            state = page.until("device")
        assert anna.get("/api/sessions").json()[0]["released"] == ""


@pytest.mark.slow
def test_a_device_that_hangs_can_be_released_too(
    sign_in: Callable[[str], TestClient], events: tuple[Event, Event]
) -> None:
    acting, _ = events
    anna = sign_in("anna")
    session = begin(anna, "stuck")
    with anna.websocket_connect(SOCKET + session, headers={"Origin": HOST}) as socket:
        page = Page(socket)
        page.hello()
        socket.send_text(json.dumps({"t": "act", "key": "a", "action": TAP}))
        assert acting.wait(60)
        root = sign_in("root")
        until(root, "stuck", answers=False)
        what = {"device": "stuck", "session": session}
        assert root.post("/api/devices/release", json=what, headers=OURS).status_code == 200
        assert use_of(root, "stuck")["session"] == ""


@pytest.mark.parametrize("name", ["anna", "bo"])
def test_only_an_admin_sees_and_releases_what_others_use(
    sign_in: Callable[[str], TestClient], name: str
) -> None:
    browser = sign_in(name)
    assert browser.get("/api/devices/uses").status_code == 403
    what = {"device": "fake", "session": "x"}
    assert browser.post("/api/devices/release", json=what, headers=OURS).status_code == 403
