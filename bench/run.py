"""Runs the benches and writes one page: bench.html and bench.json, with machine, commit and load.

Run: python bench/run.py [--only store,cli] [--out bench-out] [--release VERSION]
`--only teach` trains small models, which takes hours, and runs when it is named alone.
Figures are medians where a bench takes several. They are kept as each bench ends, in history.jsonl
beside the page, those of a `--release` in bench/history.jsonl, and the page draws how each figure
went over the runs on machines of this kind. It is compared with the newest release, else with the
run before (one on a machine of another kind by its ratios alone): what got slower by more than a
fifth is named, and ends the run with 1.
"""

import argparse
import html
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path

import jinja2

HERE = Path(__file__).parent
RELEASES = HERE / "history.jsonl"
# Those that take a minute or less, each, and have `--json`.
BENCHES = (
    "cli", "store", "phone", "pack", "loading", "sft", "import", "templates",
    "answers", "chat", "formats", "conventions", "annotate", "eval", "review", "viewer",
    "visualize", "record", "web", "web_list", "desktop",
)  # fmt: skip
LONG = {"teach": 6 * 3600}
"""Benches that run only when they are named, and how many seconds they may take."""
TIMEOUT_S = 600
SLOWER = 0.2
_LESS_IS_BETTER = ("ms", "s", "us", "mb", "kb", "bytes", "ratio")
_BESIDE = ("ratio", "share", "speed")
"""How the names of figures end that compare with somebody else's code, or our own, in one run."""
_MORE_IS_BETTER = ("per_s", "share", "speed", "steps/s")


@dataclass(frozen=True, slots=True)
class BenchRun:
    """All figures of one commit on one machine; `figures` are named "bench: figure".

    `date` is when it began, in UTC: "2026-11-24 09:30:00".
    """

    version: str
    commit: str
    machine: str
    date: str
    load: float
    figures: Mapping[str, float] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What a reader calls it: the release, else the commit."""
        return self.version or self.commit


def main() -> None:
    """Measure, write, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    also = f"some of %(default)s, or of those that run only so: {', '.join(LONG)} (hours)"
    parser.add_argument("--only", default=",".join(BENCHES), help=also)
    parser.add_argument("--out", type=Path, default=Path("bench-out"))
    parser.add_argument("--release", metavar="VERSION", help="append the figures to the history")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    kept = RELEASES if given.release else given.out / "history.jsonl"
    found = begin(given.release or "")
    past = read_history(found.machine, RELEASES, given.out / "history.jsonl")
    before = None
    for name in given.only.split(","):
        print(f"{name} …", file=sys.stderr, flush=True)
        part = measure(name, found)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(part)) + "\n")
        found = merge(found, part)
        before = compared_with(found, past)
        write_page(found, past, before, given.out)
    print(f"{given.out}/bench.html")
    worse = list(slower(found, before)) if before is not None else []
    for name, share in worse:
        print(f"slower than {before.name if before else ''} by {share:.0%}: {name}")
    for name, why in found.failed.items():
        print(f"failed: {name}: {why}")
    sys.exit(1 if worse or found.failed else 0)


def begin(version: str) -> BenchRun:
    """A run on this machine, now, that has measured nothing."""
    return BenchRun(
        version,
        _git("rev-parse", "--short", "HEAD"),
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()),
        round(os.getloadavg()[0], 2),
    )


def measure(name: str, run: BenchRun) -> BenchRun:
    """The part of a run that one bench measures: its figures, and why it failed if it did."""
    try:
        ended = subprocess.run(
            [sys.executable, str(HERE / f"bench_{name}.py"), "--json"],
            capture_output=True, text=True, timeout=LONG.get(name, TIMEOUT_S), check=False,
        )  # fmt: skip
        told = json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        return replace(run, figures={}, failed={name: str(error)[:200]})
    failed = {}
    if ended.returncode:
        failed[name] = "over its budget, or ended with an error: " + ended.stderr[-200:]
    figures = {f"{name}: {key}": value for key, value in flatten(told)}
    return replace(run, figures=figures, failed=failed)


def merge(run: BenchRun, part: BenchRun) -> BenchRun:
    """A run with what another part of it measured."""
    figures, failed = {**run.figures, **part.figures}, {**run.failed, **part.failed}
    return replace(run, figures=figures, failed=failed)


def flatten(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a bench's JSON, by the names on the way to it."""
    match value:
        case bool():
            return
        case int() | float():
            yield path, float(value)
        case dict():
            for key, inner in value.items():
                yield from flatten(inner, f"{path} {key}".strip())
        case list():
            for number, inner in enumerate(value):
                name = _row_name(inner) or str(number)
                yield from flatten(inner, f"{path} {name}".strip())
        case _:
            return


def read_history(machine: str, *files: Path) -> list[BenchRun]:
    """The kept runs, oldest first; a file that is not there has none.

    Of other machines' runs only what was measured beside something else: ratios hold anywhere.
    A run has a line for each bench, so that one that was killed has what it had measured.
    """
    runs: dict[tuple[str, str, str], BenchRun] = {}
    for file in files:
        for line in file.read_text("utf-8").splitlines() if file.exists() else ():
            part = BenchRun(**json.loads(line))
            if part.machine != machine:
                beside = {name: one for name, one in part.figures.items() if name.endswith(_BESIDE)}
                part = replace(part, figures=beside)
            if part.figures:
                run = (part.date, part.commit, part.version)
                runs[run] = merge(runs[run], part) if run in runs else part
    return sorted(runs.values(), key=lambda run: run.date)


def compared_with(found: BenchRun, past: Sequence[BenchRun]) -> BenchRun | None:
    """The newest release of the past, else its newest run, that measured some of the same."""
    newest = [run for run in reversed(past) if run.figures.keys() & found.figures.keys()]
    return next((run for run in newest if run.version), newest[0] if newest else None)


def slower(now: BenchRun, before: BenchRun) -> Iterator[tuple[str, float]]:
    """The figures that got worse by more than a fifth, and by how much of what they were."""
    for name in now.figures.keys() & before.figures.keys():
        change = worsening(name, before.figures[name], now.figures[name])
        if change is not None and change > SLOWER:
            yield name, change


def worsening(name: str, before: float, now: float) -> float | None:
    """How much worse a figure got, as a share of what it was; None where neither way is worse."""
    word = name.rpartition(" ")[2].lower()
    if before <= 0 or now <= 0:
        return None
    if word.endswith(_MORE_IS_BETTER) or any(f"_{unit}" in word for unit in _MORE_IS_BETTER):
        return before / now - 1
    if word.rpartition("_")[2] in _LESS_IS_BETTER:
        return now / before - 1
    return None


def write_page(
    found: BenchRun, past: Sequence[BenchRun], before: BenchRun | None, out: Path
) -> None:
    """Write bench.json and bench.html; `past` is oldest first, `before` is compared with."""
    (out / "bench.json").write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
    rows = [
        _row(name, [*past, found], before)
        for name in found.figures
        if not name.endswith("load_average")
    ]
    environment = jinja2.Environment(autoescape=True)
    template = environment.from_string(HERE.joinpath("page.html.jinja").read_text("utf-8"))
    page = template.render(
        found=found,
        before=before,
        runs=len(past) + 1,
        benches=[(name, list(group)) for name, group in groupby(rows, lambda row: row["bench"])],
        changed=[row for row in rows if row["kind"]],
        beside=[row for row in rows if row["figure"].endswith(_BESIDE)],
        most=SLOWER,
    )
    (out / "bench.html").write_text(page, encoding="utf-8")


def _row(name: str, runs: Sequence[BenchRun], before: BenchRun | None) -> dict[str, str]:
    bench, _, figure = name.partition(": ")
    now, then = runs[-1].figures[name], before.figures.get(name) if before else None
    change = None if then is None else worsening(name, then, now)
    kind = ""
    if change is not None and abs(change) > SLOWER:
        kind = "worse" if change > 0 else "better"
    return {
        "bench": bench,
        "figure": figure,
        "now": _told(now),
        "before": "" if then is None else _told(then),
        "change": "" if change is None else f"{change:+.0%} cost",
        "kind": kind,
        "line": _line([run for run in runs if name in run.figures], name),
    }


def _line(runs: Sequence[BenchRun], name: str) -> str:
    """An SVG of a figure over its runs, from zero up, 120 by 24 pixels; "" of a single run."""
    if len(runs) < 2:
        return ""
    values = [run.figures[name] for run in runs]
    top = max(*values, 1e-9)
    points = [
        (2 + 116 * at / (len(values) - 1), 22 - 20 * max(value, 0.0) / top)
        for at, value in enumerate(values)
    ]
    told = "\n".join(
        f"{run.date} {run.name}: {_told(value)}, load {run.load}"
        for run, value in zip(runs, values, strict=True)
    )
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        f'<svg width="120" height="24" role="img"><title>{html.escape(told)}</title>'
        f'<polyline points="{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="2"/></svg>'
    )


def _told(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _row_name(row: object) -> str:
    """What tells a row of a table from the others: its texts."""
    if not isinstance(row, dict):
        return ""
    return " ".join(value for value in row.values() if isinstance(value, str))


def _git(*words: str) -> str:
    run = subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True, check=False)
    return run.stdout.strip()


if __name__ == "__main__":
    main()
