"""What is wrong with a task definition before it has run: names, patterns, and what cannot happen.

Mobile-Env's tools check none of it; there a wrong id or pattern shows when the task is played.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Literal, TypeAlias

from tapwright.tasks.definitions.line_numbers import Way
from tapwright.tasks.errors import BadDefinitionError, BadPatternError, BadSelectorError
from tapwright.tasks.events.expressions import compile_transformation
from tapwright.tasks.events.sources import Source
from tapwright.tasks.task_pb2 import EventSlot, Task, TaskEventSlots

__all__ = [
    "Finding",
    "can_end",
    "lint",
]

Rule: TypeAlias = Literal[
    "duplicate id",
    "unresolved id",
    "unresolved prerequisite",
    "bad event",
    "bad expression",
    "cycle",
    "unreachable",
    "never ends",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, and the way to it. A `hint` says the way out, if there is one.

    An event that cannot happen is worth a look; all else keeps the task from running.
    """

    rule: Rule
    what: str
    way: Way = ()
    hint: str = ""

    @property
    def is_error(self) -> bool:
        """Whether the task could not run like this."""
        return self.rule != "unreachable"


def lint(task: Task) -> list[Finding]:
    """All that is wrong with the events of a definition; [] if nothing.

    That the task can end is `can_end`'s, as the steps of a task to be need not.
    """
    ids = tuple(source.id for source in task.event_sources)
    return [*_bad_events(task), *_wrong_in_graph(ids, task.event_slots.SerializeToString())]


@lru_cache(256)
def _wrong_in_graph(sources: tuple[int, ...], slots: bytes) -> tuple[Finding, ...]:
    """All that is wrong with the slots over sources of these ids.

    Tasks of one template differ in their sources and share their slots, so most have been seen.
    """
    graph = _Graph(sources, TaskEventSlots.FromString(slots))
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
    return limited or _END in _Graph(ids, task.event_slots).possible()


_END: Way = (("event_slots", 0), ("episode_end_listener", 0))


@dataclass(frozen=True, slots=True)
class _Reference:
    """The id of another event, and the field that names it."""

    field: str
    id: int
    way: Way


class _Graph:
    """The events of a task by the way to them, and which stand on which."""

    def __init__(self, sources: Sequence[int], listeners: TaskEventSlots) -> None:
        self.sources: dict[Way, int] = {
            (("event_sources", number),): id_ for number, id_ in enumerate(sources)
        }
        self.slots: dict[Way, EventSlot] = dict(_slots(listeners))
        self.by_id: dict[int, Way] = {}
        named = [(way, slot.id) for way, slot in self.slots.items() if slot.id]
        for way, id_ in (*self.sources.items(), *named):
            self.by_id.setdefault(id_, way)
        self.children = {way: self._children(way, slot) for way, slot in self.slots.items()}
        self.needed = {
            way: tuple(self.by_id[id_] for id_ in slot.prerequisite if id_ in self.by_id)
            for way, slot in self.slots.items()
        }
        self.below = {
            way: [one for one in (*self.children[way], *self.needed[way]) if one is not None]
            for way in self.slots
        }
        self.order: tuple[Way, ...] = ()
        self.cycle: Finding | None = None
        try:
            self.order = tuple(TopologicalSorter(self.below).static_order())
        except CycleError as error:
            ring: list[Way] = error.args[1]
            self.cycle = Finding("cycle", "this event stands on itself", ring[0])

    def _children(self, way: Way, slot: EventSlot) -> tuple[Way | None, ...]:
        return tuple(
            (*way, ("events", number), ("event", 0))
            if child.HasField("event")
            else self.by_id.get(child.id)
            for number, child in enumerate(slot.events)
        )

    def doubtful_ids(self) -> Iterator[Finding]:
        """Ids that two have, and those that nothing has."""
        named = [(way, slot.id) for way, slot in self.slots.items() if slot.id]
        for way, id_ in (*self.sources.items(), *named):
            if self.by_id[id_] != way:
                hint = "sources and slots share one space of ids"
                yield Finding("duplicate id", f"a second event has the id {id_}", way, hint)
        known = f"defined are: {', '.join(map(str, sorted(self.by_id))) or 'none'}"
        for way, slot in self.slots.items():
            for ref in _references(way, slot):
                if ref.id not in self.by_id:
                    rule: Rule = (
                        "unresolved prerequisite"
                        if ref.field == "prerequisite"
                        else "unresolved id"
                    )
                    yield Finding(
                        rule, f"{ref.field}: no event has the id {ref.id}", ref.way, known
                    )
            for number, child in enumerate(slot.events):
                if child.WhichOneof("source") is None:
                    here = (*way, ("events", number))
                    yield Finding("unresolved id", "neither an id nor an event", here)

    def out_of_reach(self) -> Iterator[Finding]:
        """Sources that nothing asks for, and slots over nothing."""
        asked = {way for ways in self.below.values() for way in ways}
        for way in self.sources:
            if way not in asked:
                yield Finding("unreachable", "no slot asks for this event", way)
        for way, slot in self.slots.items():
            if not slot.events and slot.ListFields():
                yield Finding("unreachable", "this slot has no events, so it never happens", way)

    def possible(self) -> set[Way]:
        """The events that can happen, as far as names tell."""
        found: set[Way] = set()
        for way in self.order:
            slot = self.slots.get(way)
            if slot is None or self._is_possible(way, slot, found):
                found.add(way)
        return found

    def _is_possible(self, way: Way, slot: EventSlot, found: set[Way]) -> bool:
        happen = [child in found for child in self.children[way]]
        match slot.type:
            case EventSlot.SINGLE:
                happens = bool(happen) and happen[0]
            case EventSlot.AND:
                happens = bool(happen) and all(happen)
            case _:
                happens = any(happen)
        return happens and all(one in found for one in self.needed[way])


def _slots(listeners: TaskEventSlots) -> Iterator[tuple[Way, EventSlot]]:
    """All slots and the ways to them, each before those below it."""
    root: Way = (("event_slots", 0),)
    stack: list[tuple[Way, EventSlot]] = [
        ((*root, (field.name, 0)), slot) for field, slot in listeners.ListFields()
    ][::-1]
    while stack:
        way, slot = stack.pop()
        yield way, slot
        stack.extend(
            ((*way, ("events", number), ("event", 0)), child.event)
            for number, child in enumerate(slot.events)
            if child.HasField("event")
        )


def _references(way: Way, slot: EventSlot) -> Iterator[_Reference]:
    for number, child in enumerate(slot.events):
        if child.HasField("id"):
            yield _Reference("id", child.id, (*way, ("events", number), ("id", 0)))
    for number, id_ in enumerate(slot.prerequisite):
        yield _Reference("prerequisite", id_, (*way, ("prerequisite", number)))
    for number, id_ in enumerate(slot.cache_until):
        if id_ != -1:
            yield _Reference("cache_until", id_, (*way, ("cache_until", number)))


def _bad_events(task: Task) -> Iterator[Finding]:
    for number, source in enumerate(task.event_sources):
        try:
            Source(source)
        except BadDefinitionError as error:
            way: Way = (("event_sources", number),)
            if kind := source.WhichOneof("event"):
                way = (*way, (kind, 0), *_part(kind, error))
            yield Finding("bad event", str(error), way, error.hint)


def _part(kind: str, error: BadDefinitionError) -> Way:
    """The field of an event of this kind that an error is about."""
    match error, kind:
        case BadSelectorError(), _:
            return (("selector", 0),)
        case BadPatternError(), "text_recognize" | "text_detect":
            return (("expect", 0),)
        case BadPatternError(), "log_event" | "response_event":
            return (("pattern", 0),)
        case _:
            return (("properties", 0),)


def _bad_expressions(graph: _Graph) -> Iterator[Finding]:
    for way, slot in graph.slots.items():
        if slot.transformation:
            try:
                compile_transformation(tuple(slot.transformation))
            except BadDefinitionError as error:
                here = (*way, ("transformation", 0))
                yield Finding("bad expression", str(error), here, error.hint)
