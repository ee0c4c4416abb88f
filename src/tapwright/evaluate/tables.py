"""Leaderboards and the tables of papers as Markdown, CSV and LaTeX (with booktabs)."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tapwright.benchmarks.metrics import Cell, cell
from tapwright.evaluate.paper_tables import Answered, Column, PaperTable
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog
from tapwright.models.query_endings import ENDINGS

__all__ = [
    "MATRIX_WRITERS", "TABLE_WRITERS", "WRITERS", "MatrixCell", "RunMatrix", "column_name",
    "escape_formula", "leaderboard", "number", "run_matrix",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One run: its score with its interval, the rule behind it, and how much of it was answered."""

    score: Cell
    rules: str
    answered: Answered

    @property
    def words(self) -> str:
        """The score in percent with its interval, "71.3 (68–74)"; marked where some is missing."""
        if self.score.value is None or self.score.interval is None:
            told = "–"
        else:
            low, high = 100 * self.score.interval.low, 100 * self.score.interval.high
            told = f"{100 * self.score.value:.1f} ({low:.0f}–{high:.0f})"
        part = self.answered
        return told if part.is_whole else f"{told}, {part.has_answer} of {part.samples}"


@dataclass(frozen=True, slots=True)
class RunMatrix:
    """The runs by suite; a subject that was measured twice on one suite has two rows."""

    suites: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]


def run_matrix(runs: Sequence[RunLog]) -> RunMatrix:
    """The matrix of the runs, subjects and suites in the order in which they are met."""
    suites = tuple(dict.fromkeys(run.header.benchmark for run in runs))
    rows: list[tuple[str, dict[str, MatrixCell]]] = []
    for run in runs:
        subject, suite = run.header.subject, run.header.benchmark
        rule = rule_of_header(run.header)
        found = MatrixCell(cell(run.rows), rule.name if rule else "", Answered.of(run))
        free = next((one for who, one in rows if who == subject and suite not in one), None)
        if free is None:
            rows.append((subject, {suite: found}))
        else:
            free[suite] = found
    return RunMatrix(suites, tuple((who, tuple(map(cells.get, suites))) for who, cells in rows))


TableRow = tuple[str, ...]

_END = r" \\"
_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")

_ANSWERED = ("answered", "has_answer", "samples")
"""The columns that tell how much of a run is there: its queries that ended `answered`, those that
have an answer of any kind, and all."""

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
    return _csv(HEAD, rows)


def escape_formula(text: str) -> str:
    """Text that a spreadsheet does not run as a formula, nor takes for the end of a row."""
    text = text.replace("\r", " ")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


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
    """A share in percent as a paper has it, or a count; a dash where nothing was run."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.1f}"


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
    names = map(column_name, table.columns)
    rows: list[list[str | int]] = []
    for (who, values), one in zip(table.rows, table.answered, strict=True):
        cells = ["" if value is None else f"{value:.6g}" for value in values]
        about = (table.benchmark, " ".join(table.rules), who)
        rows.append([*about, *cells, one.answered, one.has_answer, one.samples])
    return _csv(["benchmark", "rules", "subject", *names, *_ANSWERED], rows)


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
        " & ".join([_escape_latex(who), *("--" if v is None else number(v) for v in values)]) + _END
        for who, (_, values) in zip(table.names, table.rows, strict=True)
    ]
    return f"% {_line(_title(table))}\n" + _tabular("l" + "r" * len(table.columns), head, body)


def markdown_matrix(matrix: RunMatrix) -> str:
    """The runs by suite, with their intervals."""
    lines = [("", *map(_plain, matrix.suites)), ("---", *("---:" for _ in matrix.suites))]
    lines += [(_plain(who), *map(_matrix_words, cells)) for who, cells in matrix.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def csv_matrix(matrix: RunMatrix) -> str:
    """The scores by suite, a row for each subject; then how much of each run was answered."""
    counts = [f"{suite} {name}" for suite in matrix.suites for name in _ANSWERED]
    rows: list[list[str | int]] = []
    for who, cells in matrix.rows:
        scores = ["" if one is None else _share(one.score.value) for one in cells]
        rows.append([who, *scores, *(count for one in cells for count in _counts(one))])
    return _csv(["subject", *matrix.suites, *counts], rows)


def _counts(one: MatrixCell | None) -> tuple[str | int, ...]:
    """What stands under `_ANSWERED`."""
    if one is None:
        return tuple("" for _ in _ANSWERED)
    return one.answered.answered, one.answered.has_answer, one.answered.samples


def long_csv_matrix(matrix: RunMatrix) -> str:
    """The same, a row for each run, with interval, rule and how much of it was answered."""
    head = ["subject", "suite", "rules", "score", "low", "high", "n", *_ANSWERED]
    rows = [
        [
            who, suite, one.rules, _share(one.score.value),
            *(map(_share, (one.score.interval.low, one.score.interval.high))
              if one.score.interval else ("", "")),
            one.score.n, *_counts(one),
        ]
        for who, cells in matrix.rows
        for suite, one in zip(matrix.suites, cells, strict=True)
        if one is not None
    ]  # fmt: skip
    return _csv(head, rows)


def latex_matrix(matrix: RunMatrix) -> str:
    """The runs by suite for the package booktabs."""
    head = [" & ".join(["", *map(_escape_latex, matrix.suites)]) + _END]
    body = [
        " & ".join(map(_escape_latex, [who, *map(_matrix_words, cells)])) + _END
        for who, cells in matrix.rows
    ]
    return _tabular("l" + "r" * len(matrix.suites), head, body)


def _matrix_words(one: MatrixCell | None) -> str:
    return "" if one is None else one.words


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.6g}"


def _csv(head: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([escape_formula(str(one)) for one in row] for row in rows)
    return buffer.getvalue()


def _title(table: PaperTable) -> str:
    return f"{table.benchmark}, rules {', '.join(table.rules)}" if table.rules else table.benchmark


def _groups(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The shared headings in order, each with the number of its columns."""
    return [(name, len(list(group))) for name, group in groupby(columns, key=lambda one: one[0])]


def _line(text: str) -> str:
    """The text in one line, without what is not to be seen, such as marks of direction."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


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

MATRIX_WRITERS: Mapping[str, Callable[[RunMatrix], str]] = {
    "md": markdown_matrix,
    "csv": csv_matrix,
    "csv-long": long_csv_matrix,
    "tex": latex_matrix,
}
"""For the matrix of runs by suite, by format."""
