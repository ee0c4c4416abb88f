"""Checks one file of tasks: a definition, template, conf, task file or rule."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tapwright.errors import TaskError, UsageError
from tapwright.tasks.definitions.line_numbers import find_line
from tapwright.tasks.definitions.lint import can_end, lint
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.milestones.rule_file import FOLDER_SUFFIXES, RULE_SUFFIXES, read_rule
from tapwright.tasks.milestones.rules import graph_from_dict, lint_rule
from tapwright.tasks.templates.confs import read_conf
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.template import SUFFIX, read_template
from tapwright.tasks.text_file import read_text_file

__all__ = [
    "SUFFIXES",
    "FileProblem",
    "check_file",
]

SUFFIXES = (".textproto", SUFFIX, ".conf", ".task", *FOLDER_SUFFIXES)
"""The suffixes of the files that can be checked."""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem: the file and line, the rule that it breaks, and the way out."""

    place: str
    rule: str
    what: str
    hint: str = ""
    is_error: bool = True


def check_file(path: Path, expander: Expander) -> Iterator[FileProblem]:
    """Yields the problems of a definition, template, conf, task or rule file, by its suffix.

    A task file is expanded by `expander`.

    Raises:
        UsageError: the suffix is none of those.
    """
    name = next(
        (suffix for suffix in (*SUFFIXES, *RULE_SUFFIXES) if path.name.endswith(suffix)), None
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
        yield _problem("doubtful", warning, is_error=False)


def _check_definition(path: Path) -> Iterator[FileProblem]:
    text = read_text_file(path, "task definition", BadDefinitionError)
    task = parse_task(text, origin=str(path))
    findings = lint(task)
    for finding in findings:
        place = f"{path}, line {find_line(text, finding.path)}"
        yield FileProblem(place, finding.rule, finding.what, finding.hint, finding.is_error)
    if not can_end(task):
        yield _never_ends(path)
    if not any(finding.is_error for finding in findings):
        task_from_definition(task, folder=path.parent)


def _check_rule(path: Path) -> Iterator[FileProblem]:
    rule = read_rule(path)
    graph = graph_from_dict(rule, origin=str(path))
    for part, what, hint in lint_rule(rule, graph):
        yield FileProblem(f"{path}, {part}", "doubtful", what, hint, is_error=False)


def _check_task_file(path: Path, expander: Expander) -> Iterator[FileProblem]:
    steps = expander.steps(path)
    is_valid = True
    for step in steps:
        for finding in lint(step.task):
            is_valid &= not finding.is_error
            place = expander.place(step, finding)
            yield FileProblem(place, finding.rule, finding.what, finding.hint, finding.is_error)
    if is_valid and not can_end(expander.join(steps)):
        yield _never_ends(path)


def _never_ends(path: Path) -> FileProblem:
    return FileProblem(
        str(path),
        "never ends",
        "no event can end it, and it has no limit",
        "give it an episode_end_listener, or max_num_steps",
    )


def _problem(rule: str, message: str, hint: str = "", *, is_error: bool = True) -> FileProblem:
    """Makes a problem of a message that starts with its place."""
    place, _, what = message.partition(": ")
    return FileProblem(place, rule, what, hint, is_error)
