"""`tapwright annotate review`: a person judges what an annotator said, step by step."""

import getpass
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from tapwright.actions import describe
from tapwright.cli.annotator import with_option
from tapwright.cli.options import store_argument
from tapwright.cli.output import hint
from tapwright.errors import NothingFoundError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.annotate.review import ReviewState
    from tapwright.annotate.run import Annotation
    from tapwright.episode import Episode

Key: TypeAlias = Literal["a", "e", "r", "s", "q"]
_STATES: "Mapping[Key, ReviewState]" = {"a": "accept", "e": "edit", "r": "reject"}
_KEYS = "[a]ccept  [e]dit  [r]eject  [s]kip  [q]uit"


@click.command(epilog="\b\nExample:\n  tapwright annotate review episodes --with rules --who anna")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@with_option
@click.option("--who", help="Who reviews; by default the user of this machine.")
@click.option("--again", is_flag=True, help="Also the steps that were reviewed before.")
def review(
    store: Path, episode_ids: tuple[str, ...], annotator: str, who: str | None, again: bool
) -> None:
    """Accept, edit or reject the annotations of STORE, one key for each step.

    Every answer is on disk at once, so it can be left at any time and goes on where it stopped.
    `sft export --only approved` teaches what was accepted or edited.
    """
    from tapwright.annotate.review import Review, write_review

    name = who or os.environ.get("USER") or getpass.getuser()
    found = EpisodeStore(store)
    waiting = list(_waiting(found, episode_ids or found.ids(), annotator, again=again))
    if not waiting:
        raise NothingFoundError(
            f"{store}: nothing of {annotator} to review",
            hint=f"tapwright annotate status {store}",
        )
    done = 0
    for number, (episode, one) in enumerate(waiting, start=1):
        _show(store, episode, one, f"{number} of {len(waiting)}")
        key = _key()
        if key == "q":
            break
        if key == "s":
            continue
        judged = Review(
            step=one.step,
            frame=one.frame,
            state=_STATES[key],
            who=name,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        if key == "e":
            target = click.prompt("target", default=one.target) if one.target else None
            words = {"reasoning": click.prompt("reasoning", default=one.reasoning)}
            judged = judged.model_copy(update={**words, "target": target})
        elif key == "r":
            code = click.prompt("what is wrong", default="", show_default=False)
            judged = judged.model_copy(update={"code": code})
        write_review(store / directory_name(episode.id), annotator, judged)
        done += 1
    click.echo(f"{done} of {len(waiting)} reviewed", err=True)
    hint(f"tapwright sft export {store} --annotator {annotator} --only approved --help")


def _waiting(
    store: EpisodeStore, ids: "tuple[str, ...] | list[str]", annotator: str, *, again: bool
) -> "Iterator[tuple[Episode, Annotation]]":
    from tapwright.annotate.review import read_reviews
    from tapwright.annotate.run import annotated, annotators_of, read_annotations

    for id_ in ids:
        directory = store.root / directory_name(id_)
        if annotator not in annotators_of(directory):
            continue
        said = read_annotations(directory, annotator)
        episode = annotated(store.read(id_), said)
        reviews = read_reviews(directory, annotator)
        for one in said:
            judged = one.step in reviews and reviews[one.step].frame == one.frame
            if not one.codes and (again or not judged):
                yield episode, one


def _show(store: Path, episode: "Episode", one: "Annotation", place: str) -> None:
    step = episode.steps[one.step]
    shot = step.observation.screenshot
    frame = store / directory_name(episode.id) / "frames" / f"{shot.sha256}.{shot.extension}"
    click.secho(f"\n{place}: {episode.id}, step {one.step} of {len(episode.steps)}", bold=True)
    click.echo(f"task       {episode.instruction}")
    click.echo(f"screen     {frame}")
    click.echo(f"action     {describe(step.decision.action)}")
    click.echo(f"target     {one.target}" if one.target else "target     -")
    click.echo(f"reasoning  {one.reasoning}")
    if one.warnings:
        click.secho(f"warnings   {', '.join(one.warnings)}", fg="yellow")


def _key() -> Key:
    click.echo(f"{_KEYS}: ", nl=False)
    while True:
        # Without a terminal a line is read for each key.
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline()[:1]
        match key.lower():
            case "a" | "e" | "r" | "s" | "q" as chosen:
                click.echo(chosen)
                return chosen
            case "":  # nobody is there
                return "q"
            case _:
                pass
