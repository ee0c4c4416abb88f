"""`tapwright tasks init-conf`: a conf file to fill in for a template."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.errors import OUTPUT_EXISTS
from tapwright.cli.output import print_line
from tapwright.cli.tasks.options import check_directory, compat_option, print_warning
from tapwright.errors import UsageError
from tapwright.files.atomic import write_atomically

if TYPE_CHECKING:
    from tapwright.tasks.events.graph import Compat


@click.command(
    name="init-conf",
    epilog="\b\nExample:\n"
    "  tapwright tasks init-conf templates/search.textproto.template lobster tasks\n"
    "writes tasks/search-lobster.conf.",
)
@click.argument("template", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("stepname")
@click.argument("dumpdir", type=click.Path(path_type=Path, file_okay=False))
@click.option("--force", is_flag=True, help="Replace an existing conf file.")
@compat_option
def init_conf(
    template: Path, stepname: str, dumpdir: Path, force: bool, compat: "Compat | None"
) -> None:
    """Write a conf file to fill in: DUMPDIR/<template>-STEPNAME.conf.

    It has a line for each identifier of TEMPLATE, in their order there. An existing conf file is
    kept.
    """
    from tapwright.tasks.templates.init_conf import make_conf, make_conf_like_upstream

    if Path(stepname).name != stepname:
        raise UsageError(f"the step name {stepname!r} cannot be part of a file's name")
    if compat:
        name, text = make_conf_like_upstream(template, stepname)
        check_directory(dumpdir / name)
    else:
        name, text = make_conf(template, stepname, print_warning)
        if (dumpdir / name).exists() and not force:
            raise OUTPUT_EXISTS(f"{dumpdir / name} exists already", hint="--force replaces it")
    write_atomically(dumpdir / name, text.encode())
    print_line(dumpdir / name)
