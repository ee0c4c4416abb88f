"""`tapwright episodes ls`, `check` and `stats`: a store of episodes as a whole."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, hint, print_rows, stage
from tapwright.errors import CorruptEpisodeError, NothingFoundError
from tapwright.store.catalog import Catalog, CatalogQuery
from tapwright.store.errors import SchemaVersionError
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes ls episodes\n"
    "  tapwright episodes ls episodes --outcome failure --app settings --format quiet"
)
@store_argument
@click.option("--text", default="", help="Only with this in id, task or instruction.")
@click.option("--task", default="", metavar="ID", help="Only of this task.")
@click.option("--app", default="", help="Only with this app (package or its last part) in front.")
@click.option("--outcome", default="", help="Only with this outcome.")
@click.option("--agent", default="", help="Only recorded by this agent or person.")
@format_option
def ls(
    store: Path, text: str, task: str, app: str, outcome: str, agent: str, format_: Format
) -> None:
    """List the episodes of STORE, oldest first.

    One that cannot be read is told on stderr and hides no other; the command then ends with 1.
    """
    wanted = CatalogQuery(text=text, task=task, app=app, outcome=outcome, agent=agent)
    entries, unreadable = Catalog(EpisodeStore(store)).read()
    for name, error in unreadable.items():
        click.echo(f"{name}: {error} [{error.code}]", err=True)
    rows: list[dict[str, Cell]] = [
        {
            "episode": entry.id,
            "task": entry.task_id,
            "agent": entry.agent,
            "steps": entry.steps,
            "outcome": entry.outcome,
            "instruction": entry.instruction,
        }
        for entry in entries
        if wanted.fits(entry)
    ]
    if not entries and not unreadable:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    if not rows and entries:
        raise NothingFoundError(f"{store}: none of {len(entries)} episodes fits the filter")
    print_rows(rows, format_, key="episode")
    if unreadable:
        sys.exit(1)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes check episodes\n"
    "  tapwright episodes check episodes first --format json"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@format_option
def check(store: Path, episode_ids: tuple[str, ...], format_: Format) -> None:
    """Find what is wrong with the episodes of STORE (all by default). Nothing is changed.

    Errors: lines that are no steps, lines out of order, files that are missing or not those that
    were recorded, pictures that cannot be decoded or are of another size, actions after the end.

    Warnings: files that nothing names, episodes without steps or end, steps that repeat the one
    before, view hierarchies of another moment than the picture.

    Ends with 1 when anything was found.
    """
    from tapwright.check.check import check_episode, check_headers
    from tapwright.check.finding import EpisodeFinding

    found = EpisodeStore(store)
    findings: list[EpisodeFinding] = [] if episode_ids else list(check_headers(found))
    chosen = list(episode_ids) or found.survey()[0]
    if not chosen and not findings:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    with stage("check", len(chosen)) as advance:
        for id_ in chosen:
            try:
                findings += check_episode(found, id_)
            except (CorruptEpisodeError, SchemaVersionError) as error:
                findings.append(
                    EpisodeFinding(id_, None, "error", "header", str(store), str(error))
                )
            advance(1)
    print_rows([asdict(one) for one in findings], format_, key="episode")
    sys.exit(1 if findings else 0)


@click.command(epilog="\b\nExample:\n  tapwright episodes stats episodes -o stats.html")
@store_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page, too: the same numbers, and maps of where each app was tapped.",
)
@format_option
def stats(store: Path, out: Path | None, format_: Format) -> None:
    """FacetCount the episodes of STORE by outcome, length, action, app, task, agent and annotator.

    One that cannot be read is told on stderr and not counted; the command then ends with 1.
    """
    from tapwright.visualize.stats import collect_stats
    from tapwright.visualize.stats_page import write_stats_page

    found = collect_stats(EpisodeStore(store))
    for name, error in found.unreadable.items():
        click.echo(f"{name}: {error} [{error.code}]", err=True)
    if not found.episodes and not found.unreadable:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    rows: list[dict[str, Cell]] = [
        {"by": "all", "name": "", "episodes": found.episodes, "steps": found.steps}
    ]
    rows += (
        {"by": one.facet, "name": one.name, "episodes": one.episodes, "steps": one.steps}
        for one in found.counts
    )
    print_rows(rows, format_, key="name")
    if out is not None:
        write_stats_page(found, out, title=f"Episodes in {store.name or store}")
        hint(f"open {out} in a browser")
    if found.unreadable:
        sys.exit(1)
