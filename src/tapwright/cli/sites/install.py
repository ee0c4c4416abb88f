"""`tapwright sites install`: install sites."""

from pathlib import Path

import click

from tapwright.cli.host import read_host
from tapwright.cli.options import home_option
from tapwright.cli.output import hint, print_line, print_message, show_progress


@click.command(epilog="\b\nExamples:\n  tapwright sites install trac\n  tapwright sites install")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@home_option("sites", "TAPWRIGHT_SITES")
@click.option("--again", is_flag=True, help="Remove what is installed first.")
def install(names: tuple[str, ...], directory: Path | None, again: bool) -> None:
    """Install sites, as `sites ls` lists them; without a NAME all of them.

    Each gets a Python environment of its own, with packages at exact versions from the index of
    pip's settings, each checked by its hash. An interrupted command continues when repeated.
    """
    from tapwright.sites import sites
    from tapwright.sites.install import install as install_site
    from tapwright.sites.install import read_requirements
    from tapwright.workflows.sites import site_home

    home = site_home(read_host(), directory)
    chosen = [sites.get(name) for name in names or sites.names()]
    for site in chosen:
        if home.has(site) and not again:
            print_message(f"{site.title} {site.version} is installed")
        else:
            print_message(f"{site.title} {site.version}, {site.kind}; licence {site.licence}")
            with show_progress(site.name, len(read_requirements(site.lock))) as advance:
                install_site(site, home, advance, again=again)
        print_line(home.environment(site))
    hint(f"tapwright sites start {' '.join(names)}".strip())
