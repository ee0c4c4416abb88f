"""`tapwright episodes export`: episodes as another tool's files."""

from pathlib import Path

import click

from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.options import PATH, out_option
from tapwright.cli.output import print_line, print_message, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.errors import UsageError
from tapwright.store.selection import Selection
from tapwright.workflows.selecting import read_explained

_SHOWN = 5


@click.command(
    epilog="\b\nExample:\n  tapwright episodes export episodes --to mobile-env -o resaved\n"
    "  tapwright episodes export episodes --where 'suite == \"osworld\"' --to osworld -o results\n"
)
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@click.option(
    "--to",
    "format_name",
    required=True,
    metavar="FORMAT",
    help="The format: androidworld, atif, cube, mobiagent, mobile-env or osworld; training sets "
    "are written by `tapwright sft export`.",
)
@click.option(
    "--annotator",
    default="",
    metavar="NAME",
    help="Whose reasoning to write.  [default: the recorded one, else that of the only annotator]",
)
@out_option("The output file or directory, which must not exist yet.", kind=PATH, required=True)
def export(
    store: Path,
    episode_ids: tuple[str, ...],
    selection: Selection,
    format_name: str,
    annotator: str,
    out: Path,
) -> None:
    """Write the episodes of STORE (all by default) as another tool's files.

    To mobile-env: one file of one task when the name ends in .pkl, else a directory with a file
    for each task. To osworld: a tree of results that OSWorld's show_result.py reads. To
    androidworld: checkpoints that AndroidWorld's process_episodes counts. To mobiagent: folders
    APP/TYPE/N with react.json beside actions.json.

    A step at the beginning or the end that the format has no form for is left out, and so is an
    episode with one in its middle; both are named, and the command ends with 1 when an episode is.
    In mobile-env and mobiagent, which have no word for it, what the device refused is left out
    wherever it stands.
    """
    from tapwright.formats import formats
    from tapwright.formats.fitting import FittingEpisodes, StepChecker
    from tapwright.formats.format import EpisodeExporter
    from tapwright.formats.importers.job import import_order

    format_ = formats.get(format_name)
    if not isinstance(format_, EpisodeExporter):
        raise UsageError(f"{format_name} is not a format that episodes are exported to")
    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    if not episode_ids and not selection.sort:
        ids = import_order(episodes, ids)
    chosen = (read_explained(episodes, id_, annotator) for id_ in ids)
    given = FittingEpisodes(chosen, format_) if isinstance(format_, StepChecker) else chosen
    with show_progress(f"export ({format_name})", len(ids)) as advance:
        try:
            advance(format_.write(given, out))
        finally:
            left_out = given.left_out if isinstance(given, FittingEpisodes) else []
            for one in left_out[:_SHOWN]:
                step = "" if one.step is None else f", step {one.step}"
                print_message(f"left out: {one.episode}{step}: {one.reason}")
            if len(left_out) > _SHOWN:
                print_message(f"and {len(left_out) - _SHOWN} more")
    print_line(out)
    exit_if_unreadable(readable and all(one.step is not None for one in left_out))
