"""`tapwright sft`: training data out of episodes."""

import asyncio
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.engine import HERE, Engine, engine_options
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import out_option
from tapwright.cli.output import stage
from tapwright.cli.places import named
from tapwright.errors import NothingFoundError, StoreError, UsageError
from tapwright.geometry import Size
from tapwright.screenshot import Screenshot
from tapwright.store.ids import directory_name
from tapwright.store.records import EpisodeWarning
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.episode import Episode
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.training_set import (
        DroppedStep,
        SftFormat,
        SftReport,
        SftSettings,
    )

F = TypeVar("F", bound=Callable[..., Any])
_REASONS = 5  # the others stand in the manifest

_COMMANDS = {
    "preview": ("tapwright.cli.preview:preview", "Show one sample: text, pictures, loss"),
    "export": ("tapwright.cli.sft:export", "Write a training set, and check it"),
    "check": ("tapwright.cli.sft:check", "Check a training set by its trainer's rules"),
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def sft() -> None:
    """Write training data."""


def sample_options(command: F) -> F:
    """Add the options from which samples are made."""
    for option in (
        click.option(
            "--template",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help="The model's chat template (Jinja), for rendered samples.",
        ),
        click.option(
            "--paraphrases",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help='Other words for tasks: JSON {"task id": ["words", ...]}.',
        ),
        click.option(
            "--weights",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help='What counts more: JSON [{"field", "pattern", "weight"}].',
        ),
        click.option("--jpeg", type=click.IntRange(1, 95), help="Pictures as JPEG, this quality."),
        click.option("--max-pixels", type=click.IntRange(1), help="Scale larger pictures down."),
        click.option(
            "--scale",
            type=click.FloatRange(0, 1, min_open=True),
            default=1.0,
            show_default=True,
            help="Scale pictures; places follow.",
        ),
        click.option(
            "--history",
            default="last:10",
            show_default=True,
            help="Earlier steps that are told: none, full, last:K, summaries:K, pictures:K.",
        ),
        click.option("--seed", default=0, show_default=True, help="For everything left to chance."),
        click.option(
            "--outcome", default="success", show_default=True, help="Only such episodes; or any."
        ),
        click.option("--only", type=click.Choice(["approved"]), help="Only what was approved."),
        click.option("--annotator", help="Whose reasoning to take; by default the recorded."),
        click.option("--convention", required=True, help="Convention of the training texts."),
        click.argument(
            "stores", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False)
        ),
    ):
        command = option(command)
    return command


@click.command(
    epilog="\b\nExample:\n"
    "  tapwright sft export episodes --to llamafactory --convention json --annotator rules -o sft\n"
    "  tapwright sft export a b --to trl --convention json --scale 0.5 --jpeg 90 -o sft"
)
@sample_options
@click.option("--to", "format_name", required=True, help="The trainer's format.")
@click.option(
    "--val-share",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    help="Episodes kept for validation.",
)
@out_option("sft")
@engine_options
def export(
    stores: tuple[Path, ...],
    format_name: str,
    val_share: float,
    out: Path,
    engine: Engine,
    **given: Any,
) -> None:
    """Write the episodes of STORES as training data, and check it by the trainer's rules.

    manifest.json tells counts, hashes, and all that was left out with the reason; the reasons that
    were most frequent are told on stderr, too. Ends with 1 when an episode or a picture was broken;
    the rest is written.
    """
    report = export_sft(
        stores, out, format_name=format_name, val_share=val_share, engine=engine, **given
    )
    told = ", ".join(f"{count} {split}" for split, count in sorted(report.samples.items()))
    click.echo(f"{told} samples, {report.images} images, {len(report.dropped)} dropped", err=True)
    left_out = Counter(one.reason for one in report.dropped if not one.code)
    for reason, count in left_out.most_common(_REASONS):
        click.echo(f"  {count} times: {reason}", err=True)
    click.echo(f"checked by the rules of {format_name}: {report.checked} good", err=True)
    broken = [one for one in report.dropped if one.code]
    for one in broken:
        where = one.episode if one.step is None else f"{one.episode}, step {one.step}"
        click.echo(f"{where}: {one.reason} [{one.code}]", err=True)
    click.echo(named(out))
    sys.exit(1 if broken else 0)


@click.command(epilog="\b\nExample:\n  tapwright sft check sft")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--format", "format_name", help="Whose rules; by default what its manifest says.")
def check(directory: Path, format_name: str | None) -> None:
    """Check a training set again by its trainer's rules."""
    from tapwright.formats.exporters.check import read_json

    if format_name is None:
        manifest = read_json(directory / "manifest.json")
        format_name = str(manifest.get("format")) if isinstance(manifest, dict) else ""
    count = sft_format(format_name).check(directory)
    click.echo(f"checked by the rules of {format_name}: {count} good")


def export_sft(
    stores: Sequence[Path],
    out: Path,
    *,
    format_name: str,
    val_share: float = 0.1,
    engine: Engine = HERE,
    **given: Any,
) -> "SftReport":
    """Write a training set under a progress bar; `given` are the `sample_options`.

    What a cluster's workers do is making pictures, which is what takes the time; where they are
    taught as they were recorded, there is nothing for them to do.
    """
    from tapwright.formats.exporters.job import export_sft

    format_ = sft_format(format_name)
    settings = chosen_settings(val_share=val_share, **given)
    episodes, dropped = choose_training_episodes(stores, **given)
    with stage(f"sft ({format_name})", len(episodes)) as advance:
        write = partial(
            export_sft, format_, episodes, out, settings, dropped=dropped, advance=advance
        )
        return asyncio.run(_with_workers(write, engine)) if engine.far else write()


async def _with_workers(write: "Callable[..., SftReport]", engine: Engine) -> "SftReport":
    """What `write` returns when workers encode the pictures."""
    from tapwright.cli.elsewhere import open_encoding

    loop = asyncio.get_running_loop()
    async with engine.work(open_encoding, items=engine.workers) as far:
        assert far is not None  # there are workers

        def encoded(picture: Screenshot, size: Size, jpeg_quality: int | None) -> Screenshot:
            made = far((picture.data, picture.origin, size, jpeg_quality))
            data = asyncio.run_coroutine_threadsafe(made, loop).result()
            return Screenshot(data, origin=picture.origin)

        return await asyncio.to_thread(write, encode=encoded, threads=engine.workers)


def sft_format(name: str) -> "SftFormat":
    """The format of training sets of this name."""
    from tapwright.formats import formats
    from tapwright.formats.exporters.training_set import SftFormat

    format_ = formats.get(name)
    if not isinstance(format_, SftFormat):
        raise UsageError(f"{name} is not a format of training sets")
    return format_


def chosen_settings(
    *,
    convention: str,
    seed: int = 0,
    val_share: float = 0.0,
    history: str = "last:10",
    scale: float = 1.0,
    max_pixels: int | None = None,
    jpeg: int | None = None,
    weights: Path | None = None,
    paraphrases: Path | None = None,
    template: Path | None = None,
    **_: object,
) -> "SftSettings":
    """The settings that the options mean."""
    from tapwright.conventions import conventions
    from tapwright.conventions.history import HistoryPolicy
    from tapwright.formats.exporters.training_set import SftSettings
    from tapwright.formats.exporters.weights import read_paraphrases, read_weights

    return SftSettings(
        conventions.get(convention),
        seed=seed,
        val_share=val_share,
        history=HistoryPolicy.from_text(history),
        scale=scale,
        max_pixels=max_pixels,
        jpeg_quality=jpeg,
        weights=read_weights(weights) if weights else (),
        paraphrases=read_paraphrases(paraphrases) if paraphrases else {},
        template=_read_template(template) if template else "",
    )


def _read_template(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a chat template: {error}") from error


def choose_training_episodes(
    stores: Sequence[Path],
    *,
    annotator: str | None = None,
    only: str | None = None,
    outcome: str = "success",
    **_: object,
) -> "tuple[list[TrainingEpisode], list[DroppedStep]]":
    """The episodes that the options mean, to be read in their turn, and those that are broken."""
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.training_set import DroppedStep

    if only and annotator is None:
        raise UsageError(
            "--only approved needs to know whose annotations were reviewed",
            hint="add --annotator NAME",
        )
    episodes: list[TrainingEpisode] = []
    dropped: list[DroppedStep] = []
    for path in stores:
        store = EpisodeStore(path)
        for id_ in _ids(store, dropped):
            try:
                episode = store.open(id_)
            except StoreError as error:
                dropped.append(DroppedStep(id_, None, str(error), error.code))
                continue
            if outcome in ("any", episode.outcome):
                read = partial(_read, store, id_, annotator, only)
                episodes.append(TrainingEpisode(id_, episode.task_id, read))
    if not episodes and not dropped:
        names = ", ".join(str(path) for path in stores)
        raise NothingFoundError(f"{names}: no episodes with the outcome {outcome!r}")
    return episodes, dropped


def _ids(store: EpisodeStore, dropped: "list[DroppedStep]") -> Iterator[str]:
    from tapwright.formats.exporters.training_set import DroppedStep

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", EpisodeWarning)
        ids = store.ids()
    for one in told:
        dropped.append(DroppedStep("", None, str(one.message), StoreError.code))
    yield from ids


def _read(
    store: EpisodeStore, id_: str, annotator: str | None, only: str | None
) -> "tuple[Episode, Mapping[int, str]]":
    from tapwright.annotate.review import approved, read_reviews
    from tapwright.annotate.run import annotated, read_annotations

    episode = store.read(id_)
    if annotator is None:
        return episode, {}
    directory = store.root / directory_name(id_)
    episode = annotated(episode, read_annotations(directory, annotator))
    return approved(episode, read_reviews(directory, annotator)) if only else (episode, {})
