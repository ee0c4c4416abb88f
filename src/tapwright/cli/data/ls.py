"""`tapwright data ls`: the data sets by name."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import Cell, Format, list_format_option, print_rows
from tapwright.cli.sizes import describe_size


@click.command(epilog="\b\nExample:\n  tapwright data ls")
@home_option("data sets", "TAPWRIGHT_DATA")
@list_format_option
def ls(directory: Path | None, format_: Format) -> None:
    """List the data sets that have a name, and which are downloaded."""
    from tapwright.datasets import datasets
    from tapwright.workflows.datasets import data_home

    home = data_home(read_host(), directory)
    rows: list[dict[str, Cell]] = []
    for name in datasets.names():
        one = datasets.get(name)
        state = "begun" if home.partial(name).exists() else ""
        use = [*one.benchmarks, *((f"import as {one.format}",) if one.format else ())]
        rows.append(
            {
                "name": name,
                "size": describe_size(one.size),
                "licence": one.licence,
                "here": "yes" if home.has(one) else state,
                "for": ", ".join(use),
                "source": one.source.address,
            }
        )
    print_rows(rows, format_, key="name")
