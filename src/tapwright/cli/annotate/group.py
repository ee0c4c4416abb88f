"""`tapwright annotate`: its commands."""

import sys
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from tapwright.cli import options, output
from tapwright.cli.annotate.options import annotator_option, annotator_options
from tapwright.cli.annotate.report import read_annotations_of, report_annotation
from tapwright.cli.directories import open_store, store_argument
from tapwright.cli.host import read_host
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.output import hint, print_message, show_progress
from tapwright.errors import NothingFoundError, quote_path
from tapwright.store.errors import no_episodes
from tapwright.store.ids import directory_name
from tapwright.workflows.own_names import admit_model
from tapwright.workflows.selecting import select_episodes

if TYPE_CHECKING:
    from tapwright.workflows.annotators import AnnotatorConfig


_COMMANDS = {
    "run": "Annotate every step of a store's episodes",
    "status": "List which annotators annotated which episodes",
    "cost": "Show the cost of a model's answers",
    "retry": "Query again about the steps without annotation",
    "review": "Accept, edit or reject, step by step",
    "agree": "Measure the agreement of two annotators",
    "import": "Import a react.json, checked",
    "export": "Write annotations as react.json",
    "paraphrase": "Paraphrase tasks",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def annotate() -> None:
    """Reconstruct the reasoning behind each step, and check it against the recording."""


@click.command(epilog="\b\nExample:\n  tapwright annotate status episodes")
@store_argument
@output.list_format_option
def status(store: Path, format_: output.Format) -> None:
    """List the episodes of STORE with their annotators; steps count from 0.

    `status` is none, partial (some steps were rejected), done, or empty (there are no steps).

    `explained` counts annotated steps; `listed` names the steps without an annotation that passed
    the checks, and those that no model was asked about as they are no targets, with the codes
    (`tapwright explain CODE`); `reviewed` counts reviewed steps.
    """
    from tapwright.annotate.review import read_reviews
    from tapwright.store.annotations import list_annotators

    rows: list[dict[str, output.Cell]] = []
    for episode in open_store(store):
        directory = store / directory_name(episode.id)
        for name in list_annotators(directory) or [""]:
            annotations = read_annotations_of(store, episode.id, name) if name else ()
            listed = [f"{one.step}: {', '.join(one.codes)}" for one in annotations if one.codes]
            rejected = any(one.is_rejected for one in annotations)
            rows.append(
                {
                    "episode": episode.id,
                    "annotator": name or None,
                    "status": _status(len(episode.steps), name, rejected=rejected),
                    "steps": len(episode.steps),
                    "explained": len(annotations) - len(listed),
                    "reviewed": len(read_reviews(directory, name)) if name else 0,
                    "listed": "; ".join(listed),
                }
            )
    if not rows:
        raise no_episodes(store)
    output.print_rows(rows, format_, key="episode")


def _status(steps: int, annotator: str, *, rejected: bool) -> str:
    if not steps:
        return "empty"
    if not annotator:
        return "none"
    return "partial" if rejected else "done"


@click.command(epilog="\b\nExample:\n  tapwright annotate retry episodes -m openai/name")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@annotator_options
def retry(store: Path, episode_ids: tuple[str, ...], config: "AnnotatorConfig") -> None:
    """Query again, up to --reasks times, about the steps of STORE without annotation.

    Give the other options as you gave them to `run`: others change the prompt, and then everything
    is queried again.
    """
    import asyncio

    from tapwright.workflows.annotate import annotate_episodes

    episodes = open_store(store)
    rejected = {
        id_: [one for one in read_annotations_of(store, id_, config.name) if one.is_rejected]
        for id_ in select_episodes(episodes, episode_ids)
    }
    ids = [id_ for id_, steps in rejected.items() if steps]
    if not ids:
        raise NothingFoundError(
            f"{store}: {config.name} has no rejected steps in the episodes that it annotated",
            hint=f"for the others: tapwright annotate run {quote_path(store)} "
            f"--with {quote(config.name)}",
        )
    # Turns that took place are on disk, and cost nothing.
    queries = max(one.asked for steps in rejected.values() for one in steps)
    failures = asyncio.run(
        annotate_episodes(
            episodes,
            replace(config, reasks=config.reasks + queries),
            read_host(),
            ids,
            again=True,
            show_progress=output.show_progress,
        )
    )
    sys.exit(report_annotation(episodes, config.name, ids, failures))


@click.command(
    epilog="\b\nExample:\n  tapwright annotate cost episodes -m openai/name --price 2.5,10"
)
@store_argument
@annotator_option
@options.price_option
@output.format_option
def cost(store: Path, annotator: str, price: str | None, format_: output.Format) -> None:
    """Show what a model's answers about the episodes of STORE have cost, with the rejected ones."""
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.store.annotations import list_annotators

    episodes = [(one.id, len(one.steps)) for one in open_store(store)]
    books = [AnswerBook.of(store / directory_name(id_), annotator).all() for id_, _ in episodes]
    answers = [one for book in books for one in book]
    steps = sum(count for (_, count), book in zip(episodes, books, strict=True) if book)
    if not answers:
        names = {one for id_, _ in episodes for one in list_annotators(store / directory_name(id_))}
        ways = [
            f"tapwright annotate cost {quote_path(store)} -m {quote(one)}"
            for one in sorted(names - {annotator, "rules"})
        ]
        status = f"tapwright annotate status {quote_path(store)} lists who explained what"
        raise NothingFoundError(
            f"{store}: no answers of {annotator}", hint=ways[0] if ways else status
        )
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
    if price is not None:
        paid = options.read_price_option(price, annotator).total(answers)
        record |= {"cost": round(paid, 6), "cost_per_step": round(paid / max(1, steps), 6)}
    output.print_record(record, format_, key="requests")


@click.command(
    epilog="\b\nExample:\n  tapwright annotate agree episodes rules openai/qwen2.5-vl-7b"
)
@store_argument
@click.argument("one")
@click.argument("other")
@output.format_option
def agree(store: Path, one: str, other: str, format_: output.Format) -> None:
    """Measure the agreement of the annotators ONE and OTHER on episodes that both annotated.

    alpha is Krippendorff's, over the elements of the view hierarchy that their targets match.
    """
    from tapwright.annotate.agreement import compare_annotators
    from tapwright.store.annotations import apply_annotations, list_annotators, read_annotations

    pairs = []
    for episode in open_store(store):
        directory = store / directory_name(episode.id)
        if {one, other} <= set(list_annotators(directory)):
            ours, theirs = (read_annotations(directory, name) for name in (one, other))
            for lines in (ours, theirs):
                apply_annotations(episode, lines)  # refuses those of other steps
            pairs.append((episode, ours, theirs))
    if not pairs:
        raise NothingFoundError(
            f"{store}: no episode was annotated by both {one!r} and {other!r}",
            hint=f"tapwright annotate status {quote_path(store)}",
        )
    record = {"episodes": len(pairs), **asdict(compare_annotators(pairs))}
    output.print_record(record, format_, key="alpha")


@click.command(
    name="import",
    epilog="\b\nExample:\n  tapwright annotate import episodes notes-1 react.json --as anna",
)
@store_argument
@click.argument("episode_id", metavar="ID")
@click.argument("file", type=options.FILE)
@click.option("--as", "name", required=True, help="The annotator's name.")
def import_(store: Path, episode_id: str, file: Path, name: str) -> None:
    """Import the react.json FILE as annotations of the episode ID.

    It is checked against the recording like a model's answer. A step that fails the checks is
    reported and not imported; the command then ends with 1.
    """
    from tapwright.annotate.react_json import read_react
    from tapwright.annotate.run import write_annotations
    from tapwright.files.jsonl import now_text

    episode = open_store(store).read(episode_id)
    annotations = read_react(episode, file)
    now = now_text()
    write_annotations(
        store / directory_name(episode_id), episode, annotations, name, "react.json", now
    )
    rejected = [one for one in annotations if one.codes]
    for one in rejected:
        output.print_message(f"{episode_id}, step {one.step}: {', '.join(one.codes)}")
    output.print_message(f"{len(annotations) - len(rejected)} of {len(annotations)} steps")
    sys.exit(1 if rejected else 0)


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright annotate paraphrase episodes -m openai/qwen2.5-vl-7b -o other-words.json"
)
@store_argument
@options.option(
    "-m",
    "--model",
    "--with",
    "model",
    required=True,
    metavar="CLIENT/MODEL",
    callback=options.admit_by(admit_model),
    help="The model to query, such as openai/NAME.",
)
@options.option(
    "--count",
    type=click.IntRange(1, 50),
    default=6,
    help="Wordings per task; half of them name the app.",
)
@options.out_option("The file to write, or to continue.", kind=options.FILE, required=True)
@options.model_options
def paraphrase(store: Path, model: str, count: int, out: Path) -> None:
    """Paraphrase the tasks of STORE, as `sft export --paraphrases` takes them.

    Tasks in OUT are kept. The answers with their tokens are written beside OUT, in
    OUT.answers.jsonl, and no query is sent twice. Ends with 1 when a task got no acceptable answer.
    """
    import asyncio

    from tapwright.workflows.paraphrase import paraphrase_tasks

    result = asyncio.run(
        paraphrase_tasks(
            open_store(store), model, out, read_host(), count=count, show_progress=show_progress
        )
    )
    print_message(
        f"{result.requests} requests, {result.tokens_in} tokens in, {result.tokens_out} out"
    )
    for task in result.failed:
        print_message(f"{task}: no acceptable answer")
    hint(f"tapwright sft export {quote_path(store)} --paraphrases {quote_path(out)} --help")
    sys.exit(1 if result.failed else 0)
