"""Long help in groups: what a first user needs, then the other options by what they say."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

__all__ = ["GroupedCommand"]

_GROUPS: Mapping[str, Sequence[str]] = {
    "What": (
        "model", "agent", "config", "suite", "task", "data", "targets", "suite-option",
        "suite-python", "only", "outcome", "annotator", "where", "sort", "limit", "sample",
        "sample-seed", "seed", "epochs", "plays", "shuffle-options", "control", "level", "weights",
        "paraphrases", "per-picture", "again", "episode", "step",
        "window", "overlap", "language",
    ),
    "How it is asked": (
        "convention", "space", "parser", "rules", "system", "history", "template", "scale",
        "max-pixels", "max-side", "jpeg", "query-policy", "grounder", "grounder-convention",
        "planner", "loops", "replay", "set", "base-url", "hook", "reasks",
    ),
    "Where it runs": (
        "device", "network", "profile", "envs", "engine", "workers", "ray-address", "port", "open",
    ),
    "Limits": (
        "max-steps", "max-seconds", "decision-seconds", "concurrency", "price", "max-cost",
    ),
    "Output": ("out", "to", "val-share", "keep", "strict", "push-to", "public", "format"),
}  # fmt: skip
"""The options of each group, by their long names, in the order in which help has them."""


class GroupedCommand(click.Command):
    """A command whose help lists its options in groups, those of `first` before all."""

    def __init__(self, *args: Any, first: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.first = first

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
