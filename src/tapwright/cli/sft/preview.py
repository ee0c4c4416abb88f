"""`tapwright sft preview`: one sample, before thousands of them are written."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.options import FILE
from tapwright.cli.output import has_colours, print_line, print_message, print_styled
from tapwright.cli.sft.options import sample_options
from tapwright.errors import NothingFoundError

if TYPE_CHECKING:
    from tapwright.formats.exporters.preview import Segment
    from tapwright.formats.exporters.training_set import SftSettings, TrainingSample
    from tapwright.workflows.sft import SampleConfig


@click.command(
    cls=GroupedCommand,
    first="convention annotator episode step html where template",
    epilog="\b\nExample:\n"
    "  tapwright sft preview episodes --convention json --annotator rules\n"
    "  tapwright sft preview episodes --convention android-tools --step 2 --html sample.html",
)
@sample_options
@click.option("--episode", help="The episode; by default the first.")
@click.option("--step", type=click.IntRange(0), help="The step, from 0; by default the first.")
@click.option("--html", type=FILE, help="Write an HTML page with its pictures instead.")
def preview(
    stores: tuple[Path, ...],
    episode: str | None,
    step: int | None,
    html: Path | None,
    config: "SampleConfig",
) -> None:
    """Show one sample of STORES: its text, the places of its pictures, and what the loss counts.

    The text is rendered by the model's chat template where there is one: for android-tools, and
    with --template. Otherwise the turns are printed.
    """
    from tapwright.files.atomic import write_atomically
    from tapwright.formats.exporters.preview import render_preview as preview_sample
    from tapwright.formats.exporters.preview import render_preview_html
    from tapwright.formats.exporters.training_set import UnusableStepError

    settings = config.read()
    sample = _make_sample(stores, episode, step, settings, config)
    try:
        segments = preview_sample(sample, settings)
    except UnusableStepError as error:
        raise NothingFoundError(
            f"{sample.episode.id}, step {sample.number}: cannot be a sample: {error}"
        ) from error
    if html is not None:
        write_atomically(html, render_preview_html(sample, segments).encode())
        print_line(html)
        return
    _print(sample, segments)


def _make_sample(
    stores: tuple[Path, ...],
    episode: str | None,
    step: int | None,
    settings: "SftSettings",
    config: "SampleConfig",
) -> "TrainingSample":
    from tapwright.formats.exporters.job import no_samples_error
    from tapwright.formats.exporters.pictures import PictureEncoder
    from tapwright.formats.exporters.samples import make_samples
    from tapwright.formats.exporters.training_set import DroppedStep
    from tapwright.workflows.sft import select_training_episodes

    episodes, dropped = select_training_episodes(stores, config)
    selected = [one for one in episodes if episode in (None, one.id)]
    with PictureEncoder(settings) as pictures:
        for made in make_samples(selected, frozenset(), pictures, settings):
            if isinstance(made, DroppedStep):
                if step in (None, made.step):
                    dropped.append(made)
            elif step is None or step in made.numbers:
                return made
    raise no_samples_error(dropped)


def _print(sample: "TrainingSample", segments: "list[Segment]") -> None:
    coloured = has_colours()
    where = f"{sample.episode.id}, step {sample.number}, weight {sample.weight:g}\n"
    pieces = [(where, "dim")]
    for segment in segments:
        text = segment.text
        match segment.kind:
            case "turn":
                pieces.append((f"\n\n[{text}]\n", "bold blue"))
            case "picture":
                size = f" {segment.picture.size}" if segment.picture is not None else ""
                pieces.append((f"{text}{size}", "black on cyan"))
            case "loss":
                pieces.append((text if coloured else f"⟦{text}⟧", "black on green"))
            case "text":
                pieces.append((text, ""))
    print_styled([pieces])
    learned = sum(len(segment.text) for segment in segments if segment.kind == "loss")
    total = sum(len(segment.text) for segment in segments if segment.kind != "turn")
    how = "on green" if coloured else "between ⟦ and ⟧"
    print_message(f"the loss counts {learned} of {total} characters, marked {how}")
