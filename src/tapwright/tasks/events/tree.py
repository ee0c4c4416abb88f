"""Evaluates a task's events step by step: reward, instructions, extras, the end.

Evaluation follows Mobile-Env
(https://github.com/X-LANCE/Mobile-Env/blob/976145e/android_env/components/task_manager.py), without
its defects unless `compat="mobile-env"` asks for them. docs/concepts/task-language.md lists them.
"""

import json
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from reprlib import repr  # of a length that a message can have
from typing import TYPE_CHECKING, Any, TypeAlias

from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import EVENT_GRAPH, EventValueError
from tapwright.tasks.events.graph import Compat, EventNode, Listener, SlotState, build_graph
from tapwright.tasks.events.ocr import TextReader
from tapwright.tasks.events.signals import SignalFeed, SignalReader
from tapwright.tasks.events.sources import EventSourceState
from tapwright.tasks.task import Signals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EventOutcome", "EventTree"]

_MAX_EXTRAS = 100


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """The outcome of one step; `reward` is in points.

    `ended` with `success` None is a truncation: a limit was reached, or the app was left.
    `extras` has one array per name, its first axis counting the values. `score` is the task's own
    so far, 0 if it has none. `fired` are the ids of sources and slots that held, in order.
    """

    reward: float = 0.0
    instructions: tuple[str, ...] = ()
    extras: "Mapping[str, NDArray[Any]]" = field(default_factory=dict)
    ended: bool = False
    success: bool | None = None
    score: float = 0.0
    fired: tuple[int, ...] = ()


class EventTree:
    """Evaluates the events of one task over one episode after another.

    The first `step` after construction, and after `reset`, is for the screen after the reset and
    counts as a step, as in Mobile-Env: a task with `max_num_steps` 5 lets an agent act five times.

    Args:
        task: the definition.
        compat: "mobile-env" for the original's behaviour where it is a defect.
        reader: recognizes text on the screen; RapidOCR by default.
        folder: the directory of the pictures that the task names; without one it has none.

    Raises:
        BadDefinitionError: the definition is not valid; names source or slot.
    """

    def __init__(
        self,
        task: pb.Task,
        compat: Compat | None = None,
        *,
        reader: TextReader | None = None,
        folder: Path | None = None,
    ) -> None:
        self.task = task
        self._strict = compat is None
        self._graph = build_graph(task, compat)
        self._signals = SignalReader(task, self._graph.sources, reader=reader, folder=folder)
        self._steps = 0
        self._score = 0.0
        self._wraps = _WRAPS if self._strict else _LOOSE_WRAPS

    @property
    def sources(self) -> tuple[EventSourceState, ...]:
        """The event sources, in the order of the file."""
        return self._graph.sources

    def reset(self) -> None:
        """Start another episode; drops signals that were fed without a step (not in compat)."""
        self._steps, self._score = 0, 0.0
        self._signals.reset()
        for source in self._graph.sources:
            source.reset(keep_pending=not self._strict)
        for slot in self._graph.slots:
            slot.reset(keep_allowed=not self._strict)

    def step(self, signals: Signals | SignalFeed) -> EventOutcome:
        """Evaluate the signals of a step.

        A feed with `reset` starts another episode first; one with `feed_only` is not a step of its
        own, and counts at the next.

        Raises:
            EventValueError: a transformation does not fit its value, or its result is not a
                reward and the like; the step is over then, and the next one may follow.
            BadPatternError: a regular expression takes too long.
            EventSourceUnavailableError: a source needs a signal that is missing.
        """
        if not isinstance(signals, Signals) and signals.get("reset"):
            self.reset()
        self._signals.offer(signals)
        if not isinstance(signals, Signals) and signals.get("feed_only"):
            return EventOutcome(score=self._score)
        self._steps += 1
        for source in self._graph.sources:
            source.snapshot()
        try:
            return self._outcome()
        finally:
            self._end_step()

    def _outcome(self) -> EventOutcome:
        self._value("null")
        reward = 0.0
        score = self._value("score")
        if score is not None:
            reward, self._score = score - self._score, score
        earned = self._value("reward")
        if earned is not None:
            reward += earned
        extras = _stack_extras(
            [one for one in (self._value("extra"), self._value("json_extra")) if one is not None]
        )
        instructions = self._value("instruction") or []
        ended, success = self._end()
        if self._strict:
            for slot in self._graph.slots:
                for waited in slot.waits:
                    self._holds(waited)
        return EventOutcome(
            reward=reward,
            instructions=tuple(instructions),
            extras=extras,
            ended=ended,
            success=success,
            score=self._score,
            fired=tuple(self._fired()),
        )

    def _end(self) -> tuple[bool, bool | None]:
        if self._signals.left_app:
            return True, None
        value = self._value("episode_end")
        if value is not None:
            return True, bool(value)
        task = self.task
        too_many = 0 < task.max_num_steps < self._steps
        too_long = 0 < task.max_duration_sec < self._signals.elapsed_s
        return too_many or too_long, None

    def _fired(self) -> Iterable[int]:
        nodes: tuple[EventNode, ...] = (*self._graph.sources, *self._graph.slots)
        return (one.id for one in nodes if one.id and one.set)

    def _value(self, listener: Listener) -> Any:
        """Return the value of a listener in this step; None if it does not hold."""
        root = self._graph.roots.get(listener)
        return root.value[0] if root and self._holds(root) and root.value else None

    def _holds(self, node: EventNode) -> bool:
        """Whether a node holds in this step; a slot is evaluated once, when first needed."""
        if isinstance(node, EventSourceState):
            return node.set
        if node.fresh:
            node.fresh = False
            self._evaluate(node)
        return node.set

    def _evaluate(self, slot: SlotState) -> None:
        if slot.held:
            if self._condition(slot):
                slot.value = self._make_value(slot)
            return
        slot.set, slot.value = False, []
        if not slot.allowed:
            met = (self._ever(one) for one in slot.prerequisites)
            # Mobile-Env stops at the first that is not met.
            slot.allowed = all(list(met) if self._strict else met)
        if not slot.allowed or not self._condition(slot):
            slot.last = False
            return
        match slot.repeatability:
            case "LAST":
                slot.set = not slot.last
            case "NONE":
                slot.set = not slot.ever
            case _:
                slot.set = True
        slot.ever = slot.last = True
        if slot.set:
            slot.value = self._make_value(slot)

    def _condition(self, slot: SlotState) -> bool:
        """Whether the slot's condition holds; every child is evaluated."""
        if slot.fault:
            raise EVENT_GRAPH(slot.fault)
        children = slot.children[:1] if slot.kind == "SINGLE" else slot.children
        held = [self._holds(child) for child in children]
        return bool(held) and (any(held) if slot.kind == "OR" else all(held))

    def _ever(self, node: EventNode) -> bool:
        return node.ever or (isinstance(node, SlotState) and self._holds(node))

    def _make_value(self, slot: SlotState) -> list[object]:
        """Return the slot's value, as the only item of a list."""
        try:
            if slot.kind == "AND":
                return [self._wrapped(slot, [_node_values(child) for child in slot.children])]
            children = slot.children[:1] if slot.kind == "SINGLE" else slot.children
            made = [self._wrapped(slot, one) for child in children for one in _node_values(child)]
        except EventValueError as error:
            raise EventValueError(
                f"task {self.task.id!r}, {slot.name}: {error}", hint=error.hint
            ) from error
        return [reduce(_UPDATES.get(slot.listener, _keep_later), made)] if made else []

    def _wrapped(self, slot: SlotState, x: object) -> object:
        y = slot.transform(x) if slot.transform else x
        wrap = self._wraps.get(slot.listener)
        return wrap(y) if wrap else y

    def _end_step(self) -> None:
        for slot in self._graph.slots:
            # Mobile-Env considers only those that were evaluated in this step.
            states = [
                one.set for one in slot.waits if isinstance(one, EventSourceState) or not one.fresh
            ]
            slot.held = slot.set and (slot.kept or not all(states))
        for slot in self._graph.slots:
            slot.fresh = True
        for source in self._graph.sources:
            source.clear()


def _node_values(node: EventNode) -> list[object]:
    return node.values if isinstance(node, EventSourceState) else node.value


def _keep_later(_: Any, later: Any) -> Any:
    return later


def _number(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # a wrong type is reported
    except (TypeError, ValueError, OverflowError) as error:
        raise EventValueError(f"{repr(value)} is not a number") from error
    if not math.isfinite(number):
        raise EventValueError(f"{repr(value)} is not a finite number")
    return number


def _instructions(value: object) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
        return list(found)
    raise EventValueError(f"{repr(value)} is neither a text nor a list of texts")


def _extras(value: object) -> dict[str, list[object]]:
    if not isinstance(value, dict):
        raise EventValueError(f"{repr(value)} is not a dict of extras")
    return {
        str(name): list(one) if isinstance(one, list | tuple) else [one]
        for name, one in value.items()
    }


def _json_extras(value: object) -> dict[str, list[object]]:
    if isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    return _extras(_loose_json(value))


def _loose_json(value: object) -> object:
    if isinstance(value, dict):
        return value
    try:
        found = json.loads(value) if isinstance(value, str) else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _merge_extras(extras: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    merged = dict(extras)
    for name, values in more.items():
        try:
            merged[name] = (merged[name] + values if name in merged else values)[-_MAX_EXTRAS:]
        except TypeError as error:
            raise EventValueError(f"extra {name!r}: {repr(values)} is not a list") from error
    return merged


def _stack_extras(parts: Iterable[dict[str, Any]]) -> "dict[str, NDArray[Any]]":
    merged: dict[str, Any] = {}
    for part in parts:
        merged = _merge_extras(merged, part)
    if not merged:
        return {}
    import numpy as np  # few tasks have extras, and every command that lists tasks would wait

    stacked = {}
    for name, values in merged.items():
        try:
            stacked[name] = np.stack(values)
        except (TypeError, ValueError) as error:
            raise EventValueError(
                f"extra {name!r}: {repr(values)} does not make one array: {error}"
            ) from error
    return stacked


_Wraps: TypeAlias = Mapping[Listener | None, Callable[[Any], object]]

_WRAPS: _Wraps = {
    "score": _number,
    "reward": _number,
    "instruction": _instructions,
    "extra": _extras,
    "json_extra": _json_extras,
}
_LOOSE_WRAPS: _Wraps = {**_WRAPS, "extra": lambda value: value, "json_extra": _loose_json}
_UPDATES: Mapping[Listener | None, Callable[[Any, Any], object]] = {
    "reward": operator.add,
    "instruction": operator.add,
    "extra": _merge_extras,
    "json_extra": _merge_extras,
}
