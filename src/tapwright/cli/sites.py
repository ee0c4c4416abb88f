"""`tapwright sites`: web applications for tasks, installed and served."""

import signal
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, get_args

import click

from tapwright.cli import output
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import home_option, option
from tapwright.cli.sizes import describe_size
from tapwright.core.language import Language
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.sites.home import SiteHome
    from tapwright.sites.site import Site


_COMMANDS = {
    "ls": "List sites, and which are installed",
    "install": "Install sites",
    "start": "Serve sites until Ctrl+C",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def sites() -> None:
    """Install and start real web applications, filled with examples; no network is used."""


@click.command(epilog="\b\nExample:\n  tapwright sites ls")
@home_option("sites", "TAPWRIGHT_SITES")
@output.list_format_option
def ls(directory: Path | None, format_: output.Format) -> None:
    """List the sites, which are installed, and how much of the disk they use."""
    from tapwright.sites import sites
    from tapwright.sites.home import SiteHome

    home = SiteHome(read_host().kept("sites", directory))
    rows: list[dict[str, output.Cell]] = []
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
    output.print_rows(rows, format_, key="name")


@click.command(epilog="\b\nExamples:\n  tapwright sites install trac\n  tapwright sites install")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@home_option("sites", "TAPWRIGHT_SITES")
@option("--again", is_flag=True, help="Remove what is installed first.")
def install(names: tuple[str, ...], directory: Path | None, again: bool) -> None:
    """Install sites, as `sites ls` lists them; without a NAME all of them.

    Each gets a Python environment of its own, with packages at exact versions from the index of
    pip's settings, each checked by its hash. An interrupted command continues when repeated.
    """
    from tapwright.sites import sites
    from tapwright.sites.home import SiteHome
    from tapwright.sites.install import install as install_site
    from tapwright.sites.install import read_requirements

    home = SiteHome(read_host().kept("sites", directory))
    chosen = [sites.get(name) for name in names or sites.names()]
    for site in chosen:
        if home.has(site) and not again:
            output.print_message(f"{site.title} {site.version} is installed")
        else:
            output.print_message(
                f"{site.title} {site.version}, {site.kind}; licence {site.licence}"
            )
            with output.show_progress(site.name, len(read_requirements(site.lock))) as advance:
                install_site(site, home, advance, again=again)
        output.print_line(home.environment(site))
    output.hint(f"tapwright sites start {' '.join(names)}".strip())


@click.command(
    epilog="\b\nExamples:\n  tapwright sites start trac --port 8300\n"
    "  tapwright sites start --language zh"
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@home_option("sites", "TAPWRIGHT_SITES")
@option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port of the first site, the others have the next ones; 0: any free ports.",
)
@option(
    "--language",
    type=click.Choice(get_args(Language)),
    default="en",
    help="Language of pages and content.",
)
@option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    help="Seed of the content: the same seed gives the same.",
)
def start(
    names: tuple[str, ...], directory: Path | None, port: int, language: Language, seed: int
) -> None:
    """Serve sites on 127.0.0.1 until Ctrl+C; without a NAME those that are installed.

    Each starts with the content of the seed, and forgets its changes at the end. The first start of
    a seed and a language takes some seconds more.
    """
    from tapwright.sites import sites
    from tapwright.sites.home import SiteHome
    from tapwright.sites.running import RunningSite

    home = SiteHome(read_host().kept("sites", directory))
    ended = Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with ExitStack() as running, suppress(KeyboardInterrupt):
        for number, site in enumerate(_choose([sites.get(name) for name in names], home)):
            served = running.enter_context(
                RunningSite(
                    site, home, port=port + number if port else 0, seed=seed, language=language
                )
            )
            output.print_line(f"{site.name}\t{served.address}")
            output.print_message(f"  {site.title}: {site.account}")
        output.hint("Ctrl+C stops them")
        while not ended.wait(3600):
            pass


def _choose(named: "list[Site]", home: "SiteHome") -> "list[Site]":
    from tapwright.sites import sites

    chosen = named or [site for site in map(sites.get, sites.names()) if home.has(site)]
    if not chosen:
        raise UsageError("no site is installed", hint="tapwright sites install")
    return chosen
