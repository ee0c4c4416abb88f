"""What is played from outside is judged and recorded as what an agent plays."""

from pathlib import Path

import pytest

from tapwright.core.actions import Answer, Finish, OpenApp, Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import DeviceLostError
from tapwright.faces.session import Session, make_free_task
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task

TAP = Decision(Tap(at=Point(0.5, 0.4)), "because")
TASK = Task("press", "Get to button 2", apps=(), check=When(TreeShows("Button 2")), max_steps=3)


def test_an_episode_is_judged_and_recorded_with_what_was_thought(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with Session(FakeDevice(EndlessScenes()), agent="mine", store=store) as session:
        first = session.reset(TASK)
        assert (first.instruction, first.ended) == ("Get to button 2", False)
        session.act(TAP)
        turns = [session.act(TAP), session.act(Decision(Finish()))]
    assert [turn.score for turn in turns] == [1, 1]
    assert (turns[1].outcome, turns[1].terminated, turns[1].step) == ("success", True, 3)
    episode = store.read(session.episode_id)
    assert [step.decision for step in episode.steps] == [TAP, TAP, Decision(Finish())]
    assert (episode.outcome, episode.agent, episode.task_id) == ("success", "mine", "press")
    assert episode.steps[0].observation == first.observation
    assert episode.final == turns[1].observation


def test_the_next_episode_ends_the_one_before_and_a_limit_truncates(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with Session(FakeDevice(EndlessScenes()), agent="mine", store=store) as session:
        session.reset(make_free_task("Look around"))
        session.act(TAP)
        session.reset(TASK)
        session.reset(TASK)
        for _ in range(3):
            last = session.act(Decision(OpenApp(app="nothing")))
        assert (last.outcome, last.truncated, last.refused) == (
            "truncated", True, "fake 270x600 has no app 'nothing'",
        )  # fmt: skip
        with pytest.raises(EnvironmentOrderError, match="has ended"):
            session.act(TAP)
    found = [(one.task_id, one.outcome, one.evidence, len(one.steps)) for one in store]
    assert found == [("free", "truncated", "", 1), ("press", "truncated", "proved", 3)]
    assert store.read(store.ids()[0]).instruction == "Look around"


def test_what_nothing_judges_ends_unknown(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with Session(FakeDevice(), agent="mine", store=store) as session:
        session.reset(make_free_task())
        session.act(Decision(Answer(text="42")))
        assert session.act(Decision(Finish())).outcome == "unknown"
    assert [one.outcome for one in store] == ["unknown"]


def test_a_lost_device_leaves_the_recording_as_it_is(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    with Session(FakeDevice(lost_after=2), agent="mine", store=store) as session:
        session.reset(make_free_task())
        session.act(TAP)
        with pytest.raises(DeviceLostError):
            session.act(TAP)
    assert [(one.outcome, len(one.steps)) for one in store] == [("interrupted", 1)]


def test_nothing_is_played_before_an_episode_has_begun() -> None:
    session = Session(FakeDevice(), agent="mine")
    with pytest.raises(EnvironmentOrderError, match="no episode has begun"):
        session.act(TAP)
