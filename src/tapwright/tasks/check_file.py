"""Checks one file of tasks: a definition, template, conf, task file or rule."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tapwright.errors import TaskError, UsageError
from tapwright.tasks.definitions.line_numbers import find_line
from tapwright.tasks.definitions.lint import LintFinding, can_end, lint
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task, read_task
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.milestones import rule_file
from tapwright.tasks.milestones.rules import lint_rule, read_graph
from tapwright.tasks.templates.confs import read_conf
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.template import SUFFIX, read_template
from tapwright.tasks.text_file import read_text_file

__all__ = ["SUFFIXES", "FileProblem", "check_file", "find_duplicates", "find_task_files"]

SUFFIXES = (".textproto", SUFFIX, ".conf", ".task", *rule_file.FOLDER_SUFFIXES)
"""The suffixes of the files that can be checked."""


Level: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem: the file and line, the rule that it breaks, and the way out.

    A note is a warning about what lies beside the file, which may be right itself.
    """

    place: str
    rule: str
    what: str
    hint: str = ""
    level: Level = "error"


def check_file(path: Path, expander: Expander) -> Iterator[FileProblem]:
    """Yields the problems of a definition, template, conf, task or rule file, by its suffix.

    A task file is expanded by `expander`.

    Raises:
        UsageError: the suffix is none of those.
    """
    name = next(
        (suffix for suffix in (*SUFFIXES, *rule_file.RULE_SUFFIXES) if path.name.endswith(suffix)),
        None,
    )
    warnings: list[str] = []
    try:
        match name:
            case ".textproto":
                yield from _check_definition(path)
            case ".textproto.template":
                read_template(path, warnings.append)
            case ".conf":
                read_conf(path)
            case ".task":
                yield from _check_task_file(path, expander)
            case ".yaml" | ".yml" | ".json":
                yield from _check_rule(path)
            case _:
                raise UsageError(
                    f"{path}: cannot be checked",
                    hint=f"expected a file called *{', *'.join(SUFFIXES)}",
                )
    except TaskError as error:
        yield _problem("malformed", str(error), error.hint)
    for warning in (*warnings, *expander.take_warnings()):
        yield _problem("doubtful", warning, level="warning")


def find_task_files(path: Path) -> Iterator[tuple[Path, bool]]:
    """Yields a file, or those below a directory that can be checked, and whether each is one.

    YAML that has no nodes is not a rule but something else's: only a file that is named is checked.
    """
    if path.is_file():
        yield path, True
        return
    for one in sorted(path.rglob("*")):
        if one.name.endswith(SUFFIXES) and one.is_file():
            yield one, one.suffix not in rule_file.FOLDER_SUFFIXES or rule_file.is_rule_file(one)


def find_duplicates(files: Iterable[Path]) -> Iterator[FileProblem]:
    """Yields the definitions and rules whose id another file has, too."""
    ids: dict[str, Path] = {}
    for file in files:
        id_ = _read_id(file)
        if id_ and ids.setdefault(id_, file) != file:
            yield FileProblem(
                str(file),
                "duplicate id",
                f"the id {id_!r} is that of {ids[id_]}, too",
                "`tasks ls` and --suite leave this one out: give it an id of its own",
                "warning",
            )


def _read_id(path: Path) -> str:
    """The id of a definition or a rule; empty for other files, and for those that are malformed."""
    try:
        if path.suffix in rule_file.FOLDER_SUFFIXES:
            return read_graph(path).task_id or path.stem
        if path.suffix == ".textproto":
            return read_task(path).id
    except TaskError:
        pass
    return ""


def _check_definition(path: Path) -> Iterator[FileProblem]:
    text = read_text_file(path, "task definition", BadDefinitionError)
    task = parse_task(text, origin=str(path))
    findings = lint(task)
    for finding in findings:
        place = f"{path}, line {find_line(text, finding.path)}"
        yield FileProblem(place, finding.rule, finding.what, finding.hint, _level(finding))
    if not can_end(task):
        yield _never_ends(path)
    if not any(finding.is_error for finding in findings):
        task_from_definition(task, folder=path.parent)


def _check_rule(path: Path) -> Iterator[FileProblem]:
    for one in lint_rule(rule_file.read_rule(path), origin=str(path)):
        place = f"{path}, {one.part}"
        level: Level = "note" if one.is_beside else "warning"
        yield FileProblem(place, "doubtful", one.what, one.hint, level)


def _check_task_file(path: Path, expander: Expander) -> Iterator[FileProblem]:
    steps = expander.steps(path)
    is_valid = True
    for step in steps:
        for finding in lint(step.task):
            is_valid &= not finding.is_error
            place = expander.place(step, finding)
            yield FileProblem(place, finding.rule, finding.what, finding.hint, _level(finding))
    if is_valid and not can_end(expander.join(steps)):
        yield _never_ends(path)


def _never_ends(path: Path) -> FileProblem:
    return FileProblem(
        str(path),
        "never ends",
        "no event can end it, and it has no limit",
        "give it an episode_end_listener, or max_num_steps",
    )


def _level(finding: LintFinding) -> Level:
    return "error" if finding.is_error else "warning"


def _problem(rule: str, message: str, hint: str = "", level: Level = "error") -> FileProblem:
    """Makes a problem of a message that starts with its place."""
    place, _, what = message.partition(": ")
    return FileProblem(place, rule, what, hint, level)
