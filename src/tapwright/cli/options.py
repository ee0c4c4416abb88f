"""Options that several commands share, and the environment variables behind them."""

import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from pydantic import JsonValue

from tapwright.cli.places import Folder
from tapwright.devices.device import Device
from tapwright.devices.errors import BrowserMissingError
from tapwright.errors import NothingFoundError, TapwrightError, UnknownNameError, UsageError
from tapwright.models.model import Model
from tapwright.tasks.task import Task

if TYPE_CHECKING:
    from tapwright.devices.adb.client import AdbClient

F = TypeVar("F", bound=Callable[..., Any])


def device_option(command: F) -> F:
    """`--device NAME[:ARGUMENT]`."""
    return click.option(
        "--device",
        "device",
        default="phone",
        show_default=True,
        metavar="NAME[:ARG]",
        help="The device, as `tapwright devices ls` names it.",
    )(command)


def devices_option(command: F) -> F:
    """`--device NAME[:ARGUMENT]`, as often as there are devices."""
    return click.option(
        "--device",
        "devices",
        multiple=True,
        default=("phone",),
        show_default=True,
        metavar="NAME[:ARG]",
        help="The device, as `tapwright devices ls` names it; repeat it to use several at once.",
    )(command)


def device_openers(specs: Sequence[str]) -> dict[str, Callable[[], Device]]:
    """What opens each device, by its name in a pool; one given twice is "phone" and "phone-2".

    Raises:
        UnknownNameError: there is no such kind of device.
    """
    from tapwright.devices import devices as registry

    openers: dict[str, Callable[[], Device]] = {}
    for spec in specs:
        kind = spec.partition(":")[0]
        if kind not in registry.names():
            raise UnknownNameError(registry.kind, kind, registry.names())
        names = (spec, *(f"{spec}-{number}" for number in range(2, len(specs) + 1)))
        free = next(name for name in names if name not in openers)
        openers[free] = partial(open_device, spec)
    return openers


def store_argument(command: F) -> F:
    """The argument STORE: the directory of a store of episodes, or a URL."""
    return click.argument("store", type=Folder())(command)


def out_option(default: str) -> Callable[[F], F]:
    """`-o/--out DIR|URL`."""
    return click.option(
        "-o",
        "--out",
        type=Folder(),
        default=default,
        show_default=True,
        help="The directory to write to, or a URL (s3://…).",
    )


def suite_option(command: F) -> F:
    """`--suite NAME|PATH`."""
    return click.option(
        "--suite",
        default="phone",
        show_default=True,
        metavar="NAME|PATH",
        help="The suite of tasks, or a task definition, or a directory of them.",
    )(command)


def task_options(command: F) -> F:
    """`--suite`, `--task` and `--limit`, for `select_tasks`."""
    for option in (
        click.option("--limit", type=click.IntRange(1), help="At most so many tasks."),
        click.option(
            "--task", "task_ids", multiple=True, metavar="ID", help="This task alone; repeatable."
        ),
        suite_option,
    ):
        command = option(command)
    return command


def select_tasks(suite: str, task_ids: Sequence[str], limit: int | None) -> list[Task]:
    """The tasks of a suite that were asked for, in the suite's order.

    The path of a task definition, or of a directory of them, is a suite too.
    """
    tasks = {task.id: task for task in _suite(suite)}
    for id_ in task_ids:
        if id_ not in tasks:
            raise UnknownNameError("task", id_, tasks)
    chosen = [task for task in tasks.values() if not task_ids or task.id in task_ids]
    if not chosen:
        raise NothingFoundError(f"the suite {suite!r} has no such tasks")
    return chosen[:limit]


def _suite(suite: str) -> Sequence[Task]:
    from tapwright.tasks import suites

    if suite in suites.names() or not Path(suite).exists():
        return suites.get(suite)()
    from tapwright.tasks.task_files import read_tasks

    found = []
    for _, one in read_tasks(Path(suite)):
        if isinstance(one, TapwrightError):
            raise one
        found.append(one)
    return found


def open_device(spec: str) -> Device:
    """Open the device that "name" or "name:argument" means."""
    from tapwright.devices import devices

    name, _, argument = spec.partition(":")
    if name == "phone":
        # TAPWRIGHT_CHROMIUM reaches its users here, as only this room reads the environment.
        from tapwright.devices.phone.device import Phone

        return Phone.named(argument, executable=chromium_path())
    if name == "miniwob":
        from tapwright.devices.miniwob.device import MiniWob

        return MiniWob.named(argument, executable=chromium_path())
    if name == "adb":
        from tapwright.devices.adb.live import open_phone

        return open_phone(argument, client=adb_client())
    if name == "remote":
        from tapwright.devices.remote.device import open_remote

        return open_remote(argument, token=device_token(), who=socket.gethostname())
    return devices.get(name)(argument)


def device_token(file: Path | None = None) -> str:
    """The token for servers of devices: what a file holds, else what `TAPWRIGHT_TOKEN` says.

    Raises:
        UsageError: there is no such file, or no token in it that a header can carry.
    """
    token, said = os.environ.get("TAPWRIGHT_TOKEN", ""), "TAPWRIGHT_TOKEN"
    if file is not None:
        try:
            token, said = file.read_text(encoding="utf-8").strip(), str(file)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{file}: cannot be read: {error}") from error
    if (file is not None and not token) or re.fullmatch(r"[!-~]*", token) is None:
        raise UsageError(
            f"{said} holds no token; expected ASCII letters, digits and signs without spaces",
            hint="python -c 'import secrets; print(secrets.token_urlsafe())' > token.txt",
        )
    return token


def chromium_path() -> Path | None:
    """The browser that `TAPWRIGHT_CHROMIUM` names, if it names one."""
    given = os.environ.get("TAPWRIGHT_CHROMIUM")
    if not given:
        return None
    path = Path(given)
    if not os.access(path, os.X_OK):
        raise BrowserMissingError(
            f"TAPWRIGHT_CHROMIUM={given}: no such program",
            hint="unset TAPWRIGHT_CHROMIUM, and run: make browser",
        )
    return path


def adb_client() -> "AdbClient":
    """The adb server of this machine, where adb's own variables say, with the program for it.

    `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT` are adb's; the program is that of
    `TAPWRIGHT_ADB`, else of `ANDROID_HOME`, else the one that is installed.
    """
    from tapwright.devices.adb.client import ADB_PORT, AdbClient

    port = os.environ.get("ANDROID_ADB_SERVER_PORT") or str(ADB_PORT)
    if not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 1 << 16:
        raise UsageError(
            f"ANDROID_ADB_SERVER_PORT={port}: no port", hint="unset ANDROID_ADB_SERVER_PORT"
        )
    host = os.environ.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
    return AdbClient(host, int(port), program=_adb_path())


def _adb_path() -> Path | None:
    given = os.environ.get("TAPWRIGHT_ADB")
    if given:
        return Path(given)
    for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
        path = Path(os.environ.get(variable) or os.devnull, "platform-tools", "adb")
        if os.access(path, os.X_OK):
            return path
    return None


def hook_option(command: F) -> F:
    """`--hook STAGE=FUNCTION`, repeatable, as the dict `hooks`."""
    return click.option(
        "--hook",
        "hooks",
        multiple=True,
        metavar="STAGE=FUNCTION",
        callback=_parse_hooks,
        help="Import this function of your own (parse=mine.parse) for a stage: build, preprocess, "
        "generate, postprocess or parse; repeatable.",
    )(command)


def _parse_hooks(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    from tapwright.evaluate.hooks import STAGES

    hooks = {}
    for entry in value:
        stage, equals, path = entry.partition("=")
        if not equals or stage not in STAGES:
            raise UsageError(
                f"--hook {entry}: expected STAGE=FUNCTION with a stage of {', '.join(STAGES)}",
                hint="--hook parse=mine.parse",
            )
        hooks[stage] = path
    return hooks


def convention_option(command: F) -> F:
    """`--convention NAME`."""
    return click.option(
        "--convention",
        default="json",
        show_default=True,
        help="Convention of the model: its prompt and grammar.",
    )(command)


def make_model(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    settings: Mapping[str, JsonValue] | None = None,
) -> Model:
    """The client that "client/name" means, with address and key from the environment.

    `TAPWRIGHT_BASE_URL` is the server's address, `OPENAI_API_KEY` its key, unless they are given;
    the key is handed on and never printed. `settings` go into every request to a server.
    """
    from tapwright.models import models

    client, _, name = spec.partition("/")
    base_url = base_url or os.environ.get("TAPWRIGHT_BASE_URL")
    if api_key is None:
        api_key = os.environ.get("OPENAI_API_KEY")
    if not settings:
        return models.get(client)(name, base_url=base_url, api_key=api_key)
    if client != "openai":
        raise UsageError(
            f"{spec}: takes no settings for its requests: {', '.join(settings)}",
            hint="settings are for models behind a server: openai/NAME",
        )
    from tapwright.models.openai import OpenAIModel

    return OpenAIModel(name, base_url=base_url, api_key=api_key, extra=settings)
