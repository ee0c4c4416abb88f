"""Rollouts that OpenEnv collects: openenv 0.10 (PyPI), openenv/core/harness/collect.py.

`results.jsonl` has a line for each episode: the conversation (`messages`), each call of a tool with
its result (`tool_trace`), and the reward that the environment gave. Calls become steps as in
`conversations`, on the last picture before: in a message, or in what a tool answered, such as the
observation of `tapwright env serve`. A reward of 1 is a success.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.formats.importers import conversations
from tapwright.formats.importers.file_importer import FileImporter, marked_records
from tapwright.formats.importers.foreign_record import ForeignRecord, parse_json
from tapwright.formats.importers.keeping import note_no_instruction

__all__ = ["OPENENV"]


class _Result(ForeignRecord):
    data: JsonValue = None
    done: bool = False
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    error: str | None = None


class _Traced(ForeignRecord):
    tool_name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    result: _Result


class _Record(ForeignRecord):
    UNUSED = frozenset({"metrics", "verify_metrics", "artifacts", "extra"})

    episode_id: str
    messages: list[conversations.Message] = Field(default_factory=list)
    tool_trace: list[_Traced] = Field(default_factory=list)
    reward: float | None = None
    done: bool = False
    task: JsonValue = None


_RECORD = TypeAdapter(_Record)


def _build(file: Path, line: bytes, where: str) -> Episode:
    read = parse_json(_RECORD, line, where)
    said, last = conversations.listen(read.messages)
    steps, final = conversations.build_play(
        _told(said, read.tool_trace), last or _picture(read.tool_trace[-1:]), file.parent, where
    )
    instruction = _instruction(read) or note_no_instruction(where)
    return Episode(
        id=f"openenv-{read.episode_id}-{hashlib.sha256(line).hexdigest()[:12]}",
        task_id=read.task if isinstance(read.task, str) and read.task else read.episode_id,
        instruction=instruction,
        steps=steps,
        final=final,
        outcome=_outcome(read),
        extra={} if read.reward is None else {"reward": f"{read.reward:g}"},
    )


OPENENV = FileImporter("openenv", marked_records(_build, "tool_trace", "messages"))


def _told(said: Sequence[conversations.Said], trace: Sequence[_Traced]) -> list[conversations.Said]:
    """What was said, with the pictures, rewards and errors of the results of its calls.

    Calls are traced in their order, one for each that was made. A picture in a message that comes
    after a result is the later one.
    """
    told: list[conversations.Said] = []
    at, picture, heard = 0, "", ""
    for one in said:
        if one.picture != heard:
            picture = heard = one.picture
        made = trace[at : at + len(one.calls)]
        at += len(one.calls)
        rewards = [_reward(result) for result in made]
        refused = next((each.result.error for each in made if each.result.error), "") or ""
        told.append(replace(one, picture=picture, reward=sum(rewards), refused=refused[:1000]))
        picture = _picture(made) or picture
    return told


def _picture(made: Sequence[_Traced]) -> str:
    found = [one for traced in made for one in conversations.pictures_in(traced.result.data)]
    return found[-1] if found else ""


def _reward(traced: _Traced) -> float:
    data = traced.result.data
    given = traced.result.metadata.get("reward")
    if given is None and isinstance(data, dict):
        given = data.get("reward")
    return float(given) if isinstance(given, int | float) else 0.0


def _instruction(read: _Record) -> str:
    """What the environment's observation calls so, else the first words of the user."""
    for traced in read.tool_trace[:1]:
        data = traced.result.data
        seen = data.get("observation") if isinstance(data, dict) else None
        told = seen.get("instruction") if isinstance(seen, dict) else None
        if isinstance(told, str) and told:
            return told
    return next(
        (conversations.words_of(one.content) for one in read.messages if one.role == "user"), ""
    )


def _outcome(read: _Record) -> EpisodeOutcome:
    if read.reward is not None and read.reward >= 1:
        return "success"
    if not read.done:
        return "truncated"
    return "unknown" if read.reward is None else "failure"
