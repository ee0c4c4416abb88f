"""`tapwright conventions ls`: every convention in a table."""

from dataclasses import asdict

import click

from tapwright.cli.output import Format, hint, list_format_option, print_rows
from tapwright.errors import NothingFoundError


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright conventions ls\n"
    "  tapwright conventions ls --finds element       those with a prompt for one element\n"
    "  tapwright conventions ls venus                 those with a word in name or source"
)
@click.argument("words", nargs=-1)
@click.option(
    "--finds",
    type=click.Choice(["actions", "element"]),
    help="actions: those of agents; element: those with a prompt of their own for one element.",
)
@list_format_option
def ls(words: tuple[str, ...], finds: str | None, format_: Format) -> None:
    """List conventions: their screen, unit of places, picture, and source.

    "finds" is what its prompts request: the next action, the place of an element, or both.
    "screen" is the one that its actions are for, a phone or a computer; "any" has both or neither.
    A picture goes out as it was recorded, resized, or on a canvas; "resized by the server" means
    that places are pixels of what the server makes of it. WORDS keep the rows that have them all.
    """
    from tapwright.workflows.conventions import list_conventions

    wanted = {None: None, "actions": "actions", "element": "an element"}[finds]
    rows = [
        asdict(row)
        for row in list_conventions()
        if (wanted is None or row.finds in (wanted, "both"))
        and all(word.lower() in f"{row.name} {row.source}".lower() for word in words)
    ]
    if not rows:
        raise NothingFoundError(
            f"no convention has {' and '.join(map(repr, words))} in its name or source",
            hint="tapwright conventions ls lists all",
        )
    print_rows(rows, format_, key="name")
    if format_ == "human":
        hint(f"tapwright conventions show {rows[0]['name']}")
