"""Plays the tasks of a suite by their scripts, by nothing and by claiming: what proves a suite."""

from collections.abc import Mapping
from dataclasses import replace

from tapwright.core.actions import Answer, Finish
from tapwright.core.episode import Decision, Episode, Step
from tapwright.devices.device import Device
from tapwright.environment.environment import Environment
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.episode_judge import judge_episode
from tapwright.tasks.solution import SolutionScript
from tapwright.tasks.task import Task

WRONG_ANSWERS = ("I do not know.", "It is 7777777.", "Certainly! 好的。")


class Plays(dict[str, Episode]):
    """The episodes of the tasks' scripts, each played on a device when it is first looked up."""

    def __init__(self, device: Device, tasks: Mapping[str, Task]) -> None:
        self._device = device
        self._tasks = tasks

    def __missing__(self, task_id: str) -> Episode:
        self[task_id] = solve(self._tasks[task_id], self._device)
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


def check_solved(task: Task, episode: Episode) -> None:
    """The script earns success within the task's steps, none of them refused; nothing does not."""
    assert episode.outcome == "success"
    assert len(episode.steps) < task.max_steps
    assert not [step.refused for step in episode.steps if step.refused]
    assert not succeeds(task, _claimed(episode, 0))


def check_early_claim(task: Task, episode: Episode) -> None:
    """Who claims success instead of the last move that earns something does not have it.

    That nothing can be done is claimed by the last move itself.
    """
    assert succeeds(task, episode)
    earning = [place for place, step in enumerate(episode.steps) if step.reward]
    end = earning[-1] if task.kind != "infeasible" else len(episode.steps) - 1
    assert not succeeds(task, _claimed(episode, end))


def check_wrong_answer(task: Task, episode: Episode, answer: str) -> None:
    """Another answer in the place of the script's is wrong."""
    steps = tuple(
        replace(step, decision=Decision(Answer(text=answer)))
        if isinstance(step.decision.action, Answer)
        else step
        for step in episode.steps
    )
    assert not succeeds(task, replace(episode, steps=steps))


def _claimed(episode: Episode, end: int) -> Episode:
    """The episode with a claim of success in the place of its step `end`, which is the last."""
    kept, seen = episode.steps[:end], episode.steps[end].observation
    claim = Step(seen, Decision(Finish()), state=kept[-1].state if kept else episode.state)
    return replace(episode, steps=(*kept, claim), final=seen)
