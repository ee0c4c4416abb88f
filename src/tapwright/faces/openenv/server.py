"""The server of OpenEnv around a pool of devices and a suite of tasks.

By openenv 0.10 (`openenv.core.env_server`): each WebSocket is a session with an environment of its
own, whose observations, actions and tasks are typed here; the session leases a device for each of
its episodes. Its classes are made when openenv is there to derive them from.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import Field, ValidationError, WrapValidator, create_model
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tapwright.core.actions import Action
from tapwright.core.episode import Decision
from tapwright.core.observation import Observation
from tapwright.devices.pool import DevicePool
from tapwright.environment.errors import EnvironmentOrderError
from tapwright.errors import TapwrightError, UnknownNameError, UsageError, first_problem
from tapwright.faces.leased import LeasedPlay
from tapwright.faces.session import Turn
from tapwright.faces.task_set import TaskSet
from tapwright.faces.tools import MAX_SEED, read_seed, shrink_picture
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = ["ServerSettings", "make_app"]

_SPLITS = ("train", "test")
_MAX_TREE = 200_000
"""Characters of a view hierarchy that an observation has."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How sessions are served: at most `sessions` at a time.

    Each is ended after `idle_s` seconds without a call, and each reset waits up to `wait_s` seconds
    for a device. Pictures have at most `max_side` pixels a side; `tree` adds the view hierarchy.
    """

    sessions: int = 256
    idle_s: float = 600.0
    wait_s: float = 50.0
    max_side: int = 1568
    tree: bool = False
    store: EpisodeStore | None = None


def make_app(pool: DevicePool, tasks: TaskSet, settings: ServerSettings, version: str) -> Any:
    """The FastAPI application of OpenEnv; the pool is used in the event loop that serves it."""
    from openenv.core.env_server import types
    from openenv.core.env_server.http_server import create_app

    threads = ThreadPoolExecutor(pool.size + 1, thread_name_prefix="device")
    action = create_model(
        "DeviceAction",
        __base__=types.Action,
        action=(
            Annotated[Action, WrapValidator(_read_action)],
            Field(description="What is done; places are fractions of the screen."),
        ),
        reasoning=(str, Field("", description="Why; it is recorded.")),
    )
    observation = create_model("ScreenObservation", __base__=types.Observation, **_SCREEN)
    environment = _environment_class(pool, threads, tasks, settings, observation, version)
    app = create_app(
        environment,
        action,
        observation,
        env_name=Path(tasks.name).stem,  # it is part of addresses
        concurrency_config=types.ConcurrencyConfig(
            max_concurrent_envs=settings.sessions, session_timeout=settings.idle_s
        ),
    )
    for wrong, status in ((UsageError, 400), (EnvironmentOrderError, 409), (TapwrightError, 503)):
        app.add_exception_handler(wrong, partial(_tell, status))
    app.router.lifespan_context = _with_pool(app.router.lifespan_context, pool, threads)
    return app


@dataclass(frozen=True, slots=True)
class _BadAction:
    """What is no action; the library would not tell the client why, nor keep its session."""

    fault: str


def _read_action(value: object, read: Callable[[object], Action]) -> Action | _BadAction:
    try:
        return read(value)
    except ValidationError as error:
        return _BadAction(f"this is no action: {first_problem(error)}")


_SCREEN: Any = {
    "instruction": (str, ""),
    "task": (str, Field("", description="The id of the task.")),
    "picture": (str, Field("", description="The screen as a data URL: PNG or JPEG.")),
    "width": (int, Field(0, description="Of the picture, in pixels.")),
    "height": (int, Field(0, description="Of the picture, in pixels.")),
    "sha256": (str, Field("", description="Of the device's own picture, before it was shrunk.")),
    "app": (str, Field("", description="The app or page in front.")),
    "url": (str, Field("", description="The address, in a browser.")),
    "message": (str, Field("", description="What the user said.")),
    "tree": (str, Field("", description="The view hierarchy as XML, if the server sends it.")),
    "refused": (str, Field("", description="Why the device did not perform the action.")),
    "score": (float, Field(0.0, description="How much is done, from 0 to 1.")),
    "step": (int, 0),
    "truncated": (bool, Field(False, description="Whether a limit ended the episode.")),
    "outcome": (str, Field("", description="How the episode ended; empty before.")),
}


def _environment_class(
    pool: DevicePool,
    threads: ThreadPoolExecutor,
    tasks: TaskSet,
    settings: ServerSettings,
    observation: Any,
    version: str,
) -> Any:
    from openenv.core.env_server import types
    from openenv.core.env_server.interfaces import Environment

    class DeviceTasks(Environment):  # type: ignore[misc]  # the library's types are not read
        """A session: one client's episodes."""

        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            super().__init__()
            self._play: LeasedPlay | None = None
            self._loop: asyncio.AbstractEventLoop | None = None
            self._task_id = self._given_id = ""
            self._seeds = Random()

        async def reset_async(
            self,
            seed: object = None,
            episode_id: str | None = None,
            split: str = "test",
            index: object = None,
            task: object = "",
        ) -> Any:
            _check_split(split)
            if not isinstance(task, str) or not isinstance(index, int | None):
                raise UsageError("the task is not a text, or its index not a whole number")
            chosen, seeded = tasks.find(task, index), read_seed(seed)
            if self._play is None:
                self._loop = asyncio.get_running_loop()
                self._play = LeasedPlay(
                    pool, threads, agent="openenv", store=settings.store, wait_s=settings.wait_s
                )
            if seeded is None and split == "train":
                seeded = self._seeds.randint(0, MAX_SEED)
            self._task_id, self._given_id = chosen.id, episode_id or ""
            return self._observe(await self._play.reset(chosen, seed=seeded), reward=None)

        async def step_async(self, action: Any, timeout_s: float | None = None) -> Any:
            if self._play is None:
                raise EnvironmentOrderError(
                    "no episode has begun in this session; call reset first"
                )
            if isinstance(action.action, _BadAction):
                raise UsageError(action.action.fault)
            turn = await self._play.act(Decision(action.action, action.reasoning))
            return self._observe(turn, reward=turn.reward)

        def reset(self, *_: object, **__: object) -> Any:
            raise NotImplementedError("the server calls reset_async")

        def step(self, *_: object, **__: object) -> Any:
            raise NotImplementedError("the server calls step_async")

        @property
        def state(self) -> Any:
            turn = self._play.turn if self._play else None
            return types.State(
                episode_id=self._given_id or (self._play.episode_id if self._play else "") or None,
                step_count=turn.step if turn else 0,
                task=self._task_id,
                recorded=self._play.episode_id if self._play else "",
                outcome=(turn.outcome or "") if turn else "",
            )

        def close(self) -> None:
            play, self._play = self._play, None
            if play is not None and self._loop is not None and self._loop.is_running():
                asyncio.run_coroutine_threadsafe(play.close(), self._loop)

        def get_metadata(self) -> Any:
            return types.EnvironmentMetadata(
                name=Path(tasks.name).stem,
                description=f"{len(tasks.tasks)} tasks of {tasks.name} on {pool.size} devices, "
                "seen as pictures and judged by what is on the device",
                version=version,
            )

        def list_splits(self) -> list[str]:
            return list(_SPLITS)

        def num_tasks(self, split: str) -> int:
            _check_split(split)
            return len(tasks.tasks)

        def list_tasks(self, split: str) -> list[dict[str, Any]]:
            return self.get_task_range(split)

        def get_task(self, split: str, index: int) -> dict[str, Any]:
            _check_split(split)
            if index < 0:
                raise IndexError(index)
            return _describe(tasks.tasks[index], index)

        def get_task_range(
            self, split: str, start: int | None = None, stop: int | None = None
        ) -> list[dict[str, Any]]:
            _check_split(split)
            numbered = list(enumerate(tasks.tasks))
            return [_describe(task, index) for index, task in numbered[start:stop]]

        def _observe(self, turn: Turn, *, reward: float | None) -> Any:
            return observation(
                **_screen(turn.observation, settings),
                instruction=turn.instruction,
                task=self._task_id,
                refused=turn.refused,
                score=turn.score,
                step=turn.step,
                truncated=turn.truncated,
                outcome=turn.outcome or "",
                done=turn.ended,
                reward=reward,
            )

    return DeviceTasks


def _screen(seen: Observation, settings: ServerSettings) -> dict[str, Any]:
    picture = shrink_picture(seen.screenshot, settings.max_side)
    kind = "jpeg" if picture.extension == "jpg" else picture.extension
    return {
        "picture": f"data:image/{kind};base64,{base64.b64encode(picture.data).decode()}",
        "width": picture.size.width,
        "height": picture.size.height,
        "sha256": seen.screenshot.sha256,
        "app": seen.app,
        "url": seen.url,
        "message": seen.message,
        "tree": seen.ui_tree.xml[:_MAX_TREE] if settings.tree and seen.ui_tree else "",
    }


async def _tell(status: int, request: Request, error: Exception) -> Response:
    """A request that cannot be done; in a session the library tells the client by itself."""
    told = f"{error}" + (
        f"; {error.hint}" if isinstance(error, TapwrightError) and error.hint else ""
    )
    return PlainTextResponse(f"{told}\n", status_code=status)


def _describe(task: Task, index: int) -> dict[str, Any]:
    return {
        "id": task.id,
        "index": index,
        "instruction": task.instruction,
        "apps": list(task.apps),
        "max_steps": task.max_steps,
    }


def _check_split(split: str) -> None:
    if split not in _SPLITS:
        raise UnknownNameError("split", str(split), _SPLITS)


def _with_pool(inner: Any, pool: DevicePool, threads: ThreadPoolExecutor) -> Any:
    """The application's own start and end, after which the devices are closed."""

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[Any]:
        try:
            async with inner(app) as state:
                yield state
        finally:
            pool.close()
            threads.shutdown(wait=False, cancel_futures=True)

    return lifespan
