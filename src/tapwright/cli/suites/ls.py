"""`tapwright suites ls`: the suites that can be played."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.output import Cell, Format, format_option, print_rows
from tapwright.cli.suites.options import directory_option


@click.command(epilog="\b\nExample:\n  tapwright suites ls")
@directory_option
@format_option
def ls(directory: Path | None, format_: Format) -> None:
    """List the suites, what they are played on, what they need, and which are installed."""
    from tapwright.harnesses import harnesses
    from tapwright.workflows.suites import suite_home

    home = suite_home(read_host(), directory)
    rows: list[dict[str, Cell]] = []
    for name in harnesses.names():
        suite = harnesses.get(name)
        rows.append(
            {
                "name": name,
                "title": suite.title,
                "device": suite.device,
                "installed": home.has(suite),
                "commit": suite.commit[:12],
                "python": suite.python,
                "licence": suite.licence,
                "needs": suite.needs,
                "options": "; ".join(f"{one}: {what}" for one, what in suite.options.items()),
                "source": suite.home,
            }
        )
    print_rows(rows, format_, key="name")
