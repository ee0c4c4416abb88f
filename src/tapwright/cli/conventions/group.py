"""`tapwright conventions`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "ls": ("tapwright.cli.conventions.ls:ls", "List conventions: screen, unit, picture, source"),
    "show": (
        "tapwright.cli.conventions.show:show",
        "Show one at work: prompt, picture size, answers, what it lacks",
    ),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def conventions() -> None:
    """List and show how model families are prompted and answer.

    A convention is the prompt, the picture size, the unit of places and the parser of one model
    family, as its own repository has them. Choose it with --convention wherever a model is
    queried: a model that is prompted in another's words, or read in another's unit, scores low
    without an error.
    """
