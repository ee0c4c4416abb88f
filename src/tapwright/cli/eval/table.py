"""`tapwright eval table`: the tables of the benchmarks' papers, from run logs."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.directories import RUN
from tapwright.cli.options import option
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.evaluate.paper_tables import Column, PaperTable
    from tapwright.evaluate.run_log import RunLog

_GAP = 3
"""Characters between two columns."""


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval table runs/screenspot-pro-a runs/screenspot-pro-b\n"
    "  tapwright eval table runs/* --to tex > tables.tex\n"
    "  tapwright eval table runs/* --by suite"
)
@click.argument("directories", nargs=-1, required=True, metavar="RUN...", type=RUN)
@option(
    "--to",
    "target",
    type=click.Choice(["text", "md", "csv", "csv-long", "tex"]),
    default="text",
    help="For the terminal, Markdown, spreadsheets, or LaTeX (package booktabs); csv-long is for "
    "--by suite, a line for each run.",
)
@option(
    "--by",
    type=click.Choice(["paper", "suite"]),
    default="paper",
    help="A table per benchmark with its paper's columns, or one with a column for each suite.",
)
def table(directories: tuple[Path, ...], target: str, by: str) -> None:
    """Print a table for each benchmark of the RUNs, with the columns of its paper, in percent.

    Each run is a row, scored by its own rule. Runs of one model on AndroidControl's two levels
    share a row. A run of which answers are missing has "40 of 100" beside its name.
    """
    from tapwright.evaluate.log_warnings import data_warnings
    from tapwright.evaluate.paper_tables import paper_tables
    from tapwright.evaluate.platform_tables import platform_tables
    from tapwright.evaluate.run_log import read_run
    from tapwright.evaluate.tables import TABLE_WRITERS

    runs = [read_run(directory) for directory in directories]
    for line in data_warnings(runs):
        output.print_message(f"warning: {line}")
    if by == "suite":
        _print_matrix(runs, target)
        return
    if target == "csv-long":
        raise UsageError("--to csv-long is for --by suite", hint="--by suite --to csv-long")
    found = [*paper_tables(runs), *platform_tables(runs)]
    for number, one in enumerate(found):
        if number:
            output.print_line()
        if target == "text":
            _print(one)
        else:
            output.print_data(TABLE_WRITERS[target](one))


def _print_matrix(runs: "Sequence[RunLog]", target: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from tapwright.evaluate.tables import MATRIX_WRITERS, run_matrix

    matrix = run_matrix(runs)
    if target != "text":
        output.print_data(MATRIX_WRITERS[target](matrix))
        return
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    shown.add_column("", overflow="fold")
    for suite in matrix.suites:
        shown.add_column(Text(output.escape_controls(suite)), justify="right", overflow="fold")
    for who, cells in matrix.rows:
        words = ["–" if one is None else one.words for one in cells]
        shown.add_row(Text(output.escape_controls(who)), *words)
    output.print_renderable(shown)


def _print(one: "PaperTable") -> None:
    """The table in as many pieces as the terminal's width asks for, shared headings kept whole."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from tapwright.evaluate.tables import number

    rules = f", rules {', '.join(one.rules)}" if one.rules else ""
    output.print_line(f"{one.benchmark}{rules}")
    names = [output.escape_controls(who) for who in one.names]
    room = output.terminal_width() - max(map(len, names), default=0) - _GAP
    for piece in _pieces(one.columns, room):
        shown = Table(box=SIMPLE_HEAD, pad_edge=False)
        shown.add_column("", no_wrap=True)
        for at in piece:
            group, name = one.columns[at]
            above = group if at == piece[0] or one.columns[at - 1][0] != group else ""
            title = output.escape_controls(f"{above}\n{name}" if group else name)
            shown.add_column(Text(title), justify="right", no_wrap=True)
        for name, (_, values) in zip(names, one.rows, strict=True):
            shown.add_row(Text(name), *(number(values[at]) for at in piece))
        output.print_renderable(shown)


def _pieces(columns: "Sequence[Column]", room: int) -> list[list[int]]:
    """The places of the columns, in lists that fit into so many characters, at least one each."""
    groups = [
        [at for at, _ in group]
        for _, group in groupby(enumerate(columns), key=lambda one: one[1][0] or one[0])
    ]
    pieces: list[list[int]] = [[]]
    used = 0
    for group in groups:
        own = [len(columns[at][1]) + _GAP for at in group]
        width = sum(own) + max(0, len(columns[group[0]][0]) + _GAP - own[0])
        if pieces[-1] and used + width > room:
            pieces.append([])
            used = 0
        pieces[-1] += group
        used += width
    return pieces
