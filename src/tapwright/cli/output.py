"""What commands print: tables or JSON on stdout, progress and hints on stderr."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import click

from tapwright.cli.directories import display
from tapwright.core.language import counted
from tapwright.errors import NothingFoundError
from tapwright.workflows.progress import Advance

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

Format: TypeAlias = Literal["auto", "human", "json", "quiet"]
Cell: TypeAlias = str | int | float | bool | None
F = TypeVar("F", bound=Callable[..., Any])

_QUIET_GAP_S = 10.0
_REASONS = 5
_UNPRINTABLE = (
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def format_option(command: F) -> F:
    """The `--format` option that every command with data to print takes.

    Where nothing is found, JSON is an empty list beside the error, so that a program can read it.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except NothingFoundError:
            if resolve_format(options["format_"]) == "json":
                print_line("[]")
            raise

    return click.option(
        "--format",
        "format_",
        type=click.Choice(["auto", "human", "json", "quiet"]),
        default="auto",
        show_default=True,
        help="human: a table; json: for programs; quiet: ids only; "
        "auto: human on a terminal, else json.",
    )(cast(F, wrapped))


def list_format_option(command: F) -> F:
    """`format_option` of a command that only lists, where nothing found is a note and no error.

    The exit code is that of `NothingFoundError`, 5, so that a script can tell.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except NothingFoundError as nothing:
            if resolve_format(options["format_"]) == "json":
                print_line("[]")
            print_labelled("note", f"{nothing} [{nothing.code}]", bold=True)
            if nothing.hint:
                hint(nothing.hint)
            sys.exit(nothing.exit_code)

    return format_option(cast(F, wrapped))


def print_rows(rows: Iterable[Mapping[str, Cell]], format_: Format, *, key: str) -> None:
    """Print rows that share their columns; `key` is the column that `quiet` prints.

    Only a table needs all of them in memory.
    """
    match resolve_format(format_):
        case "json":
            before = "["
            try:
                for row in rows:
                    text = json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n  ")
                    print_line(f"{before}\n  {text}", end="")
                    before = ","
            finally:  # what was printed is whole, also when a row cannot be read
                print_line("[]" if before == "[" else "\n]")
        case "quiet":
            for row in rows:
                print_line(str(row[key]))
        case _:
            _print_table(list(rows), key)


def print_record(record: Mapping[str, object], format_: Format, *, key: str) -> None:
    """Print one record, a line per field."""
    match resolve_format(format_):
        case "json":
            print_line(json.dumps(record, ensure_ascii=False, indent=2, default=str))
        case "quiet":
            print_line(str(record[key]))
        case _:
            width = max(len(name) for name in record)
            for name, value in record.items():
                print_line(f"{name.replace('_', ' '):<{width}}  {value}")


def print_line(text: object = "", *, end: str = "\n", **style: Any) -> None:
    """Print a line on stdout; what a terminal would execute is escaped. `style` is click's."""
    click.secho(escape_controls(display(text)) + end, nl=False, **style)


def print_data(text: str) -> None:
    """Print data as it is for a file or a program, and escaped on a terminal."""
    # click would take escapes out of what is no terminal, which is data here.
    text = escape_controls(text) if sys.stdout.isatty() else text
    click.echo(text, nl=False, color=True)


def print_styled(lines: Iterable[Sequence[tuple[str, str]]]) -> None:
    """Print lines of (text, style) on stdout; the styles are rich's, and "" is none."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    for pieces in lines:
        console.print(Text.assemble(*((escape_controls(text), style) for text, style in pieces)))


def print_renderable(shown: "RenderableType") -> None:
    """Print what rich draws, such as a table, on stdout; its texts are escaped by who made it."""
    from rich.console import Console

    Console().print(shown)


def terminal_width() -> int:
    """The width of what `print_renderable` prints, in characters."""
    from rich.console import Console

    return Console().width


def has_colours() -> bool:
    """Whether `print_styled` prints in colours, as on most terminals."""
    from rich.console import Console

    return Console().color_system is not None


def hint(text: str) -> None:
    """Print what to do next, on stderr."""
    print_labelled("\nhint", text, fg="cyan")


def print_message(text: object) -> None:
    """Print a line for people, on stderr."""
    print_line(text, err=True)


def print_reasons(reasons: Mapping[str, int], where: str) -> None:
    """Print why how much was left out, the most frequent reasons; `where` the others are."""
    ordered = sorted(reasons.items(), key=lambda one: -one[1])
    for reason, count in ordered[:_REASONS]:
        print_message(f"  {counted(count, 'time')}: {reason}")
    if others := sum(count for _, count in ordered[_REASONS:]):
        print_message(f"  {counted(others, 'time')}: another reason, in {where}")


def print_labelled(label: str, text: str, **style: Any) -> None:
    """Print a line for people behind a label, such as "warning", on stderr."""
    click.secho(f"{label}: ", nl=False, err=True, **style)
    print_message(text)


def print_failure(where: object, message: object, code: str) -> None:
    """Print what failed where and why, on stderr, with the code that `explain` takes."""
    print_message(f"{where}: {message} [{code}]")


def print_first_failure(count: int, where: object, message: object, code: str) -> None:
    """Print at the end of a job how many items failed, and the cause of the first.

    One failure alone was printed right before.
    """
    if count > 1:
        print_failure(f"{count} failed, the first: {where}", message, code)


def print_site(out: Path, *, open_: bool) -> None:
    """Print where a static site is, and open it in the browser if `open_`."""
    index = out / "index.html"
    print_line(index)
    show_page(index, open_=open_)


def show_page(page: Path, *, open_: bool) -> None:
    """Open a page in the browser if `open_` and there is one to open, else say that one may."""
    if open_ and _has_display():
        click.launch(str(page.resolve()))
    else:
        hint(f"open {page} in a browser")


def _has_display() -> bool:
    """Whether this session has a screen for a browser; where not, xdg-open tries text browsers."""
    return not sys.platform.startswith("linux") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )


def escape_controls(text: str) -> str:
    """The text with control characters, but for tab and newline, and surrogates as JSON escapes.

    A terminal would execute the ones, and cannot print the others. Marks of direction would let a
    line read as another one.
    """
    if text.isprintable():
        return text
    return re.sub(_UNPRINTABLE, lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def show_progress(title: str, total: int) -> Iterator[Advance]:
    """Show the progress of one stage of work on stderr; call what it yields with items done.

    On a terminal it is a live bar with the time left; elsewhere a plain line every ten seconds,
    also while one item takes longer than that.
    """
    if sys.stderr.isatty():
        with _shared_bar() as progress:
            task = progress.add_task(escape_controls(title), total=total)

            def move(count: int, doing: str = "") -> None:
                text = f"{title}: {doing}" if doing else title
                progress.update(task, advance=count, description=escape_controls(text))

            yield move
        return
    lines = _Lines(title, total)
    ended = Event()
    beat = Thread(target=lines.repeat, args=(ended,), daemon=True)
    beat.start()
    try:
        yield lines.advance
    finally:
        ended.set()
        beat.join()
    lines.end()


class _Lines:
    """Progress without a terminal: a line when the last one is ten seconds old."""

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total = title, total
        self._begun = self._last = time.monotonic()
        self._done, self._doing = 0, ""
        self._lock = Lock()

    def advance(self, count: int, doing: str = "") -> None:
        with self._lock:
            self._done += count
            self._doing = doing
            self._tell()

    def repeat(self, ended: Event) -> None:
        """Tells the same again while nothing moves, until `ended`."""
        while not ended.wait(_QUIET_GAP_S):
            with self._lock:
                self._tell()

    def _tell(self) -> None:
        now, done = time.monotonic(), self._done
        if now - self._last < _QUIET_GAP_S or done >= self._total:
            return
        self._last = now
        left = (now - self._begun) * (self._total - done) / done if done else None
        doing = self._doing and f", {self._doing}"
        print_message(f"{self._title}: {done}/{self._total}{_left(left)}{doing}")

    def end(self) -> None:
        seconds = time.monotonic() - self._begun
        print_message(f"{self._title}: {self._done}/{self._total} in {seconds:.1f} s")


def _left(seconds: float | None) -> str:
    """How long it still takes at the speed so far, as people say it."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f", about {hours} h {minutes} min left"
    return f", about {minutes} min {rest} s left" if minutes else f", about {rest} s left"


_shown: "list[Progress]" = []
_showing = Lock()


@contextmanager
def _shared_bar() -> "Iterator[Progress]":
    """The terminal's live bars: stages at the same time have one below the other."""
    with _showing:
        progress = _shown[-1] if _shown else _bar()
        progress.start()
        _shown.append(progress)
    try:
        yield progress
    finally:
        with _showing:
            _shown.pop()
            if not _shown:
                progress.stop()


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description:<28}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def resolve_format(format_: Format) -> Format:
    """What "auto" means where stdout goes; any other format itself."""
    if format_ != "auto":
        return format_
    return "human" if sys.stdout.isatty() else "json"


def _print_table(rows: Sequence[Mapping[str, Cell]], key: str) -> None:
    if not rows:
        print_message("nothing to list")
        return
    from tapwright.cli.table import table_lines

    texts = [
        {
            name: "" if value is None else escape_controls(display(value))
            for name, value in row.items()
        }
        for row in rows
    ]
    print_styled([(line, style)] for line, style in table_lines(texts, terminal_width(), key))
