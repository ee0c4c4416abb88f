"""`tapwright episodes show`, `frames`, `video` and `sheet`: look at what was recorded."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from tapwright.actions import describe
from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, print_rows, stage
from tapwright.episode import Episode
from tapwright.errors import NothingFoundError
from tapwright.store.store import EpisodeStore

_width_option = click.option(
    "--width",
    "width_px",
    type=click.IntRange(80, 4096),
    default=540,
    show_default=True,
    help="Width in pixels.",
)


@click.command()
@store_argument
@click.argument("episode_id", metavar="ID")
@format_option
def show(store: Path, episode_id: str, format_: Format) -> None:
    """Show the steps of one episode as a table. They count from 0, as edits count them."""
    episode = EpisodeStore(store).read(episode_id)
    rows: list[dict[str, Cell]] = [
        {
            "step": number,
            "app": step.observation.app.rpartition(".")[2],
            "action": describe(step.decision.action),
            "target": step.decision.target,
            "reward": step.reward,
            "told": " / ".join(step.instructions),
            "reasoning": step.decision.reasoning,
        }
        for number, step in enumerate(episode.steps)
    ]
    print_rows(rows, format_, key="step")


@click.command()
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, help="The directory to write to."
)
@_width_option
def frames(store: Path, episode_ids: tuple[str, ...], out: Path, width_px: int) -> None:
    """Draw every step of episodes (all by default) with its action marked, one JPEG each."""
    from tapwright.store.ids import directory_name
    from tapwright.visualize.frames import draw_frames

    chosen = _chosen(store, episode_ids)
    with stage("draw frames", len(chosen)) as advance:
        for id_ in chosen:
            episode = EpisodeStore(store).read(id_)
            for _ in draw_frames(episode, out / directory_name(id_), width_px=width_px):
                pass
            advance(1)
    click.echo(out)


@click.command(epilog="\b\nExample:\n  tapwright episodes video episodes -o videos --fps 1")
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, help="The directory to write to."
)
@click.option(
    "--fps",
    type=click.FloatRange(0.05, 60),
    default=2.0,
    show_default=True,
    help="Steps a second.",
)
@_width_option
def video(store: Path, episode_ids: tuple[str, ...], out: Path, fps: float, width_px: int) -> None:
    """Make a video (MP4) of each episode (all by default), every step with its action marked."""
    from tapwright.store.ids import directory_name
    from tapwright.visualize.video import write_video

    chosen = _chosen(store, episode_ids)
    with stage("make videos", len(chosen)) as advance:
        for id_ in chosen:
            path = out / f"{directory_name(id_)}.mp4"
            write_video(EpisodeStore(store).read(id_), path, width_px=width_px, fps=fps)
            click.echo(path)
            advance(1)


@click.command()
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=Path("sheet.jpg"), show_default=True
)
@click.option("--columns", type=click.IntRange(1, 50), default=12, show_default=True)
def sheet(store: Path, episode_ids: tuple[str, ...], out: Path, columns: int) -> None:
    """Draw episodes (all by default) as a contact sheet: every step on one picture.

    What does not fit on one picture goes on several: sheet-1.jpg, sheet-2.jpg, …
    """
    from tapwright.visualize.contact_sheet import draw_contact_sheet

    chosen = _chosen(store, episode_ids)
    with stage("draw", len(chosen)) as advance:
        for path in draw_contact_sheet(_read(store, chosen, advance), out, columns=columns):
            click.echo(path)


def _read(store: Path, ids: Sequence[str], advance: Callable[[int], None]) -> Iterator[Episode]:
    for id_ in ids:
        yield EpisodeStore(store).read(id_)
        advance(1)


def _chosen(store: Path, episode_ids: tuple[str, ...]) -> list[str]:
    chosen = list(episode_ids) or EpisodeStore(store).ids()
    if not chosen:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    return chosen
