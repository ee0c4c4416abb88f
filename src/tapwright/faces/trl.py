"""Devices with tasks for TRL: environments whose methods are the actions, as tools of a policy.

Follows `environment_factory` of `GRPOTrainer` (https://github.com/huggingface/trl, 1.16): each
environment has `reset`, which gets a row of the data set, methods with type hints and docstrings,
which become tools, and `get_reward`. `AsyncGRPOTrainer` pickles the factory, for a process of its
own that plays. Nothing of TRL is imported.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, Signature
from typing import Any, Literal, TypeAlias, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tapwright import errors
from tapwright.core.actions import ActionAdapter
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point
from tapwright.devices.device import Device
from tapwright.faces.errors import BAD_TOOL_CALL
from tapwright.faces.session import Session, Turn
from tapwright.faces.task_set import TaskSet, device_opener
from tapwright.faces.tools import action_kinds
from tapwright.files.closing import Closing
from tapwright.store.store import EpisodeStore

__all__ = ["DeviceEnvironment", "EnvironmentFactory", "Looks", "environment"]

Looks: TypeAlias = Literal["picture", "tree"]
"""What a tool returns of the next screen: its picture, or its view hierarchy as XML."""

_MAX_TREE = 20_000
"""Characters of a view hierarchy that a tool returns."""
_PLACE = "how far {way} on the screen, from 0 to 1"


class DeviceEnvironment:
    """One rollout at a time on one device; the tools are methods of subclasses.

    A tool returns what the next screen looks like, in words and, unless only its tree is asked for,
    as a picture. `get_reward` ends the episode if the policy has not.
    """

    def __init__(self, factory: "EnvironmentFactory") -> None:
        self._factory = factory
        self._session = factory.open_session()
        self._earned = 0.0
        self._is_lost = False

    def reset(
        self, task: str = "", index: int | None = None, seed: int | None = None, **row: object
    ) -> Any:
        """Begin the episode of a row: its `task`, or the one at `index`, over the data of `seed`.

        A device that was lost is opened anew.

        Raises:
            UsageError: there is no such task.
            DeviceError: the device cannot be set up as the task wants.
        """
        chosen = self._factory.tasks.find(task, index)
        self._earned = 0.0
        try:
            turn = self._session.reset(chosen, seed=seed)
        except errors.DeviceLostError:
            self._session = self._factory.open_session(instead_of=self._session)
            turn = self._session.reset(chosen, seed=seed)
        self._is_lost = False
        return self._show(turn, turn.instruction)

    def get_reward(self) -> float | None:
        """1 if the task is done, else 0; shaped, all that its steps earned, in its own units.

        None for one whose device was lost before it was done, which TRL leaves out.
        """
        self._session.cut_short()
        is_done = self._session.turn.outcome == "success"
        if self._is_lost and not is_done:
            return None
        return self._earned if self._factory.shaped else float(is_done)

    def _act(self, kind: str, given: Mapping[str, object]) -> Any:
        try:
            action = ActionAdapter.validate_python({"type": kind, **given})
        except ValidationError as error:
            raise BAD_TOOL_CALL(errors.first_problem(error)) from error
        try:
            turn = self._session.act(Decision(action))
        except errors.DeviceLostError:
            self._is_lost = True
            raise
        self._earned += turn.reward
        said = f"refused: {turn.refused}" if turn.refused else "done"
        return self._show(turn, said + "; the episode has ended" * turn.ended)

    def _show(self, turn: Turn, said: str) -> Any:
        seen = turn.observation
        words = "\n".join([said, *turn.instructions])
        if self._factory.looks == "tree":
            return f"{words}\n{seen.ui_tree.xml[:_MAX_TREE] if seen.ui_tree else ''}"
        picture = seen.screenshot.image().convert("RGB")
        return [{"type": "text", "text": words}, {"type": "image", "image": picture}]


@dataclass(slots=True)
class EnvironmentFactory(Closing):
    """Makes environments, each with a device of its own, up to `envs`; `close` closes them all.

    TRL resets all of a batch before it plays one, so it needs a device for each at once.
    """

    tasks: TaskSet
    open_device: Callable[[], Device]
    actions: tuple[str, ...]
    envs: int
    store: EpisodeStore | None = None
    looks: Looks = "picture"
    shaped: bool = False
    _open: tuple[Session, ...] = ()

    def __call__(self) -> DeviceEnvironment:
        """The next environment.

        Raises:
            UsageError: all of them have been made.
            DeviceError: its device cannot be opened.
        """
        return _environment_class(self.actions)(self)

    def open_session(self, instead_of: Session | None = None) -> Session:
        """A device to play on, or one more for one that was lost.

        Raises:
            UsageError: all of them are open.
            DeviceError: it cannot be opened.
        """
        if instead_of is not None:
            self._open = tuple(one for one in self._open if one is not instead_of)
            with suppress(errors.DeviceError):  # what is lost cannot always be closed
                instead_of.close()
        if len(self._open) >= self.envs:
            raise errors.UsageError(
                f"a batch asks for more than {self.envs} environments, and each has a device",
                hint="environment(…, envs=…), or a smaller per_device_train_batch_size; "
                "for AsyncGRPOTrainer, max_inflight_tasks of as many",
            )
        session = Session(self.open_device(), agent="trl", store=self.store)
        self._open = (*self._open, session)
        return session

    def rows(self, seeds: Sequence[int] = ()) -> list[dict[str, Any]]:
        """The rows of a data set: each task over its own data, or over those of each seed.

        The prompt is empty, as `reset` gives the instruction and the screen.
        """
        prompt: list[dict[str, str]] = [{"role": "user", "content": ""}]
        rows = [{"prompt": prompt, "task": task.id} for task in self.tasks.tasks]
        return [{**row, "seed": seed} for row in rows for seed in seeds] if seeds else rows

    def close(self) -> None:
        """Close every device, also when one of them cannot be closed."""
        with ExitStack() as closing:
            for session in self._open:
                closing.callback(session.close)


def environment(
    suite: str | TaskSet,
    *,
    device: str | Callable[[], Device] = "",
    actions: Sequence[str] = (),
    envs: int = 8,
    store: EpisodeStore | None = None,
    looks: Looks = "picture",
    shaped: bool = False,
) -> EnvironmentFactory:
    """What `GRPOTrainer(environment_factory=…)` takes, for the tasks of a suite.

    `device` is a "name:argument" or opens one; by default it is the one that the suite is for.
    `actions` are the types of those that become tools, all without it. Rollouts are written to
    `store`.

    Raises:
        UnknownNameError: there is no such suite, device or action.
        UsageError: the suite does not say its device.
    """
    tasks = suite if isinstance(suite, TaskSet) else TaskSet.read(suite)
    if isinstance(device, str):
        device = device_opener(device, tasks.name)
    kinds = _kinds()
    for one in actions:
        if one not in kinds:
            raise errors.UnknownNameError("action", one, kinds)
    return EnvironmentFactory(tasks, device, tuple(actions or kinds), envs, store, looks, shaped)


@cache
def _environment_class(actions: tuple[str, ...]) -> type[DeviceEnvironment]:
    """The class of environments with these tools: TRL reads them, and rewards, off the class."""
    tools = {one: _make_tool(one, kind) for one, kind in _kinds().items() if one in actions}
    return type("DeviceEnvironment", (DeviceEnvironment,), {"__doc__": None, **tools})


def _kinds() -> dict[str, type[BaseModel]]:
    return {str(kind.model_fields["type"].default): kind for kind in action_kinds()}


def _make_tool(name: str, kind: type[BaseModel]) -> Callable[..., Any]:
    """A method with the action's fields as parameters, places as two numbers each."""
    fields = {one: field for one, field in kind.model_fields.items() if _is_flat(field)}
    places = [one for one, field in fields.items() if field.annotation is Point]
    parameters = [each for one, field in fields.items() for each in _parameters(one, field)]

    def tool(self: DeviceEnvironment, **given: Any) -> Any:
        for place in places:
            x, y = (given.pop(axis, None) for axis in _axes(place))
            given[place] = {"x": x, "y": y}
        return self._act(name, given)

    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    about = inspect.cleandoc(kind.__doc__ or name)
    lines = "".join(f"    {one.name}: {_describe(one.name)}.\n" for one in parameters)
    tool.__name__ = name
    tool.__doc__ = f"{about}\n\nArgs:\n{lines}" if lines else about
    tool.__annotations__ = {one.name: one.annotation for one in parameters}
    tool.__signature__ = Signature([own, *parameters])  # type: ignore[attr-defined]
    return tool


def _is_flat(field: FieldInfo) -> bool:
    """Whether a model can give it: no places that may be left out, and no paths."""
    return field.annotation is Point or "Point" not in str(field.annotation)


def _parameters(name: str, field: FieldInfo) -> list[Parameter]:
    if name == "type":
        return []
    if field.annotation is Point:
        return [
            Parameter(axis, Parameter.POSITIONAL_OR_KEYWORD, annotation=float)
            for axis in _axes(name)
        ]
    hint: Any = field.annotation
    default = Parameter.empty if field.is_required() else field.default
    if get_origin(hint) is tuple:
        hint, default = list[str], [] if default == () else default
    return [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hint)]


def _axes(place: str) -> tuple[str, str]:
    return ("x", "y") if place == "at" else (f"{place}_x", f"{place}_y")


def _describe(name: str) -> str:
    if name == "x" or name.endswith("_x"):
        return _PLACE.format(way="to the right")
    if name == "y" or name.endswith("_y"):
        return _PLACE.format(way="down")
    return "seconds" if name == "duration_s" else f"the {name.replace('_', ' ')}, as told above"
