"""`tapwright episodes card`: a data set card of a store."""

from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import print_line, show_progress
from tapwright.store.store import EpisodeStore
from tapwright.workflows.card import collect_card


@click.command(
    epilog="\b\nExample:\n  tapwright episodes card episodes -o README.md --html card.html"
)
@store_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default="README.md",
    show_default=True,
    help="The card in Markdown, or a directory for it; its pictures are put into card/ beside it.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the same as one HTML page, too.",
)
@click.option("--title", default="", help="The card's title; by default the store's name.")
@click.option(
    "--pictures",
    type=click.IntRange(1, 100),
    default=8,
    show_default=True,
    help="How many sample pictures.",
)
def card(store: Path, out: Path, html: Path | None, title: str, pictures: int) -> None:
    """Write a data set card of STORE: counts, sources and licences, languages, apps, defects.

    Licences are those of data sets by name (`data get`) that were imported. Every file of the store
    is checked, so this takes as long as `episodes check`. Look at the sample pictures before you
    publish: they show what was on the screens.
    """
    from tapwright.visualize.card import write_card, write_card_page

    found = collect_card(
        EpisodeStore(store), title=title, pictures=pictures, show_progress=show_progress
    )
    file = out if out.suffix and not out.is_dir() else out / "README.md"
    write_card(found, file)
    print_line(file)
    if html is not None:
        write_card_page(found, html)
        print_line(html)
