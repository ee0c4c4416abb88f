"""Reads conf files, which fill a template's slots, and task files, which list a task's steps.

They follow Mobile-Env's
https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/templates.toolkits/parse.py, but blank
lines, comments and empty values are allowed, and whatever was lost in silence there is an error
with file and line here, or a warning where the meaning is clear.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tapwright.tasks.errors import BadConfError, BadTaskFileError
from tapwright.tasks.templates.slots import Warn
from tapwright.tasks.text_file import numbered_lines, read_text_file

__all__ = ["PLACEHOLDER", "ConfValue", "StepLine", "Values", "read_conf", "read_task_file"]

PLACEHOLDER = "<VALUE>"
"""The placeholder of every value in a new conf file."""

_LINE = re.compile(r"(\w+):(?: (.*))?")
_OPTIONS = frozenset("src")


@dataclass(frozen=True, slots=True)
class ConfValue:
    """One value, and its place: file and line, or row."""

    text: str
    place: str


Values = Mapping[str, ConfValue]
"""By identifier."""


@dataclass(frozen=True, slots=True)
class StepLine:
    """One line of a task file.

    `template` and `conf` are paths below their directories without their endings; `conf` is ""
    for a step whose values all come from a table. `options` are of the letters s (append its
    set-up steps), r (append its reset steps) and c (keep its commands where none are appended).
    """

    template: str
    conf: str
    options: frozenset[str]
    place: str


def read_conf(path: Path) -> Values:
    """Reads the values of a conf file.

    Raises:
        BadConfError: it cannot be read, a line is not `identifier: value`, or one is duplicate.
    """
    values: dict[str, ConfValue] = {}
    for number, line in numbered_lines(read_text_file(path, "conf file", BadConfError)):
        place = f"{path}, line {number}"
        match = _LINE.fullmatch(line)
        if match is None:
            raise BadConfError(
                f"{place}: found {line[:60]!r}; expected `identifier: value`",
                hint="an identifier is letters, digits and _; a blank follows the colon; "
                "a line that begins with # is a comment",
            )
        if match[1] in values:
            raise BadConfError(f"{place}: {match[1]} already has a value: {values[match[1]].place}")
        values[match[1]] = ConfValue(match[2] or "", place)
    return values


def read_task_file(path: Path, warn: Warn) -> tuple[StepLine, ...]:
    """Reads the steps of a task file, in order; at least one.

    Raises:
        BadTaskFileError: it cannot be read, names no step, or one outside its directory.
    """
    steps: list[StepLine] = []
    for number, line in numbered_lines(read_text_file(path, "task file", BadTaskFileError)):
        steps.append(_step_line(line, f"{path}, line {number}", warn, first=not steps))
    if not steps:
        raise BadTaskFileError(
            f"{path}, line 1: no steps; expected a line for each, like `search-lobster`",
            hint="a step is <template>-<name>, and its values are in <template>-<name>.conf",
        )
    return tuple(steps)


def _step_line(line: str, place: str, warn: Warn, *, first: bool) -> StepLine:
    token, *rest = _words(line)
    path = PurePosixPath(token)
    if path.is_absolute() or ".." in path.parts or "\\" in token or "\0" in token:
        raise BadTaskFileError(
            f"{place}: {token!r} leads out of the directory of the task file",
            hint="move what it needs below that directory",
        )
    if len(rest) > 1:
        warn(f"{place}: {' '.join(rest[1:])!r} has no meaning; expected a step and its options")
    letters = frozenset(rest[0] if rest else "")
    if letters - _OPTIONS:
        warn(f"{place}: the options {''.join(sorted(letters - _OPTIONS))!r} are none of s, r, c")
    if first and letters & _OPTIONS:
        warn(f"{place}: the options of the first step change nothing: all of it is kept")
    template, hyphen, _ = path.name.partition("-")
    if not template:
        raise BadTaskFileError(f"{place}: {token!r} names no template before its first hyphen")
    return StepLine(
        template=str(path.with_name(template)),
        conf=str(path) if hyphen else "",
        options=letters & _OPTIONS,
        place=place,
    )


def _words(line: str) -> Iterator[str]:
    for word in line.split():
        if word.startswith("#"):
            return
        yield word
