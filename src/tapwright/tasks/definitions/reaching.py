"""Whether the goal of a definition can be reached, where some of its events never happen.

An event that contradicts itself, or two that have to hold in one step and cannot, are such, too.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.definitions.line_numbers import FieldPath
from tapwright.tasks.definitions.lint import END, LintGraph

__all__ = ["find_barriers"]

_Sign = pb.EventSource.ViewHierarchyEvent


def find_barriers(definition: pb.Task, never: Iterable[int]) -> Iterator[str]:
    """Yields what contradicts itself, and whether that, or sources that never happen, bar the goal.

    `never` are the places of those sources among all.
    """
    graph = LintGraph(
        tuple(source.id for source in definition.event_sources), definition.event_slots
    )
    if graph.cycle is not None:  # told already
        return
    barred: set[FieldPath] = {(("event_sources", number),) for number in never}
    for number, source in enumerate(definition.event_sources):
        if _contradicts_itself(source):
            barred.add((("event_sources", number),))
            yield f"event_sources[{number}]: its properties contradict each other"
    for path in graph.slots:
        for one, other in combinations(_together(graph, path), 2):
            sources = definition.event_sources[one], definition.event_sources[other]
            if _exclude_each_other(*sources):
                barred.add(path)
                yield (
                    f"{_name(path)}: event_sources[{one}] and event_sources[{other}] want "
                    f"{sources[0].state_event.path} to be two values in one step"
                )
    if END not in graph.slots:
        yield "it can never be a success: it has no episode_end_listener"
    elif END in graph.possible() and END not in graph.possible(barred):
        yield "the goal can never be reached: what episode_end_listener waits for never happens"


def _together(graph: LintGraph, path: FieldPath) -> list[int]:
    """The places of the sources that have to hold in the same step as a slot."""
    slot = graph.slots.get(path)
    if slot is None:
        return [path[0][1]]
    if slot.type == pb.EventSlot.OR:
        return []
    children = [child for child in graph.children[path] if child is not None]
    if slot.type == pb.EventSlot.SINGLE:
        children = children[:1]
    found: dict[int, None] = {}
    for child in children:
        kept = graph.slots.get(child)
        if kept is None or not kept.cache_until:  # one that is kept may hold from an earlier step
            found |= dict.fromkeys(_together(graph, child))
    return list(found)


def _exclude_each_other(one: pb.EventSource, other: pb.EventSource) -> bool:
    wanted = [source.state_event for source in (one, other)]
    if any(event.WhichOneof("condition") != "equals" for event in wanted):
        return False
    return wanted[0].path == wanted[1].path and wanted[0].equals != wanted[1].equals


def _contradicts_itself(source: pb.EventSource) -> bool:
    """Whether no number meets all that a source asks of one property."""
    asked: dict[str, list[tuple[int, float]]] = {}
    for one in source.view_hierarchy_event.properties:
        match one.WhichOneof("property_value"):
            case "integer":
                asked.setdefault(one.property_name, []).append((one.sign, one.integer))
            case "floating":
                asked.setdefault(one.property_name, []).append((one.sign, one.floating))
    return any(not _can_be_met(tests) for tests in asked.values())


def _can_be_met(tests: list[tuple[int, float]]) -> bool:
    numbers = sorted({number for _, number in tests})
    between = [(low + high) / 2 for low, high in pairwise(numbers)]
    tried = [numbers[0] - 1, *numbers, *between, numbers[-1] + 1]
    return any(all(_holds(sign, number, one) for sign, number in tests) for one in tried)


def _holds(sign: int, wanted: float, number: float) -> bool:
    match sign:
        case _Sign.EQ:
            return number == wanted
        case _Sign.NE:
            return number != wanted
        case _Sign.LT:
            return number < wanted
        case _Sign.LE:
            return number <= wanted
        case _Sign.GT:
            return number > wanted
        case _:
            return number >= wanted


def _name(path: FieldPath) -> str:
    return ".".join(f"{field}[{at}]" if field == "events" else field for field, at in path[1:])
