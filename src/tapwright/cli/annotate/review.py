"""`tapwright annotate review`: a person reviews annotations, step by step."""

import getpass
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from tapwright.cli.annotate.options import annotator_option
from tapwright.cli.directories import open_store, store_argument
from tapwright.cli.output import hint, print_line, print_message
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.ids import directory_name

if TYPE_CHECKING:
    from tapwright.annotate.review import ReviewState
    from tapwright.core.episode import Episode
    from tapwright.store.annotations import Annotation
    from tapwright.store.store import EpisodeStore


Key: TypeAlias = Literal["a", "e", "r", "s", "q"]


_STATES: "Mapping[Key, ReviewState]" = {"a": "accept", "e": "edit", "r": "reject"}


_KEYS = "[a]ccept  [e]dit  [r]eject  [s]kip  [q]uit"


@click.command(epilog="\b\nExample:\n  tapwright annotate review episodes --with rules --who anna")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@annotator_option
@click.option("--who", help="The reviewer's name; by default that of the user.")
@click.option("--again", is_flag=True, help="Include reviewed steps.")
def review(
    store: Path, episode_ids: tuple[str, ...], annotator: str, who: str | None, again: bool
) -> None:
    """Accept, edit or reject the annotations of STORE, one key for each step.

    Every decision is written at once, so you can leave at any time; the same command continues.
    `sft export --only approved` exports accepted and edited steps.
    """
    from tapwright.annotate.review import Review, write_review
    from tapwright.files.jsonl import now_text

    name = who or os.environ.get("USER") or getpass.getuser()
    episodes = open_store(store)
    waiting = list(
        _find_unreviewed(episodes, episode_ids or episodes.ids(), annotator, again=again)
    )
    if not waiting:
        raise NothingFoundError(
            f"{store}: no annotations of {annotator} to review",
            hint=f"tapwright annotate status {quote_path(store)}",
        )
    done = 0
    for number, (episode, one) in enumerate(waiting, start=1):
        _show(store, episode, one, f"{number} of {len(waiting)}")
        key = _read_key()
        if key == "q":
            break
        if key == "s":
            continue
        decision = Review(
            step=one.step,
            frame=one.frame,
            state=_STATES[key],
            who=name,
            time=now_text(),
        )
        if key == "e":
            target = click.prompt("target", default=one.target) if one.target else None
            reasoning = click.prompt("reasoning", default=one.reasoning)
            decision = decision.model_copy(update={"reasoning": reasoning, "target": target})
        elif key == "r":
            code = click.prompt("what is wrong", default="", show_default=False)
            decision = decision.model_copy(update={"code": code})
        write_review(store / directory_name(episode.id), annotator, decision)
        done += 1
    print_message(f"{done} of {len(waiting)} reviewed")
    hint(
        f"tapwright sft export {quote_path(store)} --annotator {quote(annotator)} "
        "--only approved --help"
    )


def _find_unreviewed(
    store: "EpisodeStore", ids: Sequence[str], annotator: str, *, again: bool
) -> "Iterator[tuple[Episode, Annotation]]":
    from tapwright.annotate.review import read_reviews
    from tapwright.store.annotations import apply_annotations, list_annotators, read_annotations

    for id_ in ids:
        directory = store.root / directory_name(id_)
        if annotator not in list_annotators(directory):
            continue
        annotations = read_annotations(directory, annotator)
        episode = apply_annotations(store.read(id_), annotations)
        reviews = read_reviews(directory, annotator)
        for one in annotations:
            is_reviewed = one.step in reviews and reviews[one.step].frame == one.frame
            if not one.codes and (again or not is_reviewed):
                yield episode, one


def _show(store: Path, episode: "Episode", one: "Annotation", position: str) -> None:
    from tapwright.core.episode import describe_actions

    step = episode.steps[one.step]
    shot = step.observation.screenshot
    frame = store / directory_name(episode.id) / "frames" / f"{shot.sha256}.{shot.extension}"
    print_line(f"\n{position}: {episode.id}, step {one.step} of {len(episode.steps)}", bold=True)
    for name, value in (
        ("task", episode.instruction),
        ("screen", frame),
        ("action", describe_actions(step.decision.actions)),
        ("target", one.target or "-"),
        ("reasoning", one.reasoning),
    ):
        print_line(f"{name:<11}{value}")
    if one.warnings:
        print_line(f"warnings   {', '.join(one.warnings)}", fg="yellow")


def _read_key() -> Key:
    print_line(f"{_KEYS}: ", end="")
    while True:
        # Without a terminal a line is read for each key.
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline()[:1]
        match key.lower():
            case "a" | "e" | "r" | "s" | "q" as chosen:
                print_line(chosen)
                return chosen
            case "":  # the input ended
                return "q"
            case _:
                pass
