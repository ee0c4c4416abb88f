"""An attempt that is watched: seen, held between two steps, acted in, given back, left behind."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from tapwright.core.actions import Action, Finish, LongPress, OpenApp, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.fit import find_fit, name_kind
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.allowance import Allowance, restrict
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.environment import live, seat
from tapwright.environment import rollout as rollout_module
from tapwright.environment.environment import Environment
from tapwright.environment.errors import AttemptGoneError, AttemptHeldError
from tapwright.environment.live import (
    LiveAttempt,
    Order,
    answer,
    find_attempts,
    give_back,
    note_watched,
    take_hold,
)
from tapwright.environment.rollout import rollout
from tapwright.errors import DeviceLostError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.store.work_log import read_work
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task

TAP = Tap(at=Point(0.5, 0.4))
BY_HAND = LongPress(at=Point(0.5, 0.4))
TASK = Task("press", "Get to button 3", ("fake",), check=When(TreeShows("Button 3")), max_steps=3)


class Slow:
    """Taps, and before each tap lets the test do something with the attempt's store."""

    name: ClassVar[str] = "slow"

    def __init__(self, *before: "Watcher") -> None:
        self._before = list(before)
        self.histories: list[tuple[Step, ...]] = []

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        self.histories.append(tuple(history))
        if self._before:
            self._before.pop(0).begin()
        return Decision(TAP)


class Watcher:
    """Holds the one attempt of a store as "anna", acts as told, then gives it back or goes."""

    def __init__(self, store: Path, *acts: Action, acting: bool = True, goes: bool = False) -> None:
        self.seen: list[LiveAttempt] = []
        self._store, self._acts, self._acting, self._goes = store, acts, acting, goes
        self._work: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._hold(None)
        self._work = asyncio.get_running_loop().create_task(self._watch())

    def _hold(self, order: Order | None) -> None:
        (attempt,) = find_attempts(self._store)
        take_hold(self._store, attempt.info.episode, "anna", acts=self._acting, order=order)

    async def _watch(self) -> None:
        await self._until("")
        for number, action in enumerate(self._acts):
            held = self.seen[-1].held
            assert held is not None
            self._hold(Order(key=f"order {number}", action=action, screen=held.screen))
            await self._until(f"order {number}")
        if not self._goes:
            give_back(self._store, self.seen[-1].info.episode, "anna")

    async def _until(self, done: str) -> None:
        while True:
            for attempt in find_attempts(self._store):
                if attempt.held is not None and attempt.held.done == done:
                    self.seen.append(attempt)
                    return
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat, "_POLL_S", 0.01)


def play(agent: Slow, store: Path, *, max_s: float | None = None) -> Episode:
    environment = Environment(FakeDevice(), TASK)
    return asyncio.run(rollout(agent, environment, store=EpisodeStore(store), max_s=max_s))


def test_what_a_person_does_is_a_step_of_the_episode_that_says_so(tmp_path: Path) -> None:
    watcher = Watcher(tmp_path, BY_HAND)
    agent = Slow(watcher)
    played = play(agent, tmp_path)
    assert [(one.by, one.decision.action.type) for one in played.steps] == [
        ("", "tap"),
        ("human/anna", "long_press"),
        ("", "tap"),
    ]
    assert played.outcome == "success"
    assert [len(history) for history in agent.histories] == [0, 2]
    assert EpisodeStore(tmp_path).read(played.id) == played
    assert "anna held it for" in played.steps[2].log[0]
    assert played.steps[1].observation.screenshot != played.steps[0].observation.screenshot


def test_what_a_person_did_for_the_agent_is_history_and_no_target(tmp_path: Path) -> None:
    by_hand = play(Slow(Watcher(tmp_path, BY_HAND)), tmp_path).steps[1]
    fit = find_fit(by_hand)
    assert (fit.look, name_kind(fit.target)) == ("", "by another")


class PassesOn(FakeDevice):
    """While a person's action is done, that person gives the attempt back, and `then` takes it."""

    def __init__(self, store: Path, then: str = "") -> None:
        super().__init__()
        self._store, self._then = store, then

    def perform(self, action: Action) -> None:
        super().perform(action)
        if action == BY_HAND:
            (attempt,) = find_attempts(self._store)
            give_back(self._store, attempt.info.episode, "anna")
            if self._then:
                order = Order(key="next", action=TAP, screen=1)
                take_hold(self._store, attempt.info.episode, self._then, acts=True, order=order)


def test_who_gives_it_back_while_their_action_is_done_works_no_longer(tmp_path: Path) -> None:
    watcher = Watcher(tmp_path, BY_HAND, goes=True)
    environment = Environment(PassesOn(tmp_path), TASK)
    agent = Slow(watcher)
    played = asyncio.run(rollout(agent, environment, store=EpisodeStore(tmp_path)))
    assert "anna held it for" in played.steps[2].log[0]


def test_who_takes_it_at_once_from_another_works_for_themselves(
    tmp_path: Path,
) -> None:
    environment = Environment(PassesOn(tmp_path, "ben"), TASK)
    agent = Slow(Watcher(tmp_path, BY_HAND, goes=True))
    played = asyncio.run(rollout(agent, environment, store=EpisodeStore(tmp_path)))
    assert [step.by for step in played.steps] == ["", "human/anna", "human/ben"]
    work = read_work(tmp_path / directory_name(played.id))
    assert [(one.who, one.steps) for one in work] == [("anna", 1), ("ben", 1)]


def test_an_attempt_that_is_paused_goes_on_with_its_agent(tmp_path: Path) -> None:
    watcher = Watcher(tmp_path, acting=False)
    played = play(Slow(watcher), tmp_path, max_s=60)
    assert [one.by for one in played.steps] == ["", "", ""]
    assert watcher.seen[0].held is not None
    assert watcher.seen[0].is_played
    assert not watcher.seen[0].held.acts


def test_who_goes_without_a_word_has_given_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "LEASE_S", 0.1)
    played = play(Slow(Watcher(tmp_path, BY_HAND, goes=True)), tmp_path)
    assert "nothing was heard of them for 0.1 s" in played.steps[2].log[0]


@pytest.mark.slow
def test_the_time_in_which_it_is_held_is_not_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "LEASE_S", 0.6)
    played = play(Slow(Watcher(tmp_path, acting=False, goes=True)), tmp_path, max_s=0.5)
    assert played.outcome == "success"


class Still(FakeDevice):
    """Has one screen, and no live pictures."""

    live = None  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__([painted_scene(1)])


def test_a_screen_that_stayed_is_shown_to_whoever_takes_it_over_again(tmp_path: Path) -> None:
    agent = Slow(Watcher(tmp_path), Watcher(tmp_path))
    playing = rollout(agent, Environment(Still(), TASK), store=EpisodeStore(tmp_path))
    told = [line for step in asyncio.run(playing).steps for line in step.log]
    assert len(told) == 2
    assert not [line for line in told if "nothing was heard" in line]


class Hangs(FakeDevice):
    """Does not come back for a second, once it was observed twice."""

    def __init__(self) -> None:
        super().__init__()
        self._looks = 0

    def observe(self) -> Observation:
        self._looks += 1
        if self._looks > 2:
            threading.Event().wait(1)
        return super().observe()


@pytest.mark.slow
def test_a_device_that_hangs_while_it_is_held_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollout_module, "_PATIENCE_S", 0.3)
    agent = Slow(Watcher(tmp_path, goes=True))
    playing = rollout(agent, Environment(Hangs(), TASK), store=EpisodeStore(tmp_path), max_s=0.3)
    with pytest.raises(DeviceLostError, match="has not come back"):
        asyncio.run(asyncio.wait_for(playing, 5))  # not when the person is heard of no more


def test_one_person_holds_an_attempt_and_nobody_one_that_is_over(tmp_path: Path) -> None:
    class Other(Watcher):
        def begin(self) -> None:
            (attempt,) = find_attempts(tmp_path)
            take_hold(tmp_path, attempt.info.episode, "anna", acts=False)
            with pytest.raises(AttemptHeldError, match="anna holds it"):
                take_hold(tmp_path, attempt.info.episode, "ben", acts=True)
            give_back(tmp_path, attempt.info.episode, "ben")
            take_hold(tmp_path, attempt.info.episode, "anna", acts=True)
            take_hold(tmp_path, attempt.info.episode, "anna", acts=False, again=True)
            hold = next(find_attempts(tmp_path)).hold
            assert hold is not None
            assert hold.acts
            give_back(tmp_path, attempt.info.episode, "anna")

    played = play(Slow(Other(tmp_path)), tmp_path)
    with pytest.raises(AttemptGoneError):
        take_hold(tmp_path, played.id, "anna", acts=True)
    assert not (tmp_path / live.LIVE).exists()


@pytest.mark.slow
def test_a_player_that_was_killed_is_told_from_one_that_plays(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from tapwright.core.episode import Episode\n"
        "from tapwright.environment.seat import Seat\n"
        "Seat(Path(sys.argv[1]), Episode('e1', 't', 'Do it', ()), 9)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (attempt,) = find_attempts(tmp_path)
    assert (attempt.info.episode, attempt.is_played) == ("e1", False)
    home = live.home_of(tmp_path, "e1")
    overtaken = live.home_of(tmp_path, "overtaken")  # a page noted that it watches as it ended
    overtaken.mkdir()
    (overtaken / live.WATCHED).touch()
    for old in (home, overtaken):
        os.utime(old, (0, 0))
    play(Slow(), tmp_path)
    assert not (tmp_path / live.LIVE).exists()


def test_a_person_who_ends_the_attempt_has_ended_it(tmp_path: Path) -> None:
    played = play(Slow(Watcher(tmp_path, Finish(outcome="infeasible"), goes=True)), tmp_path)
    assert (played.outcome, played.steps[-1].by) == ("infeasible", "human/anna")


class Opens:
    """Opens an app each time, and says that somebody looks, if anybody does."""

    name: ClassVar[str] = "opens"

    def __init__(self, store: Path, *words: bool) -> None:
        self._store, self._words = store, list(words)
        self._work: asyncio.Task[None] | None = None

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        if self._words:
            (attempt,) = find_attempts(self._store)
            note_watched(self._store, attempt.info.episode)
            self._work = asyncio.create_task(self._answer(allows=self._words.pop(0)))
        return Decision(OpenApp(app="com.example.fake"))

    async def _answer(self, *, allows: bool) -> None:
        while True:
            (attempt,) = find_attempts(self._store)
            if attempt.asked is not None:
                assert attempt.asked.action == "open com.example.fake"
                answer(self._store, attempt.info.episode, attempt.asked.key, "anna", allows=allows)
                return
            await asyncio.sleep(0.01)


def test_what_is_not_allowed_is_asked_of_who_watches(tmp_path: Path) -> None:
    device = restrict(FakeDevice(), Allowance.parse("none"))
    agent = Opens(tmp_path, True, False)
    environment = Environment(device, replace(TASK, max_steps=2))
    episode = asyncio.run(rollout(agent, environment, store=EpisodeStore(tmp_path)))
    assert [not step.refused for step in episode.steps] == [True, False]
    said = [line for step in episode.steps for line in step.log]
    assert said == [
        "tapwright: anna allowed open_app once",
        "tapwright: anna refused open_app once",
    ]
    assert [one.type for one in device.performed] == ["open_app"]


def test_without_anybody_who_watches_what_is_not_allowed_is_refused_at_once(
    tmp_path: Path,
) -> None:
    device = restrict(FakeDevice(), Allowance.parse("none"))
    asyncio.run(rollout(Opens(tmp_path), Environment(device, TASK), store=EpisodeStore(tmp_path)))
    assert device.performed == []


def test_only_what_is_asked_is_answered(tmp_path: Path) -> None:
    with pytest.raises(AttemptGoneError):
        answer(tmp_path, "gone", "key", "anna", allows=True)
