"""`tapwright annotate`: the reasoning behind each step, reconstructed."""

import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tapwright.annotate.errors import AnnotationError
from tapwright.cli.annotator import (
    model_options,
    open_annotator,
    open_model,
    prices_option,
    with_option,
)
from tapwright.cli.engine import HERE, Engine, engine_options
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, hint, print_record, print_rows, stage
from tapwright.cli.places import fetch_again, place_of
from tapwright.errors import NothingFoundError, StoreError, UsageError
from tapwright.jobs.job import Failed
from tapwright.store.store import EpisodeStore, directory_name

if TYPE_CHECKING:
    from tapwright.annotate.run import Annotation

_COMMANDS = {
    "run": ("tapwright.cli.annotate:run", "Explain every step of a store's episodes"),
    "status": ("tapwright.cli.annotate:status", "List who explained what, and what it cost"),
    "cost": ("tapwright.cli.annotate:cost", "Tell what a model's answers have cost"),
    "retry": ("tapwright.cli.annotate:retry", "Ask again about the steps that are only listed"),
    "review": ("tapwright.cli.annotate_review:review", "Accept, edit or reject, step by step"),
    "agree": ("tapwright.cli.annotate_exchange:agree", "Measure how far two annotators agree"),
    "import": ("tapwright.cli.annotate_exchange:import_", "Take in a react.json, checked"),
    "export": ("tapwright.cli.annotate_exchange:export", "Write annotations as react.json"),
    "paraphrase": ("tapwright.cli.annotate_exchange:paraphrase", "Say tasks in other words"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def annotate() -> None:
    """Reconstruct the reasoning behind each step, and prove it against the recording."""


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright annotate run episodes --with rules\n"
    "  tapwright annotate run episodes --with openai/qwen2.5-vl-7b --dry-run"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@with_option
@model_options
@engine_options
@click.option("--dry-run", is_flag=True, help="Ask nothing; tell what it would take.")
@format_option
def run(
    store: Path,
    episode_ids: tuple[str, ...],
    annotator: str,
    dry_run: bool,
    format_: Format,
    engine: Engine,
    **given: Any,
) -> None:
    """Annotate the episodes of STORE (all by default).

    What is annotated already is left alone, so an interrupted run goes on with the same command,
    and no answer is asked for twice. The annotations lie beside the recording, never in it. Ends
    with 1 when an episode failed, or a step could not be explained and is only listed.
    """
    found = EpisodeStore(store)
    if dry_run:
        if "/" not in annotator:
            raise UsageError(f"{annotator} asks nobody, so there is nothing to estimate")
        record = asyncio.run(_estimate(found, annotator, _chosen(found, episode_ids), given))
        print_record(record, format_, key="questions")
        return
    failures = asyncio.run(annotate_all(found, annotator, episode_ids, engine=engine, **given))
    _end(found, annotator, _chosen(found, episode_ids), failures)


@click.command(epilog="\b\nExample:\n  tapwright annotate retry episodes --with openai/name")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@with_option
@model_options
def retry(store: Path, episode_ids: tuple[str, ...], annotator: str, **given: Any) -> None:
    """Ask again, as often as --reasks says, about the steps of STORE that are only listed.

    Give the other options as they were given to `run`: other ones make it another prompt, and
    everything is asked anew.
    """
    found = EpisodeStore(store)
    listed = {
        id_: [one for one in _annotations(store, id_, annotator) if one.codes]
        for id_ in _chosen(found, episode_ids)
    }
    ids = [id_ for id_, steps in listed.items() if steps]
    if not ids:
        raise NothingFoundError(
            f"{store}: {annotator} has left no step unexplained of those that it has answered",
            hint=f"for the others: tapwright annotate run {store} --with {annotator}",
        )
    # The turns that were had already are in the books, and cost nothing.
    given["reasks"] += max(one.asked for steps in listed.values() for one in steps)
    failures = asyncio.run(annotate_all(found, annotator, ids, again=True, **given))
    _end(found, annotator, ids, failures)


@click.command(epilog="\b\nExample:\n  tapwright annotate status episodes")
@store_argument
@format_option
def status(store: Path, format_: Format) -> None:
    """List the episodes of STORE with who has annotated them; steps count from 0.

    `status` is none, partial (some steps are only listed), done, or empty (there are no steps).

    `explained` counts steps; `listed` names those of which nothing that was said could stand, with
    the codes (`tapwright explain CODE`); `reviewed` counts those that a person has judged.
    """
    from tapwright.annotate.review import read_reviews
    from tapwright.annotate.run import annotators_of

    rows: list[dict[str, Cell]] = []
    for episode in EpisodeStore(store):
        directory = store / directory_name(episode.id)
        for name in annotators_of(directory) or [""]:
            said = _annotations(store, episode.id, name) if name else ()
            listed = [f"{one.step}: {', '.join(one.codes)}" for one in said if one.codes]
            rows.append(
                {
                    "episode": episode.id,
                    "annotator": name or None,
                    "status": _state(len(episode.steps), name, listed),
                    "steps": len(episode.steps),
                    "explained": len(said) - len(listed),
                    "reviewed": len(read_reviews(directory, name)) if name else 0,
                    "listed": "; ".join(listed),
                }
            )
    if not rows:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    print_rows(rows, format_, key="episode")


@click.command(epilog="\b\nExample:\n  tapwright annotate cost episodes --with openai/name")
@store_argument
@click.option("--with", "annotator", required=True, metavar="NAME", help="The model.")
@prices_option
@format_option
def cost(store: Path, annotator: str, prices: Path | None, format_: Format) -> None:
    """Tell what a model's answers about the episodes of STORE have cost, rejected ones included."""
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.costs import read_price

    episodes = [(one.id, len(one.steps)) for one in EpisodeStore(store)]
    books = [AnswerBook.of(store / directory_name(id_), annotator).all() for id_, _ in episodes]
    answers = [one for book in books for one in book]
    steps = sum(count for (_, count), book in zip(episodes, books, strict=True) if book)
    if not answers:
        raise NothingFoundError(f"{store}: {annotator} has answered nothing yet")
    record: dict[str, object] = {
        "annotator": annotator,
        "episodes": sum(bool(book) for book in books),
        "steps": steps,
        "requests": len(answers),
        "images": sum(one.images for one in answers),
        "tokens_in": sum(one.input_tokens for one in answers),
        "tokens_out": sum(one.output_tokens for one in answers),
        "tokens_per_step": round(
            sum(one.input_tokens + one.output_tokens for one in answers) / max(1, steps), 1
        ),
        "seconds": round(sum(one.seconds for one in answers), 1),
    }
    if prices is not None:
        paid = read_price(prices, annotator).paid(answers)
        record |= {"cost": round(paid, 6), "cost_per_step": round(paid / max(1, steps), 6)}
    print_record(record, format_, key="requests")


async def annotate_all(
    store: EpisodeStore,
    annotator: str,
    episode_ids: Sequence[str] = (),
    *,
    again: bool = False,
    concurrency: int = 1,
    engine: Engine = HERE,
    **given: Any,
) -> list[Failed]:
    """Annotate under a progress bar; the episodes that failed."""
    from tapwright.annotate.run import annotate as annotate_store
    from tapwright.cli.elsewhere import open_annotating, server

    if engine.far and given.get("budget") is not None:
        raise UsageError(
            "a --budget is kept by one process, and a cluster has several",
            hint="see what it would cost with --dry-run, or leave out --engine ray",
        )
    chosen = _chosen(store, episode_ids)
    by, model = open_annotator(store, annotator, chosen, concurrency=concurrency, **given)
    failures: list[Failed] = []
    options = {**given, "concurrency": concurrency}
    open_work = partial(open_annotating, place_of(store.root), annotator, options, server())
    try:
        with stage(f"annotate ({annotator})", len(chosen)) as advance:
            async with engine.work(open_work, items=len(chosen), each=concurrency) as far:
                async for ended in annotate_store(
                    store, by, ids=chosen, concurrency=concurrency, again=again, elsewhere=far
                ):
                    advance(1)
                    if isinstance(ended, Failed):
                        failures.append(ended)
            if engine.far:
                fetch_again(store.root, [f"{directory_name(id_)}/annotations" for id_ in chosen])
    finally:
        if model is not None:
            await model.close()
    return failures


async def _estimate(
    store: EpisodeStore, annotator: str, ids: Sequence[str], given: dict[str, Any]
) -> dict[str, object]:
    from tapwright.annotate.costs import read_price

    by, model = open_model(store, annotator, ids, **given)
    await model.close()
    questions = images = tokens_in = tokens_out = episodes = windows = 0
    for id_ in ids:
        try:
            episode = store.read(id_)
            asked = by.unanswered(episode)
        except StoreError as error:
            click.echo(f"{id_}: {error} [{error.code}]", err=True)
            continue
        episodes += bool(asked)
        windows += len(by.windows(episode))
        questions += len(asked)
        for one in asked:
            more_in, more_out = one.estimate()
            tokens_in, tokens_out = tokens_in + more_in, tokens_out + more_out
            images += len(one.shown)
    record: dict[str, object] = {
        "episodes": episodes,
        "questions": questions,
        "answered": windows - questions,
        "images": images,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
    }
    if given["prices"] is not None:
        price = read_price(given["prices"], annotator)
        record["cost"] = round(price.of(tokens_in, tokens_out, images), 4)
    return record


def _state(steps: int, annotator: str, listed: Sequence[str]) -> str:
    if not steps:
        return "empty"
    if not annotator:
        return "none"
    return "partial" if listed else "done"


def _annotations(store: Path, id_: str, annotator: str) -> "Sequence[Annotation]":
    """What an annotator said of an episode; nothing when it has not."""
    from tapwright.annotate.run import annotators_of, read_annotations

    directory = store / directory_name(id_)
    return read_annotations(directory, annotator) if annotator in annotators_of(directory) else ()


def _chosen(store: EpisodeStore, ids: Sequence[str]) -> list[str]:
    chosen = list(ids) or store.ids()
    if not chosen:
        raise NothingFoundError(f"{store.root}: no episodes")
    return chosen


def _end(store: EpisodeStore, annotator: str, ids: Sequence[str], failures: list[Failed]) -> None:
    """Tell what failed and what is only listed, and end with 1 if there is any."""
    for failure in failures:
        click.echo(f"{failure.key}: {failure.message} [{failure.code}]", err=True)
    listed = 0
    failed = {failure.key for failure in failures}
    for id_ in ids:
        try:
            said = () if id_ in failed else _annotations(store.root, id_, annotator)
        except AnnotationError as error:
            click.echo(f"{id_}: {error} [{error.code}]", err=True)
            continue
        for one in said:
            if one.codes:
                listed += 1
                click.echo(f"{id_}, step {one.step}: {', '.join(one.codes)}", err=True)
    if failures:
        hint(f"what was answered is kept: tapwright annotate run {store.root} --with {annotator}")
    elif listed:
        hint(f"tapwright annotate retry {store.root} --with {annotator}")
    else:
        hint(f"tapwright annotate status {store.root}")
    sys.exit(1 if failures or listed else 0)
