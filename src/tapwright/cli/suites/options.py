"""The options that commands about suites share."""

from collections.abc import Sequence

import click

from tapwright.cli.options import F, add_options
from tapwright.errors import UsageError

__all__ = ["read_source", "suite_options"]


def suite_options(command: F) -> F:
    """`--suite-python` and `--suite-option`."""
    options = (
        click.option(
            "--suite-python",
            default="",
            metavar="PYTHON",
            help="The Python that has the suite; by default that of `tapwright suites install`.",
        ),
        click.option(
            "--suite-option",
            "suite_settings",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the suite, as `tapwright suites ls` lists them; repeatable.",
        ),
    )
    return add_options(command, options)


def read_source(python: str, settings: Sequence[str]) -> str:
    """The source that the options name; "" for none.

    Raises:
        UsageError: an option has no "=".
    """
    from tapwright.harnesses.harness import SuiteSource

    pairs = [one.partition("=") for one in settings]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise UsageError(f"--suite-option {name}: expected NAME=VALUE")
    return str(SuiteSource(python, {name: value for name, _, value in pairs}))
