"""Writes an episode as an attempt of OSWorld's results, which `importer.py` describes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from tapwright.core.actions import Answer, AskUser, Finish, Wait
from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.devices.osworld.code import write_code
from tapwright.errors import UnsupportedActionError, UnsupportedByConventionError, UsageError
from tapwright.files.names import portable_name
from tapwright.formats.format import moment_of

__all__ = ["AS_READ", "folder_of", "write_action", "write_attempt"]

AS_READ = "osworld: "
"""What a line of a step's log starts with that has the code which no action stands for."""


def folder_of(episode: Episode) -> PurePosixPath:
    """The folder of an attempt in a tree of results."""
    domain, _, id_ = episode.task_id.rpartition("/")
    names = (episode.agent or "agent", domain or "os", id_)
    return PurePosixPath("pyautogui", "screenshot", *map(portable_name, names))


def write_attempt(episode: Episode, results: Path) -> None:
    """Write one attempt below `results`, in the folder of its task.

    Raises:
        UnsupportedByConventionError: there is no code for an action; names episode and step.
        UsageError: the task has its folder already.
    """
    if not episode.steps:
        raise UnsupportedByConventionError(f"{episode.id}: has no steps; OSWorld needs one")
    folder = results / folder_of(episode)
    if folder.exists():
        raise UsageError(
            f"{episode.id}: a second attempt at {episode.task_id} by {folder.parts[-3]}",
            hint="OSWorld has one folder for a task: select one attempt at each (--where, IDs)",
        )
    folder.mkdir(parents=True)
    lines = []
    for number, step, after in _list_actions(episode):
        passed_s = after.time_s if after is not None else step.observation.time_s
        stamp = moment_of(episode, passed_s or 0).strftime("%Y%m%d@%H%M%S%f")
        picture = f"step_{number}_{stamp}.png"
        try:
            action = write_action(step)
        except UnsupportedByConventionError as error:
            raise UnsupportedByConventionError(
                f"{episode.id}, step {number - 1}: {error}", hint=error.hint
            ) from error
        ended = action in ("DONE", "FAIL")
        line: dict[str, JsonValue] = {
            "step_num": number,
            "action_timestamp": stamp,
            "action": action,
            "response": step.decision.reasoning,
            "reward": step.reward,
            "done": ended,
            "info": {"done" if action == "DONE" else "fail": True} if ended else {},
            "screenshot_file": picture,
        }
        lines.append(json.dumps(line))
        shown = after or step.observation
        (folder / picture).write_bytes(_png(shown))
    text = "".join(line + "\n" for line in lines)
    (folder / "traj.jsonl").write_text(text, encoding="utf-8", newline="\n")
    (folder / "initial_state.png").write_bytes(_png(episode.steps[0].observation))
    if episode.outcome != "unknown":
        score = episode.extra.get("score", str(float(episode.outcome == "success")))
        (folder / "result.txt").write_text(f"{score}\n", encoding="utf-8", newline="\n")


def _list_actions(episode: Episode) -> Iterator[tuple[int, Step, Observation | None]]:
    """Each action as a step, with the screen after it; those of one decision share its number."""
    for number, step in enumerate(episode.steps, 1):
        parts = step.parts
        for part, following in zip_longest(parts, parts[1:]):
            words = replace(part.decision, reasoning=step.decision.reasoning)
            seen = following.observation if following else _screen_after(episode, number - 1)
            yield number, replace(part, decision=words), seen


def _screen_after(episode: Episode, number: int) -> Observation | None:
    """The screen that a step led to: its own, else the next step's, else the last."""
    step, rest = episode.steps[number], episode.steps[number + 1 :]
    return step.after or (rest[0].observation if rest else episode.final)


def write_action(step: Step) -> str:
    """The action as OSWorld has it, code that was read as it was.

    An answer to the user ends a task there.

    Raises:
        UnsupportedByConventionError: there is no code for it.
    """
    as_read = next((line for line in step.log if line.startswith(AS_READ)), None)
    if as_read is not None:
        return as_read.removeprefix(AS_READ)
    match step.decision.action:
        case Finish(outcome="failure" | "infeasible"):
            return "FAIL"
        case Finish() | Answer():
            return "DONE"
        case Wait():
            return "WAIT"
        case AskUser():
            raise UnsupportedByConventionError("OSWorld has no user who answers")
        case action:
            try:
                return write_code(action, step.observation.size)
            except UnsupportedActionError as error:
                raise UnsupportedByConventionError(str(error), hint=error.hint) from error


def _png(seen: Observation) -> bytes:
    """The picture as it was recorded; one of another kind is written again."""
    shot = seen.screenshot
    if shot.extension == "png":
        return shot.data
    made = BytesIO()
    shot.image().save(made, "PNG")
    return made.getvalue()
