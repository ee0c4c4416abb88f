"""CUBE's trajectories, as its harness keeps them: https://github.com/The-AI-Alliance/cube-harness.

    episodes/<id>/episode.metadata.json    what was played by whom, and the reward
    .../events/NNN_<kind>.msgpack.zst      what the model said (llm), each call of a tool with what
                                           came back (tool_call), rewards (eval), failures
    .../steps/NNN_<act|obs>.msgpack.zst    the same before 0.1.0rc2: actions, observations

Facts: cube-harness 0.1.0rc2 and cube-standard 0.1.0rc10 (PyPI, Python 3.12), cube_harness/core.py,
storage.py, cube/core.py. Events are read and written, steps are read. Written is an event for each
action, named by its type, with the screen that it led to; `importers.tool_calls` reads such calls.
Calls that were made of one answer are one step, and a call whose file is broken is a refused one;
the screen after it is unknown. Pictures are PNG there, so JPEGs are converted.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.episode import Episode, EpisodeOutcome, Step
from tapwright.core.observation import Observation
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.conversations import (
    Call,
    Message,
    Said,
    build_play,
    pictures_in,
    words_of,
)
from tapwright.formats.importers.file_importer import FileKind, read_file
from tapwright.formats.importers.foreign_record import ForeignRecord, parse_json, read_bytes
from tapwright.formats.importers.keeping import note_no_instruction, parse_value
from tapwright.formats.msgpack import pack, unpack
from tapwright.formats.performed import FolderFormat, Performed, list_performed, make_folder
from tapwright.formats.unpacking import unpack_zstd
from tapwright.store.states import compress

__all__ = ["CUBE"]

_METADATA = "episode.metadata.json"
_PACKED = ".msgpack.zst"
_RESET = "reset"
_OURS = "tapwright"
_CORE, _HARNESS = "cube.core", "cube_harness.core"


class _Error(ForeignRecord):
    UNUSED = frozenset({"_type", "stack_trace"})

    error_type: str = ""
    exception_str: str = ""


class _Content(ForeignRecord):
    UNUSED = frozenset({"_type", "tool_call_id"})

    name: str | None = None
    data: JsonValue = None


class _Seen(ForeignRecord):
    UNUSED = frozenset({"_type", "error"})

    contents: list[_Content] = Field(default_factory=list)


class _Action(ForeignRecord):
    UNUSED = frozenset({"_type", "id"})

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class _LlmCall(ForeignRecord):
    UNUSED = frozenset(
        {"_type", "id", "tag", "timestamp", "prompt", "usage", "prompt_tokens", "output_tokens",
         "logprobs", "prompt_token_ids", "completion_token_ids", "finish_reason", "metadata"}
    )  # fmt: skip

    llm_config: dict[str, JsonValue] = Field(default_factory=dict)
    output: Message | None = None


class _Output(ForeignRecord):
    """An event of any kind, or a step; what it is its fields tell."""

    UNUSED = frozenset({"_type", "action_id", "agent_id", "profiling", "done", "truncated"})

    id: str = ""
    parent_event_id: str | None = None
    call: _LlmCall | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    action: _Action | None = None
    obs: _Seen | None = None
    reward: float = 0.0
    info: dict[str, JsonValue] = Field(default_factory=dict)
    is_terminal: bool = False
    error: _Error | None = None
    actions: list[_Action] = Field(default_factory=list)
    llm_calls: list[_LlmCall] = Field(default_factory=list)
    thoughts: str | None = None


class _Event(ForeignRecord):
    UNUSED = frozenset({"_type", "start_time", "end_time"})

    output: _Output


class _Metadata(ForeignRecord):
    UNUSED = frozenset({"start_time", "summary_stats", "steps", "_type"})

    id: str = ""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    end_time: float | None = None
    reward_info: dict[str, JsonValue] = Field(default_factory=dict)


class _Told(ForeignRecord):
    """What we write of an episode in its metadata, and of a step in that of its event."""

    id: str = ""
    outcome: EpisodeOutcome | None = None
    agent: str | None = None
    device: str = ""
    created: str = ""
    reasoning: str = ""
    target: str = ""
    stale: bool = False


_META, _EVENT, _TOLD = TypeAdapter(_Metadata), TypeAdapter(_Event), TypeAdapter(_Told)


@dataclass(slots=True)
class _Play:
    """What was said so far, the last picture, and whose thoughts the next call has."""

    said: list[Said] = field(default_factory=list)
    turns: list[str | None] = field(default_factory=list)
    told: dict[int, _Told] = field(default_factory=dict)
    picture: str = ""
    instruction: str = ""
    reasoning: str = ""
    tells: _Told = field(default_factory=_Told)
    model: str = ""
    failure: _Error | None = None

    def hear(self, event: _Output) -> None:
        """Take an event, or a step of the older form."""
        for call in [*([event.call] if event.call else []), *event.llm_calls]:
            self._listen(call)
        if isinstance(event.metadata.get(_OURS), dict):
            told = parse_value(_TOLD, event.metadata[_OURS], "an event")
            self.reasoning, self.tells = told.reasoning, told
        self.reasoning = event.thoughts or self.reasoning
        if event.actions:
            self._act([*event.actions], event.id or None)
        if event.action is not None and event.parent_event_id != _RESET:
            self._act([event.action], event.parent_event_id)
        if event.obs is not None:
            self._look(event.obs, event.error)
        if event.reward and self.said and not event.is_terminal:
            self.said[-1] = replace(self.said[-1], reward=self.said[-1].reward + event.reward)
        if event.error is not None and event.obs is None:
            self.failure = event.error

    def lose(self, kind: str, fault: str) -> None:
        """Take an event or step of this kind that cannot be read."""
        if kind in ("act", "tool_call") and (self.picture or self.said):  # no reset
            self.said.append(Said(self.picture, (Call("", {}, fault),), reasoning=self.reasoning))
            self.turns.append(None)
            self.reasoning, self.tells = "", _Told()
        if kind in ("obs", "tool_call"):
            self.picture = ""

    def _listen(self, call: _LlmCall) -> None:
        message = call.output
        if message is not None:
            self.reasoning = message.reasoning_content or words_of(message.content)
        model = call.llm_config.get("model_name")
        self.model = model if isinstance(model, str) else self.model

    def _act(self, actions: Sequence[_Action], turn: str | None) -> None:
        calls = tuple(Call(one.name, one.arguments) for one in actions)
        if self.turns and turn is not None and self.turns[-1] == turn:
            last = self.said[-1]
            between = (*last.between, self.picture)
            self.said[-1] = replace(last, calls=(*last.calls, *calls), between=between)
            return
        self.told[len(self.said)] = self.tells
        self.said.append(Said(self.picture, calls, reasoning=self.reasoning))
        self.turns.append(turn)
        self.reasoning, self.tells = "", _Told()

    def _look(self, seen: _Seen, error: _Error | None) -> None:
        found = [one for content in seen.contents for one in pictures_in(content.data)]
        is_lost = any(not one.model_fields_set for one in seen.contents)
        self.picture = found[-1] if found else "" if is_lost else self.picture
        if not self.said and not self.instruction:
            words = (one.data for one in seen.contents if one.name is None)
            self.instruction = next((one for one in words if isinstance(one, str)), "")
        if error is not None and self.said:
            self.said[-1] = replace(self.said[-1], refused=error.exception_str[:1000])


def _is_metadata(path: Path) -> bool:
    return path.name == _METADATA and path.is_file()


def _read_episode(file: Path) -> Episode:
    read = parse_json(_META, read_bytes(file), str(file))
    play = _Play()
    faults: list[ForeignDataError] = []
    for event in _event_files(file.parent):
        try:
            value = unpack(unpack_zstd(read_bytes(event), str(event)), str(event))
            play.hear(parse_value(_EVENT, value, str(event)).output)
        except ForeignDataError as error:
            note_left_out("fields", str(event), str(error))
            faults.append(error)
            play.lose(event.name.removesuffix(_PACKED).partition("_")[2], str(error))
    if faults and not play.said:
        raise faults[0]
    last = play.picture if play.said and play.picture != play.said[-1].picture else ""
    steps, final = build_play(play.said, last, file.parent, str(file))
    given = read.metadata.get(_OURS)
    told = parse_value(_TOLD, given, str(file)) if isinstance(given, dict) else _Told()
    name = read.id or file.parent.name
    task, agent = (read.metadata.get(key) for key in ("task_id", "agent_name"))
    played_by = play.model or (agent if isinstance(agent, str) else "")
    goal = read.metadata.get("goal")
    earned = read.reward_info.get("reward")
    reward = float(earned) if isinstance(earned, int | float) else None
    if reward and not told.id and not any(step.reward for step in steps):
        steps = (*steps[:-1], replace(steps[-1], reward=reward))
    steps = tuple(
        _complete(step, play.told.get(number, _Told())) for number, step in enumerate(steps)
    )
    return Episode(
        id=told.id or f"cube-{name}",
        task_id=task if isinstance(task, str) and task else name,
        instruction=(goal if isinstance(goal, str) and goal else play.instruction)
        or note_no_instruction(str(file)),
        steps=steps,
        final=final,
        outcome=told.outcome or _outcome(read, reward, play.failure),
        agent=played_by if told.agent is None else told.agent,
        device=told.device,
        created=told.created,
        extra={} if play.failure is None else {"error": play.failure.exception_str[:2000]},
    )


def _complete(step: Step, told: _Told) -> Step:
    return replace(
        step,
        observation=replace(step.observation, stale=told.stale),
        decision=replace(step.decision, target=told.target),
    )


def _event_files(folder: Path) -> list[Path]:
    """The files of an episode's events in their order, else those of its steps."""
    events, steps = ((folder / kind).glob(f"*{_PACKED}") for kind in ("events", "steps"))
    return sorted(events, key=_number) or sorted(steps, key=_number)


def _number(file: Path) -> tuple[int, str]:
    """The place of a file among those of its episode: "1000" comes after "999"."""
    number = file.name.partition("_")[0]
    return int(number) if number.isdecimal() else 0, file.name


def _outcome(read: _Metadata, reward: float | None, failure: _Error | None) -> EpisodeOutcome:
    if failure is not None:
        return "truncated" if failure.error_type == "BudgetExceeded" else "interrupted"
    if read.end_time is None:
        return "interrupted"
    if reward is None:
        return "unknown"
    return "success" if reward >= 1 else "failure"


def _write_episode(episode: Episode, root: Path) -> None:
    folder = make_folder(episode, root / "episodes")
    (folder / "events").mkdir()
    first = episode.steps[0].observation if episode.steps else episode.final
    reset = {
        "id": _RESET, "parent_event_id": _RESET, "action_id": _RESET,
        "action": _typed(_CORE, "Action", id=_RESET, name="_reset", arguments={}),
        "obs": _observation([episode.instruction], first), "error": None,
    }  # fmt: skip
    events = [("tool_call", _typed(_HARNESS, "ToolCallEvent", **reset))]
    for number, (step, calls) in enumerate(list_performed(episode)):
        events += _step_events(step, calls, number)
    earned = float(episode.outcome == "success")
    judged = _typed(_HARNESS, "EvaluationEvent", reward=earned, info={}, is_terminal=True)
    for number, (kind, event) in enumerate([*events, ("eval", judged)]):
        written = _typed(_HARNESS, "TrajectoryEvent", output=event, start_time=None, end_time=None)
        (folder / "events" / f"{number:03d}_{kind}{_PACKED}").write_bytes(compress(pack(written)))
    told = {
        "id": episode.id, "outcome": episode.outcome, "agent": episode.agent,
        "device": episode.device, "created": episode.created,
    }  # fmt: skip
    metadata = {
        "id": folder.name,
        "metadata": {
            "task_id": episode.task_id, "agent_name": episode.agent or "human",
            "goal": episode.instruction, _OURS: told,
        },
        "start_time": 0.0, "end_time": 0.0,
        "reward_info": {"reward": earned, "done": True},
    }  # fmt: skip
    text = json.dumps(metadata, ensure_ascii=False, indent=1)
    (folder / _METADATA).write_bytes(text.encode("utf-8", "backslashreplace"))


def _step_events(
    step: Step, calls: Sequence[Performed], number: int
) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """What was decided as one answer of a model, and a call for each of its actions."""
    turn = f"turn_{number}"
    told: JsonValue = {
        "reasoning": step.decision.reasoning, "target": step.decision.target,
        "stale": step.observation.stale,
    }  # fmt: skip
    yield "llm", _typed(
        _HARNESS, "LLMCallEvent", id=turn, call=None, profiling={}, metadata={_OURS: told},
        error=None,
    )  # fmt: skip
    for place, call in enumerate(calls, start=1):
        id_, refused = f"{turn}_{place}", call.refused
        error: JsonValue = (
            _typed(_CORE, "StepError", error_type="Refused", exception_str=refused, stack_trace="")
            if refused
            else None
        )
        yield "tool_call", _typed(
            _HARNESS, "ToolCallEvent", id=id_, parent_event_id=turn, action_id=id_,
            action=_typed(_CORE, "Action", id=id_, name=call.name, arguments=call.arguments),
            obs=_observation([refused] if refused else [], call.screen), error=error,
            agent_id=None,
        )  # fmt: skip
    if step.reward:
        yield "eval", _typed(
            _HARNESS, "EvaluationEvent", reward=step.reward, info={}, is_terminal=False,
            parent_event_id=f"{turn}_{len(calls)}",
        )  # fmt: skip


def _observation(words: Sequence[str], screen: Observation | None) -> dict[str, JsonValue]:
    contents: list[JsonValue] = [_typed(_CORE, "TextContent", data=one) for one in words]
    if screen is not None and screen.screenshot.recorded:
        shot = screen.screenshot
        data = shot.data
        if shot.extension != "png":
            buffer = BytesIO()
            shot.image().save(buffer, "PNG")
            data = buffer.getvalue()
        address = f"data:image/png;base64,{b64encode(data).decode()}"
        contents.append(_typed(_CORE, "ImageContent", name="screenshot", data=address))
    return _typed(_CORE, "Observation", contents=contents, error=None)


def _typed(module: str, kind: str, **fields: JsonValue) -> dict[str, JsonValue]:
    return {**fields, "_type": f"{module}.{kind}"}


CUBE = FolderFormat(
    "cube",
    FileKind((_METADATA,), _METADATA, _is_metadata, read_file(_read_episode)),
    _write_episode,
)
