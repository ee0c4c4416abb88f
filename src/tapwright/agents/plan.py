"""The plan of a task: subtasks, each in one app, and what each passes to later ones.

The shape is MobiAgent's (https://github.com/IPADS-SAI/MobiAgent/tree/a13da781f6d8, `Plan`,
`Subtask` and `Artifact` in runner/mobiagent/multi_task/models.py), and so is the planner's shorter
answer for one app: reasoning, app_name, package_name, final_task_description. Other than there,
both are held to what they promise: subtasks depend on earlier ones alone, and an artifact has
every field of its schema.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.conventions.parsing import JsonObject, bad_answer, find_objects, read_answer
from tapwright.errors import BadAnswerError, first_problem

__all__ = ["Subtask", "SubtaskArtifact", "TaskPlan", "read_artifact", "read_plan"]

_MOST_SUBTASKS = 20
_Words = Annotated[str, Field(min_length=1)]


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Subtask(_Read):
    """One step of a plan, done in one app.

    `artifact_schema` names what is to be found out there for later subtasks, and
    `depends_on` names the earlier subtasks whose artifacts this one needs.
    """

    subtask_id: int
    app_name: _Words
    package_name: str = ""
    description: _Words
    artifact_schema: dict[str, str] = {}
    depends_on: tuple[int, ...] = ()


class TaskPlan(_Read):
    """Subtasks in the order in which they are done."""

    subtasks: Annotated[tuple[Subtask, ...], Field(min_length=1, max_length=_MOST_SUBTASKS)]


class SubtaskArtifact(_Read):
    """The result of a subtask: whether it was done, a summary, and data for later subtasks."""

    subtask_id: int
    success: bool
    summary: str = ""
    data: dict[str, JsonValue] = {}


class _OneApp(_Read):
    reasoning: str = ""
    app_name: _Words
    package_name: str = ""
    final_task_description: _Words


_PLAN = TypeAdapter(TaskPlan)
_ONE_APP = TypeAdapter(_OneApp)
_ARTIFACT = TypeAdapter(SubtaskArtifact)


def read_plan(text: str, apps: Sequence[str]) -> TaskPlan:
    """The plan in an answer, put into an order in which every subtask follows what it needs.

    With `apps`, each subtask's app has to be one of them, by its name or its package, and is then
    called as it is there.

    Raises:
        BadAnswerError: there is none, or it cannot be carried out.
    """
    found = _last_object(text)
    try:
        if "subtasks" in found:
            plan = _PLAN.validate_python(found)
        else:
            one = _ONE_APP.validate_python(found)
            only = Subtask(
                subtask_id=1,
                app_name=one.app_name,
                package_name=one.package_name,
                description=one.final_task_description,
            )
            plan = TaskPlan(subtasks=(only,))
    except ValidationError as error:
        raise bad_answer(f"the plan is wrong at {first_problem(error)}") from error
    subtasks = _sort_subtasks(plan.subtasks)
    return TaskPlan(subtasks=tuple(_match_app(one, apps) for one in subtasks) if apps else subtasks)


def read_artifact(text: str, subtask: Subtask) -> SubtaskArtifact:
    """The artifact of a subtask in an answer.

    Raises:
        BadAnswerError: there is none, it is another subtask's, or a success that lacks a field.
    """
    try:
        artifact = _ARTIFACT.validate_python(_last_object(text))
    except ValidationError as error:
        raise bad_answer(f"the artifact is wrong at {first_problem(error)}") from error
    if artifact.subtask_id != subtask.subtask_id:
        raise bad_answer(f"it is of subtask {artifact.subtask_id}; expected {subtask.subtask_id}")
    missing = [name for name in subtask.artifact_schema if artifact.data.get(name) in (None, "")]
    if artifact.success and missing:
        raise bad_answer(
            f"the data lacks {', '.join(missing)}; without it the subtask is no success"
        )
    return artifact


def _last_object(text: str) -> JsonObject:
    found = [value for value, *_ in find_objects(read_answer(text)[1])]
    if not found:
        raise BadAnswerError("no JSON object in the answer")
    return found[-1]


def _match_app(subtask: Subtask, apps: Sequence[str]) -> Subtask:
    folded = {app.casefold(): app for app in apps}
    for name in (subtask.app_name, subtask.package_name):
        if name.casefold() in folded:
            return subtask.model_copy(update={"app_name": folded[name.casefold()]})
    raise bad_answer(
        f"subtask {subtask.subtask_id}: there is no app called {subtask.app_name!r}; "
        f"expected one of {', '.join(apps)}"
    )


def _sort_subtasks(subtasks: Sequence[Subtask]) -> tuple[Subtask, ...]:
    """Each behind those that it depends on, and otherwise as they came."""
    known = {subtask.subtask_id for subtask in subtasks}
    if len(known) < len(subtasks):
        raise bad_answer("two subtasks have the same subtask_id")
    for subtask in subtasks:
        strangers = sorted(set(subtask.depends_on) - known)
        if strangers:
            raise bad_answer(
                f"subtask {subtask.subtask_id} depends on {strangers[0]}, which there is not"
            )
    waiting, ordered = list(subtasks), list[Subtask]()
    done: set[int] = set()
    while waiting:
        ready = next((one for one in waiting if done.issuperset(one.depends_on)), None)
        if ready is None:
            circle = ", ".join(str(one.subtask_id) for one in waiting)
            raise bad_answer(f"the subtasks {circle} depend on each other in a circle")
        waiting.remove(ready)
        ordered.append(ready)
        done.add(ready.subtask_id)
    return tuple(ordered)
