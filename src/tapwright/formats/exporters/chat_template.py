"""A model's chat template, from its `tokenizer_config.json` or `chat_template.jinja`.

Rendered in a sandbox with the settings of transformers
(https://github.com/huggingface/transformers/blob/v5.23.0/src/transformers/utils/chat_template_utils.py)
but for `strftime_now`, which is left undefined: templates then write the date that they were made
with, and the same sample is the same text tomorrow.
"""

import json
from collections.abc import Callable
from typing import NoReturn

import jinja2
from jinja2.ext import Extension
from jinja2.nodes import CallBlock, Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tapwright.conventions.chat import Chat
from tapwright.errors import UsageError


class ChatTemplate:
    """Renders chats by a template.

    Raises:
        UsageError: the source is not a template.
    """

    def __init__(self, source: str) -> None:
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[_Generation, "jinja2.ext.loopcontrols"],
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _raise
        try:
            self._template = environment.from_string(source)
        except jinja2.TemplateSyntaxError as error:
            raise UsageError(
                f"the chat template, line {error.lineno}: {error.message}",
                hint="give the Jinja source, as in chat_template.jinja beside a model's tokenizer",
            ) from error

    def __call__(
        self, messages: Chat, tools: Chat | None = None, *, add_generation_prompt: bool = False
    ) -> str:
        """Renders a chat as text; special tokens such as `bos_token` are empty.

        Raises:
            jinja2.TemplateError: the template refuses it.
            TypeError: the template applies an operation that a value does not have.
        """
        return self._template.render(
            messages=messages,
            tools=tools,
            add_generation_prompt=add_generation_prompt,
            bos_token="",
            eos_token="",
        )


class _Generation(Extension):
    """Parses `{% generation %}`, by which some templates mark answers, and ignores it."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_plain"), [], [], body).set_lineno(line)

    def _plain(self, caller: Callable[[], str]) -> str:
        return caller()


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
