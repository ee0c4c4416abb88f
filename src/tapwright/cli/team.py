"""`tapwright team`: who records, and what."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.options import select_tasks, task_options
from tapwright.cli.output import Cell, Format, format_option, hint, print_record, print_rows
from tapwright.errors import NothingFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tapwright.web.auth import Role
    from tapwright.web.team.team import Team

F = TypeVar("F", bound="Callable[..., Any]")

_ROLES = click.Choice(["annotator", "reviewer", "admin"])


def team_option(command: F) -> F:
    """`--team URL`, which the environment may say once for all commands."""
    return click.option(
        "--team",
        "url",
        default="sqlite:///team.db",
        show_default=True,
        envvar="TAPWRIGHT_TEAM",
        show_envvar=True,
        metavar="URL",
        help="The team's database: sqlite:///FILE or postgresql://USER@HOST/NAME.",
    )(command)


@click.group(
    epilog="\b\nExample:\n"
    "  tapwright team add anna --role admin\n"
    "  tapwright team assign --suite phone --copies 2\n"
    "  tapwright serve --team sqlite:///team.db"
)
def team() -> None:
    """Keep a team's accounts, and the queue of what they record."""


@team.command()
@click.argument("name")
@click.option("--role", type=_ROLES, default="annotator", show_default=True)
@team_option
def add(name: str, role: "Role", url: str) -> None:
    """Let NAME in, and print the token that they sign in with.

    It is told this once: only its hash is kept. An annotator records, a reviewer edits and reviews
    too, an admin keeps the team.
    """
    opened = _open(url)
    click.echo(opened.accounts.add(name, role))
    served = f"tapwright serve --team {opened.database}"
    hint(f"give it to {name}; they sign in with it where you run: {served}")


@team.command()
@format_option
@team_option
def ls(format_: Format, url: str) -> None:
    """List who is in the team, and what they have done."""
    opened = _open(url)
    works = {work.name: work for work in opened.queue.members()}
    rows: list[dict[str, Cell]] = []
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
    print_rows(rows, format_, key="name")


@team.command()
@click.argument("name")
@team_option
def rotate(name: str, url: str) -> None:
    """Print a new token for NAME, and shut out the old one with every browser that used it."""
    click.echo(_open(url).accounts.rotate(name))


@team.command()
@click.argument("name")
@click.argument("role", type=_ROLES)
@team_option
def role(name: str, role: "Role", url: str) -> None:
    """Give NAME another ROLE."""
    _open(url).accounts.set_role(name, role)


@team.command()
@click.argument("name")
@team_option
def remove(name: str, url: str) -> None:
    """Shut NAME out. What they recorded stays theirs; what they held goes back to the queue."""
    _open(url).accounts.remove(name)


@team.command(
    epilog="\b\nExamples:\n"
    "  tapwright team assign --suite phone --copies 2\n"
    "  tapwright team assign --task wifi_off --to anna"
)
@task_options
@click.option(
    "--copies",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="How many people record each task.",
)
@click.option("--to", "only", metavar="NAME", help="For this person alone.")
@team_option
def assign(
    suite: str,
    task_ids: tuple[str, ...],
    limit: int | None,
    copies: int,
    only: str | None,
    url: str,
) -> None:
    """Put tasks at the end of the queue, and print the items' numbers."""
    tasks = select_tasks(suite, task_ids, limit)
    items = _open(url).queue.assign(suite, [task.id for task in tasks], copies=copies, only=only)
    click.echo("\n".join(map(str, items)))


@team.command()
@click.argument("items", nargs=-1, required=True, type=click.IntRange(1, 2**31 - 1))
@team_option
def withdraw(items: tuple[int, ...], url: str) -> None:
    """Let nobody take these ITEMS any more; who holds one may complete it."""
    queue = _open(url).queue
    for item in items:
        queue.withdraw(item)


@team.command()
@format_option
@team_option
def progress(format_: Format, url: str) -> None:
    """List the queue: who did what, who holds what, what waits."""
    rows: list[dict[str, Cell]] = [
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
        for one in _open(url).queue.items()
    ]
    print_rows(rows, format_, key="item")


@team.command()
@click.argument("store", type=click.Path(path_type=Path, file_okay=False), default=Path("episodes"))
@format_option
@team_option
def agree(store: Path, format_: Format, url: str) -> None:
    """Tell how far people agree who recorded the same tasks into STORE."""
    from tapwright.store.store import EpisodeStore
    from tapwright.web.team.overlap import measure_overlap

    found = measure_overlap(_open(url).queue.items(), EpisodeStore(store))
    if not found.tasks:
        raise NothingFoundError(
            "no task was recorded by two people", hint="tapwright team assign --copies 2"
        )
    record = {
        "tasks": len(found.tasks),
        "same_outcome": found.same_outcome,
        "alpha_of_outcomes": found.alpha,
        "same_way": found.action_similarity,
        "missing_episodes": len(found.missing),
    }
    print_record(record, format_, key="tasks")


def _open(url: str) -> "Team":
    from tapwright.web.team.team import Team

    return Team(url)
