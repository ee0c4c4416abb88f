"""The convention of models that act on an Android device by `!FUNCTIONCALL{…}`, in absolute pixels.

`android_tools.jinja` beside this file is their chat template: byte for byte what the template
`artifacts/acp_vlora_v7.jinja` of the data set ckg/gui-odyssey-1k writes, its errors included, from
a source of our own. It goes as it is into a tokenizer's `chat_template`. The template takes any
tools; `TOOLS` of `function_calls` are tapwright's own, one for each action.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NoReturn

from jinja2 import Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.chat import Chat, guard, guard_all, unguard, unguard_all
from tapwright.conventions.convention import Space
from tapwright.conventions.function_calls import TOOLS, call_arguments, read_call_decision
from tapwright.conventions.rendering import sole_action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation

__all__ = ["answer_message", "chat_messages", "render_chat", "serving_template"]

_CALL = "!FUNCTIONCALL"
_START = re.compile(rf"{_CALL}\s*(?=\{{)")
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def render_chat(
    messages: Chat,
    tools: Chat | None = None,
    *,
    bos_token: str | None = "",
    add_generation_prompt: bool = False,
    **extra: object,
) -> str:
    """The exact output of the chat template for a chat.

    `extra` goes to the template as it is: `custom_tools` stands in for `tools` when it is given,
    be it None. Nothing is normalised here; `plain_chat` does that.

    Raises:
        jinja2.TemplateError: a role, the tools or a picture is missing, or content is of another
            kind, in the template's own words; of a part that is missing, the subclass
            `jinja2.UndefinedError`.
        TypeError: a role or a name is no string, or an argument cannot be written as JSON.
    """
    return _template().render(
        {
            **extra,
            "messages": messages,
            "tools": tools,
            "bos_token": bos_token,
            "add_generation_prompt": add_generation_prompt,
        }
    )


def chat_messages(
    instruction: str, history: Sequence[Step], observation: Observation
) -> list[dict[str, JsonValue]]:
    """The chat that requests the next decision from a model of this family, for `render_chat`.

    Its one picture is that of `observation`. The steps of `history` are calls with pixels
    of the same screen, oldest first. All recorded text is guarded.
    """
    inputs = _turns(instruction, history, observation)
    screen: list[JsonValue] = [
        {"type": "text", "text": inputs.pop("screen_description")},
        {"type": "image"},
    ]
    words: list[dict[str, JsonValue]] = [
        {"role": role, "content": text} for role, text in inputs.items()
    ]
    return [*words, {"role": "screen_description", "content": screen}]


def answer_message(decision: Decision, size: Size) -> dict[str, JsonValue]:
    """The turn with which a model of this family decides so: its reasoning, and one call."""
    return {
        "role": "assistant",
        "content": guard(decision.reasoning),
        "tool_calls": [{"type": "function", "function": _tool_call(decision, size)}],
    }


def serving_template() -> str:
    """The chat template to serve a model with that was trained on `TOOLS` in this convention.

    It takes the text of `prompt` and writes what `render_chat` writes for `chat_messages`, with
    `TOOLS`, so that any server and any client can ask such a model.
    """
    tools = f"{{%- set custom_tools = {_ENCODE(TOOLS)} -%}}\n"
    return tools + _source("android_tools_prompt.jinja") + _source("android_tools.jinja")


class AndroidToolsConvention:
    """Speaks and reads `why this is next!FUNCTIONCALL{"name": …, "arguments": {…}}`."""

    name = "android-tools"
    source = "tapwright"
    space: Space = "pixel"
    """Whole pixels of the screen."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The template's system turn, then one turn with the other turns under their names.

        Chat servers take the roles that everybody has; a model that is served with
        `serving_template` sees the very turns that it was trained on all the same.
        """
        inputs = _turns(instruction, history, observation)
        turns = [Text(f"{role}:\n{text}\n\n") for role, text in inputs.items()]
        return [
            Message("system", (Text(_system_turn()),)),
            Message("user", (*turns, Picture(observation.screenshot))),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """The reasoning without outer blanks, as the template trims them, and the call."""
        return f"{guard(decision.reasoning).strip()}{_CALL}{_ENCODE(_tool_call(decision, size))}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision in an answer: the words before its calls, and the last one that is read.

        Raises:
            BadAnswerError: no call can be read, or its thoughts do not end; the message names
                what was wrong with the last one.
        """
        thoughts, text = parsing.read_answer(text)
        if _START.search(text) is None:
            raise parsing.bad_answer(f"no {_CALL}{{…}} in the answer")

        def read(call: parsing.JsonObject, before: str) -> Decision:
            given = unguard_all(parsing.decode_json(call.get("arguments"), "the arguments"))
            reasoning = before.partition(_CALL)[0].strip() or thoughts
            return read_call_decision(call.get("name"), given, size, unguard(reasoning))

        return parsing.read_last_object(text, read, _START)


def _turns(instruction: str, history: Sequence[Step], observation: Observation) -> dict[str, str]:
    """The texts of the turns by role, in order, guarded."""
    size = observation.size
    inputs = {
        "instruction": instruction,
        "previous_actions": _ENCODE(
            [entry for step in history for entry in _history_entries(step, size)]
        ),
        "active_application": observation.app,
        "screen_description": f"screen_width: {size.width}\nscreen_height: {size.height}",
    }
    return {role: guard(text) for role, text in inputs.items() if text or role == "instruction"}


def _tool_call(decision: Decision, size: Size) -> JsonValue:
    action = sole_action(ANDROID_TOOLS_CONVENTION.name, decision)
    arguments = guard_all(call_arguments(action, decision.target, size))
    return {"name": action.type, "arguments": arguments}


def _history_entries(step: Step, size: Size) -> list[dict[str, JsonValue]]:
    """An entry for each action; the target is the first one's, what was told the last one's."""
    entries: list[dict[str, JsonValue]] = []
    for number, action in enumerate(step.decision.actions):
        arguments = call_arguments(action, "" if number else step.decision.target, size)
        entries.append({"name": action.type, "arguments": arguments})
    if step.instructions:
        entries[-1]["told_in_return"] = [*step.instructions]
    return entries


@cache
def _template() -> Template:
    """The template, compiled in the sandbox that transformers renders in, as far as it is used.

    https://github.com/huggingface/transformers/blob/v5.23.0/src/transformers/utils/chat_template_utils.py
    """
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = _ENCODE
    environment.globals["raise_exception"] = _raise
    return environment.from_string(_source("android_tools.jinja"))


def _source(name: str) -> str:
    return files("tapwright.conventions").joinpath(name).read_text(encoding="utf-8")


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)


@cache
def _system_turn() -> str:
    """The words of the system turn with `TOOLS`, out of the template, which alone holds them."""
    turns: Chat = [
        {"role": "instruction", "content": ""},
        {"role": "previous_actions", "content": ""},
        {"role": "screen_description", "content": [{"type": "image"}]},
    ]
    turn = render_chat(turns, TOOLS).partition("<|eot_id|>")[0]
    return turn.removeprefix("<|start_header_id|>system<|end_header_id|>\n\n")


ANDROID_TOOLS_CONVENTION = AndroidToolsConvention()
