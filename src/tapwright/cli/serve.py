"""`tapwright serve`: the web app, on this machine or for a team."""

import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import Directory
from tapwright.cli.errors import EXPOSED_SERVER, PORT_TAKEN
from tapwright.cli.host import read_host
from tapwright.cli.options import EXISTING_FILE, FOLDER, admit_by, option
from tapwright.cli.output import hint, print_line, print_message
from tapwright.errors import NothingFoundError, UnknownNameError, UsageError, quote_path
from tapwright.files.links import is_mine_alone
from tapwright.files.regular import BYTES, open_regular
from tapwright.workflows.own_names import admit_device
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    import uvicorn

    from tapwright.web.auth import Authenticator
    from tapwright.web.config import WebConfig
    from tapwright.web.team.team import Team

PORT = 8765
_PORTS_TRIED = 50
_MIN_TOKEN = 22  # of 64 letters: 128 bits
_SHUTDOWN_S = 5
_SWITCH_S = 0.001


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright serve --open\n"
    "  tapwright serve --device phone --device phone --episodes demos\n"
    "  tapwright serve --host 0.0.0.0 --allow-host lab.example.org --team sqlite:///team.db"
)
@option("--host", default="127.0.0.1", help="The address to listen on.")
@option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; by default {PORT}, or the next free port.",
)
@option(
    "--episodes",
    type=Directory(),
    default="episodes",
    help="The store of episodes to show and record into.",
)
@option(
    "--runs",
    multiple=True,
    type=FOLDER,
    default=(Path("runs"),),
    help="A directory of evaluation runs; repeatable.",
)
@option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME|PATH",
    help="A suite of tasks to offer, as `tapwright tasks ls --help` names them; repeatable. By "
    "default all suites.",
)
@option(
    "--device",
    "devices",
    multiple=True,
    default=("phone",),
    metavar="NAME[:ARG]",
    callback=admit_by(admit_device),
    help="A device to record on, as `tapwright devices ls` lists it; repeatable, also with the "
    "same name for several of a kind.",
)
@option(
    "--team",
    metavar="URL",
    envvar="TAPWRIGHT_TEAM",
    show_envvar=True,
    help="The team's database, with accounts and queue; see tapwright team.",
)
@option(
    "--token-file",
    type=EXISTING_FILE,
    help="A file with a token to sign in with, instead of a team; or TAPWRIGHT_TOKEN.",
)
@option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A host name of the server besides that of this machine; repeatable.",
)
@option(
    "--base-path", default="", metavar="/PATH", help="The path under which a proxy serves the app."
)
@option(
    "--proxy",
    default="127.0.0.1",
    metavar="ADDRESS,…",
    help="Proxies whose X-Forwarded headers are trusted.",
)
@option("--open", "open_", is_flag=True, help="Open it in the browser.")
def serve(
    host: str,
    port: int | None,
    episodes: Path,
    runs: tuple[Path, ...],
    suites: tuple[str, ...],
    devices: tuple[str, ...],
    team: str | None,
    token_file: Path | None,
    names: tuple[str, ...],
    base_path: str,
    proxy: str,
    *,
    open_: bool,
) -> None:
    """Serve the web app: record, review, view episodes and runs.

    By default it listens on this machine only, for you: the printed address signs you in.
    To be reached from elsewhere it needs accounts (--team) or a token. Recordings are written to
    disk step by step: the same command continues them.
    """
    from tapwright.tasks import suites as registry
    from tapwright.web.config import LOOPBACK, WebConfig
    from tapwright.workflows.devices import device_openers

    for name in suites:
        if not registry.has(name) and not Path(name).exists():
            raise UnknownNameError(registry.kind, name, registry.names())
    if team and token_file:
        raise UsageError(
            "--team and --token-file: each member of a team has a token of their own",
            hint="give one of the two",
        )
    opened_team = open_team(team) if team else None
    config = WebConfig(
        episodes=episodes,
        runs=runs,
        suites={name: partial(select_tasks, name) for name in suites or registry.names()},
        devices=device_openers(devices, read_host()),
        authenticator=opened_team.accounts if opened_team else _authenticator(token_file),
        team=opened_team,
        base_path=_base_path(base_path),
        hosts=LOOPBACK | {name.lower().strip("[]") for name in (host, *names)},
    )
    run_app(config, host, port, proxy=proxy, open_=open_)


def run_app(
    config: "WebConfig",
    host: str,
    port: int | None,
    *,
    start: str = "",
    proxy: str = "127.0.0.1",
    open_: bool = False,
) -> None:
    """Serve until Ctrl-C; the address, with `start` after it, is printed when the server is ready.

    Where nobody would have to sign in, the address has this user's token: other users of the
    machine can reach the port, too.

    Raises:
        UsageError: others could reach it without signing in.
        UsageError: the port is taken, and the next ones if none was given.
    """
    import asyncio

    import uvicorn

    from tapwright.web.app import create_app
    from tapwright.web.auth import TokenAuthenticator
    from tapwright.web.config import LOOPBACK
    from tapwright.web.connections import BoundedProtocol, silence_bad_clients

    # An empty host is every address of this machine.
    others = sorted(name or "every address" for name in config.hosts - LOOPBACK)
    if others and not config.authenticator.requires_login:
        raise EXPOSED_SERVER(
            f"a server for {', '.join(others)} is reachable from other machines, and anybody could "
            "use it",
            hint="tapwright team add YOU --role admin --team sqlite:///team.db, then serve with "
            "--team sqlite:///team.db; or --token-file FILE",
        )
    token = "" if config.authenticator.requires_login else _own_token()
    if token:
        config = replace(config, authenticator=TokenAuthenticator(token, admits_own=True))
        start += f"{'&' if '?' in start else '?'}token={token}"
    silence_bad_clients()
    # What records waits this long for each thread that draws up a list, many times for a press.
    sys.setswitchinterval(_SWITCH_S)
    listening = listen(host, port)
    bound = listening.getsockname()[1]
    if port is None and bound != PORT:
        print_message(f"port {PORT} is taken; using {bound}")
    host_text = f"[{host}]" if ":" in host else host
    url = f"http://{host_text}:{bound}{config.base_path}/{start}"
    # No access log: a URL may hold typed text. Deflate does not make frames smaller, and costs
    # 2.6 ms for each.
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(config),
            http=BoundedProtocol,
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            ws_max_size=1 << 20,
            access_log=False,
            log_level="warning",
            server_header=False,
            forwarded_allow_ips=proxy,
            timeout_graceful_shutdown=_SHUTDOWN_S,
        )
    )
    asyncio.run(_serve(server, listening, url, open_=open_))


async def _serve(
    server: "uvicorn.Server", listening: socket.socket, url: str, *, open_: bool
) -> None:
    print_line(url)
    hint("Ctrl-C stops it; recordings are kept, and the same command continues")
    with show_address(url) if open_ else nullcontext():
        await server.serve(sockets=[listening])


@contextmanager
def show_address(url: str) -> Iterator[None]:
    """Show the address in the browser, one with a token by a file of this user's, until the end.

    Other users see what a program is started with. The file is in the home itself, as browsers
    that are snaps read neither hidden folders there nor temporary ones.
    """
    with ExitStack() as kept:
        shown, _, token = url.partition("token=")
        if token and os.name == "posix":
            with suppress(OSError):  # without a home to write to the page asks for the token
                file = kept.enter_context(
                    NamedTemporaryFile(  # of mode 600
                        "w", dir=Path.home(), prefix="tapwright-", suffix=".html", encoding="utf-8"
                    )
                )
                file.write(f'<meta http-equiv="refresh" content="0; url={escape(url)}">')
                file.flush()
                shown = file.name
        else:
            shown = url
        click.launch(shown)
        yield


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens on the port, or on the first free one from the default on.

    Raises:
        UsageError: the port is taken, or all of those.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in [port] if port is not None else range(PORT, PORT + _PORTS_TRIED):
        # Without the protocol's number asyncio leaves Nagle's algorithm on: 40 ms for each answer.
        one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host, number))
            one.listen(128)
        except OSError as error:
            one.close()
            problem = error
            continue
        return one
    raise PORT_TAKEN(
        f"{host}:{PORT if port is None else port}: {problem.strerror}",
        hint="--port 0 takes any free port",
    ) from problem


def _base_path(text: str) -> str:
    path = text.rstrip("/")
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path) or "/." in path:
        raise UsageError(f"--base-path {text!r} is not a path", hint="such as /tapwright")
    return path


def open_team(url: str) -> "Team":
    """The team of a database, which has members.

    Raises:
        UsageError: it has no members, or is no team's.
    """
    from tapwright.web.team.team import Team

    try:
        team = Team(url, make=False)
    except NothingFoundError as error:
        raise EXPOSED_SERVER(str(error), hint=error.hint) from error
    if not team.accounts.members():
        raise EXPOSED_SERVER(
            f"{team.database}: has no accounts, so nobody could sign in",
            hint=f"tapwright team add YOU --role admin --team {quote_path(str(team.database))}",
        )
    return team


def _authenticator(token_file: Path | None) -> "Authenticator":
    from tapwright.web.auth import LocalAuthenticator, TokenAuthenticator

    given = os.environ.get("TAPWRIGHT_TOKEN")
    if token_file is None and not given:
        return LocalAuthenticator()
    token = (_read_token(token_file) if token_file else given or "").strip()
    if len(token) < _MIN_TOKEN:
        raise UsageError(
            f"the token has {len(token)} characters; expected {_MIN_TOKEN} or more",
            hint="python3 -c 'import secrets; print(secrets.token_urlsafe(32))' makes one",
        )
    return TokenAuthenticator(token)


def _own_token() -> str:
    """This user's token for servers on this machine, made when it is first needed.

    One that cannot be kept, as without a home, is for this server alone.
    """
    file = Path(click.get_app_dir("tapwright"), "token")
    made = secrets.token_urlsafe(32)
    with suppress(OSError, UnicodeDecodeError):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            new = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BYTES, 0o600)
        except FileExistsError:
            with open_regular(file, follow=False) as found:
                status = os.fstat(found.fileno())
                kept = found.read(1000).decode().strip()
            # In a home that others may write to, as /tmp, it may be theirs.
            return kept if is_mine_alone(status) and len(kept) >= _MIN_TOKEN else made
        with os.fdopen(new, "wb") as written:
            written.write(made.encode())
    return made


def _read_token(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {error}") from error
