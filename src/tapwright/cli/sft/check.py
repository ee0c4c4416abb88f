"""`tapwright sft check`: a training set by its trainer's rules, and on the model to be trained."""

from contextlib import suppress
from pathlib import Path

import click

from tapwright.cli.output import print_line, show_progress
from tapwright.errors import UsageError, quote_path
from tapwright.workflows.training_set import open_sft_format, try_on_model


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright sft check sft\n"
    "  tapwright sft check sft --model models/qwen2.5-vl-7b --device cuda"
)
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--format",
    "format_name",
    help="The trainer's format, one of `tapwright sft export --help`; by default that of the "
    "manifest.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
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
    print_line(f"checked by the rules of {format_name}: {count} good")
    if model is not None:
        longest, positions = try_on_model(
            directory, format_name, model, device or "", count, show_progress=show_progress
        )
        print_line(f"fits {model}: the longest sample has {longest:,} of {positions:,} tokens")
