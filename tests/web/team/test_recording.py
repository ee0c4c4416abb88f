"""An item of the queue from its lease to its recording, as the app's pages ask for it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.devices.fake import FakeDevice
from tapwright.store.store import EpisodeStore
from tapwright.tasks.phone import tasks
from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.team import Team
from tests.web.asking import HOST, OURS, client


def post(browser: TestClient, address: str, **body: object) -> dict[str, object]:
    answer = browser.post(f"/api/{address}", json=body, headers=OURS)
    assert answer.status_code == 200, answer.text
    told: dict[str, object] = answer.json()
    return told


def app_of(team: Team, tmp_path: Path) -> Starlette:
    return create_app(
        WebConfig(
            episodes=tmp_path / "episodes",
            suites={"phone": tasks},
            devices={"fake": FakeDevice.named},
            authenticator=team.accounts,
            team=team,
        )
    )


@contextmanager
def asked(tmp_path: Path) -> Iterator[tuple[TestClient, Team, int]]:
    """Anna's browser, and the item of the queue that she holds."""
    team = Team(f"sqlite:///{tmp_path}/team.db")
    token = team.accounts.add("anna", "annotator")
    (item,) = team.queue.assign("phone", ["wifi_off"])
    with client(app_of(team, tmp_path)) as browser:
        post(browser, "login", token=token)
        assert browser.get("/api/queue/next").json()["item"]["left_s"] == 0
        held = post(browser, "queue/lease")["item"]
        assert isinstance(held, dict)
        assert held["item"] == item
        yield browser, team, item
    team.close()


def begin(browser: TestClient, item: int | None) -> str:
    return str(
        post(browser, "sessions", device="fake", instruction="Switch Wi-Fi off", assignment=item)[
            "session"
        ]
    )


def tell(browser: TestClient, session: str, **command: str) -> None:
    """Send a command, and wait until it is done."""
    address = HOST.replace("http", "ws") + f"/ws/session?session={session}"
    with browser.websocket_connect(address, headers={"Origin": HOST}) as socket:
        socket.send_text(json.dumps({"t": "hello"}))
        socket.send_text(json.dumps(command))
        while json.loads(socket.receive_text())["t"] != "done":
            pass


def begun(browser: TestClient) -> list[str | None]:
    """The recordings of the items that are hers and not completed."""
    return [one["episode"] for one in browser.get("/api/queue/mine").json()]


@pytest.mark.slow
def test_what_was_recorded_for_an_item_completes_it(tmp_path: Path) -> None:
    with asked(tmp_path) as (browser, team, item):
        session = begin(browser, item)
        assert begun(browser) == [session]
        tell(browser, session, t="finish", key="k1", outcome="failure", reason="no such switch")
        # The queue is told when the person has been.
        deadline = monotonic() + 60
        while begun(browser):
            assert monotonic() < deadline
        (standing,) = team.queue.items()
        assert standing.done == (("anna", session),)
    assert EpisodeStore(tmp_path / "episodes").read(session).outcome == "failure"


@pytest.mark.parametrize("discarded", [False, True])
def test_what_left_nothing_is_not_begun_for_an_item(discarded: bool, tmp_path: Path) -> None:
    with asked(tmp_path) as (browser, _, item):
        session = begin(browser, item)
        assert begun(browser) == [session]
        if discarded:
            tell(browser, session, t="discard", key="k1")
        begin(browser, None)  # which takes the device from what no tab shows
        assert begun(browser) == [None]


@pytest.mark.parametrize(
    ("outcome", "ended"), [("interrupted", False), ("failure", True), ("unknown", True)]
)
@pytest.mark.slow_but_one
def test_a_server_that_starts_completes_items_whose_recordings_ended(
    outcome: EpisodeOutcome, ended: bool, tmp_path: Path
) -> None:
    with asked(tmp_path) as (browser, team, item):
        recorded = Episode("one", "wifi_off", "Switch Wi-Fi off", (), outcome=outcome)
        EpisodeStore(tmp_path / "episodes").write(recorded)
        team.queue.start("anna", item, "one")  # and the server ended, or the queue was away
        assert begun(browser) == ["one"]
        with client(app_of(team, tmp_path)):
            (standing,) = team.queue.items()
    assert standing.done == ((("anna", "one"),) if ended else ())
    assert standing.held == (() if ended else ("anna",))


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63, 10**30, 1.5])
def test_a_number_that_no_database_holds_is_told(tmp_path: Path, number: object) -> None:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    app = create_app(WebConfig(episodes=tmp_path, devices={"fake": FakeDevice.named}, team=team))
    with client(app) as browser:
        for address, body in (
            ("queue/lease", {"item": number}),
            ("team/withdraw", {"item": number}),
            ("sessions", {"device": "fake", "instruction": "Tap", "assignment": number}),
        ):
            answer = browser.post(f"/api/{address}", json=body, headers=OURS)
            assert answer.status_code == 422
            assert answer.json()["code"] == "TW150"
    team.close()
