"""ATIF, Harbor's Agent Trajectory Interchange Format: a JSON file for each attempt, and pictures.

    <name>/trajectory.json      agent, steps (source, message, tool_calls, observation), metrics
    <name>/images/*             what the steps' content parts name by their path

Facts: harbor 0.25.0 (PyPI), harbor/models/trajectories; versions 1.0 to 1.8 are read. Written is
1.6, the first with pictures: the user's step has the instruction and the first screen, each later
step is a decision, a tool call for each action, and in its observation the screen that it led to.

Read are the calls that `importers.tool_calls` knows, among them ours and those of Harbor's own
agent for computers. A call that is no action on a screen is kept as a refused step, and so is a
broken step of the agent; after one whose pictures are lost the screen is unknown.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.observation import Observation
from tapwright.errors import BadImageError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import moment_of
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.file_importer import marked_json, read_file
from tapwright.formats.importers.tool_calls import CallReader
from tapwright.formats.performed import FolderFormat, Performed, list_performed, make_folder

__all__ = ["ATIF"]

_VERSION = "ATIF-v1.6"
_OURS = "tapwright"


def _write_trajectory(episode: Episode, root: Path) -> None:
    folder = make_folder(episode, root)
    (folder / "images").mkdir()
    agent = episode.agent or "human"
    first = episode.steps[0].observation if episode.steps else episode.final
    asked: list[JsonValue] = [{"type": "text", "text": episode.instruction}]
    steps: list[JsonValue] = [
        {"step_id": 1, "source": "user", "message": [*asked, *_pictures([first], folder)]}
    ]
    for number, (step, performed) in enumerate(list_performed(episode), start=2):
        at = moment_of(episode, step.observation.time_s)
        steps.append(_write_step(number, step, performed, at.isoformat(), folder))
    told = {
        "id": episode.id, "task_id": episode.task_id, "outcome": episode.outcome,
        "agent": episode.agent, "device": episode.device, "created": episode.created,
        "apps": _apps(episode),
    }  # fmt: skip
    trajectory = {
        "schema_version": _VERSION,
        "session_id": episode.id,
        "agent": {"name": agent, "version": "unknown"},
        "steps": steps,
        "final_metrics": {"total_steps": len(episode.steps)},
        "extra": {_OURS: told},
    }
    text = json.dumps(trajectory, ensure_ascii=False, indent=1)
    (folder / "trajectory.json").write_bytes(text.encode("utf-8", "backslashreplace"))


def _apps(episode: Episode) -> list[str]:
    return [step.observation.app for step in episode.steps]


def _write_step(
    number: int, step: Step, performed: Sequence[Performed], at: str, folder: Path
) -> dict[str, JsonValue]:
    calls: list[JsonValue] = []
    results: list[JsonValue] = []
    for place, call in enumerate(performed, start=1):
        id_ = f"call_{number}_{place}"
        calls.append({"tool_call_id": id_, "function_name": call.name, "arguments": call.arguments})
        done = "done" if call.done else "not done"
        told = f"refused: {call.refused}" if call.refused else done
        words: JsonValue = {"type": "text", "text": told}
        content: JsonValue = [words, *_pictures([call.screen], folder)]
        results.append({"source_call_id": id_, "content": content})
    written: dict[str, JsonValue] = {
        "step_id": number, "timestamp": at, "source": "agent", "message": "",
        "tool_calls": calls, "observation": {"results": results},
        "extra": {
            "target": step.decision.target, "reward": step.reward, "refused": step.refused,
            "stale": step.observation.stale,
        },
    }  # fmt: skip
    if step.decision.reasoning:
        written["reasoning_content"] = step.decision.reasoning
    return written


def _pictures(screens: Sequence[Observation | None], folder: Path) -> list[JsonValue]:
    """The parts of screens that were recorded; each picture is written once."""
    parts: list[JsonValue] = []
    for seen in screens:
        if seen is None or not seen.screenshot.recorded:
            continue
        shot = seen.screenshot
        name = f"images/{shot.sha256[:32]}.{shot.extension}"
        if not (folder / name).exists():
            (folder / name).write_bytes(shot.data)
        source: JsonValue = {"media_type": shot.media_type, "path": name}
        parts.append({"type": "image", "source": source})
    return parts


class _Source(foreign_record.ForeignRecord):
    UNUSED = frozenset({"media_type", "duration_sec"})

    path: str = ""


class _Part(foreign_record.ForeignRecord):
    type: str = ""
    text: str | None = None
    source: _Source | None = None


class _Call(foreign_record.ForeignRecord):
    UNUSED = frozenset({"extra"})

    tool_call_id: str = ""
    function_name: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class _Result(foreign_record.ForeignRecord):
    UNUSED = frozenset({"subagent_trajectory_ref", "extra"})

    source_call_id: str | None = None
    content: str | list[_Part] | None = None


class _Observed(foreign_record.ForeignRecord):
    results: list[_Result] = Field(default_factory=list)


class _Step(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"step_id", "timestamp", "model_name", "reasoning_effort", "metrics", "llm_call_count"}
    )

    source: str = ""
    message: str | list[_Part] = ""
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observed | None = None
    is_copied_context: bool | None = None
    extra: dict[str, JsonValue] | None = None


class _Agent(foreign_record.ForeignRecord):
    UNUSED = frozenset({"version", "tool_definitions", "extra"})

    name: str = ""
    model_name: str | None = None


class _Trajectory(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"schema_version", "notes", "final_metrics", "continued_trajectory_ref",
         "subagent_trajectories"}
    )  # fmt: skip

    session_id: str | None = None
    trajectory_id: str | None = None
    agent: _Agent = _Agent()
    steps: Annotated[list[JsonValue], Field(min_length=1)]
    extra: dict[str, JsonValue] | None = None


class _Ours(foreign_record.ForeignRecord):
    """What we write of an episode in `extra`, and what a trajectory of others has in its place."""

    id: str = ""
    task_id: str = ""
    outcome: EpisodeOutcome = "unknown"
    agent: str | None = None
    device: str = ""
    created: str = ""
    apps: list[str] = Field(default_factory=list)


_TRAJECTORY, _STEP = TypeAdapter(_Trajectory), TypeAdapter(_Step)
_OURS_ADAPTER = TypeAdapter(_Ours)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A step, as it was recorded, and the names of its fields that could not be read."""

    step: _Step
    value: JsonValue
    lost: frozenset[str] = frozenset()

    @property
    def calls(self) -> JsonValue:
        """What was called, as it was recorded."""
        return self.value.get("tool_calls") if isinstance(self.value, dict) else self.value

    @property
    def acts(self) -> bool:
        """Whether it is the agent's, with a call, and none of an earlier trajectory."""
        own = self.step.source == "agent" or "source" in self.lost
        called = self.step.tool_calls or "tool_calls" in self.lost
        return own and bool(called) and not self.step.is_copied_context


@dataclass(frozen=True, slots=True)
class _Turn:
    """A step of the agent with the path of the screen that it was decided on; "" for none."""

    recorded: _Recorded
    screen: str
    between: tuple[str, ...]


def _read_trajectory(file: Path) -> Episode:
    read = foreign_record.parse_json(_TRAJECTORY, foreign_record.read_bytes(file), str(file))
    ours = _ours(read, file)
    recorded = [_read_step(step, f"{file}, step {n}") for n, step in enumerate(read.steps, 1)]
    turns, last = _pair_screens(recorded)
    if not turns:
        raise ForeignDataError(f"{file}: has no step of an agent with a call")
    folder, reader = file.parent, CallReader()
    seen = keeping.see_screens(
        (
            (f"{file}, step {n}", partial(_look, folder, turn.screen))
            for n, turn in enumerate(turns)
        ),
        keeping.DESKTOP,
    )
    steps = tuple(
        made
        for screen, turn in zip(_name_apps(seen, ours.apps), turns, strict=True)
        for made in _build_steps(screen, turn, folder, reader)
    )
    id_ = ours.id or f"atif-{read.trajectory_id or read.session_id or folder.name}"
    return Episode(
        id=id_,
        task_id=ours.task_id or id_,
        instruction=_instruction([one.step for one in recorded])
        or keeping.note_no_instruction(str(file)),
        steps=steps,
        final=_last(folder, last, str(file)),
        outcome=ours.outcome,
        agent=(read.agent.model_name or read.agent.name) if ours.agent is None else ours.agent,
        device=ours.device,
        created=ours.created,
    )


def _read_step(value: JsonValue, where: str) -> _Recorded:
    """A step; of one that is none, as the agent's, every field is lost."""
    try:
        step = keeping.parse_value(_STEP, value, where)
    except ForeignDataError as error:
        note_left_out("fields", where, str(error))
        return _Recorded(_Step(), value, frozenset(_Step.model_fields))
    given = value.items() if isinstance(value, dict) else ()
    told = {name for name, one in given if one is not None}
    lost = told & (_Step.model_fields.keys() - step.model_fields_set)
    return _Recorded(step, value, frozenset(lost))


def _ours(read: _Trajectory, file: Path) -> _Ours:
    told = (read.extra or {}).get(_OURS)
    if not isinstance(told, dict):
        return _Ours()
    return foreign_record.parse_json(_OURS_ADAPTER, json.dumps(told), f"{file}: extra.{_OURS}")


def _instruction(steps: Sequence[_Step]) -> str:
    """The words of the first step that is the user's."""
    first = next((step for step in steps if step.source == "user"), None)
    return "" if first is None else _text(first.message)


def _text(content: str | Sequence[_Part] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text for part in content if part.text)


def _images(content: str | Sequence[_Part] | None) -> list[str]:
    if content is None or isinstance(content, str):
        return []
    return [part.source.path for part in content if part.type == "image" and part.source]


def _pair_screens(recorded: Sequence[_Recorded]) -> tuple[list[_Turn], str]:
    """The agent's steps, each on the last picture before it, and the picture after the last."""
    turns: list[_Turn] = []
    seen = ""
    for one in recorded:
        results = one.step.observation.results if one.step.observation else []
        shown = [images[-1] for result in results if (images := _images(result.content))]
        if one.acts:
            turns.append(_Turn(one, seen, tuple(shown[:-1])))
        seen = ([_after(one, seen), *_images(one.step.message), *shown])[-1]
    return turns, seen if turns and seen != turns[-1].screen else ""


def _after(one: _Recorded, seen: str) -> str:
    """The screen after a step that shows none; "" where it may have shown what is lost."""
    parts: list[_Part | _Result] = list(
        one.step.observation.results if one.step.observation else ()
    )
    parts += [] if isinstance(one.step.message, str) else one.step.message
    is_lost = one.lost & {"message", "observation"} or any(not it.model_fields_set for it in parts)
    return "" if is_lost else seen


def _look(folder: Path, path: str) -> Observation:
    if not path:
        raise ForeignDataError("no picture was recorded before it")
    return foreign_record.read_screen(foreign_record.resolve_file([folder, folder.parent], path))


def _last(folder: Path, path: str, where: str) -> Observation | None:
    """The screen after the last step, if there is one that can be read."""
    try:
        return _look(folder, path) if path else None
    except (ForeignDataError, BadImageError) as error:
        note_left_out("pictures", where, str(error))
        return None


def _name_apps(seen: Sequence[keeping.Seen], apps: Sequence[str]) -> Iterator[keeping.Seen]:
    names = [*apps, *[""] * len(seen)]
    for one, app in zip(seen, names, strict=False):
        yield replace(one, observation=replace(one.observation, app=app)) if app else one


def _build_steps(seen: keeping.Seen, turn: _Turn, folder: Path, reader: CallReader) -> list[Step]:
    step = turn.recorded.step
    reasoning = step.reasoning_content or _text(step.message)
    extra = step.extra or {}
    target, reward, refused = (extra.get(name) for name in ("target", "reward", "refused"))

    def make(screen: Observation) -> list[Step]:
        calls, size = step.tool_calls or [], screen.size
        if not calls or not all(call.function_name for call in calls):
            raise ForeignDataError("its calls of tools cannot be read")
        actions = [
            action
            for call in calls
            for action in reader.read(call.function_name, call.arguments, size)
        ]
        if extra.get("stale") is True:
            screen = replace(screen, stale=True)
        between = turn.between if len(turn.between) == len(actions) - 1 else ()
        return [
            Step(
                screen,
                Decision(actions, reasoning, target if isinstance(target, str) else ""),
                reward=float(reward) if isinstance(reward, int | float) else 0.0,
                refused=refused if isinstance(refused, str) else "",
                between=tuple(_look(folder, path) for path in between),
            )
        ]

    return keeping.keep_steps(seen, make, recorded=turn.recorded.calls, reasoning=reasoning)


_FILES = marked_json(read_file(_read_trajectory), b'"schema_version"', b'"ATIF-v', b'"steps"')
ATIF = FolderFormat("atif", replace(_FILES, called="trajectory"), _write_trajectory)
