"""`tapwright team`: accounts, and the queue of what they record."""

import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tapwright.cli import output
from tapwright.cli.directories import Directory, open_store
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import EXISTING_FILE, FILE, F, option, task_options
from tapwright.cli.selecting import exit_if_unreadable
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError, quote_path
from tapwright.workflows.selecting import select_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tapwright.web.auth import Role
    from tapwright.web.team.team import Team
    from tapwright.web.team.work import Work


_DAY = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M"))
ROLES = click.Choice(["annotator", "reviewer", "admin"])


def team_option(command: F) -> F:
    """`--team URL`, also from the environment."""
    return option(
        "--team",
        "url",
        default="sqlite:///team.db",
        envvar="TAPWRIGHT_TEAM",
        show_envvar=True,
        metavar="URL",
        help="The team's database: sqlite:///FILE or postgresql://USER@HOST/NAME.",
    )(command)


def open_team(url: str, *, make: bool = False) -> "Team":
    """The team of a database; `make` begins one where there is none."""
    from tapwright.web.team.team import Team

    return Team(url, make=make)


def _empty(opened: "Team", what: str, words: str) -> NothingFoundError:
    """The error that a database has nothing of a kind, perhaps as another one was meant."""
    database = str(opened.database)
    return NothingFoundError(
        f"{database}: {what}", hint=f"tapwright team {words} --team {quote_path(database)}"
    )


_COMMANDS = {
    "add": "Add a member, and print their token",
    "agree": "Measure the agreement of people who recorded the same tasks",
    "assign": "Append tasks to the queue",
    "backup": "Write accounts and queue to a file",
    "ls": "List the members",
    "migrate": "Copy the team into another database",
    "progress": "List the queue",
    "remove": "Remove a member",
    "reopen": "Ask for a member's recordings again",
    "restore": "Read a backup into a new database",
    "role": "Change a member's role",
    "rotate": "Replace the token of a member",
    "sessions": "List and end members' sessions",
    "withdraw": "Withdraw items from the queue",
    "work": "List who did what when, for paying people",
}


@click.group(
    name="team",
    cls=LazyGroup,
    table=_COMMANDS,
    epilog="\b\nExample:\n"
    "  tapwright team add anna --role admin\n"
    "  tapwright team assign --suite phone --copies 2\n"
    "  tapwright serve --team sqlite:///team.db",
)
def team() -> None:
    """Manage a team's accounts, and the queue of what they record."""


@click.command()
@click.argument("name")
@option("--role", type=ROLES, default="annotator", help="What the account may do.")
@team_option
def add(name: str, role: "Role", url: str) -> None:
    """Add member NAME, and print the token that they sign in with.

    The token is printed only once: its hash is stored. An annotator records, a reviewer also edits
    and reviews, an admin also manages the team.
    """
    opened = open_team(url, make=True)
    output.print_line(opened.accounts.add(name, role))
    served = f"tapwright serve --team {quote_path(str(opened.database))}"
    output.hint(f"give it to {name}, to sign in with at the address of: {served}")


@click.command()
@click.argument("store", type=Directory(), default="episodes")
@output.format_option
@team_option
def agree(store: Path, format_: output.Format, url: str) -> None:
    """Measure the agreement of people who recorded the same tasks into STORE."""
    from tapwright.web.team.overlap import measure_overlap

    shared = measure_overlap(open_team(url).queue.items(), open_store(store))
    if not shared.tasks:
        raise NothingFoundError(
            "no task was recorded by two people", hint="tapwright team assign --copies 2"
        )
    record = {
        "tasks": len(shared.tasks),
        "same_outcome": shared.same_outcome,
        "alpha_of_outcomes": shared.alpha,
        "same_step": shared.same_step,
        "alpha_of_steps": shared.step_alpha,
        "same_way": shared.action_similarity,
        "missing_episodes": len(shared.missing),
    }
    output.print_record(record, format_, key="tasks")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright team assign --suite phone --copies 2\n"
    "  tapwright team assign --task wifi_off --to anna"
)
@task_options
@option("--copies", type=click.IntRange(1, 100), default=1, help="People who record each task.")
@option("--to", "only", metavar="NAME", help="Only for this person.")
@team_option
def assign(
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    copies: int,
    only: str | None,
    url: str,
) -> None:
    """Append tasks to the queue, and print the numbers of the items.

    A task that waits there for as many people, or for the same person, is not appended again.
    """
    tasks = [task.id for task in select_tasks(suite, task_ids, limit)]
    items = open_team(url, make=True).queue.assign(suite, tasks, copies=copies, only=only)
    for item in items:
        output.print_line(item)
    if len(items) < len(tasks):
        known = counted(len(tasks) - len(items), "task")
        output.print_message(f"note: {known} in the queue already: not appended again")
    output.hint("tapwright team progress")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright team backup team-2026-11-23.jsonl\n"
    "  tapwright team restore team-2026-11-23.jsonl --team sqlite:///new.db"
)
@click.argument("file", type=FILE)
@team_option
def backup(file: Path, url: str) -> None:
    """Write the team's accounts, queue and claims to FILE, while the server runs or not.

    The file has the hashes of tokens and no token. Recordings are directories of their own: copy
    the store as well.
    """
    from tapwright.web.team.backup import read_team, write_backup

    opened = open_team(url)
    rows = read_team(opened.database)
    if not rows:
        raise NothingFoundError(f"{opened.database} has no team", hint="check --team")
    write_backup(rows, file)
    output.print_line(f"{file}: {len(rows)} rows")


@click.command()
@output.list_format_option
@team_option
def ls(format_: output.Format, url: str) -> None:
    """List the members of the team, and how much they recorded."""
    opened = open_team(url)
    works = {work.name: work for work in opened.queue.members()}
    rows: list[dict[str, output.Cell]] = []
    for one in opened.accounts.members():
        work = works.get(one.name)
        rows.append(
            {
                "name": one.name,
                "role": one.role,
                "done": work.done if work else 0,
                "held": work.held if work else 0,
                "lapsed": work.lapsed if work else 0,
            }
        )
    if not rows:
        raise _empty(opened, "the team has no members", "add NAME")
    output.print_rows(rows, format_, key="name")


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright team migrate postgresql://tapwright@db.example.org/tapwright --team sqlite:///team.db"
)
@click.argument("to")
@team_option
def migrate(to: str, url: str) -> None:
    """Copy accounts, queue and claims into the database TO, which has no team yet.

    Stop the server first: what it writes meanwhile is not copied. The old database stays as it is.
    """
    from tapwright.web.team.backup import read_team, write_team

    opened = open_team(url)
    rows = read_team(opened.database)
    if not rows:
        raise NothingFoundError(f"{opened.database} has no team", hint="check --team")
    database = open_team(to, make=True).database
    write_team(rows, database)
    output.print_line(f"{database}: {len(rows)} rows")
    output.hint(f"tapwright serve --team {quote_path(str(database))}")


@click.command()
@output.list_format_option
@team_option
def progress(format_: output.Format, url: str) -> None:
    """List the queue: items done, held, lapsed and waiting."""
    opened = open_team(url)
    rows: list[dict[str, output.Cell]] = [
        {
            "item": one.item,
            "suite": one.suite,
            "task": one.task,
            "copies": one.copies,
            "only": one.only,
            "done": ", ".join(name for name, _ in one.done),
            "held": ", ".join(one.held),
            "lapsed": ", ".join(one.lapsed),
            "waiting": one.waiting,
        }
        for one in opened.queue.items()
    ]
    if not rows:
        raise _empty(opened, "the queue is empty", "assign --suite phone")
    output.print_rows(rows, format_, key="item")


@click.command()
@click.argument("name")
@team_option
def remove(name: str, url: str) -> None:
    """Remove member NAME. Their recordings stay theirs; their open items return to the queue."""
    open_team(url).accounts.remove(name)


@click.command(epilog="\b\nExample:\n  tapwright team reopen 3 4 --from anna")
@click.argument("items", nargs=-1, required=True, type=click.IntRange(1, 2**31 - 1))
@option("--from", "name", required=True, metavar="NAME", help="Who recorded them.")
@team_option
def reopen(items: tuple[int, ...], name: str, url: str) -> None:
    """Ask for NAME's recordings of ITEMS again, because they failed or were rejected.

    The recordings count no longer and stay in the store; the items return to the queue, for NAME or
    for anybody.
    """
    queue = open_team(url).queue
    for item in items:
        queue.reopen(item, name)


@click.command(
    epilog="\b\nExample:\n  tapwright team restore team-2026-11-23.jsonl --team sqlite:///new.db"
)
@click.argument("file", type=EXISTING_FILE)
@team_option
def restore(file: Path, url: str) -> None:
    """Read FILE, a backup, into a database that has no team yet.

    The whole file is checked before the database is made or touched. Members keep their tokens
    and sign in again.
    """
    from tapwright.web.team.backup import read_backup, write_team

    rows = read_backup(file)
    database = open_team(url, make=True).database
    write_team(rows, database)
    output.print_line(f"{database}: {len(rows)} rows")
    output.hint(f"tapwright serve --team {quote_path(str(database))}")


@click.command()
@click.argument("name")
@click.argument("role", type=ROLES)
@team_option
def role(name: str, role: "Role", url: str) -> None:
    """Change the role of NAME to ROLE."""
    open_team(url).accounts.set_role(name, role)


@click.command()
@click.argument("name")
@team_option
def rotate(name: str, url: str) -> None:
    """Replace the token of NAME and print it; the old one and its sessions are revoked."""
    output.print_line(open_team(url).accounts.rotate(name))


@click.command(
    epilog="\b\nExamples:\n  tapwright team sessions\n  tapwright team sessions --end 3f0c91d2ab47"
)
@option("--end", "ends", multiple=True, metavar="ID", help="Sign out there; repeatable.")
@output.list_format_option
@team_option
def sessions(ends: tuple[str, ...], format_: output.Format, url: str) -> None:
    """List the browsers in which members are signed in, the latest of each first.

    A session ends by itself two weeks after signing in. `tapwright team rotate NAME` ends all
    sessions of a member, and replaces the token.
    """
    accounts = open_team(url).accounts
    for id_ in ends:
        accounts.end_session(id_)
    rows = [
        {"session": one.id, "name": one.name, "since": _time(one.since), "until": _time(one.until)}
        for one in accounts.sessions()
    ]
    if not rows and not ends:
        raise NothingFoundError("nobody is signed in")
    output.print_rows(rows, format_, key="session")


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes")


@click.command()
@click.argument("items", nargs=-1, required=True, type=click.IntRange(1, 2**31 - 1))
@team_option
def withdraw(items: tuple[int, ...], url: str) -> None:
    """Withdraw ITEMS from the queue; whoever holds one may complete it."""
    queue = open_team(url).queue
    for item in items:
        queue.withdraw(item)


def _take_old_format(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        warnings.warn("--as is --format now, and text is human", FutureWarning, stacklevel=2)
        format_ = "human" if value == "text" else value
        ctx.default_map = {**(ctx.default_map or {}), "format_": format_}


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright team work demos\n"
    "  tapwright team work demos --since 2026-11-01 --until 2026-12-01 --format csv > november.csv"
)
@click.argument("store", type=Directory(), default="episodes")
@option("--person", metavar="NAME", help="Only what this person did.")
@option("--since", metavar="DATE", type=_DAY, help="Only what ended from then on.")
@option("--until", metavar="DATE", type=_DAY, help="Only what ended before then.")
@option(
    "--format",
    "format_",
    type=click.Choice(["auto", "human", "csv", "json"]),
    default="auto",
    help="human: a sum for each person and action; csv, json: every action with its times; "
    "auto: human on a terminal, else json.",
)
@option(
    "--as",
    type=click.Choice(["text", "csv", "json"]),
    hidden=True,
    expose_value=False,
    is_eager=True,
    callback=_take_old_format,
    help="What --format was called.",
)
def work(
    store: Path,
    person: str | None,
    since: datetime | None,
    until: datetime | None,
    format_: Literal["auto", "human", "csv", "json"],
) -> None:
    """List who did what when on the episodes of STORE, in UTC.

    Recordings, what was done in the place of agents, ratings, and reviews of recordings and of
    steps. Ten minutes without anything are a pause. Of a review only the end is known: it counts
    from what the person did before, and after a pause it has no seconds. Ends with 1 when an
    episode could not be read.
    """
    from tapwright.web.team.work import export_work, list_work

    begin, end = (one.isoformat() if one else "" for one in (since, until))
    found, failed = list_work(open_store(store))
    for error in failed.values():
        output.print_message(f"warning: {error}")
    chosen = [
        one
        for one in found
        if person in (None, one.person) and begin <= one.ended and (not end or one.ended < end)
    ]
    shown = format_ if format_ == "csv" else output.resolve_format(format_)
    if not chosen:
        if shown == "json":
            output.print_line("[]")
        raise NothingFoundError(
            f"{store}: nobody did anything there",
            hint="leave out --person, --since and --until"
            if found
            else f"people record there with tapwright serve --episodes {quote_path(store)}",
        )
    if shown == "csv" or shown == "json":
        output.print_data(export_work(chosen, shown).decode())
    else:
        output.print_rows(_sum_work(chosen), "human", key="person")
    exit_if_unreadable(not failed)


def _sum_work(done: "Sequence[Work]") -> list[dict[str, output.Cell]]:
    sums: dict[tuple[str, str], list[float | None]] = {}
    for one in done:
        sums.setdefault((one.person, one.action), []).append(one.seconds)
    return [
        {
            "person": person,
            "action": action,
            "times": len(seconds),
            "hours": round(sum(filter(None, seconds)) / 3600, 2),
            "without_seconds": seconds.count(None),
        }
        for (person, action), seconds in sorted(sums.items())
    ]
