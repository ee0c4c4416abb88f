"""Joins steps to one task, with the listeners of each under one root for each kind.

They follow Mobile-Env's tool field by field:
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/parse.py.
Where that loses something (`cache_until` and the id 0 are not renumbered, a later `null_listener`
is dropped), this keeps it, unless `upstream` asks for the original.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tapwright.tasks.errors import STEP_MERGE, UpstreamFailureError
from tapwright.tasks.task_pb2 import EventSlot, Task, TaskEventSlots

__all__ = ["TaskStep", "join_steps"]

_LISTENERS = (
    "score_listener",
    "reward_listener",
    "extra_listener",
    "json_extra_listener",
    "instruction_listener",
)
"""The listeners that every joined task has as an OR over its steps."""

_MAX_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One step of a task: a definition of its own, and its options.

    `place` names it in errors. With s its set-up steps are kept, with r its reset steps, with c its
    commands although no commands are appended.
    """

    task: Task
    place: str
    options: frozenset[str] = frozenset()


def join_steps(
    steps: Sequence[TaskStep],
    *,
    autocat: bool = True,
    ordered: bool = False,
    upstream: bool = False,
) -> Task:
    """Joins one or more steps to a task; the definitions of the steps are consumed.

    `autocat` appends the commands of the later steps, "Then, …". With `ordered` a step earns
    nothing, and does not end, before all steps before it have ended. `upstream` joins as
    Mobile-Env's own tool does, its failures included.

    Raises:
        TaskError: a step lacks what joining needs.
        UpstreamFailureError: with `upstream`, where that tool fails.
    """
    first = steps[0].task
    task = Task()
    task.CopyFrom(first)
    _check_sources(steps[0], upstream=upstream)
    for name in _LISTENERS:
        root = getattr(task.event_slots, name)
        root.Clear()
        root.type = EventSlot.OR
        root.events.add().event.CopyFrom(getattr(first.event_slots, name))
    highest = _highest_id(first, upstream=upstream)
    for before, step in pairwise(steps):
        _renumber(step, highest, upstream=upstream)
        highest = max(highest, _highest_id(step.task, upstream=upstream))
        if ordered:
            highest = _require_step(before, step, highest)
        _append(task, before.task, step.task)
        if "s" in step.options:
            task.setup_steps.extend(step.task.setup_steps)
        if "r" in step.options:
            task.reset_steps.extend(step.task.reset_steps)
        if autocat or "c" in step.options:
            task.command.extend(_render_commands(step, upstream=upstream))
    task.event_slots.episode_end_listener.CopyFrom(steps[-1].task.event_slots.episode_end_listener)
    words = dict.fromkeys(word for step in steps for word in step.task.vocabulary)
    task.vocabulary[:] = words
    if not upstream:
        _join_null_listeners(task, steps)
        if len(steps) > 1 and any(step.task.HasField("tapwright") for step in steps):
            _join_tapwright(task, steps)
    return task


def _check_sources(step: TaskStep, *, upstream: bool) -> None:
    if step.task.event_sources:
        return
    if upstream:
        raise UpstreamFailureError("ValueError", "max() arg is an empty sequence", step.place)
    raise STEP_MERGE(
        f"{step.place}: no event_sources; expected one at least, as nothing could happen in it"
    )


def _append(task: Task, before: Task, step: Task) -> None:
    """Add a further step, whose commands are given when the one before it ends."""
    task.id += "-" + step.id
    task.name += ", " + step.name.split(" - ", maxsplit=1)[-1]
    task.description += "\n" + step.description
    task.event_sources.extend(step.event_sources)
    task.extras_spec.extend(step.extras_spec)
    listener = task.event_slots.instruction_listener.events.add().event
    listener.CopyFrom(before.event_slots.episode_end_listener)
    listener.transformation[:] = [f"y = {list(step.command)!r}"]
    for name in _LISTENERS:
        root = getattr(task.event_slots, name)
        root.events.add().event.CopyFrom(getattr(step.event_slots, name))


def _render_commands(step: TaskStep, *, upstream: bool) -> list[str]:
    """Returns the commands of a step that follows another: "Then, …"."""
    commands = list(step.task.command)
    if upstream and not commands:
        raise UpstreamFailureError("IndexError", "list index out of range", step.place)
    if upstream and not commands[0]:
        raise UpstreamFailureError("IndexError", "string index out of range", step.place)
    if not commands or not commands[0]:
        raise STEP_MERGE(
            f"{step.place}: its first command is {'empty' if commands else 'missing'}; "
            'expected one to go on with, "Then, …"',
            hint="give the step a command, or use --no-autocat-commands",
        )
    return [f"Then, {commands[0][0].lower()}{commands[0][1:]}", *commands[1:]]


def _highest_id(task: Task, *, upstream: bool) -> int:
    slots = (slot.id for slot in _slots(task.event_slots, upstream=upstream))
    return max(0, *(source.id for source in task.event_sources), *slots)


def _slots(listeners: TaskEventSlots, *, upstream: bool) -> Iterator[EventSlot]:
    """Yields all slots under the listeners, from the roots down; the tool has no null listener."""
    stack: list[EventSlot] = [
        slot
        for field, slot in listeners.ListFields()
        if not (upstream and field.name == "null_listener")
    ]
    while stack:
        slot = stack.pop()
        yield slot
        stack.extend(child.event for child in slot.events if child.HasField("event"))


def _renumber(step: TaskStep, highest: int, *, upstream: bool) -> None:
    """Give its sources and slots ids above those of the steps before it."""
    task = step.task
    top = highest + _highest_id(task, upstream=upstream)
    if top >= _MAX_ID:
        if upstream:
            raise UpstreamFailureError("ValueError", f"Value out of range: {top}", step.place)
        raise STEP_MERGE(
            f"{step.place}: its ids would go up to {top}; expected less than {_MAX_ID}",
            hint="number the sources and slots of each template from 1",
        )
    # A source without an id has 0, by which it may be named. The tool gives it an id that the step
    # before has already.
    nobody = top + 1

    def new(id_: int) -> int:
        if upstream or id_ > 0:
            return highest + id_
        return nobody if id_ == 0 else id_

    for source in task.event_sources:
        source.id = new(source.id)
    for slot in _slots(task.event_slots, upstream=upstream):
        if slot.id > 0:
            slot.id = new(slot.id)
        for child in slot.events:
            if child.HasField("id"):
                child.id = new(child.id)
        slot.prerequisite[:] = map(new, slot.prerequisite)
        if not upstream:
            slot.cache_until[:] = map(new, slot.cache_until)


def _require_step(before: TaskStep, step: TaskStep, highest: int) -> int:
    """Let a step wait for the end of the one before it; returns the highest id in use."""
    end = before.task.event_slots.episode_end_listener
    if not end.events:
        raise STEP_MERGE(
            f"{before.place}: no episode_end_listener, so that no step could come after it",
            hint="give the step one, or join without --ordered",
        )
    if end.id == 0:
        highest += 1
        end.id = highest
    for name in ("score_listener", "reward_listener", "episode_end_listener"):
        listener = getattr(step.task.event_slots, name)
        if listener.events:
            listener.prerequisite.append(end.id)
    return highest


def _join_null_listeners(task: Task, steps: Sequence[TaskStep]) -> None:
    """Keep the null listeners of all steps; one of the first step alone stays as it is."""
    if any(step.task.event_slots.null_listener.events for step in steps[1:]):
        root = EventSlot(type=EventSlot.OR)
        for step in steps:
            if step.task.event_slots.null_listener.events:
                root.events.add().event.CopyFrom(step.task.event_slots.null_listener)
        task.event_slots.null_listener.CopyFrom(root)


def _join_tapwright(task: Task, steps: Sequence[TaskStep]) -> None:
    """Give a task the apps, the state, the user's replies and the solutions of all its steps."""
    own = [step.task.tapwright for step in steps]
    for theirs in own[1:]:
        task.tapwright.apps.extend(app for app in theirs.apps if app not in task.tapwright.apps)
        for path in theirs.state:
            if path not in task.tapwright.state:
                task.tapwright.state[path].CopyFrom(theirs.state[path])
        task.tapwright.replies.extend(theirs.replies)
    if not all(theirs.solution for theirs in own):
        del task.tapwright.solution[:]
        return
    for theirs in own[1:]:
        # Each solution starts at the home screen and ends with a finish action.
        if task.tapwright.solution[-1].do.fields["type"].string_value == "finish":
            del task.tapwright.solution[-1]
        home = task.tapwright.solution.add().do
        home.update({"type": "press_key", "key": "home"})
        task.tapwright.solution.extend(theirs.solution)
