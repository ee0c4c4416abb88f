"""ATIF, Harbor's Agent Trajectory Interchange Format: a JSON file for each attempt, and pictures.

    <name>/trajectory.json      agent, steps (source, message, tool_calls, observation), metrics
    <name>/images/*             what the steps' content parts name by their path

Facts: harbor 0.25.0 (PyPI), harbor/models/trajectories; versions 1.0 to 1.8 are read. Written is
1.6, the first with pictures: the user's step has the instruction and the first screen, each later
step is a decision, a tool call for each action, and in its observation the screen that it led to.

Read are calls that we wrote, and `computer_action` of Harbor's own agent for computers (its
harbor/agents/computer_1/runtime.py), whose places are pixels of the screen. A call that is no
action on a screen is kept as a refused step.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from tapwright.core.actions import (
    Action,
    ActionAdapter,
    Answer,
    ButtonDown,
    ButtonUp,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hover,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point
from tapwright.core.keys import find_key
from tapwright.core.observation import Observation
from tapwright.files.atomic import atomic_directory, check_is_new
from tapwright.files.names import portable_name
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.desktop import press_keys

__all__ = ["ATIF", "Atif"]

_VERSION = "ATIF-v1.6"
_EPOCH = "2000-01-01T00:00:00+00:00"
_OURS = "tapwright"
_WAIT_S = 1.0
_ENDS = frozenset({"done", "answer", "terminate"})


class Atif:
    """Reads and writes ATIF."""

    name = "atif"

    def recognizes(self, path: Path) -> bool:
        """Whether a file is a trajectory."""
        return foreign_record.head_contains(
            path, ".json", b'"schema_version"', b'"ATIF-v', b'"steps"'
        )

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episode in a file, or those of the trajectories below a directory.

        Raises:
            ForeignDataError: no such file exists.
        """
        files = (
            [path]
            if path.is_file()
            else filter(self.recognizes, foreign_record.find_files(path, "*.json"))
        )
        found = False
        for file in files:
            found = True
            yield foreign_record.read_or_report(str(file), partial(_read_trajectory, file))
        if not found:
            raise ForeignDataError(f"{path}: no trajectory in it")

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write a folder for each episode; returns how many.

        Raises:
            UsageError: `path` exists.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
        check_is_new(path)
        written = 0
        with atomic_directory(path) as root:
            for episode in episodes:
                _write_trajectory(episode, root / portable_name(episode.id))
                written += 1
        return written


ATIF = Atif()


def _write_trajectory(episode: Episode, folder: Path) -> None:
    (folder / "images").mkdir(parents=True)
    agent = episode.agent or "human"
    first = episode.steps[0].observation if episode.steps else episode.final
    asked: list[JsonValue] = [{"type": "text", "text": episode.instruction}]
    began = datetime.fromisoformat((episode.created or _EPOCH).replace("Z", "+00:00"))
    steps: list[JsonValue] = [
        {"step_id": 1, "source": "user", "message": [*asked, *_pictures([first], folder)]}
    ]
    looks = [step.observation for step in episode.steps[1:]] + [episode.final]
    for number, (step, after) in enumerate(zip(episode.steps, looks, strict=True), start=2):
        at = began + timedelta(seconds=step.observation.time_s)
        steps.append(_write_step(number, step, after, at.isoformat(), folder))
    told = {
        "id": episode.id, "task_id": episode.task_id, "outcome": episode.outcome,
        "device": episode.device, "created": episode.created, "apps": _apps(episode),
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
    number: int, step: Step, after: Observation | None, at: str, folder: Path
) -> dict[str, JsonValue]:
    calls: list[JsonValue] = []
    results: list[JsonValue] = []
    decided = step.decision.actions
    blank: list[Observation | None] = [None] * len(decided)
    screens = [*[*step.between, *blank][: len(decided) - 1], step.after or after]
    for place, (action, screen) in enumerate(zip(decided, screens, strict=True), start=1):
        arguments = ActionAdapter.dump_python(action, mode="json")
        name = arguments.pop("type")
        id_ = f"call_{number}_{place}"
        calls.append({"tool_call_id": id_, "function_name": name, "arguments": arguments})
        refused = step.refused if place == step.done else ""
        told = f"refused: {refused}" if refused else "done" if place <= step.done else "not done"
        words: JsonValue = {"type": "text", "text": told}
        content: JsonValue = [words, *_pictures([screen], folder)]
        results.append({"source_call_id": id_, "content": content})
    written: dict[str, JsonValue] = {
        "step_id": number, "timestamp": at, "source": "agent", "message": "",
        "tool_calls": calls, "observation": {"results": results},
        "extra": {"target": step.decision.target, "reward": step.reward, "refused": step.refused},
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

    path: str


class _Part(foreign_record.ForeignRecord):
    type: str
    text: str | None = None
    source: _Source | None = None


class _Call(foreign_record.ForeignRecord):
    UNUSED = frozenset({"extra"})

    tool_call_id: str
    function_name: str
    arguments: dict[str, JsonValue]


class _Result(foreign_record.ForeignRecord):
    UNUSED = frozenset({"subagent_trajectory_ref", "extra"})

    source_call_id: str | None = None
    content: str | list[_Part] | None = None


class _Observed(foreign_record.ForeignRecord):
    results: list[_Result]


class _Step(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"step_id", "timestamp", "model_name", "reasoning_effort", "metrics", "llm_call_count"}
    )

    source: str
    message: str | list[_Part] = ""
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    observation: _Observed | None = None
    is_copied_context: bool | None = None
    extra: dict[str, JsonValue] | None = None


class _Agent(foreign_record.ForeignRecord):
    UNUSED = frozenset({"version", "tool_definitions", "extra"})

    name: str
    model_name: str | None = None


class _Trajectory(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"schema_version", "notes", "final_metrics", "continued_trajectory_ref",
         "subagent_trajectories"}
    )  # fmt: skip

    session_id: str | None = None
    trajectory_id: str | None = None
    agent: _Agent
    steps: Annotated[list[_Step], Field(min_length=1)]
    extra: dict[str, JsonValue] | None = None


class _Ours(foreign_record.ForeignRecord):
    """What we write of an episode in `extra`, and what a trajectory of others has in its place."""

    id: str = ""
    task_id: str = ""
    outcome: EpisodeOutcome = "unknown"
    device: str = ""
    created: str = ""
    apps: list[str] = Field(default_factory=list)


_TRAJECTORY, _OURS_ADAPTER = TypeAdapter(_Trajectory), TypeAdapter(_Ours)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A step of the agent with the path of the screen that it was decided on; "" for none."""

    step: _Step
    screen: str
    between: tuple[str, ...]


def _read_trajectory(file: Path) -> Episode:
    read = foreign_record.parse_json(_TRAJECTORY, foreign_record.read_bytes(file), str(file))
    ours = _ours(read, file)
    turns, last = _pair_screens(read.steps)
    if not turns:
        raise ForeignDataError(f"{file}: has no step of an agent with a call")
    folder = file.parent
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
        for made in _build_steps(screen, turn, folder)
    )
    id_ = ours.id or f"atif-{read.trajectory_id or read.session_id or folder.name}"
    return Episode(
        id=id_,
        task_id=ours.task_id or id_,
        instruction=_instruction(read.steps) or keeping.note_no_instruction(str(file)),
        steps=steps,
        final=_look(folder, last) if last else None,
        outcome=ours.outcome,
        agent=read.agent.model_name or read.agent.name,
        device=ours.device,
        created=ours.created,
    )


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


def _pair_screens(steps: Sequence[_Step]) -> tuple[list[_Turn], str]:
    """The agent's steps, each on the last picture before it, and the picture after the last.

    What was copied out of an earlier trajectory is no step of this one.
    """
    turns: list[_Turn] = []
    seen = ""
    for step in steps:
        results = step.observation.results if step.observation else []
        shown = [images[-1] for one in results if (images := _images(one.content))]
        if step.source == "agent" and step.tool_calls and not step.is_copied_context:
            turns.append(_Turn(step, seen, tuple(shown[:-1])))
        seen = ([seen, *_images(step.message), *shown])[-1]
    return turns, seen if turns and seen != turns[-1].screen else ""


def _look(folder: Path, path: str) -> Observation:
    if not path:
        raise ForeignDataError("no picture was recorded before it")
    return foreign_record.read_screen(foreign_record.resolve_file([folder, folder.parent], path))


def _name_apps(seen: Sequence[keeping.Seen], apps: Sequence[str]) -> Iterator[keeping.Seen]:
    names = [*apps, *[""] * len(seen)]
    for one, app in zip(seen, names, strict=False):
        yield replace(one, observation=replace(one.observation, app=app)) if app else one


def _build_steps(seen: keeping.Seen, turn: _Turn, folder: Path) -> list[Step]:
    step, calls = turn.step, turn.step.tool_calls or []
    reasoning = step.reasoning_content or _text(step.message)
    extra = step.extra or {}
    target, reward, refused = (extra.get(name) for name in ("target", "reward", "refused"))

    def make(screen: Observation) -> list[Step]:
        actions = [action for call in calls for action in _actions(call, screen)]
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

    recorded: JsonValue = [[call.function_name, call.arguments] for call in calls]
    return keeping.keep_steps(seen, make, recorded=recorded, reasoning=reasoning)


def _actions(call: _Call, screen: Observation) -> Sequence[Action]:
    match call.function_name:
        case "computer_action":
            return _computer_actions(call.arguments, screen)
        case "mark_task_complete":
            return [Finish()]
        case name:
            try:
                return [ActionAdapter.validate_python({"type": name, **call.arguments})]
            except ValidationError as error:
                raise ForeignDataError(f"the call {name!r} is no action on a screen") from error


def _computer_actions(told: Mapping[str, JsonValue], screen: Observation) -> Sequence[Action]:
    """What Harbor's agent for computers did; places are pixels, the wheel counts them, too."""
    kind = str(told.get("type", ""))
    held = tuple(_key(name) for name in [told.get("modifier")] if isinstance(name, str) and name)
    place = partial(_place, told, screen)
    match kind:
        case "click" | "right_click":
            button = "right" if kind == "right_click" else told.get("button") or "left"
            return [_make(Tap, at=place(), button=button, held=held)]
        case "double_click":
            return [DoubleTap(at=place(), held=held)]
        case "triple_click":
            return [TripleTap(at=place(), held=held)]
        case "mouse_move":
            return [Hover(at=place())]
        case "mouse_down":
            return [_make(ButtonDown, at=place(), button=told.get("button") or "left")]
        case "mouse_up":
            return [_make(ButtonUp, at=place(), button=told.get("button") or "left")]
        case "drag":
            return [Drag(start=place(), end=place("end_x", "end_y"))]
        case "scroll":
            size = screen.size
            return [
                Scroll(
                    at=place(),
                    dx=_number(told, "scroll_x") / size.width,
                    dy=_number(told, "scroll_y") / size.height,
                    held=held,
                )
            ]
        case "type":
            typed = TypeText(text=str(told.get("text") or ""))
            enter = [press_keys(["enter"], kind)] if told.get("press_enter") else []
            return [typed, *enter]
        case "keypress" | "hold_key":
            return [_press(told, kind)]
        case "navigate":
            return [Goto(url=str(told.get("url") or ""))]
        case "wait":
            return [Wait(duration_s=_WAIT_S)]
        case "zoom":
            return [Wait(duration_s=0)]  # only the next picture is another
        case end if end in _ENDS:
            words = told.get("result") or told.get("text")
            return [*([Answer(text=str(words))] if words else []), Finish()]
        case _:
            raise ForeignDataError(f"computer_action {kind!r} is no action on a screen")


def _press(told: Mapping[str, JsonValue], kind: str) -> Action:
    keys = told.get("keys")
    action = press_keys([str(one) for one in keys] if isinstance(keys, list) else [], kind)
    held_s = _number(told, "duration") or _number(told, "duration_seconds")
    if kind == "hold_key" and held_s and isinstance(keys, list):
        names = tuple(_key(str(one)) for one in keys)
        return ActionAdapter.validate_python(
            {"type": "hotkey", "keys": names, "duration_s": held_s}
        )
    return action


def _key(name: str) -> str:
    return find_key(name) or name


def _make(kind: type[Any], **fields: Any) -> Action:
    """An action of recorded fields, which may be none of those that it takes."""
    made: Action = kind.model_validate(fields)
    return made


def _place(told: Mapping[str, JsonValue], screen: Observation, x: str = "x", y: str = "y") -> Point:
    return foreign_record.pixel_center(_number(told, x), _number(told, y), screen.size)


def _number(told: Mapping[str, JsonValue], name: str) -> float:
    value = told.get(name)
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ForeignDataError(f"{name} is {value!r}; expected a number")
    return float(value)
