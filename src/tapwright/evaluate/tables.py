"""Leaderboards and the tables of papers as Markdown, CSV and LaTeX (with booktabs)."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from tapwright.benchmarks.metrics import cell
from tapwright.evaluate.paper_tables import Column, PaperTable
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog
from tapwright.models.endings import ENDINGS

__all__ = ["TABLE_WRITERS", "WRITERS", "column_name", "leaderboard", "number"]

TableRow = tuple[str, ...]

_END = r" \\"

HEAD: TableRow = (
    "benchmark", "rules", "subject", "score", "low", "high", "n", "samples", *ENDINGS, "cost",
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
        rule.name if (rule := rule_of_header(run.header)) else "",
        run.header.subject,
        *("" if share is None else f"{100 * share:.1f}" for share in shares),
        str(whole.n),
        str(run.header.samples),
        *(str(whole.endings.get(name, 0)) for name in ENDINGS),
        "" if cost is None else f"{cost:.4g}",
    )


def _met(rows: Sequence[TableRow]) -> list[TableRow]:
    """The table under its head, without the endings in which no query of a run ended."""
    bad = ENDINGS.keys() - {"answered"}
    kept = [
        at for at, name in enumerate(HEAD) if name not in bad or any(row[at] != "0" for row in rows)
    ]
    return [tuple(row[at] for at in kept) for row in (HEAD, *rows)]


def _markdown(rows: Sequence[TableRow]) -> str:
    head, *body = _met(rows)
    lines = [head, tuple("---" for _ in head), *body]
    return "".join(f"| {' | '.join(map(_plain, line))} |\n" for line in lines)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: in a name, nothing is a mark, a cell's end or HTML."""
    return "".join(f"\\{char}" if char in "\\|`*_[]<>&#" else char for char in _line(text))


def _comma_separated(rows: Sequence[TableRow]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEAD)
    # A spreadsheet would run what begins like a formula.
    writer.writerows(map(_escape_formula, row) for row in rows)
    return buffer.getvalue()


def _escape_formula(text: str) -> str:
    """Text that a spreadsheet does not run as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _latex(rows: Sequence[TableRow]) -> str:
    lines = _met(rows)
    body = [" & ".join(_escape_latex(text) for text in line) + r" \\" for line in lines]
    return _tabular("lll" + "r" * (len(lines[0]) - 3), body[:1], body[1:])


def _tabular(columns: str, head: Sequence[str], body: Sequence[str]) -> str:
    """A table of the package booktabs; `head` and `body` are its lines."""
    parts = [
        r"\begin{tabular}{" + columns + "}", r"\toprule", *head, r"\midrule", *body,
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in _line(text))


def number(value: float | None) -> str:
    """A share in percent as a paper has it; a dash where nothing was run."""
    return "–" if value is None else f"{value:.1f}"


def column_name(column: Column) -> str:
    """A column's heading in one line."""
    return " ".join(part for part in column if part)


def markdown_table(table: PaperTable) -> str:
    """A paper's table under its benchmark's name and rules."""
    head = ("", *(_plain(column_name(column)) for column in table.columns))
    lines = [head, ("---", *("---:" for _ in table.columns))]
    lines += [
        (_plain(who), *map(number, values))
        for who, (_, values) in zip(table.names, table.rows, strict=True)
    ]
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"**{_plain(_title(table))}**\n\n{body}"


def csv_table(table: PaperTable) -> str:
    """A paper's table as comma-separated values, unrounded; nothing where nothing was run."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = map(column_name, table.columns)
    writer.writerow(["benchmark", "rules", "subject", *names, "answered", "samples"])
    for (who, values), one in zip(table.rows, table.answered, strict=True):
        cells = ["" if value is None else f"{value:.6g}" for value in values]
        about = (table.benchmark, " ".join(table.rules), _escape_formula(who))
        writer.writerow([*about, *cells, one.answered, one.samples])
    return buffer.getvalue()


def latex_table(table: PaperTable) -> str:
    """A paper's table for the package booktabs, with a line of shared headings."""
    names = ["", *(_escape_latex(name) for _, name in table.columns)]
    head = [" & ".join(names) + _END]
    groups = _groups(table.columns)
    if any(name for name, _ in groups):
        cells, rules, at = [""], [], 2
        for name, width in groups:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{_escape_latex(name)}}}")
            if name:
                rules.append(rf"\cmidrule(lr){{{at}-{at + width - 1}}}")
            at += width
        head = [" & ".join(cells) + _END, " ".join(rules), *head]
    body = [
        " & ".join([_escape_latex(who), *("--" if v is None else f"{v:.1f}" for v in values)])
        + _END
        for who, (_, values) in zip(table.names, table.rows, strict=True)
    ]
    return f"% {_line(_title(table))}\n" + _tabular("l" + "r" * len(table.columns), head, body)


def _title(table: PaperTable) -> str:
    return f"{table.benchmark}, rules {', '.join(table.rules)}" if table.rules else table.benchmark


def _groups(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The shared headings in order, each with the number of its columns."""
    return [(name, len(list(group))) for name, group in groupby(columns, key=lambda one: one[0])]


def _line(text: str) -> str:
    return " ".join(text.split())


TABLE_WRITERS: Mapping[str, Callable[[PaperTable], str]] = {
    "md": markdown_table,
    "csv": csv_table,
    "tex": latex_table,
}
"""For the tables of papers, by format."""

WRITERS: Mapping[str, Callable[[Sequence[TableRow]], str]] = {
    ".md": _markdown,
    ".csv": _comma_separated,
    ".tex": _latex,
}
"""By the ending of the file that they are for."""
