"""`tapwright sft`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "preview": ("tapwright.cli.sft.preview:preview", "Show one sample: text, pictures, loss"),
    "export": ("tapwright.cli.sft.export:export", "Write a training set, and check it"),
    "stats": ("tapwright.cli.sft.stats:stats", "Count what a training set would hold"),
    "check": ("tapwright.cli.sft.check:check", "Check a training set by its trainer's rules"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def sft() -> None:
    """Write training data."""
