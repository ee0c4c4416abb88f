"""What a task's events add up to, step by step: reward, instructions, extras, the end.

Evaluation follows Mobile-Env
(https://github.com/X-LANCE/Mobile-Env/blob/976145e/android_env/components/task_manager.py); what it
does wrong is done right here, unless `compat="mobile-env"` asks for it. Both are listed in
docs/concepts/task-language.md.
"""

import json
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from reprlib import repr  # of a length that a message can have
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import EventGraphError, EventValueError
from tapwright.tasks.events.graph import Compat, Listener, Node, Slot, build_graph
from tapwright.tasks.events.ocr import TextReader
from tapwright.tasks.events.signals import Feed, Senses
from tapwright.tasks.events.sources import Source
from tapwright.tasks.task import Signals

__all__ = [
    "EventTree",
    "Outcome",
]

_MAX_EXTRAS = 100


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one step came to.

    `ended` with `success` None is a truncation: a limit was reached, or the app was left.
    `extras` has one array per name, its first axis counting the values. `score` is the task's
    own so far, 0 if it keeps none. `fired` are the ids of sources and slots that held, in order.
    """

    reward: float = 0.0
    instructions: tuple[str, ...] = ()
    extras: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    ended: bool = False
    success: bool | None = None
    score: float = 0.0
    fired: tuple[int, ...] = ()


class EventTree:
    """The events of one task over one episode after another.

    The first `step` after the making, and after `reset`, is for the screen after the reset and
    counts as a step, as in Mobile-Env: a task with `max_num_steps` 5 lets an agent act five times.

    Args:
        task: the definition.
        compat: "mobile-env" for the original's behaviour where it is a defect.
        reader: reads texts off the screen; RapidOCR when it is not given.
        folder: where the pictures that the task names lie; without one it has none.

    Raises:
        BadDefinitionError: the definition cannot work; the message names source or slot.
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
        self._senses = Senses(task, self._graph.sources, reader=reader, folder=folder)
        self._steps = 0
        self._score = 0.0
        self._wraps = _WRAPS if self._strict else _LOOSE_WRAPS

    @property
    def sources(self) -> tuple[Source, ...]:
        """The event sources, in the order of the file."""
        return self._graph.sources

    def reset(self) -> None:
        """Begin another episode; what was fed and not stepped over is dropped (kept in compat)."""
        self._steps, self._score = 0, 0.0
        self._senses.reset()
        for source in self._graph.sources:
            source.reset(keep_pending=not self._strict)
        for slot in self._graph.slots:
            slot.reset(keep_allowed=not self._strict)

    def step(self, given: Signals | Feed) -> Outcome:
        """Take in what happened, and say what it comes to.

        A feed with `reset` begins another episode first; one with `feed_only` is no step of its
        own, and counts at the next.

        Raises:
            EventValueError: a transformation does not fit its value, or gives no such thing as
                a reward; the step is over then, and the next one may be taken.
            BadPatternError: a regular expression takes too long.
            EventSourceUnavailableError: a source needs what these signals do not have.
        """
        if not isinstance(given, Signals) and given.get("reset"):
            self.reset()
        self._senses.take(given)
        if not isinstance(given, Signals) and given.get("feed_only"):
            return Outcome(score=self._score)
        self._steps += 1
        for source in self._graph.sources:
            source.snapshot()
        try:
            return self._outcome()
        finally:
            self._end_step()

    def _outcome(self) -> Outcome:
        self._value("null")
        reward = 0.0
        score = self._value("score")
        if score is not None:
            reward, self._score = score - self._score, score
        earned = self._value("reward")
        if earned is not None:
            reward += earned
        extras = _stacked(
            [one for one in (self._value("extra"), self._value("json_extra")) if one is not None]
        )
        instructions = self._value("instruction") or []
        ended, success = self._end()
        if self._strict:
            for slot in self._graph.slots:
                for waited in slot.waits:
                    self._holds(waited)
        return Outcome(
            reward=reward,
            instructions=tuple(instructions),
            extras=extras,
            ended=ended,
            success=success,
            score=self._score,
            fired=tuple(self._fired()),
        )

    def _end(self) -> tuple[bool, bool | None]:
        if self._senses.left_app:
            return True, None
        value = self._value("episode_end")
        if value is not None:
            return True, bool(value)
        task = self.task
        too_many = 0 < task.max_num_steps < self._steps
        too_long = 0 < task.max_duration_sec < self._senses.elapsed_s
        return too_many or too_long, None

    def _fired(self) -> Iterable[int]:
        nodes: tuple[Node, ...] = (*self._graph.sources, *self._graph.slots)
        return (one.id for one in nodes if one.id and one.set)

    def _value(self, listener: Listener) -> Any:
        """What a listener gives in this step; None when it does not hold."""
        root = self._graph.roots.get(listener)
        return root.value[0] if root and self._holds(root) and root.value else None

    def _holds(self, node: Node) -> bool:
        """Whether a node holds in this step; a slot is looked at once, when it is first asked."""
        if isinstance(node, Source):
            return node.set
        if node.fresh:
            node.fresh = False
            self._look(node)
        return node.set

    def _look(self, slot: Slot) -> None:
        if slot.held:
            if self._condition(slot):
                slot.value = self._make(slot)
            return
        slot.set, slot.value = False, []
        if not slot.allowed:
            met = (self._ever(one) for one in slot.prerequisites)
            # Mobile-Env does not look behind the first that is not met.
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
            slot.value = self._make(slot)

    def _condition(self, slot: Slot) -> bool:
        """Whether what the slot stands on holds; every child is looked at."""
        if slot.fault:
            raise EventGraphError(slot.fault)
        children = slot.children[:1] if slot.kind == "SINGLE" else slot.children
        held = [self._holds(child) for child in children]
        return bool(held) and (any(held) if slot.kind == "OR" else all(held))

    def _ever(self, node: Node) -> bool:
        return node.ever or (isinstance(node, Slot) and self._holds(node))

    def _make(self, slot: Slot) -> list[object]:
        """The slot's value, as the only item of a list."""
        try:
            if slot.kind == "AND":
                return [self._wrapped(slot, [_values(child) for child in slot.children])]
            children = slot.children[:1] if slot.kind == "SINGLE" else slot.children
            made = [self._wrapped(slot, one) for child in children for one in _values(child)]
        except EventValueError as error:
            raise EventValueError(
                f"task {self.task.id!r}, {slot.name}: {error}", hint=error.hint
            ) from error
        return [reduce(_UPDATES.get(slot.listener, _later), made)] if made else []

    def _wrapped(self, slot: Slot, x: object) -> object:
        y = slot.transform(x) if slot.transform else x
        wrap = self._wraps.get(slot.listener)
        return wrap(y) if wrap else y

    def _end_step(self) -> None:
        for slot in self._graph.slots:
            # Mobile-Env asks those alone that were looked at in this step.
            asked = [one.set for one in slot.waits if isinstance(one, Source) or not one.fresh]
            slot.held = slot.set and (slot.kept or not all(asked))
        for slot in self._graph.slots:
            slot.fresh = True
        for source in self._graph.sources:
            source.clear()


def _values(node: Node) -> list[object]:
    return node.values if isinstance(node, Source) else node.value


def _later(_: Any, later: Any) -> Any:
    return later


def _number(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # what does not fit is told
    except (TypeError, ValueError, OverflowError) as error:
        raise EventValueError(f"{repr(value)} is no number") from error
    if not math.isfinite(number):
        raise EventValueError(f"{repr(value)} is no finite number")
    return number


def _instructions(value: object) -> list[str]:
    found = [value] if isinstance(value, str) else value
    if isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
        return list(found)
    raise EventValueError(f"{repr(value)} is neither a text nor a list of texts")


def _extras(value: object) -> dict[str, list[object]]:
    if not isinstance(value, dict):
        raise EventValueError(f"{repr(value)} is no dict of extras")
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


def _more_extras(extras: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    merged = dict(extras)
    for name, values in more.items():
        try:
            merged[name] = (merged[name] + values if name in merged else values)[-_MAX_EXTRAS:]
        except TypeError as error:
            raise EventValueError(f"extra {name!r}: {repr(values)} is no list") from error
    return merged


def _stacked(parts: Iterable[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    merged: dict[str, Any] = {}
    for part in parts:
        merged = _more_extras(merged, part)
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
    "extra": _more_extras,
    "json_extra": _more_extras,
}
