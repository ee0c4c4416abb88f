"""`tapwright sft`: training data out of episodes."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import out_option
from tapwright.cli.output import stage
from tapwright.errors import NothingFoundError, UsageError
from tapwright.store import EpisodeStore, directory_name

if TYPE_CHECKING:
    from tapwright.formats.format import SftReport


@click.group()
def sft() -> None:
    """Write training data."""


@sft.command(
    epilog="\b\nExample:\n"
    "  tapwright sft export episodes --to llamafactory --convention json --annotator rules -o sft"
)
@click.argument("store", type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", "format_name", required=True, help="The trainer's format.")
@click.option("--convention", required=True, help="The dialect of the model that is trained.")
@click.option("--annotator", help="Whose reasoning to take; by default what was recorded.")
@click.option("--outcome", default="success", show_default=True, help="Only such episodes; or any.")
@click.option("--seed", default=0, show_default=True, help="For the split.")
@click.option(
    "--val-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    help="Episodes kept for validation.",
)
@out_option("sft")
def export(
    store: Path,
    format_name: str,
    convention: str,
    annotator: str | None,
    outcome: str,
    seed: int,
    val_share: float,
    out: Path,
) -> None:
    """Write the episodes of STORE as training data, and check it by the trainer's rules.

    manifest.json tells counts, hashes, and every step that was left out with the reason.
    """
    report = export_sft(
        EpisodeStore(store),
        out,
        format_name=format_name,
        convention=convention,
        annotator=annotator,
        outcome=outcome,
        seed=seed,
        val_share=val_share,
    )
    told = ", ".join(f"{count} {split}" for split, count in sorted(report.samples.items()))
    click.echo(f"{told} samples, {report.images} images, {len(report.dropped)} dropped", err=True)
    click.echo(out)


def export_sft(
    store: EpisodeStore,
    out: Path,
    *,
    format_name: str,
    convention: str,
    annotator: str | None,
    outcome: str = "success",
    seed: int = 0,
    val_share: float = 0.1,
) -> "SftReport":
    """Write a training set under a progress bar."""
    from tapwright.annotate.run import annotated, read_annotations
    from tapwright.conventions import conventions
    from tapwright.formats import formats
    from tapwright.formats.format import SftFormat, SftSettings

    format_ = formats.get(format_name)
    if not isinstance(format_, SftFormat):
        raise UsageError(f"{format_name} is not a format of training sets")
    chosen = [episode for episode in store if outcome in ("any", episode.outcome)]
    if not chosen:
        raise NothingFoundError(f"{store.root}: no episodes with the outcome {outcome!r}")
    if annotator is not None:
        chosen = [
            annotated(episode, read_annotations(store.root / directory_name(episode.id), annotator))
            for episode in chosen
        ]
    with stage(f"sft ({format_name})", len(chosen)) as advance:
        settings = SftSettings(conventions.get(convention), seed=seed, val_share=val_share)
        report = format_.write_sft(chosen, out, settings)
        advance(len(chosen))
    return report
