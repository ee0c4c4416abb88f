"""`tapwright data`: published data sets by name, and data of yours, published."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import FOLDER, F, add_options, home_option
from tapwright.cli.sizes import describe_size
from tapwright.errors import UsageError, quote_path

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Access, Dataset
    from tapwright.datasets.plan import DownloadPlan


_COMMANDS = {
    "ls": "List data sets, and which are downloaded",
    "get": "Download data sets by name",
    "push": "Push a directory to the Hugging Face hub",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def data() -> None:
    """List and download the data of benchmarks, and recordings of others; push your own."""


@click.command(epilog="\b\nExample:\n  tapwright data ls")
@home_option("data sets", "TAPWRIGHT_DATA")
@output.list_format_option
def ls(directory: Path | None, format_: output.Format) -> None:
    """List the data sets that have a name, and which are downloaded."""
    from tapwright.datasets import datasets
    from tapwright.datasets.home import DatasetHome

    home = DatasetHome(read_host().kept("data", directory))
    rows: list[dict[str, output.Cell]] = []
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
    output.print_rows(rows, format_, key="name")


_MEGABYTE = 10**6


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright data get screenspot-pro\n"
    "  tapwright data get mmbench-gui screenspot-v2 --dir /data/gui --yes"
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@home_option("data sets", "TAPWRIGHT_DATA")
@click.option("-y", "--yes", is_flag=True, help="Download without a question.")
def get(names: tuple[str, ...], directory: Path | None, yes: bool) -> None:
    """Download data sets by name, as `data ls` lists them.

    Size, licence and commit are shown first. Every file is checked by its hash, archives are
    unpacked, and a data set appears when it is complete; an interrupted command continues when
    repeated. HF_ENDPOINT names another hub, HF_TOKEN is the token for gated data, and HTTPS_PROXY a
    proxy.
    """
    from tapwright.datasets import datasets
    from tapwright.datasets.home import DatasetHome
    from tapwright.datasets.plan import plan_download
    from tapwright.workflows.datasets import data_access

    host = read_host()
    home, access = DatasetHome(host.kept("data", directory)), data_access(host)
    for dataset in [datasets.get(name) for name in names]:
        plan = plan_download(dataset, home, access)
        if plan is None:
            output.print_message(f"{dataset.title} is in {home.directory(dataset.name)}")
        else:
            _describe(plan, access.hub)
            _confirm(plan, yes)
            _download(plan, access)
        output.print_line(home.directory(dataset.name))
        _tell_next(dataset, home.directory(dataset.name) if directory else None)


def _describe(plan: "DownloadPlan", mirror: str) -> None:
    from tapwright.datasets.hub import HUB

    dataset = plan.dataset
    revision = f" at {plan.listing.revision[:12]}" if plan.listing.revision else ""
    output.print_message(f"{dataset.title} ({dataset.citation})")
    address = dataset.source.address.partition("/tree/")[0]
    by = f", by {mirror}" if mirror and address.startswith(HUB) else ""
    output.print_message(f"  from     {address}{revision}{by}")
    output.print_message(f"  licence  {dataset.licence}, as its publisher states it")
    count = len(plan.listing.files)
    present = f", {describe_size(plan.present)} of it is here" if plan.present else ""
    about = "" if plan.total else "about "
    size = describe_size(plan.total or dataset.size) or "a size that its server does not tell"
    output.print_message(f"  size     {about}{size} in {count} file{'s'[: count != 1]}{present}")
    output.print_message(f"  into     {plan.home.directory(dataset.name)}")


def _confirm(plan: "DownloadPlan", yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{plan.dataset.name}: not downloaded without a yes",
            hint=f"tapwright data get {plan.dataset.name} --yes",
        )
    if not click.confirm("Download it?", default=True, err=True):
        output.print_message("not downloaded")
        sys.exit(1)


def _download(plan: "DownloadPlan", access: "Access") -> None:
    import asyncio

    from tapwright.datasets.plan import download

    total = plan.total or plan.dataset.size
    with output.show_progress(f"{plan.dataset.name} (MB)", -(-total // _MEGABYTE)) as advance:
        done = 0

        def on_bytes(count: int) -> None:
            nonlocal done
            before, done = done // _MEGABYTE, done + count
            if done // _MEGABYTE != before:
                advance(done // _MEGABYTE - before)

        asyncio.run(download(plan, access, on_bytes))
        if done % _MEGABYTE:
            advance(1)
    record = plan.home.record(plan.dataset.name)
    for path in record.unlike if record is not None else ():
        output.print_message(
            f"{path}: its SHA-256 is not the known one; compare it with the publisher's"
        )


def _tell_next(dataset: "Dataset", directory: Path | None) -> None:
    if dataset.benchmarks:
        data = f" --data {quote_path(directory)}" if directory else ""
        output.hint(f"tapwright eval run {dataset.benchmarks[0]}{data} -m random")
    elif dataset.format:
        output.hint(
            f"tapwright episodes import {quote_path(directory or dataset.name)} -o episodes"
        )


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
    from tapwright.workflows.pack import push_directory

    if repository is not None:
        page = push_directory(
            directory, repository, read_host(), public=public, show_progress=output.show_progress
        )
        output.print_message(f"pushed to {page}")


@click.command(epilog="\b\nExample:\n  tapwright data push packed lab/phone-episodes")
@click.argument("directory", metavar="DIR", type=FOLDER)
@click.argument("repository", metavar="OWNER/NAME")
@_public_option
def push(directory: Path, repository: str, public: bool) -> None:
    """Push DIR, such as a packed data set, to a data set repository of the Hugging Face hub.

    A repository that does not exist is made. What the hub has already is not sent again, so an
    interrupted command continues when repeated. HF_TOKEN (or `hf auth login`) is the token that may
    write, HF_ENDPOINT another hub; where that does not speak Xet, set HF_HUB_DISABLE_XET=1.
    """
    from tapwright.workflows.pack import push_directory

    page = push_directory(
        directory, repository, read_host(), public=public, show_progress=output.show_progress
    )
    output.print_line(page)
