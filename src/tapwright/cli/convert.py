"""`tapwright convert`: an answer, or a file of answers, from one convention into another."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import IO, TYPE_CHECKING, Literal

import click

from tapwright import errors
from tapwright.cli.options import admit_by, option
from tapwright.cli.output import print_data, print_line, print_message
from tapwright.cli.sizes import read_size
from tapwright.core.geometry import Size
from tapwright.workflows.own_names import admit_convention

if TYPE_CHECKING:
    from tapwright.conventions.convention import Convention
    from tapwright.core.episode import Decision

_OWN = admit_by(admit_convention)
_LISTED = ", as `tapwright conventions ls` lists them."


@dataclass(frozen=True, slots=True)
class _Row:
    """The result for one answer; `answer` is "" when it could not be converted."""

    line: int
    status: Literal["ok", "bad", "unsayable"]
    answer: str
    size: str
    problem: str = ""


@click.command(
    epilog="\b\nExamples:\n"
    "  echo '(540,1200)' | tapwright convert --from mmbench-gui --to qwen3-vl --size 1080x2400\n"
    "  tapwright convert --from ui-tars-1.5 --to json --size 1080x2400 answers.jsonl"
)
@option(
    "--from", "from_name", required=True, callback=_OWN, help=f"The convention of FILE{_LISTED}"
)
@option("--to", "to_name", required=True, callback=_OWN, help=f"The convention to write{_LISTED}")
@option("--size", help="The screen's size in pixels, such as 1080x2400.")
@option("--lines", is_flag=True, help="FILE has one answer per line, as .jsonl files do.")
@option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    help="text: the converted answers; json: every answer with its status.",
)
@click.argument("file", type=click.File(encoding="utf-8", errors="surrogateescape"), default="-")
def convert(
    from_name: str, to_name: str, size: str | None, lines: bool, format_: str, file: IO[str]
) -> None:
    """Convert the answer in FILE (or stdin) from one convention into another.

    A file named .jsonl, or --lines, has one answer per line: {"answer": "…", "size": "1080x2400"},
    where the size may be left out if --size gives it. Converted lines are written in the same form.
    Where the other convention has only swipes, a scroll becomes the equivalent swipe, and vice
    versa. Answers that cannot be parsed or rendered are reported on stderr with their number; the
    command then ends with 1.
    """
    from tapwright.conventions import conventions

    source, target = conventions.get(from_name), conventions.get(to_name)
    default = None if size is None else read_size(size)
    many = lines or file.name.endswith(".jsonl")
    rows = []
    for number, answer, own in _answers(file) if many else [(0, file.read(), "")]:
        row = _convert(number, answer, own, default, source, target)
        rows.append(row)
        if row.status != "ok":
            print_message(f"{f'line {number}: ' if many else ''}{row.problem}")
        elif format_ == "text":
            line = json.dumps({"answer": row.answer, "size": row.size}, ensure_ascii=False)
            print_data(f"{line if many else row.answer}\n")
    if not rows:
        raise errors.NothingFoundError(f"{file.name}: no answers")
    if format_ == "json":
        records = [asdict(row) for row in rows]
        print_line(json.dumps(records if many else records[0], ensure_ascii=False, indent=2))
    if any(row.status != "ok" for row in rows):
        sys.exit(1)


def _answers(file: IO[str]) -> Iterator[tuple[int, str | None, str]]:
    """The number, answer and size of each line; the answer is None where a line is no record."""
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        answer = record.get("answer") if isinstance(record, dict) else None
        size = record.get("size", "") if isinstance(record, dict) else ""
        good = isinstance(answer, str) and isinstance(size, str)
        yield number, answer if good else None, size if good else ""


def _convert(
    number: int,
    answer: str | None,
    own_size: str,
    default: Size | None,
    source: "Convention",
    target: "Convention",
) -> _Row:
    if answer is None:
        problem = 'not {"answer": "…", "size": "…"}, with a string for each'
        return _Row(number, "bad", "", own_size, problem)
    try:
        size = read_size(own_size) if own_size else default
    except errors.UsageError as error:
        return _Row(number, "bad", "", own_size, str(error))
    if size is None:
        raise errors.UsageError(
            "the size of the screen is missing", hint="give it: --size 1080x2400, or in each line"
        )
    try:
        decision = source.parse(answer, size)
    except errors.TapwrightError as error:
        return _Row(number, "bad", "", str(size), f"{source.name}: {error} [{error.code}]")
    try:
        rendered = _render(target, decision, size)
    except errors.TapwrightError as error:
        return _Row(number, "unsayable", "", str(size), f"{error} [{error.code}]")
    return _Row(number, "ok", rendered, str(size))


def _render(target: "Convention", decision: "Decision", size: Size) -> str:
    """The answer in another convention; a scroll that it lacks becomes a swipe, and vice versa."""
    from tapwright.conventions.rendering import convert_gesture
    from tapwright.core.actions import Scroll, Swipe

    try:
        return target.render(decision, size)
    except errors.UnsupportedByConventionError:
        if not any(isinstance(action, Swipe | Scroll) for action in decision.actions):
            raise
        converted = [
            convert_gesture(action, size) if isinstance(action, Swipe | Scroll) else action
            for action in decision.actions
        ]
        return target.render(replace(decision, actions=tuple(converted)), size)
