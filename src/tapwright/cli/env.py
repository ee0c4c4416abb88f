"""`tapwright env`: tasks on devices for trainers of others."""

from pathlib import Path

import click

from tapwright import __version__
from tapwright.cli import listening
from tapwright.cli.directories import Directory, open_store
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import admit_by, envs_option, option, web_options
from tapwright.cli.output import hint, print_line
from tapwright.core.language import counted
from tapwright.workflows.own_names import admit_device

_COMMANDS = {
    "serve": "Serve a suite of tasks as an OpenEnv environment",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def env() -> None:
    """Serve tasks on devices to trainers."""


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright env serve phone-l3 --envs 8\n"
    "  tapwright env serve miniwob --port 8000 --record rollouts\n"
    "  tapwright env serve my-tasks/ --device web:https://example.org --tree"
)
@click.argument("suite", metavar="SUITE")
@option(
    "--device",
    "devices",
    multiple=True,
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="The device, as `tapwright devices ls` lists it; repeat it to use several.  [default: "
    "the one that the suite is for]",
)
@envs_option
@option(
    "--record",
    "store",
    type=Directory("none"),
    metavar="DIR",
    help="Write every episode into this store.",
)
@option("--tree", is_flag=True, help="Send the view hierarchy with each picture.")
@listening.max_side_option
@option(
    "--sessions",
    type=click.IntRange(1, 10_000),
    default=256,
    help="Sessions at a time; those beyond the devices take turns, episode by episode.",
)
@option(
    "--idle",
    "idle_s",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    metavar="SECONDS",
    help="End a session that has not called for so long.",
)
@option(
    "--wait",
    "wait_s",
    type=click.FloatRange(0, min_open=True),
    default=50.0,
    metavar="SECONDS",
    help="How long a reset waits for a device; clients of OpenEnv wait for 60.",
)
@listening.door_options(8000, "Port to listen on")
@web_options
def serve(
    suite: str,
    devices: tuple[str, ...],
    envs: int | None,
    store: Path | None,
    *,
    tree: bool,
    max_side: int,
    sessions: int,
    idle_s: float,
    wait_s: float,
    door: listening.Door,
) -> None:
    """Serve the tasks of a suite as an environment of OpenEnv.

    Each WebSocket is a session; an episode of it has a device of its own, with the task of
    reset(task=ID) or reset(split=…, index=…), over the data of a seed. Other machines need a token.
    """
    import asyncio

    from tapwright.faces.errors import require_version
    from tapwright.faces.openenv.server import ServerSettings, make_app
    from tapwright.faces.task_set import TaskSet, device_of
    from tapwright.workflows.devices import count_devices, device_pool

    require_version("openenv", "0.10", "0.11")
    token = door.read_token()
    machine = read_host()
    tasks = TaskSet.read(suite)
    specs = devices or (device_of(suite),)
    settings = ServerSettings(
        sessions=sessions,
        idle_s=idle_s,
        wait_s=wait_s,
        max_side=max_side,
        tree=tree,
        store=open_store(store) if store is not None else None,
    )
    pool = device_pool(specs, count_devices(specs, envs, machine), machine)
    app = make_app(pool, tasks, settings, __version__)
    server = listening.listen_guarded(app, door, token)
    print_line(server.url)
    served = f"{counted(len(tasks.tasks), 'task')} on {counted(pool.size, 'device')}"
    hint(f"{served}; Ctrl-C stops the server")
    asyncio.run(server.serve())
