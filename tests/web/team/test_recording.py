"""An item of the queue from its lease to its recording, as the app's pages ask for it."""

import json
from pathlib import Path
from time import monotonic

import pytest
from starlette.testclient import TestClient

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


def test_what_was_recorded_for_an_item_completes_it(tmp_path: Path) -> None:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    app = create_app(
        WebConfig(
            episodes=tmp_path / "episodes",
            suites={"phone": tasks},
            devices={"fake": FakeDevice.named},
            authenticator=team.accounts,
            team=team,
        )
    )
    token = team.accounts.add("anna", "annotator")
    (item,) = team.queue.assign("phone", ["wifi_off"])
    with client(app) as browser:
        post(browser, "login", token=token)
        assert browser.get("/api/queue/next").json()["item"]["left_s"] == 0
        held = post(browser, "queue/lease")["item"]
        assert isinstance(held, dict)
        assert held["item"] == item
        session = post(
            browser, "sessions", device="fake", instruction=held["instruction"], assignment=item
        )["session"]
        assert [one["episode"] for one in browser.get("/api/queue/mine").json()] == [session]
        address = HOST.replace("http", "ws") + f"/ws/session?session={session}"
        with browser.websocket_connect(address, headers={"Origin": HOST}) as socket:
            socket.send_text(json.dumps({"t": "hello"}))
            end = {"t": "finish", "key": "k1", "outcome": "failure", "reason": "no such switch"}
            socket.send_text(json.dumps(end))
            while json.loads(socket.receive_text())["t"] != "done":
                pass
        # The queue is told when the person has been.
        deadline = monotonic() + 60
        while browser.get("/api/queue/mine").json():
            assert monotonic() < deadline
    (standing,) = team.queue.items()
    assert standing.done == (("anna", session),)
    assert EpisodeStore(tmp_path / "episodes").read(str(session)).outcome == "failure"
    team.close()


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
