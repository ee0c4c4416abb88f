"""Builds a task from its definition: instruction, setup, and the events as its check."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from google.protobuf import text_format
from google.protobuf.json_format import MessageToDict
from pydantic import TypeAdapter, ValidationError

from tapwright.core.actions import Action
from tapwright.core.task_setup import SetupCall, SetupCheck, SetupStep
from tapwright.errors import first_problem
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import BadDefinitionError, BadPatternError
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.events.ocr import RapidReader, TextReader
from tapwright.tasks.events.sources import to_json
from tapwright.tasks.events.tree import EventOutcome, EventTree
from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.solution import AwaitElement, Gesture, Move, PerformAction, TouchElement
from tapwright.tasks.task import Setup, Signals, Task, Verdict

__all__ = ["EventCheck", "EventJudge", "limit_of", "task_from_definition", "with_max_steps"]

_UNLIMITED = 100
_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def task_from_definition(
    definition: pb.Task, *, folder: Path | None = None, compat: Compat | None = None
) -> Task:
    """Builds the task of a definition; `folder` holds the files that it names.

    A definition without `max_num_steps` gets 100.

    Raises:
        BadDefinitionError: its events, its setup, its solution or its replies are not valid.
    """
    own = definition.tapwright
    package = definition.expected_app_screen.activity.partition("/")[0]
    check = EventCheck(definition, folder, compat)
    check.start()
    return Task(
        id=definition.id,
        instruction=" ".join(definition.command) or definition.description,
        apps=tuple(own.apps) or ((package,) if package else ()),
        check=check,
        setup=Setup(
            seed=own.seed,
            state={path: to_json(value) for path, value in own.state.items()},
            app=own.app,
            steps=(
                *(
                    _setup_step(step, definition.id, folder, once=once)
                    for once, steps in (
                        (True, definition.setup_steps),
                        (False, definition.reset_steps),
                    )
                    for step in steps
                ),
            ),
        ),
        max_steps=limit_of(definition),
        language=own.language or "en",
        solution=tuple(_parse_moves(definition)),
        replies=tuple(_parse_replies(definition)),
    )


def limit_of(definition: pb.Task) -> int:
    """How many actions an attempt has; 100 where the definition sets no limit."""
    return definition.max_num_steps if definition.max_num_steps > 0 else _UNLIMITED


def with_max_steps(task: Task, max_steps: int) -> Task:
    """Returns the task with another limit of the agent's actions."""
    if not isinstance(task.check, EventCheck):
        return replace(task, max_steps=max_steps)
    definition = pb.Task()
    definition.CopyFrom(task.check.definition)
    definition.max_num_steps = max_steps
    check = replace(task.check, definition=definition)
    return replace(task, max_steps=max_steps, check=check)


@dataclass(frozen=True, slots=True, repr=False)
class EventCheck:
    """The check made of a definition's events.

    Its `repr` has the definition's events in full; it is the same in every process.
    """

    definition: pb.Task
    folder: Path | None = None
    compat: Compat | None = None

    def __repr__(self) -> str:
        judged = pb.Task()
        judged.CopyFrom(self.definition)
        for name in ("setup_steps", "reset_steps", "tapwright", "vocabulary", "description"):
            judged.ClearField(name)
        text = text_format.MessageToString(judged, as_one_line=True, as_utf8=True)
        return f"EventCheck({text}, compat={self.compat!r})"

    def __str__(self) -> str:
        sources = len(self.definition.event_sources)
        return f"the events of {self.definition.id!r} ({sources} sources)"

    @property
    def kinds(self) -> frozenset[str]:
        """What its event sources read, such as "log_event"."""
        return frozenset(one.WhichOneof("event") or "" for one in self.definition.event_sources)

    def start(self) -> "EventJudge":
        """Return a judge for a new episode.

        Raises:
            BadDefinitionError: the events are not valid.
        """
        return EventJudge(
            EventTree(self.definition, self.compat, reader=_READER, folder=self.folder)
        )


_READER: TextReader = RapidReader()  # shared: it loads its model once, and only when used


class EventJudge:
    """Judges one episode by an event tree, which is `tree`; `outcomes` has one for each step."""

    def __init__(self, tree: EventTree) -> None:
        self.tree = tree
        self.outcomes: list[EventOutcome] = []

    def step(self, signals: Signals) -> Verdict:
        """Judge one step. A task without a score of its own has 1 at success, else 0."""
        outcome = self.tree.step(signals)
        self.outcomes.append(outcome)
        success = outcome.success is True
        return Verdict(
            score=1.0 if success else min(max(outcome.score, 0.0), 1.0),
            reward=outcome.reward,
            success=success,
            ended=outcome.ended,
            truncated=outcome.ended and outcome.success is None,
            instructions=outcome.instructions,
            extras={name: values.tolist() for name, values in outcome.extras.items()},
        )


def _setup_step(step: pb.SetupStep, task_id: str, folder: Path | None, *, once: bool) -> SetupStep:
    check = _setup_check(step.success_condition, task_id)
    match step.WhichOneof("step"):
        case "sleep":
            return SetupStep(sleep_s=step.sleep.time_sec, check=check, once=once)
        case "adb_call" if name := step.adb_call.WhichOneof("command"):
            parameters = MessageToDict(
                getattr(step.adb_call, name),
                preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True,
            )
            return SetupStep(SetupCall(name, parameters, folder), check=check, once=once)
        case _ if check is not None:
            return SetupStep(check=check, once=once)
        case _:
            raise BadDefinitionError(
                f"task {task_id!r}: a setup or reset step has no command",
                hint="for example: reset_steps { adb_call { press_button { button: HOME } } }",
            )


def _setup_check(condition: pb.SuccessCondition, task_id: str) -> SetupCheck | None:
    retries = condition.num_retries
    match condition.WhichOneof("check"):
        case "wait_for_app_screen":
            screen = condition.wait_for_app_screen
            package = screen.app_screen.activity.partition("/")[0]
            return SetupCheck("app", package, screen.timeout_sec, retries)
        case "check_install":
            install = condition.check_install
            return SetupCheck("installed", install.package_name, install.timeout_sec, retries)
        case "wait_for_message":
            message = condition.wait_for_message
            try:
                compile_pattern(message.message)
            except BadPatternError as error:
                raise BadPatternError(f"task {task_id!r}, wait_for_message: {error}") from error
            return SetupCheck("message", message.message, message.timeout_sec, retries)
        case _:
            return None


def _element(on: pb.Tapwright.Move.Element, task_id: str, number: int) -> TouchElement:
    """The element of a move, touched by a tap unless one other way is given."""
    others: dict[Gesture, bool] = {
        "double_tap": on.double_tap, "long_press": on.long_press, "right_tap": on.right,
    }  # fmt: skip
    given = [gesture for gesture, wanted in others.items() if wanted]
    if len(given) > 1:
        raise BadDefinitionError(
            f"task {task_id!r}, solution, move {number}: {' and '.join(given)} at once"
        )
    return TouchElement(
        text=on.text, id=on.id, nth=on.nth, contains=on.part,
        gesture=given[0] if given else "tap",
    )  # fmt: skip


def _parse_moves(definition: pb.Task) -> Iterator[Move]:
    for number, move in enumerate(definition.tapwright.solution, start=1):
        kind = move.WhichOneof("move")
        if kind == "on":
            yield _element(move.on, definition.id, number)
            continue
        if kind == "until":
            yield AwaitElement(_element(move.until, definition.id, number))
            continue
        if kind == "until_gone":
            yield AwaitElement(_element(move.until_gone, definition.id, number), gone=True)
            continue
        fields = to_json(move.do)
        try:
            yield PerformAction(_ACTION.validate_python(fields))
        except ValidationError as error:
            raise BadDefinitionError(
                f"task {definition.id!r}, solution, move {number}: {fields} is not an action: "
                f"{first_problem(error)}"
            ) from error


def _parse_replies(definition: pb.Task) -> Iterator[str]:
    for number, reply in enumerate(definition.tapwright.replies, start=1):
        if not reply.strip():
            raise BadDefinitionError(
                f"task {definition.id!r}: reply {number} of the user is empty; expected words",
                hint="leave it out where nobody answers",
            )
        yield reply
