"""Two more short recordings for the demo: a web page in a browser, and a Linux desktop.

The page is the demo's own report, served on this machine while it is recorded. What the machine
lacks is left out, with the reason.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tapwright.core.actions import Answer, Finish
from tapwright.errors import TapwrightError
from tapwright.jobs.job import ItemFailed, ItemResult
from tapwright.tasks.checks import AnswerHas, When
from tapwright.tasks.solution import PerformAction, TouchElement
from tapwright.tasks.task import Task
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.record import RecordSettings, record_tasks
from tapwright.workflows.selecting import select_tasks

__all__ = ["record_desktop", "record_page"]


async def record_page(
    report: Path,
    section: str,
    score: str,
    out: Path,
    host: HostConfig,
    *,
    show_progress: ShowProgress = no_progress,
) -> list[ItemResult]:
    """Record a question on the page `report`, the rules' `score` in a `section`, into `out`.

    Where the machine has no browser for it a failure comes back, whose message says what is
    missing.
    """
    with _serve(report.parent) as address:
        settings = RecordSettings(devices=(f"web:{address}/{report.name},1000x700",), envs=1)
        local = replace(host, network="local")
        return await _record(_question(section, score), out, local, settings, show_progress)


async def record_desktop(
    out: Path, host: HostConfig, *, show_progress: ShowProgress = no_progress
) -> list[ItemResult]:
    """Record a task on a desktop into `out`; a failure where there is none, as in `record_page`."""
    (task,) = select_tasks("desktop-l3", ["pad_append_milk"])
    settings = RecordSettings(suite="desktop-l3", devices=("desktop:1024x768",), envs=1)
    return await _record(task, out, host, settings, show_progress)


async def _record(
    task: Task, store: Path, host: HostConfig, settings: RecordSettings, show: ShowProgress
) -> list[ItemResult]:
    try:
        return await record_tasks([task], store, host, settings, show_progress=show)
    except TapwrightError as error:  # the device cannot be opened here
        return [ItemFailed(store.name, error.code, f"{error}")]


def _question(section: str, score: str) -> Task:
    """Find the section by its link, and read the score there."""
    return Task(
        id="report_score",
        instruction=f"What do the rules (tree) score in {section}, in percent?",
        apps=(),
        check=When(AnswerHas((score,))),
        max_steps=8,
        solution=(
            TouchElement(text=section),
            PerformAction(Answer(text=f"{score} %")),
            PerformAction(Finish()),
        ),
        kind="ask",
    )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: standard error is the command's."""


@contextmanager
def _serve(directory: Path) -> Iterator[str]:
    """The address at which the files of a directory are, on this machine only."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=directory)) as server:
        Thread(target=server.serve_forever, name="serve-report", daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
