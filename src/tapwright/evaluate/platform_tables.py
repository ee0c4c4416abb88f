"""MMBench-GUI's tables of levels 3 and 4: success and EQA by platform, from runs of public suites.

https://arxiv.org/abs/2507.19478, the tables of L3 and L4: Windows, MacOS, Linux, Android, Web and
their average, each with SR and EQA, at a number of steps. Its tasks are picked from OSWorld,
AndroidWorld, WebArena and others, and the picks are not published: a row here is of all tasks that
were played. A task of one app or site is level 3, one of several is level 4. The average is
weighted by tasks, as the published one is. iOS has no tasks in either.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tapwright.benchmarks.metrics import cell
from tapwright.evaluate.paper_tables import Answered, Column, PaperTable
from tapwright.evaluate.run_log import RunLog, SampleRow
from tapwright.evaluate.step_efficiency import measure_step_efficiency

__all__ = ["platform_tables"]

_PLATFORMS = ("Windows", "MacOS", "Linux", "Android", "Web")
_SUITES: Mapping[str, str] = {"osworld": "Linux", "androidworld": "Android", "browsergym": "Web"}
_LEVELS = {"MMBench-GUI L3": False, "MMBench-GUI L4": True}
_WEB = "webarena"
_COLUMNS: tuple[Column, ...] = tuple(
    (platform, measure) for platform in (*_PLATFORMS, "Avg") for measure in ("SR", "EQA")
)


def platform_tables(runs: Sequence[RunLog]) -> list[PaperTable]:
    """A table for each level that has a task, in percent; none without a run of such a suite.

    Runs of one subject at one number of steps share a row; of two on one platform the last counts.
    """
    tables = []
    for name, several in _LEVELS.items():
        found: dict[str, dict[str, _Cell]] = {}
        answered: dict[str, Answered] = {}
        for run in runs:
            part = _part(run, several=several)
            if part is not None:
                subject, platform, value = part
                found.setdefault(subject, {})[platform] = value
                of_run = Answered.of(run)
                answered[subject] = of_run + answered.get(subject, Answered(0, 0, 0))
        if found:
            rows = tuple((subject, tuple(_values(cells))) for subject, cells in found.items())
            tables.append(PaperTable(name, (), _COLUMNS, rows, tuple(answered.values())))
    return tables


_Cell = tuple[float | None, float | None, int]
"""SR and EQA in percent, and of how many tasks."""


def _part(run: RunLog, *, several: bool) -> tuple[str, str, _Cell] | None:
    platform = _SUITES.get(run.header.benchmark)
    rows = [row for row in run.rows if _counts(row) and _has_several(row) is several]
    if platform is None or not rows:
        return None
    rate = cell(rows).value
    took = measure_step_efficiency(replace(run, rows=rows))
    subject = run.header.subject
    if took is not None:
        subject = f"{subject} ({took.max_steps} steps)"
    area = None if took is None else 100 * took.eqa.exact
    return subject, platform, (None if rate is None else 100 * rate, area, len(rows))


def _counts(row: SampleRow) -> bool:
    """Of BrowserGym's packages WebArena alone is in the table; rows of other suites name none."""
    return row.score is not None and row.labels.get("package", _WEB) == _WEB


def _has_several(row: SampleRow) -> bool:
    return " + " in row.labels.get("app", "") or row.labels.get("domain") == "multi_apps"


def _values(cells: Mapping[str, _Cell]) -> Iterator[float | None]:
    for platform in _PLATFORMS:
        rate, area, _ = cells.get(platform, (None, None, 0))
        yield rate
        yield area
    for measure in (0, 1):
        known = [(value, one[2]) for one in cells.values() if (value := one[measure]) is not None]
        tasks = sum(count for _, count in known)
        yield sum(value * count for value, count in known) / tasks if tasks else None
