"""One HTML file from run logs: the score at a glance, tables, charts, and sample pictures.

The file needs no network and no script, and opens from a disk. Beside it lie a JSON file with every
number that it shows, and the leaderboard as Markdown, CSV and LaTeX. Whatever tasks and models
wrote is escaped, never HTML.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pydantic import JsonValue

from tapwright import __version__
from tapwright.benchmarks.benchmark import Sample, SampleSource
from tapwright.benchmarks.metrics import cell
from tapwright.core.episode import Episode
from tapwright.errors import NothingFoundError, UsageError
from tapwright.evaluate.paper_tables import paper_tables
from tapwright.evaluate.platform_tables import platform_tables
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run_log import RunLog
from tapwright.evaluate.sample_gallery import FEW_RUNS, make_gallery
from tapwright.evaluate.tables import TABLE_WRITERS, WRITERS, leaderboard, number
from tapwright.files.atomic import write_atomically

__all__ = ["MAX_BYTES", "write_report"]

MAX_BYTES = 10_000_000
_PICTURES = 9_000_000
_DRAWN = 24
"""Results of a run that are drawn."""


def write_report(
    runs: Sequence[RunLog],
    out: Path,
    *,
    benchmarks: Sequence[SampleSource[Sample]] = (),
    recorded: Iterable[Episode] = (),
    title: str = "Evaluation report",
) -> Path:
    """Write the report to the file `out` (HTML, at most 10 MB), and more beside.

    Beside lie the numbers (".json") and the leaderboard (".md", ".csv", ".tex"), in the first and
    the last of these with the tables that the benchmarks' papers have.

    `benchmarks` lend the pictures: runs on data that is not among them have none. The
    frames of played tasks are found beside their run log. `recorded` are the episodes that the
    data was made of, for its summary.

    Returns:
        The path of the JSON file.

    Raises:
        UsageError: `out` ends in .json, or is no name for a file.
        NothingFoundError: no runs were given.
        DiskError: the disk is full or not writable.
    """
    beside = out.with_suffix(".json") if out.name else out
    if beside == out or out.suffix in WRITERS:
        raise UsageError(
            f"{out}: the page needs a name that is not that of its JSON file or a table",
            hint=f"-o {out.with_suffix('.html') if out.name else out / 'report.html'}",
        )
    if not runs:
        raise NothingFoundError("there are no runs to report on", hint="tapwright eval run")
    runs = sorted(runs, key=lambda run: (run.header.benchmark, -(cell(run.rows).value or 0)))
    gallery = make_gallery(runs, benchmarks, per_run=_DRAWN, max_bytes=_PICTURES)
    data = {
        "title": title,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "tapwright": __version__,
        **report_data(runs, recorded),
    }
    jinja = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    jinja.filters.update(
        pct=_percent,
        number=number,
        span=_span,
        time=_duration,
        count=_count,
        short=_short,
        pretty=_pretty,
        points=_points,
        odds=_odds,
        money=_money,
    )
    source = files("tapwright.evaluate").joinpath("report.html.jinja").read_text("utf-8")
    subjects = list(dict.fromkeys(run.header.subject for run in runs))
    page = jinja.from_string(source).render(
        **data, gallery=gallery, subjects=subjects, few=FEW_RUNS
    )
    figures = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_atomically(out, page.encode("utf-8", "replace"))
    # Half an emoji has no UTF-8; so written, it is the escape that JSON has for it.
    write_atomically(beside, figures.encode("utf-8", "backslashreplace"))
    board = leaderboard(runs)
    tables = [*paper_tables(runs), *platform_tables(runs)]
    for ending, write in WRITERS.items():
        parts = [write(board)]
        if ending != ".csv":  # which holds one table
            parts += [TABLE_WRITERS[ending[1:]](table) for table in tables]
        write_atomically(out.with_suffix(ending), "\n".join(parts).encode("utf-8", "replace"))
    return beside


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _odds(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _money(cost: float | None) -> str:
    return "–" if cost is None else f"{cost:.3g}"


def _span(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{100 * interval[0]:.0f}–{100 * interval[1]:.0f}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{1000 * seconds:.2g} ms" if seconds < 0.1 else f"{1000 * seconds:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def _count(value: JsonValue) -> str:
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else "–"


def _short(value: str) -> str:
    return value[:10]


def _pretty(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
