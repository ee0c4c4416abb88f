"""`tapwright data`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "ls": ("tapwright.cli.data.ls:ls", "List data sets, and which are downloaded"),
    "get": ("tapwright.cli.data.get:get", "Download data sets by name"),
    "push": ("tapwright.cli.data.push:push", "Push a directory to the Hugging Face hub"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def data() -> None:
    """List and download the data of benchmarks, and recordings of others; push your own."""
