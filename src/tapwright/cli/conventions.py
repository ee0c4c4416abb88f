"""`tapwright conventions`: how model families are asked and read."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import admit_by, option
from tapwright.cli.sizes import read_size
from tapwright.errors import NothingFoundError
from tapwright.workflows.own_names import admit_convention

if TYPE_CHECKING:
    from tapwright.workflows.conventions import ConventionSample


_COMMANDS = {
    "ls": "List conventions: screen, unit, picture, source",
    "show": "Show one at work: prompt, picture size, answers, what it lacks",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def conventions() -> None:
    """List and show how model families are prompted and answer.

    A convention is the prompt, the picture size, the unit of places and the parser of one model
    family, as its own repository has them. Choose it with --convention wherever a model is
    queried: a model that is prompted in another's words, or read in another's unit, scores low
    without an error.
    """


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright conventions ls\n"
    "  tapwright conventions ls --finds element       those with a prompt for one element\n"
    "  tapwright conventions ls venus                 those with a word in name or source"
)
@click.argument("words", nargs=-1)
@option(
    "--finds",
    type=click.Choice(["actions", "element"]),
    help="actions: those of agents; element: those with a prompt of their own for one element.",
)
@output.list_format_option
def ls(words: tuple[str, ...], finds: str | None, format_: output.Format) -> None:
    """List conventions: their screen, unit of places, picture, and source.

    "finds" is what its prompts request: the next action, the place of an element, or both.
    "screen" is the one that its actions are for, a phone or a computer; "any" has both or neither.
    A picture goes out as it was recorded, resized, or on a canvas; "resized by the server" means
    that places are pixels of what the server makes of it. WORDS keep the rows that have them all.
    """
    from tapwright.workflows.listing import list_conventions

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
    output.print_rows(rows, format_, key="name")
    if format_ == "human":
        output.hint(f"tapwright conventions show {rows[0]['name']}")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright conventions show ui-tars-1.5\n"
    "  tapwright conventions show gta1 --size 3840x2160 --instruction 'the save button'\n"
    "  tapwright conventions show qwen2.5-vl --grounding\n"
    "  tapwright conventions show mine.prompts:MINE"
)
@click.argument("name", callback=admit_by(admit_convention))
@option(
    "--instruction",
    default="Open the settings",
    help="What the prompt requests; with --grounding the element.",
)
@option("--size", default="1080x2400", help="The screen's size in pixels.")
@option("--grounding", is_flag=True, help="Show the prompt for the place of one element.")
@output.format_option
def show(name: str, instruction: str, size: str, grounding: bool, format_: output.Format) -> None:
    """Show the prompt of a convention byte for byte, and everything that belongs to it.

    That is the unit of its places, the size in which a picture is sent and the one in whose pixels
    the model answers, what a model of the family answers when it taps and when it types, and the
    actions that it has no words for. Pictures stand in the prompt as <picture WIDTHxHEIGHT>.
    """
    from tapwright.workflows.conventions import sample_convention

    sample = sample_convention(name, read_size(size), instruction, grounding=grounding)
    format_ = output.resolve_format(format_)
    record = _facts(sample)
    if format_ == "human":
        for number, message in enumerate(sample.prompt, start=1):
            record[f"message_{number},_{message.role}"] = f"\n{message.text}\n"
    else:
        record["prompt"] = [asdict(message) for message in sample.prompt]
    output.print_record(record, format_, key="name")


def _facts(sample: "ConventionSample") -> dict[str, object]:
    return {
        **asdict(sample.row),
        "screen": str(sample.size),
        "sent": str(sample.sent),
        "model": str(sample.model),
        "tap": sample.tap_answer or "-",
        "type": sample.type_answer or "-",
        "cannot_say": ", ".join(sample.cannot_say) or "nothing",
    }
