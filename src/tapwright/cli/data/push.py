"""`tapwright data push`: a directory as a data set of the Hugging Face hub."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import F, add_options
from tapwright.cli.output import print_line, print_message, show_progress
from tapwright.workflows.push import push_directory


def push_options(command: F) -> F:
    """`--push-to` and `--public`, for commands that write what is worth pushing."""
    options = (
        click.option(
            "--push-to",
            metavar="OWNER/NAME",
            help="Push the result to this repository of the Hugging Face hub.",
        ),
        _public_option,
    )
    return add_options(command, options)


_public_option = click.option(
    "--public", is_flag=True, help="A new repository is public; by default it is private."
)


def push_if_asked(directory: Path, repository: str | None, *, public: bool) -> None:
    """Push a directory to a repository, if there is one."""
    if repository is not None:
        page = push_directory(
            directory, repository, read_host(), public=public, show_progress=show_progress
        )
        print_message(f"pushed to {page}")


@click.command(epilog="\b\nExample:\n  tapwright data push packed lab/phone-episodes")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.argument("repository", metavar="OWNER/NAME")
@_public_option
def push(directory: Path, repository: str, public: bool) -> None:
    """Push DIR, such as a packed data set, to a data set repository of the Hugging Face hub.

    A repository that does not exist is made. What the hub has already is not sent again, so an
    interrupted command continues when repeated. HF_TOKEN (or `hf auth login`) is the token that may
    write, HF_ENDPOINT another hub; where that does not speak Xet, set HF_HUB_DISABLE_XET=1.
    """
    page = push_directory(
        directory, repository, read_host(), public=public, show_progress=show_progress
    )
    print_line(page)
