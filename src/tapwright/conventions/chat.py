"""Chats as plain data, sanitized for a template that trusts its input.

A chat is a list of `{"role", "content", "tool_calls"}` as OpenAI's API spells them
(https://platform.openai.com/docs/api-reference/chat/create). Templates write what stands in it as
it stands: a `<image>` that an app shows becomes one picture more than there are, a `<|eot_id|>`
ends a turn. `plain_chat` takes away every such trap before anything is rendered;
docs/chat-template.md lists them.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.conventions.errors import BadChatError

__all__ = ["Chat", "guard", "guard_all", "plain_chat", "unguard", "unguard_all"]

Chat: TypeAlias = Sequence[Mapping[str, JsonValue]]

_JOINER = "\u2060"  # WORD JOINER: takes no room, is no white space, and stands in no token's text
_MARK = rf"<(?={_JOINER}*(?:\||image>|/?think>))|!(?={_JOINER}*FUNCTIONCALL)"
_TO_GUARD = re.compile(_MARK)
_GUARDED = re.compile(rf"(?:{_MARK}){_JOINER}")
_NAME = re.compile(r"[\w.-]{1,64}", re.ASCII)


def guard(text: str) -> str:
    """The text with an invisible joiner inside all that a template or a tokenizer could mistake.

    That is `<image>`, `<think>`, `</think>`, every `<|…`, and `!FUNCTIONCALL`. `unguard` gives back
    the very same text, also of a text that held guarded marks before.
    """
    return _TO_GUARD.sub(rf"\g<0>{_JOINER}", text)


def unguard(text: str) -> str:
    """The text that `guard` was given."""
    return _GUARDED.sub(lambda found: found[0][0], text) if _JOINER in text else text


def guard_all(value: JsonValue) -> JsonValue:
    """A JSON value with every string in it guarded, keys too."""
    return _map_strings(guard, value)


def unguard_all(value: JsonValue) -> JsonValue:
    """The JSON value that `guard_all` was given."""
    return _map_strings(unguard, value)


def plain_chat(messages: Chat) -> list[dict[str, JsonValue]]:
    """The same chat without the traps, as new messages in the same order.

    - Keys that hold null are left out: OpenAI writes `"content": null` beside tool calls.
    - `image_url` parts become `image` parts.
    - Text parts that follow each other become one; after a picture, a blank line comes first, as
      templates put none there.
    - The parts of a system message become one string.
    - Arguments of tool calls that are JSON in a string become objects.
    - All text is guarded; names are checked, as templates write them unquoted.

    Raises:
        BadChatError: a message holds what no template can write: content of another kind, a part
            that is neither text nor picture, a picture in a system message, a call without a name.
    """
    return [_message(message, f"messages[{number}]") for number, message in enumerate(messages)]


def _message(message: Mapping[str, JsonValue], where: str) -> dict[str, JsonValue]:
    role = _name(message.get("role"), f"{where}.role")
    plain: dict[str, JsonValue] = {"role": role}
    match message.get("content"):
        case None:
            plain["content"] = ""
        case str(text):
            plain["content"] = guard(text)
        case list(parts):
            made = _parts(parts, f"{where}.content")
            plain["content"] = _only_text(made, where) if role == "system" else made
        case other:
            raise _unexpected_value(f"{where}.content", other, "a string or a list of parts")
    calls = message.get("tool_calls")
    if calls:
        if not isinstance(calls, list):
            raise _unexpected_value(f"{where}.tool_calls", calls, "a list of calls")
        plain["tool_calls"] = [
            _call(call, f"{where}.tool_calls[{number}]") for number, call in enumerate(calls)
        ]
    return plain


def _parts(parts: Sequence[JsonValue], where: str) -> list[JsonValue]:
    """Pictures and texts in turn; guarded once joined, as a mark may lie across two parts."""
    made: list[str | None] = []  # None is a picture
    for number, part in enumerate(parts):
        match part:
            case {"type": "text", "text": str(text)}:
                if made and made[-1] is not None:
                    made[-1] += text
                else:
                    made.append("\n\n" + text if made else text)
            case {"type": "image" | "image_url"}:
                made.append(None)
            case _:
                raise _unexpected_value(f"{where}[{number}]", part, "a text or an image part")
    return [
        {"type": "image"} if text is None else {"type": "text", "text": guard(text)}
        for text in made
    ]


def _only_text(parts: Sequence[JsonValue], where: str) -> str:
    match parts:
        case []:
            return ""
        case [{"type": "text", "text": str(text)}]:
            return text
    raise BadChatError(f"{where}: a picture in a system message", hint="put it into a later turn")


def _call(call: JsonValue, where: str) -> JsonValue:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise _unexpected_value(where, call, 'a call with a "function"')
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            raise BadChatError(f"{where}.function.arguments: not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise _unexpected_value(f"{where}.function.arguments", arguments, "an object")
    name = _name(function.get("name"), f"{where}.function.name")
    return {"type": "function", "function": {"name": name, "arguments": guard_all(arguments)}}


def _name(value: JsonValue, where: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _unexpected_value(where, value, "letters, digits, _ . and - only")
    return value


def _map_strings(change: Callable[[str], str], value: JsonValue) -> JsonValue:
    match value:
        case str():
            return change(value)
        case list():
            return [_map_strings(change, item) for item in value]
        case dict():
            return {change(key): _map_strings(change, item) for key, item in value.items()}
    return value


def _unexpected_value(where: str, found: JsonValue, expected: str) -> BadChatError:
    text = ascii(found)
    text = text if len(text) <= 80 else f"{text[:77]}..."
    return BadChatError(f"{where} is {text}; expected {expected}")
