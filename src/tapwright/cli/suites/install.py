"""`tapwright suites install`: install suites."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import hint, print_line, print_message, show_progress
from tapwright.errors import quote_path


@click.command(
    epilog="\b\nExamples:\n  tapwright suites install androidworld --python python3.11\n"
    "  tapwright suites install androidworld --checkout ~/android_world"
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@home_option("suites", "TAPWRIGHT_SUITES")
@click.option("--python", default="", metavar="PYTHON", help="The interpreter of the environment.")
@click.option(
    "--checkout",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A clone of the suite's repository, in place of the network.",
)
@click.option("--again", is_flag=True, help="Remove what is installed first.")
def install(
    names: tuple[str, ...],
    directory: Path | None,
    python: str,
    checkout: Path | None,
    again: bool,
) -> None:
    """Install suites, as `suites ls` lists them, in the versions that tapwright was tried with.

    Each gets a Python environment of its own with the packages that it asks for, which are
    gigabytes for OSWorld and BrowserGym. A suite that you have elsewhere, or in another version,
    needs no install: give --suite-python.
    """
    from tapwright.harnesses import harnesses
    from tapwright.harnesses.install import INSTALL_STEPS, install_suite
    from tapwright.workflows.suites import suite_home

    home = suite_home(read_host(), directory)
    for suite in [harnesses.get(name) for name in names]:
        named = suite.commit[:12] or ", ".join(suite.requirements)
        print_message(f"{suite.title} {named}; licence {suite.licence}")
        with show_progress(suite.name, INSTALL_STEPS) as advance:
            install_suite(suite, home, advance, python=python, checkout=checkout, again=again)
        print_line(home.environment(suite))
    where = f"TAPWRIGHT_SUITES={quote_path(directory)} " if directory else ""
    for name in names:
        hint(f"{where}tapwright suites check {name}")
