"""Expands a task file, perhaps with a row of a table, to the task definition of its steps."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from tapwright.errors import quote_path
from tapwright.tasks.definitions.line_numbers import find_line
from tapwright.tasks.definitions.lint import LintFinding, can_end, lint
from tapwright.tasks.definitions.textproto import format_task
from tapwright.tasks.errors import BAD_EXPANSION, BadConfError, BadTaskFileError
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.confs import StepLine, Values, read_conf, read_task_file
from tapwright.tasks.templates.merge import TaskStep, join_steps
from tapwright.tasks.templates.tables import TableRow
from tapwright.tasks.templates.template import SUFFIX, Template, read_template
from tapwright.tasks.templates.upstream import format_like_upstream, read_steps

__all__ = ["Expander"]

_KEPT = 500
"""The number of conf and task files that are cached."""


class Expander:
    """Expands task definitions from one directory of templates.

    Each template is parsed once. Warnings, which do not stop an expansion, are returned by
    `take_warnings`, each line once.
    """

    def __init__(
        self,
        templates: Path,
        *,
        autocat: bool = True,
        ordered: bool = False,
        compat: Compat | None = None,
    ) -> None:
        """Read templates from a directory.

        `autocat` and `ordered` are as in `merge.join_steps`; `compat` expands as another tool does.
        """
        self._directory = templates
        self._autocat = autocat
        self._ordered = ordered
        self._compat = compat
        self._warned: set[str] = set()
        self._warnings: list[str] = []
        self._templates: dict[str, Template] = {}
        self._by_path: dict[str, Template] = {}
        self._conf = lru_cache(_KEPT)(read_conf)
        self._lines = lru_cache(_KEPT)(self._read_lines)

    def expand(self, path: Path, row: TableRow | None = None) -> Task:
        """Expand a task file to a task; a row's values precede those of the confs.

        Raises:
            TaskError: a file is not valid, a slot has no value, or the steps cannot be
                joined; each is a class of its own.
        """
        if self._compat:
            return join_steps(
                read_steps(path, self._directory), autocat=self._autocat, upstream=True
            )
        steps = self.steps(path, row)
        for step in steps:
            self._check(step)
        task = self.join(steps)
        if not can_end(task):
            self._warn(f"{path}: never ends: no event can end it, and it has no max_num_steps")
        return task

    def join(self, steps: Sequence[TaskStep]) -> Task:
        """Join steps to one task; the steps are consumed.

        Raises:
            TaskError: a step lacks what joining needs.
        """
        for before, after in pairwise(steps):
            if not before.task.event_slots.episode_end_listener.events:
                self._warn(
                    f"{before.place}: no episode_end_listener, so the commands "
                    f"of {after.place} are never given"
                )
        return join_steps(steps, autocat=self._autocat, ordered=self._ordered)

    def format(self, task: Task) -> str:
        """Render a task definition, in the tool's own form with `compat`."""
        return format_like_upstream(task) if self._compat else format_task(task)

    def steps(self, path: Path, row: TableRow | None = None) -> list[TaskStep]:
        """Return the steps of a task file, filled and not yet joined.

        Raises:
            TaskError: as `expand`.
        """
        lines = self._lines(path)
        steps = [self._step(line, path.parent, row) for line in lines]
        if row is not None:
            known = {name for line in lines for name in self._template(line).identifiers}
            for column in row.values:
                if column.rpartition(".")[2] not in known:
                    self._warn(f"{row.table}: no step has a slot for the column {column!r}")
        return steps

    def take_warnings(self) -> tuple[str, ...]:
        """Return the warnings since the last call, in order; each is given once."""
        warnings, self._warnings = tuple(self._warnings), []
        return warnings

    def place(self, step: TaskStep, finding: LintFinding) -> str:
        """Return the file and line of a step's template that a finding is about."""
        template = self._by_path[step.place]
        return f"{template.path}, line {find_line(template.text, finding.path)}"

    def _check(self, step: TaskStep) -> None:
        for finding in lint(step.task):
            message = f"{self.place(step, finding)}: {finding.rule}: {finding.what}"
            # Mobile-Env ignores a prerequisite that does not exist.
            if finding.is_error and finding.rule != "unresolved prerequisite":
                raise BAD_EXPANSION(message, hint=finding.hint)
            self._warn(message)

    def _step(self, line: StepLine, confs: Path, row: TableRow | None) -> TaskStep:
        template = self._template(line)
        values: Values = {}
        source = ""
        if line.conf:
            conf = confs / f"{line.conf}.conf"
            values, source = self._values(conf, line, template), str(conf)
        if row is not None:
            values = {**values, **row.for_step(line.template)}
            source = row.place
        elif not line.conf:
            raise BadTaskFileError(
                f"{line.place}: {line.template!r} has no values; expected <template>-<name>",
                hint=f"its values stand in {line.template}-<name>.conf, or in the rows of a table",
            )
        return TaskStep(template.fill(values, source), str(template.path), line.options)

    def _template(self, line: StepLine) -> Template:
        if line.template not in self._templates:
            path = self._directory / f"{line.template}{SUFFIX}"
            if not path.is_file():
                raise BadTaskFileError(
                    f"{line.place}: no template {path}",
                    hint="-p names the directory of the templates",
                )
            self._templates[line.template] = read_template(path, self._warn)
            self._by_path[str(path)] = self._templates[line.template]
        return self._templates[line.template]

    def _values(self, conf: Path, line: StepLine, template: Template) -> Values:
        try:
            values = self._conf(conf)
        except BadConfError as error:
            if conf.is_file():
                raise
            raise BadTaskFileError(
                f"{line.place}: no conf file {conf}",
                hint=f"tapwright tasks init-conf {quote_path(template.path)} "
                f"{Path(line.conf).name.partition('-')[2]} {conf.parent}",
            ) from error
        for name, entry in values.items():
            if name not in template.identifiers:
                self._warn(f"{entry.place}: {template.path} has no slot for {name!r}")
        return values

    def _read_lines(self, path: Path) -> tuple[StepLine, ...]:
        return read_task_file(path, self._warn)

    def _warn(self, line: str) -> None:
        if line not in self._warned:
            self._warned.add(line)
            self._warnings.append(line)
