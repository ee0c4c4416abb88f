"""`tapwright annotate import|export|agree|paraphrase`: annotations as files, and as numbers."""

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from tapwright.cli.annotator import with_option
from tapwright.cli.options import make_model, out_option, store_argument
from tapwright.cli.output import Format, format_option, hint, print_record, stage
from tapwright.errors import NothingFoundError, StoreError, UsageError
from tapwright.files.atomic import write_beside
from tapwright.store.store import EpisodeStore, directory_name


@click.command(
    name="import",
    epilog="\b\nExample:\n  tapwright annotate import episodes notes-1 react.json --as anna",
)
@store_argument
@click.argument("episode_id", metavar="ID")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--as", "name", required=True, help="Whose annotations they are.")
def import_(store: Path, episode_id: str, file: Path, name: str) -> None:
    """Take in the react.json FILE as annotations of the episode ID.

    It is checked against the recording like a model's answer. A step that does not fit is listed,
    not taken; the command then ends with 1.
    """
    from tapwright.annotate.react_json import read_react
    from tapwright.annotate.run import write_annotations

    episode = EpisodeStore(store).read(episode_id)
    said = read_react(episode, file)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    write_annotations(store / directory_name(episode_id), episode, said, name, "react.json", now)
    listed = [one for one in said if one.codes]
    for one in listed:
        click.echo(f"{episode_id}, step {one.step}: {', '.join(one.codes)}", err=True)
    click.echo(f"{len(said) - len(listed)} of {len(said)} steps", err=True)
    sys.exit(1 if listed else 0)


@click.command(
    epilog="\b\nExample:\n  tapwright annotate export episodes --with rules -o reasoning"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@with_option
@click.option("--only", type=click.Choice(["approved"]), help="Only what a person approved.")
@out_option("reasoning")
def export(
    store: Path, episode_ids: tuple[str, ...], annotator: str, only: str | None, out: Path
) -> None:
    """Write annotations of the episodes of STORE as MobiAgent's react.json.

    One directory for each episode. Steps that are only listed are left out; `action_index` tells
    which step an item is of. Ends with 1 when an episode has no annotations or broken ones.
    """
    from tapwright.annotate.react_json import as_react, write_react
    from tapwright.annotate.review import approved, read_reviews
    from tapwright.annotate.run import annotated, read_annotations

    found = EpisodeStore(store)
    written = failed = 0
    for id_ in episode_ids or found.ids():
        directory = store / directory_name(id_)
        try:
            episode = annotated(found.read(id_), read_annotations(directory, annotator))
            left_out: Mapping[int, str] = {}
            if only:
                episode, left_out = approved(episode, read_reviews(directory, annotator))
        except StoreError as error:
            failed += 1
            click.echo(f"{id_}: {error} [{error.code}]", err=True)
            continue
        items = as_react(episode, left_out=left_out)
        write_beside(out / directory_name(id_) / "react.json", write_react(items))
        written += 1
    if not written and not failed:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    click.echo(f"{written} written, {failed} failed", err=True)
    sys.exit(1 if failed else 0)


@click.command(
    epilog="\b\nExample:\n  tapwright annotate agree episodes rules openai/qwen2.5-vl-7b"
)
@store_argument
@click.argument("one")
@click.argument("other")
@format_option
def agree(store: Path, one: str, other: str, format_: Format) -> None:
    """Measure how far the annotators ONE and OTHER agree about the episodes that both explained.

    alpha is Krippendorff's, of the elements of the view hierarchy that their targets mean.
    """
    from tapwright.annotate.agreement import agreement
    from tapwright.annotate.run import annotated, annotators_of, read_annotations

    pairs = []
    for episode in EpisodeStore(store):
        directory = store / directory_name(episode.id)
        if {one, other} <= set(annotators_of(directory)):
            ours, theirs = (read_annotations(directory, name) for name in (one, other))
            for lines in (ours, theirs):
                annotated(episode, lines)  # refuses those of other steps
            pairs.append((episode, ours, theirs))
    if not pairs:
        raise NothingFoundError(
            f"{store}: no episode was annotated by both {one!r} and {other!r}",
            hint=f"tapwright annotate status {store}",
        )
    record = {"episodes": len(pairs), **asdict(agreement(pairs))}
    print_record(record, format_, key="alpha")


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright annotate paraphrase episodes --with openai/qwen2.5-vl-7b -o other-words.json"
)
@store_argument
@click.option("--with", "model_name", required=True, metavar="NAME", help="The model.")
@click.option(
    "--count",
    type=click.IntRange(1, 50),
    default=6,
    show_default=True,
    help="Wordings for each task; half of them name the app.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The file to write, or to go on with.",
)
def paraphrase(store: Path, model_name: str, count: int, out: Path) -> None:
    """Have the tasks of STORE said in other words, as `sft export --paraphrases` takes them.

    Tasks that OUT has already are left alone. The answers and their tokens are written down beside
    OUT, in OUT.answers.jsonl, and none is asked for twice. Ends with 1 when a task got no good
    answer.
    """
    if "/" not in model_name:
        raise UsageError(f"{model_name!r} is no model", hint="such as openai/qwen2.5-vl-7b")
    failed = asyncio.run(_paraphrase_all(EpisodeStore(store), model_name, count, out))
    for task in failed:
        click.echo(f"{task}: no good answer", err=True)
    hint(f"tapwright sft export {store} --paraphrases {out} --help")
    sys.exit(1 if failed else 0)


async def _paraphrase_all(store: EpisodeStore, model_name: str, count: int, out: Path) -> list[str]:
    from tapwright.annotate.answer_book import AnswerBook
    from tapwright.annotate.paraphrase import paraphrases, read_paraphrases

    book = AnswerBook(out.with_name(out.name + ".answers.jsonl"))
    before = len(book.all())
    known = read_paraphrases(out) if out.exists() else {}  # noqa: ASYNC240 - once, at the start
    tasks = {episode.task_id: episode for episode in store}
    if not tasks:
        raise NothingFoundError(f"{store.root}: no episodes")
    wanted = {task: episode for task, episode in tasks.items() if task not in known}
    failed = []
    model = make_model(model_name)
    try:
        with stage(f"paraphrase ({model_name})", len(wanted)) as advance:
            for task, episode in wanted.items():
                said = await paraphrases(model, episode, count, book)
                if said is None:
                    failed.append(task)
                else:
                    known[task] = said
                    text = json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True)
                    write_beside(out, text.encode("utf-8", "replace"))
                advance(1)
    finally:
        await model.close()
        asked = book.all()[before:]
        tokens_in = sum(one.input_tokens for one in asked)
        tokens_out = sum(one.output_tokens for one in asked)
        click.echo(f"{len(asked)} requests, {tokens_in} tokens in, {tokens_out} out", err=True)
    return failed
