"""One owner of success: whoever tells what became of an attempt says the same."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.core.actions import Action, Answer, Finish, Outcome, Wait
from tapwright.core.episode import Episode, EpisodeOutcome, OutcomeEvidence
from tapwright.curate.rejudging import rejudge
from tapwright.environment.environment import Environment
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pack.unpack import unpack_store
from tapwright.record.commands import Act, FinishDemonstration
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import AnswerHas, NotCondition, TreeShows, Unchecked, When
from tapwright.tasks.definitions.task import EventCheck, with_max_steps
from tapwright.tasks.episode_judge import judge_episode
from tapwright.tasks.task import Check, Task
from tests.record.demos import TAP, WITHOUT_FINISH, begun, event_task, logging_device

CHECKS: st.SearchStrategy[Check] = st.sampled_from(
    [
        When(TreeShows("Button 2")),
        When(NotCondition(TreeShows("Button 1"))),
        When(AnswerHas(("yes",))),
        Unchecked(),
    ]
)
TASKS = st.one_of(
    st.sampled_from(sorted(WITHOUT_FINISH)).map(event_task),
    CHECKS.map(lambda check: Task("it", "Get to button 2", ("fake",), check)),
)
ACTIONS = st.lists(
    st.sampled_from([TAP, TAP, Wait(duration_s=0.001), Answer(text="yes"), Answer(text="no")]),
    min_size=1,
    max_size=5,
)
CLAIMS = st.sampled_from(["success", "failure", "infeasible"])


def by_environment(task: Task, actions: Sequence[Action]) -> tuple[EpisodeOutcome, OutcomeEvidence]:
    with Environment(logging_device(), task) as environment:
        environment.reset()
        for action in actions:
            *_, terminated, truncated, info = environment.step(action)
            if terminated or truncated:
                return info["outcome"], environment.evidence
    raise AssertionError("it did not end")


def by_person(store: Path, task: Task, actions: Sequence[Action], claim: Outcome) -> Episode:
    demonstration = begun(store, logging_device(), task=task)
    for number, action in enumerate(actions):
        frame = demonstration.frame_history.number
        demonstration.do(Act(key=f"k{number}", action=action, frame=frame))
    demonstration.do(FinishDemonstration(key="f", outcome=claim))
    demonstration.close()
    return EpisodeStore(store).read("demo")


async def unpacked(store: Path, out: Path) -> Episode:
    async for _ in pack_store(EpisodeStore(store), out / "pack"):
        pass
    list(unpack_store(out / "pack", EpisodeStore(out / "back")))
    return EpisodeStore(out / "back").read("demo")


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(TASKS, st.integers(1, 7), ACTIONS, CLAIMS)
def test_a_session_an_environment_and_judges_of_the_recording_say_the_same(
    task: Task, limit: int, actions: Sequence[Action], claim: Outcome
) -> None:
    task = with_max_steps(task, limit)
    with TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        episode = by_person(store, task, actions, claim)
        back = asyncio.run(unpacked(store, Path(folder)))
        ended = (episode.outcome, episode.evidence)
        assert ended == by_environment(task, [*actions, Finish(outcome=claim)])
        assert (back.outcome, back.evidence) == ended
        if isinstance(task.check, Unchecked):
            assert episode.evidence != "proved"
        elif claim != "infeasible":
            assert episode.evidence == "proved"
        assert episode.steps[-1].decision.action == Finish(outcome=claim)
        for recorded in (episode, back):
            if isinstance(task.check, EventCheck):
                assert judge_episode(recorded, task.check.definition).outcome == episode.outcome
            assert rejudge(recorded, {task.id: task}).proved == episode.outcome


@pytest.mark.parametrize("claim", ["success", "failure", "infeasible"])
@pytest.mark.parametrize("taps", [1, 2, 4])
@pytest.mark.parametrize("name", sorted(WITHOUT_FINISH))
def test_a_claim_after_the_goal_changes_nothing_and_earns_nothing(
    tmp_path: Path, name: str, taps: int, claim: Outcome
) -> None:
    task = event_task(name)
    episode = by_person(tmp_path, task, [TAP] * taps, claim)
    assert episode.outcome == by_environment(task, [*[TAP] * taps, Finish(outcome=claim)])[0]
    assert episode.steps[-1].reward == 0.0


def test_an_outcome_that_was_stored_wrong_is_found_by_the_steps(tmp_path: Path) -> None:
    task = event_task("log")
    episode = by_person(tmp_path, task, [TAP] * 3, "success")
    tasks = {task.id: task}
    assert episode.outcome == "success"
    found = rejudge(replace(episode, outcome="failure"), tasks)
    assert (found.differs, found.proved) == (True, "success")
    killed = replace(episode, steps=episode.steps[:3], outcome="interrupted")
    assert rejudge(killed, tasks).proved == "success"
    begun_only = replace(episode, steps=episode.steps[:1], outcome="interrupted")
    assert rejudge(begun_only, tasks).proved == "interrupted"
    claimed = replace(begun_only, outcome="success")
    assert rejudge(claimed, tasks).proved == "failure"


def test_a_claim_that_the_steps_prove_is_told_apart(tmp_path: Path) -> None:
    task = event_task("log")
    episode = replace(by_person(tmp_path, task, [TAP] * 3, "success"), evidence="claimed")
    found = rejudge(episode, {task.id: task})
    assert (found.differs, found.is_claimed) == (False, True)
    assert not rejudge(replace(episode, evidence="proved"), {task.id: task}).is_claimed
    unchecked = Task("it", "Get to button 2", ("fake",), Unchecked())
    assert not rejudge(episode, {task.id: unchecked}).is_claimed


def test_what_a_recording_lacks_leaves_its_outcome_as_it_is(tmp_path: Path) -> None:
    task = event_task("log")
    episode = by_person(tmp_path, task, [TAP] * 3, "success")
    steps = tuple(replace(step, log=()) for step in episode.steps)
    silent = replace(episode, steps=steps, log=(), outcome="unknown")
    found = rejudge(silent, {task.id: task})
    assert (found.proved, found.undecided) == ("unknown", "not recorded: the device's log")
    found = rejudge(silent, {})
    assert (found.proved, found.undecided) == ("unknown", "no definition of task 'it'")
