"""`tapwright sft`: its commands."""

import sys
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import FOLDER, PATH
from tapwright.cli.sft.options import print_broken, sample_options
from tapwright.core.language import counted
from tapwright.errors import UsageError, quote_path

if TYPE_CHECKING:
    from tapwright.workflows.sft import SampleConfig

_COMMANDS = {
    "preview": "Show one sample: text, pictures, loss",
    "export": "Write a training set, and check it",
    "stats": "Count what a training set would hold",
    "check": "Check a training set by its trainer's rules",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def sft() -> None:
    """Write training data."""


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright sft check sft\n"
    "  tapwright sft check sft --model models/qwen2.5-vl-7b --device cuda"
)
@click.argument("directory", type=FOLDER)
@click.option(
    "--format",
    "format_name",
    help="The trainer's format, one of `tapwright sft export --help`; by default that of the "
    "manifest.",
)
@click.option(
    "--model",
    type=PATH,
    help="Try every sample on the processor of the model in this directory: the token of pictures, "
    "the chat template, the number of tokens.",
)
@click.option("--device", help="Where it is to be trained, such as cuda; see that it is there.")
def check(directory: Path, format_name: str | None, model: Path | None, device: str | None) -> None:
    """Check a training set again by its trainer's rules, and on a model before it is trained.

    Its files must be those that sft export wrote, by the hashes in its manifest.json.
    """
    from tapwright.formats.errors import BadTrainingSetError
    from tapwright.formats.exporters.check import check_files, read_manifest
    from tapwright.workflows.sft import open_sft_format, try_on_model

    if device and model is None:
        raise UsageError(
            "--device has no effect without a --model, which is to be trained there",
            hint=f"tapwright sft check {quote_path(directory)} --model DIR --device {device}",
        )
    manifest = None
    if format_name is None:
        manifest = read_manifest(directory)
        format_name = str(manifest["format"])
    else:
        # Others may name a file of another kind so.
        with suppress(BadTrainingSetError):
            manifest = read_manifest(directory)
    count = open_sft_format(format_name).check(directory)
    if manifest is not None:
        check_files(directory, manifest)
    output.print_line(f"checked by the rules of {format_name}: {count} good")
    if model is not None:
        longest, positions = try_on_model(
            directory, format_name, model, device or "", count, show_progress=output.show_progress
        )
        output.print_line(
            f"fits {model}: the longest sample has {longest:,} of {positions:,} tokens"
        )


@click.command(
    cls=GroupedCommand,
    first="convention annotator tokenizer where format",
    epilog="\b\nExample:\n"
    "  tapwright sft stats episodes --convention qwen2.5-vl --tokenizer models/Qwen2.5-VL",
)
@sample_options
@click.option(
    "--tokenizer",
    type=PATH,
    help="A model's directory with its tokenizer.json: lengths in tokens, not in characters.",
)
@output.list_format_option
def stats(
    stores: tuple[Path, ...], tokenizer: Path | None, config: "SampleConfig", format_: output.Format
) -> None:
    """Count the samples that STORES make: text lengths, pictures, apps, actions, dropped steps.

    Lengths are those of the text; what a picture costs depends on the model and its size. Ends with
    1 when an episode or a picture is broken.
    """
    from tapwright.workflows.sft import collect_training_stats

    found = collect_training_stats(
        stores, config, tokenizer=tokenizer, show_progress=output.show_progress
    )
    unit = "characters" if tokenizer is None else "tokens"
    output.print_message(f"{counted(found.samples, 'sample')}; lengths in {unit}")
    for name, lengths in (("prompts", found.prompt), ("answers", found.answer)):
        if lengths:
            output.print_message(
                f"  {name}: {sum(lengths)} in all, median {median(lengths):g}, "
                f"longest {max(lengths)}"
            )
    rows: list[dict[str, output.Cell]] = [
        {"by": one.facet, "name": one.name, "samples": one.samples} for one in found.counts()
    ]
    output.print_rows(rows, format_, key="name")
    print_broken(found.broken)
    sys.exit(1 if found.broken else 0)
