"""`tapwright episodes`: its commands."""

import click

from tapwright.cli.lazy import LazyGroup

_COMMANDS = {
    "import": ("tapwright.cli.episodes.import_:import_", "Import other tools' recordings"),
    "resave": ("tapwright.cli.episodes.resave:resave", "Collect Mobile-Env's recordings by task"),
    "export": ("tapwright.cli.episodes.export:export", "Write episodes as another tool's files"),
    "pack": ("tapwright.cli.episodes.pack:pack", "Pack a store as a data set of Parquet shards"),
    "unpack": ("tapwright.cli.episodes.unpack:unpack", "Restore a store from a packed data set"),
    "check": ("tapwright.cli.episodes.check:check", "Find defects in a store's episodes"),
    "stats": (
        "tapwright.cli.episodes.stats:stats",
        "Count the contents of a store, and map its taps",
    ),
    "card": ("tapwright.cli.episodes.card:card", "Write a data set card of a store"),
    "ls": ("tapwright.cli.episodes.ls:ls", "List the episodes of a store"),
    "tag": ("tapwright.cli.episodes.tag:tag", "Add tags to episodes, and remove them"),
    "reindex": ("tapwright.cli.episodes.reindex:reindex", "Make a store's catalog again"),
    "show": ("tapwright.cli.episodes.show:show", "Show the steps of one episode as a table"),
    "frames": ("tapwright.cli.episodes.frames:frames", "Draw every step with its action marked"),
    "video": ("tapwright.cli.episodes.video:video", "Make a video of every step, marked"),
    "sheet": ("tapwright.cli.episodes.sheet:sheet", "Draw episodes as a contact sheet"),
    "bundle": ("tapwright.cli.episodes.bundle:bundle", "Write episodes as a static site"),
    "edit": ("tapwright.cli.episodes.edit:edit", "Edit episodes; each becomes a new version"),
    "rejudge": (
        "tapwright.cli.episodes.rejudge:rejudge",
        "Find outcomes anew from the recorded steps",
    ),
    "copy": ("tapwright.cli.episodes.copy:copy", "Copy episodes between stores: merge and split"),
    "dedupe": ("tapwright.cli.episodes.dedupe:dedupe", "Find episodes that are recorded twice"),
    "split": ("tapwright.cli.episodes.split:split", "Split a store for training and testing"),
    "diff": ("tapwright.cli.episodes.diff:diff", "List what two stores do not have in common"),
    "rm": ("tapwright.cli.episodes.rm:rm", "Move episodes to the store's trash"),
    "restore": (
        "tapwright.cli.episodes.restore:restore",
        "List a store's trash, put episodes back, empty it",
    ),
    "undo": (
        "tapwright.cli.episodes.undo:undo",
        "Return an episode to the version before its last edit",
    ),
    "redo": ("tapwright.cli.episodes.redo:redo", "Return to the version that the last undo left"),
    "log": ("tapwright.cli.episodes.log:log", "List an episode's versions"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def episodes() -> None:
    """Import, pack, check, list, show, draw, edit and export recorded episodes."""
