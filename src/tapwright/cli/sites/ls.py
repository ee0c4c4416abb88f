"""`tapwright sites ls`: the sites that can be installed."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import Cell, Format, list_format_option, print_rows
from tapwright.cli.sizes import describe_size


@click.command(epilog="\b\nExample:\n  tapwright sites ls")
@home_option("sites", "TAPWRIGHT_SITES")
@list_format_option
def ls(directory: Path | None, format_: Format) -> None:
    """List the sites, which are installed, and how much of the disk they use."""
    from tapwright.sites import sites
    from tapwright.workflows.sites import site_home

    home = site_home(read_host(), directory)
    rows: list[dict[str, Cell]] = []
    for name in sites.names():
        site = sites.get(name)
        rows.append(
            {
                "name": name,
                "title": site.title,
                "kind": site.kind,
                "version": site.version,
                "licence": site.licence,
                "installed": home.has(site),
                "size": describe_size(home.size(site)),
                "source": site.home,
            }
        )
    print_rows(rows, format_, key="name")
