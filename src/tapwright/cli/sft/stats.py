"""`tapwright sft stats`: what a training set would be, before it is written."""

from pathlib import Path
from statistics import median

import click

from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.output import (
    Cell,
    Format,
    list_format_option,
    print_message,
    print_rows,
    show_progress,
)
from tapwright.cli.sft.options import sample_options
from tapwright.workflows.training_set import SampleConfig, collect_training_stats


@click.command(
    cls=GroupedCommand,
    first=(
        "convention",
        "annotator",
        "tokenizer",
        "where",
        "format",
    ),
    epilog="\b\nExample:\n"
    "  tapwright sft stats episodes --convention qwen2.5-vl --tokenizer models/Qwen2.5-VL",
)
@sample_options
@click.option(
    "--tokenizer",
    type=click.Path(path_type=Path),
    help="A model's directory with its tokenizer.json: lengths in tokens, not in characters.",
)
@list_format_option
def stats(
    stores: tuple[Path, ...], tokenizer: Path | None, config: SampleConfig, format_: Format
) -> None:
    """Count the samples that STORES make: text lengths, pictures, apps, actions, dropped steps.

    Lengths are those of the text; what a picture costs depends on the model and its size.
    """
    found = collect_training_stats(stores, config, tokenizer=tokenizer, show_progress=show_progress)
    unit = "characters" if tokenizer is None else "tokens"
    print_message(f"{found.samples} samples; lengths in {unit}")
    for name, lengths in (("prompts", found.prompt), ("answers", found.answer)):
        if lengths:
            print_message(
                f"  {name}: {sum(lengths)} in all, median {median(lengths):g}, "
                f"longest {max(lengths)}"
            )
    rows: list[dict[str, Cell]] = [
        {"by": one.facet, "name": one.name, "samples": one.samples} for one in found.counts()
    ]
    print_rows(rows, format_, key="name")
