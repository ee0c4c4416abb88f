"""`--plan KEY=VALUE`: one option in place of many that are rarely given, each under a key.

The options themselves are declared as others are, so a key has its option's type, choices, default
and checks, and a project's file gives it by its name. Given as options they are told where they
went.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from tapwright.errors import UsageError

__all__ = ["PlanOption", "every_option", "spell"]


class PlanOption(click.Option):
    """`--plan`; `keys` are the options that it stands for, by their names in a plan."""

    def __init__(self, options: Sequence[click.Option]) -> None:
        super().__init__(
            ["--plan"],
            multiple=True,
            metavar="KEY=VALUE",
            expose_value=False,
            help="What is rarely said, by one of the keys below; repeatable.",
        )
        self.keys: Mapping[str, click.Option] = {_key(one): one for one in options}

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser know the keys as options, too, which is how they were given before."""
        super().add_to_parser(parser, ctx)
        for one in self.keys.values():
            one.add_to_parser(parser, ctx)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Give the command each of the keys, as if its option had been given or left out."""
        given, rest = super().handle_parse_result(ctx, {**opts}, args)
        texts = dict(map(self._split, given or ()))
        for key, option in self.keys.items():
            assert option.name is not None  # it has a long name
            own = {name: opts[name] for name in (option.name,) if name in opts}
            if own:
                warnings.warn(
                    f"{option.opts[0]} is --plan {key}=… now", FutureWarning, stacklevel=2
                )
            if key in texts:
                own = {option.name: texts[key]}
            try:
                option.handle_parse_result(ctx, own, [])
            except click.BadParameter as error:
                error.param_hint = f"--plan {key}"
                raise
        return given, rest

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The keys that begin so."""
        return [CompletionItem(f"{key}=") for key in self.keys if key.startswith(incomplete)]

    def get_rows(self, ctx: click.Context) -> list[tuple[str, str]]:
        """The keys as help lists them."""
        records = ((key, one, one.get_help_record(ctx)) for key, one in self.keys.items())
        return [
            (f"{key}={'true' if one.is_flag else one.make_metavar(ctx)}", record[1])
            for key, one, record in records
            if record is not None
        ]

    def _split(self, entry: str) -> tuple[str, str]:
        name, equals, text = entry.partition("=")
        key = name.strip().replace("-", "_")
        if key in self.keys and equals:
            return key, text
        near = get_close_matches(key, self.keys, n=1)
        raise UsageError(
            f"--plan {entry}: expected KEY=VALUE with a key of {', '.join(self.keys)}",
            hint=f"--plan {near[0]}=…" if near else "",
        )


def every_option(command: click.Command) -> Iterator[click.Option]:
    """The options of a command, with those that `--plan` stands for in its place."""
    for one in command.params:
        if isinstance(one, PlanOption):
            yield from one.keys.values()
        elif isinstance(one, click.Option):
            yield one


def spell(command: click.Command, option: click.Option) -> str:
    """How an option is given: "--model", not "-m", or "--plan parser"."""
    if option not in command.params:
        return f"--plan {_key(option)}"
    return next((opt for opt in reversed(option.opts) if opt.startswith("--")), option.opts[-1])


def _key(option: click.Option) -> str:
    return max(option.opts, key=len).removeprefix("--").replace("-", "_")
