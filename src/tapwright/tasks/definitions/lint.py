"""Lints a task definition before it runs: ids, patterns, and events that cannot happen.

Mobile-Env's tools do not; there a wrong id or pattern shows when the task is played.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Literal, TypeAlias

from tapwright.tasks.definitions.line_numbers import FieldPath
from tapwright.tasks.errors import BadDefinitionError, BadPatternError, BadSelectorError
from tapwright.tasks.events.expressions import compile_transformation
from tapwright.tasks.events.sources import EventSourceState
from tapwright.tasks.task_pb2 import EventSlot, Task, TaskEventSlots

__all__ = ["END", "LintFinding", "LintGraph", "can_end", "lint"]

LintRule: TypeAlias = Literal[
    "duplicate id",
    "unresolved id",
    "unresolved prerequisite",
    "bad event",
    "bad expression",
    "empty reply",
    "cycle",
    "unreachable",
    "never ends",
]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A finding, the path to its field, and in `hint` the way out, if there is one.

    An event that cannot happen is a warning; everything else keeps the task from running.
    """

    rule: LintRule
    what: str
    path: FieldPath = ()
    hint: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the task could not run like this."""
        return self.rule != "unreachable"


def lint(task: Task) -> list[LintFinding]:
    """Returns the findings about the events of a definition, and what its user says.

    Whether the task can end is `can_end`, as the steps of an unfinished task need not.
    """
    ids = tuple(source.id for source in task.event_sources)
    graph = _wrong_in_graph(ids, task.event_slots.SerializeToString())
    return [*_bad_events(task), *_empty_replies(task), *graph]


@lru_cache(256)
def _wrong_in_graph(sources: tuple[int, ...], slots: bytes) -> tuple[LintFinding, ...]:
    """Returns the findings about the slots over sources of these ids.

    Tasks of one template differ in their sources and share their slots, so most are cached.
    """
    graph = LintGraph(sources, TaskEventSlots.FromString(slots))
    return (
        *graph.doubtful_ids(),
        *_bad_expressions(graph),
        *([graph.cycle] if graph.cycle else ()),
        *graph.out_of_reach(),
    )


def can_end(task: Task) -> bool:
    """Whether an event or a limit can end an episode of the task, whatever its agent does."""
    limited = task.max_num_steps > 0 or task.max_duration_sec > 0
    ids = tuple(source.id for source in task.event_sources)
    return limited or END in LintGraph(ids, task.event_slots).possible()


END: FieldPath = (("event_slots", 0), ("episode_end_listener", 0))
"""The path to the slot whose value ends an episode as a success or a failure."""


@dataclass(frozen=True, slots=True)
class _Reference:
    """The id of another event, and the field that names it."""

    field: str
    id: int
    path: FieldPath


class LintGraph:
    """The events of a task by the path to them, and their dependencies."""

    def __init__(self, sources: Sequence[int], listeners: TaskEventSlots) -> None:
        self.sources: dict[FieldPath, int] = {
            (("event_sources", number),): id_ for number, id_ in enumerate(sources)
        }
        self.slots: dict[FieldPath, EventSlot] = dict(_slots(listeners))
        self.by_id: dict[int, FieldPath] = {}
        named = [(path, slot.id) for path, slot in self.slots.items() if slot.id]
        for path, id_ in (*self.sources.items(), *named):
            self.by_id.setdefault(id_, path)
        self.children = {path: self._children(path, slot) for path, slot in self.slots.items()}
        self.needed = {
            path: tuple(self.by_id[id_] for id_ in slot.prerequisite if id_ in self.by_id)
            for path, slot in self.slots.items()
        }
        self.below = {
            path: [one for one in (*self.children[path], *self.needed[path]) if one is not None]
            for path in self.slots
        }
        self.order: tuple[FieldPath, ...] = ()
        self.cycle: LintFinding | None = None
        try:
            self.order = tuple(TopologicalSorter(self.below).static_order())
        except CycleError as error:
            ring: list[FieldPath] = error.args[1]
            self.cycle = LintFinding("cycle", "this event depends on itself", ring[0])

    def _children(self, path: FieldPath, slot: EventSlot) -> tuple[FieldPath | None, ...]:
        return tuple(
            (*path, ("events", number), ("event", 0))
            if child.HasField("event")
            else self.by_id.get(child.id)
            for number, child in enumerate(slot.events)
        )

    def doubtful_ids(self) -> Iterator[LintFinding]:
        """Ids that two have, and those that nothing has."""
        named = [(path, slot.id) for path, slot in self.slots.items() if slot.id]
        for path, id_ in (*self.sources.items(), *named):
            if self.by_id[id_] != path:
                hint = "sources and slots share one space of ids"
                yield LintFinding("duplicate id", f"a second event has the id {id_}", path, hint)
        known = f"defined are: {', '.join(map(str, sorted(self.by_id))) or 'none'}"
        for path, slot in self.slots.items():
            for ref in _references(path, slot):
                if ref.id not in self.by_id:
                    rule: LintRule = (
                        "unresolved prerequisite"
                        if ref.field == "prerequisite"
                        else "unresolved id"
                    )
                    yield LintFinding(
                        rule, f"{ref.field}: no event has the id {ref.id}", ref.path, known
                    )
            for number, child in enumerate(slot.events):
                if child.WhichOneof("source") is None:
                    here = (*path, ("events", number))
                    yield LintFinding("unresolved id", "neither an id nor an event", here)

    def out_of_reach(self) -> Iterator[LintFinding]:
        """Yields sources that no slot uses, and slots without events."""
        used = {path for paths in self.below.values() for path in paths}
        for path in self.sources:
            if path not in used:
                yield LintFinding("unreachable", "no slot uses this event", path)
        for path, slot in self.slots.items():
            if not slot.events and slot.ListFields():
                yield LintFinding(
                    "unreachable", "this slot has no events, so it never happens", path
                )

    def possible(self, never: Collection[FieldPath] = ()) -> set[FieldPath]:
        """Returns the events that can happen, judged by the ids alone, where some `never` do."""
        found: set[FieldPath] = set()
        for path in self.order:
            if path in never:
                continue
            slot = self.slots.get(path)
            if slot is None or self._is_possible(path, slot, found):
                found.add(path)
        return found

    def _is_possible(self, path: FieldPath, slot: EventSlot, found: set[FieldPath]) -> bool:
        happen = [child in found for child in self.children[path]]
        match slot.type:
            case EventSlot.SINGLE:
                happens = bool(happen) and happen[0]
            case EventSlot.AND:
                happens = bool(happen) and all(happen)
            case _:
                happens = any(happen)
        return happens and all(one in found for one in self.needed[path])


def _slots(listeners: TaskEventSlots) -> Iterator[tuple[FieldPath, EventSlot]]:
    """Yields all slots with the paths to them, each before those below it."""
    root: FieldPath = (("event_slots", 0),)
    stack: list[tuple[FieldPath, EventSlot]] = [
        ((*root, (field.name, 0)), slot) for field, slot in listeners.ListFields()
    ][::-1]
    while stack:
        path, slot = stack.pop()
        yield path, slot
        stack.extend(
            ((*path, ("events", number), ("event", 0)), child.event)
            for number, child in enumerate(slot.events)
            if child.HasField("event")
        )


def _references(path: FieldPath, slot: EventSlot) -> Iterator[_Reference]:
    for number, child in enumerate(slot.events):
        if child.HasField("id"):
            yield _Reference("id", child.id, (*path, ("events", number), ("id", 0)))
    for number, id_ in enumerate(slot.prerequisite):
        yield _Reference("prerequisite", id_, (*path, ("prerequisite", number)))
    for number, id_ in enumerate(slot.cache_until):
        if id_ != -1:
            yield _Reference("cache_until", id_, (*path, ("cache_until", number)))


def _bad_events(task: Task) -> Iterator[LintFinding]:
    for number, source in enumerate(task.event_sources):
        try:
            EventSourceState(source)
        except BadDefinitionError as error:
            path: FieldPath = (("event_sources", number),)
            if kind := source.WhichOneof("event"):
                path = (*path, (kind, 0), *_part(kind, error))
            yield LintFinding("bad event", str(error), path, error.hint)


def _empty_replies(task: Task) -> Iterator[LintFinding]:
    for number, reply in enumerate(task.tapwright.replies):
        if not reply.strip():
            yield LintFinding(
                "empty reply",
                f"reply {number + 1} of the user is empty; expected words",
                (("tapwright", 0), ("replies", number)),
                "leave it out where nobody answers",
            )


def _part(kind: str, error: BadDefinitionError) -> FieldPath:
    """Returns the path to the field of an event that an error is about."""
    match error, kind:
        case BadSelectorError(), _:
            return (("selector", 0),)
        case BadPatternError(), "text_recognize" | "text_detect":
            return (("expect", 0),)
        case BadPatternError(), "log_event" | "response_event":
            return (("pattern", 0),)
        case _:
            return (("properties", 0),)


def _bad_expressions(graph: LintGraph) -> Iterator[LintFinding]:
    for path, slot in graph.slots.items():
        if slot.transformation:
            try:
                compile_transformation(tuple(slot.transformation))
            except BadDefinitionError as error:
                here = (*path, ("transformation", 0))
                yield LintFinding("bad expression", str(error), here, error.hint)
