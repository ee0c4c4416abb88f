"""`tapwright sites start`: serve sites until Ctrl+C."""

import signal
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, get_args

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import hint, print_line, print_message
from tapwright.core.language import Language
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.sites.home import SiteHome
    from tapwright.sites.site import Site


@click.command(
    epilog="\b\nExamples:\n  tapwright sites start trac --port 8300\n"
    "  tapwright sites start --language zh"
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@home_option("sites", "TAPWRIGHT_SITES")
@click.option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port of the first site, the others have the next ones; 0: any free ports.",
)
@click.option(
    "--language", type=click.Choice(get_args(Language)), default="en", show_default=True,
    help="Language of pages and content.",
)  # fmt: skip
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
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
    from tapwright.sites.running import RunningSite
    from tapwright.workflows.sites import site_home

    home = site_home(read_host(), directory)
    ended = Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    with ExitStack() as running, suppress(KeyboardInterrupt):
        for number, site in enumerate(_choose([sites.get(name) for name in names], home)):
            served = running.enter_context(
                RunningSite(
                    site, home, port=port + number if port else 0, seed=seed, language=language
                )
            )
            print_line(f"{site.name}\t{served.address}")
            print_message(f"  {site.title}: {site.account}")
        hint("Ctrl+C stops them")
        while not ended.wait(3600):
            pass


def _choose(named: "list[Site]", home: "SiteHome") -> "list[Site]":
    from tapwright.sites import sites

    chosen = named or [site for site in map(sites.get, sites.names()) if home.has(site)]
    if not chosen:
        raise UsageError("no site is installed", hint="tapwright sites install")
    return chosen
