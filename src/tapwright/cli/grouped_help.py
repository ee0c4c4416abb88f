"""Long help in groups: what a first user needs, then the other options by what they say.

Options that are rarely given are keys of `--plan`, which help lists last.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from tapwright.cli.plan_option import PlanOption

__all__ = ["GroupedCommand"]

_GROUPS: Mapping[str, Sequence[str]] = {
    "What": (
        "model", "agent", "config", "suite", "task", "data", "targets", "suite-option",
        "suite-python", "only", "outcome", "annotator", "where", "sort", "limit", "sample",
        "sample-seed", "seed", "plays", "group", "level", "weights", "paraphrases", "per-picture",
        "again", "episode", "step", "window", "overlap", "language",
    ),
    "How it is asked": (
        "convention", "space", "plan", "history", "template", "scale", "max-pixels", "max-side",
        "jpeg", "set", "base-url", "hook", "reasks",
    ),
    "Where it runs": (
        "device", "network", "allow", "profile", "envs", "engine", "workers", "ray-address", "port",
        "open",
    ),
    "Limits": (
        "max-steps", "max-seconds", "timeout", "concurrency", "price", "max-cost",
    ),
    "Output": ("out", "to", "val-share", "keep", "strict", "push-to", "public", "format"),
}  # fmt: skip
"""The options of each group, by their long names, in the order in which help has them."""


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups, those of `first` before all.

    `first` are their long names, with blanks between them. The options `rare`, by their names,
    become keys of `--plan`.
    """

    def __init__(self, *args: Any, first: str, rare: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.first = first.split()
        moved = [one for one in self.params if isinstance(one, click.Option) and one.name in rare]
        self.plan = PlanOption(moved) if moved else None
        if self.plan is not None:
            self.params = [one for one in self.params if one not in moved] + [self.plan]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group."""
        records = {
            max(param.opts, key=len).lstrip("-"): record
            for param in self.get_params(ctx)
            if isinstance(param, click.Option)
            and (record := param.get_help_record(ctx)) is not None
        }
        named = {"To begin with": self.first, **_GROUPS, "Other options": tuple(records)}
        for title, names in named.items():
            rows = [records.pop(name) for name in names if name in records]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if self.plan is not None:
            with formatter.section("Keys of --plan"):
                formatter.write_dl(self.plan.get_rows(ctx))
