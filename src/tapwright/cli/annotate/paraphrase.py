"""`tapwright annotate paraphrase`: tasks in other words."""

import sys
from pathlib import Path

import click

from tapwright.cli.directories import open_store, store_argument
from tapwright.cli.host import read_host
from tapwright.cli.options import FILE, admit_by, model_options, option, out_option
from tapwright.cli.output import hint, print_message, show_progress
from tapwright.errors import quote_path
from tapwright.workflows.own_names import admit_model


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright annotate paraphrase episodes -m openai/qwen2.5-vl-7b -o other-words.json"
)
@store_argument
@option(
    "-m",
    "--model",
    "--with",
    "model",
    required=True,
    metavar="CLIENT/MODEL",
    callback=admit_by(admit_model),
    help="The model to query, such as openai/NAME.",
)
@option(
    "--count",
    type=click.IntRange(1, 50),
    default=6,
    help="Wordings per task; half of them name the app.",
)
@out_option("The file to write, or to continue.", kind=FILE, required=True)
@model_options
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
