"""Plays the tasks of a suite by their scripts, by nothing and by claiming: what proves a suite."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tapwright.actions import Answer, Finish
from tapwright.devices.device import Device
from tapwright.environment.environment import Environment
from tapwright.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.events.replay import judge_episode
from tapwright.tasks.solution import SolutionScript
from tapwright.tasks.task import Task

WRONG_ANSWERS = ("I do not know.", "It is 7777777.", "Certainly! 好的。")


@dataclass(frozen=True)
class Played:
    nothing: EpisodeOutcome
    solution: Episode


class Plays(dict[str, Played]):
    """Plays each task on a device when it is first looked up."""

    def __init__(self, device: Device, tasks: Mapping[str, Task]) -> None:
        self._device = device
        self._tasks = tasks

    def __missing__(self, task_id: str) -> Played:
        task = self._tasks[task_id]
        environment = Environment(self._device, task)
        environment.reset()
        nothing = environment.step(Finish())[-1]["outcome"]
        self[task_id] = Played(nothing, solve(task, self._device))
        return self[task_id]


def solve(task: Task, device: Device) -> Episode:
    """The episode of a task's script."""
    environment = Environment(device, task)
    seen, info = environment.reset()
    begun, script, steps = info, SolutionScript(task.solution), []
    while "outcome" not in info:
        decision = script.decide(seen)
        after, reward, _, _, info = environment.step(decision.action)
        steps.append(
            Step(
                seen, decision, reward, log=info["log"], state=info["state"],
                refused=info.get("refused", ""),
            )
        )  # fmt: skip
        seen = after
    return Episode(
        id=task.id, task_id=task.id, instruction=task.instruction, steps=tuple(steps), final=seen,
        outcome=info["outcome"], log=begun["log"], state=begun["state"],
    )  # fmt: skip


def succeeds(task: Task, episode: Episode) -> bool:
    """What the task's events say of an episode, without a device."""
    assert isinstance(task.check, EventCheck)
    return judge_episode(episode, task.check.definition).steps[-1].outcome.success is True


def check_solved(task: Task, played: Played) -> None:
    """The script earns success within the task's steps, none of them refused; nothing does not."""
    episode = played.solution
    assert episode.outcome == "success"
    assert len(episode.steps) < task.max_steps
    assert not [step.refused for step in episode.steps if step.refused]
    assert played.nothing == "failure"


def check_early_claim(task: Task, episode: Episode) -> None:
    """Who claims success instead of the last move that earns something does not have it.

    That nothing can be done is claimed by the last move itself.
    """
    assert succeeds(task, episode)
    earning = [place for place, step in enumerate(episode.steps) if step.reward]
    end = earning[-1] if task.kind != "infeasible" else len(episode.steps) - 1
    kept, seen = episode.steps[:end], episode.steps[end].observation
    claim = Step(seen, Decision(Finish()), state=kept[-1].state if kept else episode.state)
    assert not succeeds(task, replace(episode, steps=(*kept, claim), final=seen))


def check_wrong_answer(task: Task, episode: Episode, answer: str) -> None:
    """Another answer in the place of the script's is wrong."""
    steps = tuple(
        replace(step, decision=Decision(Answer(text=answer)))
        if isinstance(step.decision.action, Answer)
        else step
        for step in episode.steps
    )
    assert not succeeds(task, replace(episode, steps=steps))
