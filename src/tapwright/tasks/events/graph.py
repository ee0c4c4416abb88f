"""The event graph of a task: its sources, and the slots above them.

Built once from a definition and checked: every id exists, none is duplicate, no slot depends on
itself. `compat="mobile-env"` accepts what Mobile-Env does; see docs/concepts/task-language.md.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tapwright.tasks import errors
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.events.expressions import compile_transformation
from tapwright.tasks.events.sources import EventSourceState

__all__ = ["LISTENERS", "Compat", "EventGraph", "EventNode", "SlotState", "build_graph"]

Compat: TypeAlias = Literal["mobile-env"]
Listener: TypeAlias = Literal[
    "score", "reward", "episode_end", "extra", "json_extra", "instruction", "null"
]
LISTENERS: tuple[Listener, ...] = (
    "score", "reward", "episode_end", "extra", "json_extra", "instruction", "null",
)  # fmt: skip
"""The roots of a graph, in the order in which their slots are read."""

_MAX_DEPTH = 100
_KINDS: Mapping[int, Literal["SINGLE", "AND", "OR"]] = {0: "SINGLE", 1: "AND", 2: "OR"}
_REPEATABILITIES: Mapping[int, Literal["UNLIMITED", "LAST", "NONE"]] = {
    0: "UNLIMITED", 1: "LAST", 2: "NONE",
}  # fmt: skip


@dataclass(eq=False, slots=True)
class SlotState:
    """One slot: the nodes that it depends on, and its state in an episode.

    `kept` is cache_until's -1. `fault` is why it cannot be evaluated, which only compat lets
    through; "" otherwise.
    """

    kind: Literal["SINGLE", "AND", "OR"]
    id: int
    listener: Listener | None
    repeatability: Literal["UNLIMITED", "LAST", "NONE"]
    kept: bool
    transform: Callable[[object], object] | None = None
    fault: str = ""
    children: list["EventNode"] = field(default_factory=list)
    prerequisites: list["EventNode"] = field(default_factory=list)
    waits: list["EventNode"] = field(default_factory=list)

    # Over an episode: whether it ever held, and whether its prerequisites did.
    ever: bool = False
    allowed: bool = False
    # Over steps: whether it held at the last one, and whether its state is kept.
    last: bool = False
    held: bool = False
    # In this step.
    fresh: bool = True
    set: bool = False
    value: list[object] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its name in messages."""
        own = f"slot {self.id}" if self.id else "a slot without id"
        return f"{self.listener}_listener" if self.listener else own

    def reset(self, *, keep_allowed: bool) -> None:
        """Start another episode; `keep_allowed` keeps the prerequisites that were met."""
        self.allowed = self.allowed and keep_allowed
        self.ever = self.last = self.held = self.set = False
        self.fresh, self.value = True, []


EventNode: TypeAlias = EventSourceState | SlotState


@dataclass(frozen=True, slots=True)
class EventGraph:
    """The sources and slots in the order of the file, and the existing roots by listener."""

    sources: tuple[EventSourceState, ...]
    slots: tuple[SlotState, ...]
    roots: Mapping[Listener, SlotState]


def build_graph(task: pb.Task, compat: Compat | None = None) -> EventGraph:
    """Builds the event graph of a definition.

    Raises:
        BadDefinitionError: an id, a pattern, a selector or a transformation is not valid.
    """
    try:
        return _Builder(task, compat).build()
    except RecursionError as error:
        raise errors.EVENT_GRAPH(f"task {task.id!r}: slots nested too deeply") from error


class _Builder:
    def __init__(self, task: pb.Task, compat: Compat | None) -> None:
        self.task = task
        self.compat = compat
        self.known: dict[int, EventNode] = {}
        self.slots: list[tuple[SlotState, pb.EventSlot]] = []
        # Slot, number of the child, id that was not known yet.
        self.open: list[tuple[SlotState, int, int]] = []

    def build(self) -> EventGraph:
        sources = tuple(map(self._source, self.task.event_sources))
        events = self.task.event_slots
        roots = {
            listener: self._slot(getattr(events, f"{listener}_listener"), listener)
            for listener in LISTENERS
            if events.HasField(f"{listener}_listener")
        }
        for slot, number, id_ in self.open:
            if id_ in self.known:
                slot.children[number] = self.known[id_]
            elif number == 0 or slot.kind != "SINGLE" or self.compat is None:
                self._missing(slot, f"event {id_} is not defined")
        for slot, proto in self.slots:
            self._refer(slot, proto)
        slots = tuple(slot for slot, _ in self.slots)
        _check_cycles(slots, self.task.id)
        return EventGraph(sources, slots, roots)

    def _source(self, proto: pb.EventSource) -> EventSourceState:
        try:
            source = EventSourceState(proto, strict=self.compat is None)
        except errors.BadDefinitionError as error:
            raise self._placed(error, f"event source {proto.id}") from error
        self._name(source)
        return source

    def _slot(self, proto: pb.EventSlot, listener: Listener | None = None) -> SlotState:
        slot = SlotState(
            kind=_KINDS[proto.type],
            id=proto.id,
            listener=listener,
            repeatability=_REPEATABILITIES[proto.repeatability],
            kept=-1 in proto.cache_until,
        )
        if slot.kind == "AND" and self.compat:
            slot.repeatability = "UNLIMITED"
        self._transform(slot, proto)
        self.slots.append((slot, proto))
        for child in proto.events:
            match child.WhichOneof("source"):
                case "event":
                    slot.children.append(self._slot(child.event))
                case "id" if child.id in self.known:
                    slot.children.append(self.known[child.id])
                case "id":
                    self.open.append((slot, len(slot.children), child.id))
                    slot.children.append(_empty())
                case _:
                    self._missing(slot, "one of its events is empty")
        if slot.id:
            self._name(slot)
        return slot

    def _transform(self, slot: SlotState, proto: pb.EventSlot) -> None:
        if not proto.transformation:
            return
        try:
            slot.transform = compile_transformation(tuple(proto.transformation))
        except errors.BadExpressionError as error:
            if self.compat is None:
                raise self._placed(error, slot.name) from error
            slot.transform = _BrokenTransformation(str(error))

    def _name(self, node: EventNode) -> None:
        if node.id in self.known and self.compat is None:
            raise errors.EVENT_GRAPH(
                f"task {self.task.id!r}: {node.name} has the id of {self.known[node.id].name}",
                hint="sources and slots share one space of ids",
            )
        self.known[node.id] = node

    def _refer(self, slot: SlotState, proto: pb.EventSlot) -> None:
        for id_ in proto.prerequisite:
            if id_ in self.known:
                slot.prerequisites.append(self.known[id_])
            elif self.compat is None:
                self._missing(slot, f"prerequisite {id_} is not defined")
        for id_ in proto.cache_until:
            if id_ == -1:
                continue
            waited = self.known.get(id_)
            if waited is None:
                raise self._placed(
                    errors.EVENT_GRAPH(f"cache_until {id_} is not defined"), slot.name
                )
            if isinstance(waited, EventSourceState) and self.compat:
                raise self._placed(
                    errors.EVENT_GRAPH(f"cache_until names {waited.name}, not a slot"), slot.name
                )
            slot.waits.append(waited)

    def _missing(self, slot: SlotState, what: str) -> None:
        error = self._placed(errors.EVENT_GRAPH(what, hint=self._ids()), slot.name)
        if self.compat is None:
            raise error
        slot.fault = str(error)

    def _ids(self) -> str:
        return f"defined are: {', '.join(map(str, sorted(self.known))) or 'none'}"

    def _placed(self, error: errors.BadDefinitionError, place: str) -> errors.BadDefinitionError:
        return type(error)(f"task {self.task.id!r}, {place}: {error}", hint=error.hint)


def _empty() -> SlotState:
    """Returns a placeholder slot, which never holds."""
    return SlotState(kind="SINGLE", id=0, listener=None, repeatability="UNLIMITED", kept=False)


class _BrokenTransformation:
    """A transformation that cannot work, which Mobile-Env notices only when it runs."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __call__(self, _: object) -> object:
        raise errors.EventValueError(self._what)


def _check_cycles(slots: Sequence[SlotState], task_id: str) -> None:
    """Refuses slots that depend on themselves or are nested too deeply; without recursion."""
    heights: dict[SlotState, int] = {}
    for start in slots:
        path = {start: _child_slots(start)}
        while path:
            slot = next(reversed(path))
            below = next((one for one in path[slot] if one not in heights), None)
            if below is None:
                heights[slot] = 1 + max((heights[one] for one in _child_slots(slot)), default=0)
                del path[slot]
            elif below in path:
                raise errors.EVENT_GRAPH(
                    f"task {task_id!r}: {below.name} depends on itself, through {slot.name}"
                )
            else:
                path[below] = _child_slots(below)
        if heights[start] > _MAX_DEPTH:
            raise errors.EVENT_GRAPH(
                f"task {task_id!r}: {start.name} is {heights[start]:,} slots deep; "
                f"at most {_MAX_DEPTH} are allowed"
            )


def _child_slots(slot: SlotState) -> Iterator[SlotState]:
    return (one for one in (*slot.children, *slot.prerequisites) if isinstance(one, SlotState))
