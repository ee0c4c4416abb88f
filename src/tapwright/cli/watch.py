"""`tapwright watch`: what agents do at this moment, in the browser."""

from pathlib import Path
from urllib.parse import urlencode

import click

from tapwright.cli.options import FOLDER
from tapwright.cli.serve import run_app


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright watch --open\n"
    "  tapwright watch runs/l3-qwen\n"
    "  tapwright watch by-a-model"
)
@click.argument("directory", required=False, metavar="[RUN|STORE]", type=FOLDER)
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on.")
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
def watch(directory: Path | None, port: int | None, *, open_: bool) -> None:
    """Watch agents while they play: each device's latest screen, thought and action.

    Pause an attempt between two steps, take it over and give it back. What you do is a step of its
    episode that says who did it; exports do not teach it, and the attempt has no score. By default
    it shows what is played into `runs` and `episodes`. The server of `tapwright serve` shows the
    same under Runs.
    """
    from tapwright.evaluate.run_log import FILE
    from tapwright.web.config import WebConfig

    store, runs, start = Path("episodes"), Path("runs"), "watch"
    if directory is not None and _is_store(directory):
        store = directory
    elif directory is not None:
        runs = directory
        if (runs / FILE).exists():
            start = f"watch?{urlencode({'run': runs.absolute().name})}"
    run_app(WebConfig(store, (runs,)), "127.0.0.1", port, start=start, open_=open_)


def _is_store(directory: Path) -> bool:
    """Whether episodes lie in a directory, or are about to."""
    from tapwright.environment.live import LIVE

    return (directory / LIVE).is_dir() or any(directory.glob("*/episode.json"))
