"""`tapwright episodes`: what can be done with recorded episodes."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "import": ("tapwright.cli.bring:import_", "Import other tools' recordings"),
    "resave": ("tapwright.cli.bring:resave", "Gather Mobile-Env's recordings by task"),
    "export": ("tapwright.cli.bring:export", "Write episodes as another tool's files"),
    "pack": ("tapwright.cli.pack:pack", "Pack a store as a data set of Parquet shards"),
    "unpack": ("tapwright.cli.pack:unpack", "Make a store of a packed data set again"),
    "check": ("tapwright.cli.shelf:check", "Find what is wrong with a store's episodes"),
    "stats": ("tapwright.cli.shelf:stats", "Count what a store has, and map its taps"),
    "ls": ("tapwright.cli.shelf:ls", "List the episodes of a store"),
    "show": ("tapwright.cli.look:show", "Show the steps of one episode as a table"),
    "frames": ("tapwright.cli.look:frames", "Draw every step with its action marked"),
    "video": ("tapwright.cli.look:video", "Make a video of every step, marked"),
    "sheet": ("tapwright.cli.look:sheet", "Draw episodes as a contact sheet"),
    "bundle": ("tapwright.cli.bundle:bundle", "Write episodes as a static site to look at"),
    "edit": ("tapwright.cli.edit:edit", "Change episodes; each becomes a new version"),
    "undo": ("tapwright.cli.edit:undo", "Show an episode as it was before its last edit"),
    "redo": ("tapwright.cli.edit:redo", "Show again what the last undo left"),
    "log": ("tapwright.cli.edit:log", "List what was done to an episode"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def episodes() -> None:
    """Import, pack, check, list, show, draw, edit and export recorded episodes."""
