"""`tapwright eval make`: benchmarks out of recordings."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import selecting
from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.options import EXISTING_FOLDER, option, out_option
from tapwright.cli.output import hint, print_message, show_progress
from tapwright.core.language import counted
from tapwright.errors import quote_path
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.benchmarks.generated_files import GeneratedLevel
    from tapwright.core.episode import Episode


@click.command(
    epilog="\b\nExample:\n  tapwright eval make store -o bench\n"
    "  tapwright eval make store --where 'language == \"zh\"' -o bench-zh\n"
    "  tapwright eval make training --only l2 --by-heart 1 --per-screen 30 -o aims\n"
    "  tapwright eval make held-out --only l2 --unlike training -o bench\n"
    "  tapwright eval make desktop --only l2 --small -o bench-small"
)
@selected_store_argument
@selecting.unlimited_selection_options
@out_option(default="bench")
@option("--per-screen", default=3, help="Maximum number of targets per screen.")
@option("--limit", type=click.IntRange(1), help="Maximum number of screens.")
@option("--only", type=click.Choice(["l1", "l2"]), help="Only this one of the two.")
@option(
    "--small",
    is_flag=True,
    help="Only L2's targets of less than 0.1 % of the screen, as professional applications have.",
)
@option(
    "--unlike",
    type=EXISTING_FOLDER,
    multiple=True,
    metavar="STORE",
    help="Leave out screens that show nearly what a screen of this store shows, such as one that "
    "a model was trained on; repeatable.",
)
@option(
    "--by-heart",
    type=click.FloatRange(0, 1),
    default=0.1,
    help="Maximum share of targets that stand where targets of their name stand on other screens, "
    "or on those of --unlike: they are found without looking. 1 for training data.",
)
@option("--seed", default=0, help="Random seed.")
def make(
    store: Path,
    selection: Selection,
    out: Path,
    per_screen: int,
    limit: int | None,
    only: "GeneratedLevel | None",
    small: bool,
    unlike: tuple[Path, ...],
    by_heart: float,
    seed: int,
) -> None:
    """Make an L1 and an L2 benchmark out of the screens and trees recorded in STORE.

    They are written in MMBench-GUI's layout: L1_annotations.json, L2_annotations.json and
    offline_images/.
    """
    from tapwright.benchmarks.generated import make_benchmarks

    episodes = open_store(store)
    ids, readable = selecting.choose_ids(episodes, selection)
    others = [open_store(path) for path in unlike]
    counts = make_benchmarks(
        _show_reading("read episodes", map(episodes.read, ids), len(ids)),
        out,
        seed=seed,
        per_screen=per_screen,
        limit=limit,
        levels=(only,) if only else ("l1", "l2"),
        small=small,
        unlike=_show_reading(
            "read what to be unlike",
            chain.from_iterable(others),
            sum(len(one.ids()) for one in others),
        )
        if others
        else (),
        by_heart=by_heart,
        show_progress=show_progress,
    )
    if unlike:
        print_message(f"{counted(counts.alike, 'screen')} left out, like one of --unlike")
    print_message(
        f"{out}: {counted(counts.questions, 'question')} and {counted(counts.targets, 'target')} "
        f"on {counted(counts.screens, 'screen')}"
    )
    for reason, count in sorted(counts.unused.items(), key=lambda one: -one[1]):
        print_message(f"  {counted(count, 'screen')} left out: {reason}")
    selecting.print_unfit(episodes, ids)
    level = only or ("l1" if counts.questions else "l2")
    hint(f"tapwright eval run {level} --data {quote_path(out)} -m tree")
    selecting.exit_if_unreadable(readable)


def _show_reading(title: str, episodes: "Iterable[Episode]", count: int) -> "Iterator[Episode]":
    with show_progress(title, count) as advance:
        for episode in episodes:
            yield episode
            advance(1)
