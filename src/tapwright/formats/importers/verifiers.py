"""Rollouts of verifiers: https://github.com/PrimeIntellect-ai/verifiers, which prime-rl trains on.

    traces.jsonl      0.4.0 (PyPI): verifiers/v1/episode.py, trace.py, graph.py; a line for each
                      episode, with a trace for each of its agents. What the model said are the
                      nodes that were sampled, each after the messages that lead to it
    results.jsonl     earlier: verifiers/legacy/utils/save_utils.py at a60a606; a line for each
                      rollout, with its prompt and completion

Calls and words become steps as in `conversations`; words by the convention that the configuration
of tapwright's own harness names. Rewards of 1 in sum are a success. A trace has no reward for each
step, but its last step has what was earned.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import conversations, foreign_record
from tapwright.formats.importers.file_importer import FileImporter, marked_lines
from tapwright.formats.importers.keeping import note_no_instruction

__all__ = ["VERIFIERS"]

_OURS = "tapwright"
_LIMITS = frozenset({"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens"})


class _Node(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"tools", "semantic_parents", "timestamp", "token_ids", "mask", "is_content", "logprobs",
         "advantages", "reference_logprobs", "trainer_logprobs", "entropies", "loss_weights"}
    )  # fmt: skip

    parent: int | None = None
    message: conversations.Message
    sampled: bool = False


class _Reward(foreign_record.ForeignRecord):
    score: float
    weight: float = 1.0


class _Call(foreign_record.ForeignRecord):
    UNUSED = frozenset({"node", "sampling", "endpoint", "finish_reason", "usage", "time", "policy"})

    model: str | None = None


class _Data(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"idx", "description", "system_prompt", "skills", "network_allow", "network_block",
         "artifacts"}
    )  # fmt: skip

    id: str | None = None
    name: str | None = None
    prompt: str | list[conversations.Message] | None = None
    seed: int | None = None


class _Task(foreign_record.ForeignRecord):
    UNUSED = frozenset({"type", "key", "hash"})

    data: _Data


class _Error(foreign_record.ForeignRecord):
    UNUSED = frozenset({"type", "status_code", "traceback"})

    message: str


class _Agent(foreign_record.ForeignRecord):
    UNUSED = frozenset({"runtime", "trainable"})

    name: str = ""
    config: dict[str, JsonValue] = Field(default_factory=dict)


class _Trace(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"version", "verifiers", "tools", "mm_token_type_id_map", "metrics", "ok", "is_completed",
         "timing", "state", "extra_usage", "root_reply"}
    )  # fmt: skip

    id: str
    task: _Task
    agent: _Agent
    nodes: list[_Node] = Field(default_factory=list)
    calls: list[_Call] = Field(default_factory=list)
    rewards: dict[str, _Reward] = Field(default_factory=dict)
    info: dict[str, JsonValue] = Field(default_factory=dict)
    errors: list[_Error] = Field(default_factory=list)
    stop_condition: str | None = None
    is_timeout: bool = False


class _Episode(foreign_record.ForeignRecord):
    UNUSED = frozenset({"id", "env", "task", "group", "run", "ok", "is_timeout", "errors"})

    traces: list[_Trace] = Field(default_factory=list)


class _Result(foreign_record.ForeignRecord):
    """A line of the earlier form; its metrics stand beside the fields, under any names."""

    UNUSED = frozenset(
        {"timing", "is_completed", "metrics", "tool_defs", "answer", "info", "token_usage",
         "error_chain", "long_error_chain", "trajectory_id"}
    )  # fmt: skip

    example_id: int | str
    prompt: str | list[conversations.Message] | None = None
    completion: list[conversations.Message] | None = None
    reward: float | None = None
    error: JsonValue = None
    is_truncated: bool = False
    stop_condition: str | None = None
    task: str = ""


_EPISODE, _RESULT = TypeAdapter(_Episode), TypeAdapter(_Result)


def _read(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    for where, line in foreign_record.read_lines(file):
        if b'"traces"' not in line:
            yield foreign_record.read_or_report(where, partial(_build_result, file, line, where))
            continue
        try:
            traces = foreign_record.parse_json(_EPISODE, line, where).traces
            if not traces:
                raise ForeignDataError(f"{where}: has no trace: it failed before its first request")
        except ForeignDataError as error:
            yield UnreadableEpisode.of(where, error)
            continue
        for number, trace in enumerate(traces):
            place = f"{where}, trace {number}" if len(traces) > 1 else where
            yield foreign_record.read_or_report(place, partial(_build_trace, file, trace, place))


_TRACES, _RESULTS = (
    marked_lines(_read, *marks)
    for marks in ((b'"traces"', b'"nodes"'), (b'"example_id"', b'"completion"'))
)
VERIFIERS = FileImporter("verifiers", _TRACES, _RESULTS)


def _build_trace(file: Path, trace: _Trace, where: str) -> Episode:
    said, last = _hear(trace.nodes)
    steps, final = conversations.build_play(
        said, last, file.parent, where, convention=_convention(trace.agent)
    )
    earned = sum(one.score * one.weight for one in trace.rewards.values())
    data = trace.task.data
    ours = told if isinstance(told := trace.info.get(_OURS), dict) else {}
    extra = {
        "reward": f"{earned:g}" if trace.rewards else "",
        "seed": "" if data.seed is None else str(data.seed),
        "episode": str(ours.get("episode", "")),
        "error": trace.errors[-1].message[:2000] if trace.errors else "",
    }
    return Episode(
        id=f"verifiers-{trace.id}",
        task_id=data.id or data.name or trace.id,
        instruction=_instruction(data.prompt) or note_no_instruction(where),
        steps=(*steps[:-1], replace(steps[-1], reward=earned)),
        final=final,
        outcome=_outcome(
            earned if trace.rewards else None,
            is_broken=bool(trace.errors) or trace.is_timeout,
            is_cut=trace.stop_condition in _LIMITS,
        ),
        agent=next((call.model for call in trace.calls if call.model), trace.agent.name),
        extra={name: value for name, value in extra.items() if value},
    )


def _build_result(file: Path, line: bytes, where: str) -> Episode:
    read = foreign_record.parse_json(_RESULT, line, where)
    asked = read.prompt if isinstance(read.prompt, list) else []
    said, last = conversations.listen([*asked, *(read.completion or [])])
    said = said[sum(one.role == "assistant" for one in asked) :]  # examples in the prompt
    steps, final = conversations.build_play(said, last, file.parent, where)
    digest = hashlib.sha256(line).hexdigest()[:12]
    return Episode(
        id=f"verifiers-{read.example_id}-{digest}",
        task_id=f"{read.task or 'verifiers'}/{read.example_id}",
        instruction=_instruction(read.prompt) or note_no_instruction(where),
        steps=(*steps[:-1], replace(steps[-1], reward=read.reward or 0.0)),
        final=final,
        outcome=_outcome(
            read.reward,
            is_broken=read.error is not None,
            is_cut=read.is_truncated or read.stop_condition in _LIMITS,
        ),
        extra={} if read.reward is None else {"reward": f"{read.reward:g}"},
    )


def _hear(nodes: Sequence[_Node]) -> tuple[list[conversations.Said], str]:
    """What was sampled, in its order, each with the last picture on its own way from the root.

    And the picture after the last of it; "" for none.

    Raises:
        ForeignDataError: a node names one that does not come before it.
    """
    said: list[conversations.Said] = []
    shown: list[str] = []
    last = ""
    for number, node in enumerate(nodes):
        if node.parent is not None and not 0 <= node.parent < number:
            raise ForeignDataError(f"node {number} comes after {node.parent}, which is not there")
        picture = "" if node.parent is None else shown[node.parent]
        if node.sampled:
            said.append(conversations.hear_answer(node.message, picture))
            last = ""
        elif found := conversations.pictures_in(node.message.content):
            picture = last = found[-1]
        shown.append(picture)
    return said, last if said else ""


def _convention(agent: _Agent) -> str:
    harness = agent.config.get("harness")
    named = harness.get("convention") if isinstance(harness, dict) else None
    return named if isinstance(named, str) else ""


def _instruction(prompt: str | Sequence[conversations.Message] | None) -> str:
    """The first words of the user."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    return next((conversations.words_of(one.content) for one in prompt if one.role == "user"), "")


def _outcome(earned: float | None, *, is_broken: bool, is_cut: bool) -> EpisodeOutcome:
    if is_broken:
        return "interrupted"
    if earned is not None and earned >= 1:
        return "success"
    if is_cut:
        return "truncated"
    return "unknown" if earned is None else "failure"
