"""The page of attempts that are played now: seen, paused, taken over, given back, and ended."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page, expect

from tapwright.core.actions import Action, Finish, OpenApp, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.allowance import Allowance, restrict
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.environment.environment import Environment
from tapwright.environment.live import WATCHED, home_of
from tapwright.environment.rollout import rollout
from tapwright.evaluate.run_log import EPISODES, write_run
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.web.app import WebConfig, create_app
from tapwright.web.library.runs import Runs
from tests.run_logs import run_log
from tests.web.asking import HOST, OURS, client
from tests.web.browsing import axe_findings, serving

TAP = Tap(at=Point(0.5, 0.4))
WORDS = "The button in the middle leads on."
TASK = Task("press", "Get to button 4", ("fake",), check=When(TreeShows("Button 4")), max_steps=30)


class Paced:
    """Acts whenever it is told to, and ends the attempt at the end."""

    name: ClassVar[str] = "paced"

    def __init__(self, action: Action) -> None:
        self._action = action
        self.allowed = threading.Semaphore(0)
        self.ends = False

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        await asyncio.to_thread(self.allowed.acquire)
        if self.ends:
            return Decision(Finish(outcome="success"))
        return Decision(self._action, WORDS)


@contextmanager
def playing(
    store: Path, action: Action = TAP, allow: str = "all"
) -> Iterator[tuple[Paced, list[Episode]]]:
    """An attempt that is played into a store; its episode is in the list at the end."""
    agent, played = Paced(action), list[Episode]()
    device = restrict(FakeDevice(EndlessScenes()), Allowance.parse(allow))
    environment = Environment(device, TASK)

    def play() -> None:
        played.append(asyncio.run(rollout(agent, environment, store=EpisodeStore(store))))

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield agent, played
    finally:
        agent.ends = True
        agent.allowed.release()
        thread.join()


def wait_for(app: Any, state: str) -> Any:
    for _ in range(1000):
        found = app.get("/api/live").json()
        if found and found[0]["state"] == state:
            return found[0]
        threading.Event().wait(0.01)
    raise AssertionError(f"never {state}: {found}")


@pytest.mark.slow
def test_an_attempt_is_listed_held_acted_in_and_given_back(tmp_path: Path) -> None:
    store = tmp_path / "runs" / "one" / EPISODES
    write_run(run_log([], benchmark="l3"), tmp_path / "runs" / "one")
    web = create_app(WebConfig(episodes=tmp_path / "none", runs=(tmp_path / "runs",)))
    with client(web) as app, playing(store) as (agent, played):
        first = wait_for(app, "playing")
        assert (first["run"], first["steps"], first["last"]) == ("one", 0, None)
        of = {"run": "one", "episode": first["episode"]}
        watched = home_of(store, first["episode"]) / WATCHED
        assert not watched.exists()  # who only counts them is not asked
        app.get("/api/live", params={"known": "[]"})
        assert watched.exists()

        def post(what: str, **more: Any) -> int:
            body = {**of, **more}
            return int(app.post(f"/api/live/{what}", json=body, headers=OURS).status_code)

        assert post("hold", acts=True) == 200
        assert wait_for(app, "waits")["who"] == "local"
        agent.allowed.release()
        held = wait_for(app, "taken")
        assert held["last"]["reasoning"] == WORDS
        number = held["screen"]["number"]
        picture = app.get("/api/live/screen", params={**of, "number": number})
        assert picture.headers["content-type"] == "image/jpeg"
        tap = {"type": "tap", "at": {"x": 0.5, "y": 0.4}}
        assert post("act", key="k1", screen=number, action=tap) == 200
        while wait_for(app, "taken")["screen"]["done"] != "k1":
            assert post("hold", acts=True, again=True) == 200
        assert post("release") == 200
        wait_for(app, "playing")
        assert post("hold", acts=True, again=True) == 200  # too late, and without an effect
        assert wait_for(app, "playing")["who"] == ""
    assert [one.by for one in played[0].steps] == ["", "human/local", ""]
    with client(web) as app:
        assert app.get("/api/live").json() == []
        known = f'[["one", "{first["episode"]}"], ["", "gone"], ["gone", "x"]]'
        (ended,) = app.get("/api/live", params={"known": known}).json()
        assert (ended["state"], ended["outcome"]) == ("ended", played[0].outcome)
        gone = app.post("/api/live/hold", json={**of, "acts": True}, headers=OURS)
        assert (gone.status_code, gone.json()["code"]) == (422, "TW519")


@pytest.mark.slow
def test_who_takes_over_gets_the_devices_pictures_as_a_stream(tmp_path: Path) -> None:
    web = create_app(WebConfig(episodes=tmp_path))
    with client(web) as app, playing(tmp_path) as (agent, played):
        of = {"run": "", "episode": wait_for(app, "playing")["episode"]}
        address = HOST.replace("http", "ws") + f"/ws/live?episode={of['episode']}"
        with app.websocket_connect(address, headers={"Origin": HOST}) as stream:
            app.post("/api/live/hold", json={**of, "acts": True}, headers=OURS)
            agent.allowed.release()
            before = NumberedFrame.unpack(stream.receive_bytes())
            stream.send_json({"t": "credit", "n": 1})
            tap = {"type": "tap", "at": {"x": 0.5, "y": 0.4}}
            order = {**of, "key": "k", "screen": before.number, "action": tap}
            app.post("/api/live/act", json=order, headers=OURS)
            after = NumberedFrame.unpack(stream.receive_bytes())
        app.post("/api/live/release", json=of, headers=OURS)
    assert after.number > before.number
    assert after.frame.data != before.frame.data
    mine = played[0].steps[1]
    assert (mine.by, mine.observation.stale) == ("human/local", False)


def test_a_run_that_is_the_directory_here_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(run_log([], benchmark="l3"), tmp_path / "one")
    monkeypatch.chdir(tmp_path / "one")
    assert set(Runs([Path()]).names()) == {"one"}


def test_another_sites_page_takes_nothing_over(tmp_path: Path) -> None:
    with client(create_app(WebConfig(episodes=tmp_path))) as app:
        body = {"run": "", "episode": "x", "acts": True}
        headers = {"Origin": "http://evil.example", "X-Tapwright": "1"}
        assert app.post("/api/live/hold", json=body, headers=headers).status_code == 403
        assert app.post("/api/live/hold", json=body, headers={"Origin": HOST}).status_code == 403


@pytest.mark.slow
def test_a_person_takes_over_and_gives_back_on_the_page(page: Page, tmp_path: Path) -> None:
    with serving(WebConfig(episodes=tmp_path)) as address, playing(tmp_path) as (agent, played):
        page.goto(f"{address}/watch")
        card = page.locator(".attempt-card")
        expect(card).to_contain_text("decides on its first step")
        agent.allowed.release()
        expect(card).to_contain_text(WORDS)
        expect(card.locator("[data-mark=point]")).to_have_count(1)
        assert axe_findings(page) == []
        card.get_by_role("button", name="Take over").click()
        expect(page.locator(".taken")).to_contain_text("Waiting for the agent")
        agent.allowed.release()
        screen = page.locator(".taken .live canvas")
        expect(screen).to_be_visible()
        assert axe_findings(page) == []
        expect(page.locator(".taken")).to_contain_text("Step 2 of 30")
        screen.click()
        expect(page.locator(".taken")).to_contain_text("Step 3 of 30")
        page.get_by_role("button", name="Give back").click()
        expect(card).to_contain_text("playing")
        expect(card).to_contain_text("local did this")
        agent.ends = True
        agent.allowed.release()
        expect(card.get_by_role("link", name="Episode")).to_be_visible()
        assert axe_findings(page) == []
    assert [one.by for one in played[0].steps] == ["", "", "human/local", ""]


@pytest.mark.slow
def test_a_paused_attempt_goes_on_when_its_watcher_says_so(page: Page, tmp_path: Path) -> None:
    with serving(WebConfig(episodes=tmp_path)) as address, playing(tmp_path) as (agent, _):
        page.goto(f"{address}/watch")
        card = page.locator(".attempt-card")
        card.get_by_role("button", name="Pause").click()
        agent.allowed.release()
        expect(card).to_contain_text("paused by local")
        card.get_by_role("button", name="Go on").click()
        expect(card).to_contain_text("playing")


@pytest.mark.slow
def test_a_person_is_asked_for_what_the_agent_may_not_do(page: Page, tmp_path: Path) -> None:
    opening = playing(tmp_path, OpenApp(app="com.example.fake"), "none")
    with serving(WebConfig(episodes=tmp_path)) as address, opening as (agent, played):
        page.goto(f"{address}/watch")
        card = page.locator(".attempt-card")
        expect(card).to_contain_text("decides on its first step")
        question = card.get_by_role("region", name="The agent may not do this by itself:")
        for word in ("Allow once", "Refuse"):
            agent.allowed.release()
            expect(question).to_contain_text("open com.example.fake")
            assert axe_findings(page) == []
            question.get_by_role("button", name=word).click()
            expect(question).to_have_count(0)
        expect(card).to_contain_text("The device did not do it")
    assert [bool(one.refused) for one in played[0].steps] == [False, True, False]
    log = [line for one in played[0].steps for line in one.log]
    assert log == [
        "tapwright: local allowed open_app once",
        "tapwright: local refused open_app once",
    ]
