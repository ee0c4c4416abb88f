"""A report's leaderboard as Markdown, CSV and LaTeX, for papers and spreadsheets."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from tapwright.benchmarks.metrics import cell
from tapwright.evaluate.run_log import RunLog

__all__ = ["WRITERS", "leaderboard"]

TableRow = tuple[str, ...]

HEAD: TableRow = (
    "benchmark", "subject", "score", "low", "high", "n", "format errors", "failed", "cost",
)  # fmt: skip
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def leaderboard(runs: Sequence[RunLog]) -> list[TableRow]:
    """One row for each run, in the order given, under `HEAD`; scores and intervals in percent."""
    return [_row(run) for run in runs]


def _row(run: RunLog) -> TableRow:
    whole = cell(run.rows)
    ends = (whole.interval.low, whole.interval.high) if whole.interval else (None, None)
    shares = (whole.value, *ends)
    cost = run.cost
    return (
        run.header.benchmark,
        run.header.subject,
        *("" if share is None else f"{100 * share:.1f}" for share in shares),
        str(whole.n),
        str(whole.format_errors),
        str(whole.failures),
        "" if cost is None else f"{cost:.4g}",
    )


def _markdown(rows: Sequence[TableRow]) -> str:
    lines = [HEAD, tuple("---" for _ in HEAD), *rows]
    return "".join(f"| {' | '.join(map(_plain, line))} |\n" for line in lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: in a name, nothing is a mark, a cell's end or HTML."""
    return "".join(f"\\{char}" if char in "\\|`*_[]<>&#" else char for char in _line(text))


def _comma_separated(rows: Sequence[TableRow]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEAD)
    # A spreadsheet would run what begins like a formula.
    writer.writerows(
        [f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text for text in row]
        for row in rows
    )
    return buffer.getvalue()


def _escape_formula(text: str) -> str:
    """Text that a spreadsheet does not run as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _latex(rows: Sequence[TableRow]) -> str:
    lines = [HEAD, *rows]
    body = [" & ".join(_escape_latex(text) for text in line) + r" \\" for line in lines]
    parts = [
        r"\begin{tabular}{ll" + "r" * (len(HEAD) - 2) + "}", r"\hline", body[0], r"\hline",
        *body[1:], r"\hline", r"\end{tabular}",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _line(text))


def _line(text: str) -> str:
    return " ".join(text.split())


WRITERS: Mapping[str, Callable[[Sequence[TableRow]], str]] = {
    ".md": _markdown,
    ".csv": _comma_separated,
    ".tex": _latex,
}
"""By the ending of the file that they are for."""
