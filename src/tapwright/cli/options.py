"""Options that several commands share."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tapwright.cli import host
from tapwright.cli.directories import Directory, remote_directories
from tapwright.cli.project.place import of_project
from tapwright.errors import UsageError
from tapwright.files.urls import is_url
from tapwright.workflows.host import ModelOptions
from tapwright.workflows.own_names import admit_device

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.models.pricing import Price
    from tapwright.workflows.engine import Engine


F = TypeVar("F", bound=Callable[..., Any])

_WORKERS = 2


class LocalPath(click.Path):
    """A path of this machine; a URL would be a folder of that name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if isinstance(value, str) and is_url(value):
            self.fail(f"{value!r} is a URL; it takes a path of this machine.", param, ctx)
        return super().convert(value, param, ctx)


PATH = LocalPath(path_type=Path)
FILE = LocalPath(path_type=Path, dir_okay=False)
FOLDER = LocalPath(path_type=Path, file_okay=False)
EXISTING = LocalPath(path_type=Path, exists=True)
EXISTING_FILE = LocalPath(path_type=Path, exists=True, dir_okay=False)
EXISTING_FOLDER = LocalPath(path_type=Path, exists=True, file_okay=False)


def option(*names: str, **kind: Any) -> Callable[[F], F]:
    """An option of click's, whose help tells the default, unless it is nothing."""
    return click.option(*names, show_default=kind.get("default") not in (None, "", ()), **kind)


def collect_options(
    argument: str, names: Sequence[str], build: Callable[..., object]
) -> Callable[[F], F]:
    """Passes the options `names` to a command as one argument, which `build` makes of them."""

    def decorate(command: F) -> F:
        @wraps(command)
        def wrapped(*args: Any, **options: Any) -> Any:
            values = {name: options.pop(name) for name in names}
            return command(*args, **{argument: build(**values)}, **options)

        return cast(F, wrapped)

    return decorate


def add_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    """The command with these options, the first of them first in its help."""
    for option in reversed(options):
        command = option(command)
    return command


def admit_by(admit: Callable[[str], None]) -> Callable[..., Any]:
    """A callback for an option whose value may name a "module:attribute" of the user's own.

    A project's file may not: it comes with a directory, and importing a module runs it.
    """

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        for name in value if isinstance(value, tuple) else (value,):
            if name and not of_project(ctx, param.name):
                admit(name)
        return value

    return callback


def _set_network(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    from tapwright.devices.web.network import Network

    if value is not None:
        Network.parse(value)
        ctx.meta[host.NETWORK_OPTION] = value


def _set_allow(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    from tapwright.devices.allowance import Allowance

    if value is not None and (allowed := Allowance.parse(value)) != Allowance():
        ctx.meta[host.ALLOW_OPTION] = str(allowed)


def _set_profile(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.meta[host.PROFILE_OPTION] = value


def web_options(command: F) -> F:
    """`--network`, `--allow` and `--profile`: the device gets them by `read_host`."""
    command = option(
        "--allow",
        metavar="none|LIST",
        expose_value=False,
        callback=_set_allow,
        help="What may be done on the device beyond pointing and typing: apps, addresses, "
        "clipboard, downloads.  [default: all]",
    )(command)
    command = option(
        "--profile",
        type=FOLDER,
        expose_value=False,
        callback=_set_profile,
        help="A folder in which the device `web` keeps its logins, cookies and storage, for one at "
        "a time; nothing of it is recorded.  [default: they go with each reset]",
    )(command)
    return option(
        "--network",
        metavar="none|local|HOSTS",
        expose_value=False,
        callback=_set_network,
        help="The hosts that the device `web` reaches, such as example.org,*.example.org; * is "
        "any.  [default: the host of its address]",
    )(command)


def device_option(command: F) -> F:
    """`--device NAME[:ARGUMENT]`, and what the device may reach."""
    command = web_options(command)
    return option(
        "--device",
        "device",
        default="phone",
        metavar="NAME[:ARG]",
        callback=admit_by(admit_device),
        help="The device, as `tapwright devices ls` lists it.",
    )(command)


def devices_option(command: F) -> F:
    """`--device NAME[:ARGUMENT]`, repeatable, and what the device may reach."""
    command = web_options(command)
    return option(
        "--device",
        "devices",
        multiple=True,
        default=("phone",),
        metavar="NAME[:ARG]",
        callback=admit_by(admit_device),
        help="The device, as `tapwright devices ls` lists it; repeat it to use several at once.",
    )(command)


def envs_option(command: F) -> F:
    """`--envs N`."""
    return option(
        "--envs",
        type=click.IntRange(1, 64),
        help="Parallel device instances.  [default: 2; with --profile 1]",
    )(command)


def out_option(
    what: str = "The output directory, or a URL (s3://…).",
    *,
    kind: click.Path | None = None,
    default: str | None = None,
    required: bool = False,
) -> Callable[[F], F]:
    """`-o/--out`: a directory or URL, but no shared store's, unless it is of another kind."""
    # With a default of None, click takes a required option for given.
    asked: dict[str, Any] = {} if default is None else {"default": default}
    return option(
        "-o", "--out", type=kind or Directory("refuse"), required=required, help=what, **asked
    )


def home_option(what: str, variable: str) -> Callable[[F], F]:
    """`--dir DIR` of what is kept below `~/.cache/tapwright`, unless a variable says where."""
    return option(
        "--dir",
        "directory",
        type=FOLDER,
        help=f"The directory of all {what}; by default {variable}, else "
        f"~/.cache/tapwright/{variable.removeprefix('TAPWRIGHT_').lower()}.",
    )


def suite_option(command: F) -> F:
    """`--suite NAME|PATH`."""
    return option(
        "--suite",
        default="phone",
        metavar="NAME|PATH",
        help="The suite of tasks: desktop-l3, desktop-l4, miniwob, phone, phone-injection, "
        "phone-l3, phone-l3-zh, phone-l4, phone-l4-zh, web-l3 or web-l4; or a task definition, or "
        "a directory of them.",
    )(command)


def task_options(command: F) -> F:
    """`--suite`, `--task` and `--limit`, for `select_tasks`."""
    options = (
        suite_option,
        option(
            "--task", "task_ids", multiple=True, metavar="ID", help="Only this task; repeatable."
        ),
        option("--limit", type=click.IntRange(1), help="Maximum number of tasks."),
    )
    return add_options(command, options)


def max_cost_option(command: F) -> F:
    """`--max-cost` of an evaluation."""
    return option(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        help="Stop at this cost per invocation; needs --price.",
    )(command)


def price_option(command: F) -> F:
    """`--price IN,OUT|FILE`, read by `read_price_option`."""
    return option(
        "--price",
        metavar="IN,OUT|FILE",
        help="The price of a million tokens, input and output; or a JSON file with the prices of "
        'models: {"openai/name": {"input": 2.5, "output": 10}}.',
    )(command)


def read_price_option(text: str, model: str) -> "Price":
    """The price of a model, as `--price` gives it.

    Raises:
        UsageError: it is neither two numbers nor a file.
        UsageError: the file is not a table of prices, or lacks the model.
    """
    from tapwright.models.pricing import Price, read_price

    try:
        price_in, price_out = (float(part) for part in text.split(","))
    except ValueError:
        if not Path(text).is_file():
            raise UsageError(
                f"--price {text}: expected two numbers or a file", hint="--price 2.5,10"
            ) from None
        return read_price(Path(text), model)
    if not (0 <= price_in < float("inf") and 0 <= price_out < float("inf")):
        raise UsageError(f"--price {text}: expected two numbers from 0 on", hint="--price 2.5,10")
    return Price(input=price_in, output=price_out)


def hook_option(command: F) -> F:
    """`--hook STAGE=FUNCTION`, repeatable, as the dict `hooks`."""
    return option(
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


def model_options(command: F) -> F:
    """`--set KEY=VALUE`, `--base-url URL` and `--timeout S`, for all models that the command opens.

    They reach the models through `read_host`, so a command has no parameter for them.
    """
    options = (
        option(
            "--set",
            multiple=True,
            metavar="KEY=VALUE",
            expose_value=False,
            callback=_parse_settings,
            help="A field of every request to a model server, as JSON or text, such as "
            "temperature=0.7; none leaves it out; repeatable.",
        ),
        option(
            "--base-url",
            multiple=True,
            metavar="URL",
            expose_value=False,
            callback=parse_base_urls,
            help="The address of the model server; repeat it to share the requests among several.  "
            "[default: TAPWRIGHT_BASE_URL]",
        ),
        option(
            "--timeout",
            type=click.FloatRange(0, min_open=True),
            metavar="SECONDS",
            expose_value=False,
            callback=_set_timeout,
            help="How long an answer of a model server may take.  [default: 120]",
        ),
    )
    return add_options(command, options)


def _set_timeout(ctx: click.Context, param: click.Parameter, value: float | None) -> None:
    if value is not None:
        _set_model_options(ctx, timeout_s=value)


def _parse_settings(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    from tapwright.models.settings import check_settings

    settings = {}
    for entry in value:
        name, equals, text = entry.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {entry}: expected KEY=VALUE", hint="--set temperature=0.7")
        settings[name.strip()] = _parse_value(text)
    check_settings(settings)
    _set_model_options(ctx, settings=settings)


def _parse_value(text: str) -> "JsonValue":
    """JSON where it is, else the text; `none` is null, which leaves the field out."""
    if text.strip().lower() == "none":
        return None
    try:
        value: JsonValue = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value


def parse_base_urls(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """A callback for `--base-url`: its addresses reach the models through `read_host`."""
    from tapwright.models.addresses import parse_base_url

    if value:
        _set_model_options(ctx, base_url=parse_base_url(" ".join(value)))
    return value


def _set_model_options(ctx: click.Context, **changes: Any) -> None:
    ctx.meta[host.MODEL_OPTIONS] = replace(
        ctx.meta.get(host.MODEL_OPTIONS, ModelOptions()), **changes
    )


def engine_options(command: F) -> F:
    """`--engine`, `--workers` and `--ray-address`, as one argument `engine`."""
    options = (
        option(
            "--engine",
            "engine_name",
            type=click.Choice(["local", "ray"]),
            default="local",
            help="Work here, or on a Ray cluster.",
        ),
        option(
            "--workers",
            type=click.IntRange(1, 10_000),
            help=f"Processes of the cluster.  [default: {_WORKERS}]",
        ),
        option(
            "--ray-address",
            metavar="HOST:PORT",
            help="The cluster's head; by default a cluster is started on this machine.",
        ),
    )
    names = ("engine_name", "workers", "ray_address")
    return add_options(collect_options("engine", names, _build_engine)(command), options)


def _build_engine(engine_name: str, workers: int | None, ray_address: str | None) -> "Engine":
    from tapwright.workflows.engine import Engine

    if engine_name == "local":
        if workers or ray_address:
            raise UsageError("--workers and --ray-address are for a cluster", hint="--engine ray")
        return Engine(directories=remote_directories())
    if host.PROFILE_OPTION in click.get_current_context().meta:
        raise UsageError(
            "--profile is a folder of this machine, and a cluster has others", hint="--engine local"
        )
    given = click.get_current_context().meta
    read = partial(host.read_host, given.get(host.NETWORK_OPTION), given.get(host.ALLOW_OPTION))
    return Engine(workers or _WORKERS, ray_address, read, remote_directories())


codec_option = option(
    "--codec",
    type=click.Choice(("vp9", "h264")),
    default="vp9",
    help="h264 is for players that lack VP9, in MP4 files; libx264 encodes it, under the GPL.",
)
