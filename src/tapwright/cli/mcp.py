"""`tapwright mcp`: a device for any agent that speaks the Model Context Protocol."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright import __version__
from tapwright.cli import listening
from tapwright.cli.directories import Directory, open_store
from tapwright.cli.host import read_host
from tapwright.cli.options import admit_by, option, suite_option, web_options
from tapwright.cli.output import hint, print_line
from tapwright.errors import UsageError
from tapwright.workflows.own_names import admit_device
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from tapwright.faces.mcp.hands import Hands
    from tapwright.faces.tools import Unit
    from tapwright.tasks.task import Task


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright mcp phone --record episodes\n"
    "  tapwright mcp phone --task wifi_off --record episodes\n"
    "  tapwright mcp web:https://example.org --network example.org\n"
    "  tapwright mcp desktop --instruction 'Tidy up my notes' --port 8791"
)
@click.argument("device", default="phone", metavar="[DEVICE]", callback=admit_by(admit_device))
@option("--task", "task_id", metavar="ID", help="The task of --suite that is set and judged.")
@suite_option
@option("--instruction", default="", help="What is asked, without a task; nothing judges it.")
@option(
    "--record",
    "store",
    type=Directory("none"),
    metavar="DIR",
    help="Write what the agent does as episodes of this store.",
)
@option("--agent", default="mcp", help="Its name in the episodes.")
@option(
    "--unit",
    type=click.Choice(["pixel", "fraction"]),
    default="pixel",
    help="Places are pixels of the picture that was sent, or fractions of the screen.",
)
@listening.max_side_option
@listening.door_options(
    None, "Serve HTTP on this port, at /mcp, in place of standard input and output"
)
@web_options
def mcp(
    device: str,
    task_id: str | None,
    suite: str,
    instruction: str,
    store: Path | None,
    agent: str,
    unit: "Unit",
    max_side: int,
    door: listening.Door,
) -> None:
    """Give a device to an agent, as a server of the Model Context Protocol.

    One server is one device: the agent looks (screenshot, tree) and acts (a tool for each action),
    and each action returns the screen that it led to. With --task the task is set up first, and
    judged. The client starts this command and speaks on its standard input and output; with --port
    clients connect over HTTP, from this machine, or with a token from others.
    """
    from tapwright.faces.errors import require_version
    from tapwright.faces.mcp.hands import Hands
    from tapwright.faces.session import Session
    from tapwright.workflows.devices import device_openers

    require_version("mcp", "1.30", "3")
    task = _find_task(task_id, suite, instruction)
    token = door.read_token() if door.port is not None else ""  # before the device is opened
    (opener,) = device_openers((device,), read_host()).values()
    recordings = open_store(store) if store is not None else None
    with Session(opener(), agent=agent, store=recordings) as session:
        hands = Hands(session, task, unit=unit, max_side=max_side, recordings=recordings)
        if door.port is None:
            _serve_stdio(hands)
        else:
            _serve_http(hands, door, token)


def _find_task(task_id: str | None, suite: str, instruction: str) -> "Task":
    from tapwright.faces.session import make_free_task

    if task_id is None:
        return make_free_task(instruction)
    if instruction:
        raise UsageError(
            f"--instruction: the task {task_id} has its own", hint="leave out --task or this"
        )
    (task,) = select_tasks(suite, [task_id])
    return task


def _serve_stdio(hands: "Hands") -> None:
    import asyncio

    from tapwright.faces.mcp.sdk import serve_stdio

    hint("this speaks MCP on standard input and output: an agent's configuration starts it")
    asyncio.run(serve_stdio(hands, __version__))


def _serve_http(hands: "Hands", door: listening.Door, token: str) -> None:
    import asyncio

    from tapwright.faces.mcp.sdk import http_app

    server = listening.listen_guarded(http_app(hands, __version__), door, token)
    print_line(f"{server.url}/mcp")
    hint("give this address to an agent; Ctrl-C stops the server")
    asyncio.run(server.serve())
