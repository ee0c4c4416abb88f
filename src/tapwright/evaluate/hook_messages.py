"""Prompts in the shapes that a user's functions read and write, and back.

The flat list is that of https://github.com/open-compass/MMBench-GUI/blob/896ddf1/models/base.py, in
which a picture or a sound is its file's path; the other is the chat API's, whose pictures are data
URLs, as a string (the original's) or as {"url": …} (OpenAI's).
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Part, Picture, Role, Text
from tapwright.core.screenshot import Screenshot
from tapwright.evaluate.errors import HookError
from tapwright.evaluate.hooks import HookLine, PipelineHook
from tapwright.files.regular import read_regular

__all__ = ["api_messages", "data_url", "flat_messages", "read_messages"]

_ROLES: tuple[Role, ...] = ("system", "user", "assistant")
_FLAT = 'a list of {"role", "type": "text" | "image" | "audio", "value"}'
_PARTS = 'parts {"type": "text" | "image_url" | "input_audio"}'

KnownPictures: TypeAlias = Mapping[str, Screenshot]


def flat_messages(messages: Sequence[Message]) -> list[HookLine]:
    """Messages as the flat list that hooks read."""
    return [
        {"role": message.role, **_flat_part(part)} for message in messages for part in message.parts
    ]


def _flat_part(part: Part) -> HookLine:
    match part:
        case Text(text=text):
            return {"type": "text", "value": text}
        case Picture(screenshot=shot):
            return {"type": "image", "value": shot.origin}
        case Audio(origin=origin):
            return {"type": "audio", "value": origin}
        case _:
            raise HookError(f"{type(part).__name__}: no part of a benchmark's prompt")


def read_messages(hook: PipelineHook, found: object, known: KnownPictures) -> list[Message]:
    """What a hook returned as messages, in either shape; neighbours of one role become one.

    `known` are pictures by path that need not be read again.

    Raises:
        HookError: it is no such list, or names a picture or a sound that cannot be read.
    """
    if not isinstance(found, list | tuple) or not found:
        raise hook.wrong(found, _FLAT)
    turns: list[tuple[Role, list[Part]]] = []
    for entry in found:
        match entry:
            case {"role": str() as given_role, "content": str() as text}:
                parts: list[Part] = [Text(text)]
            case {"role": str() as given_role, "content": [*content]}:
                parts = [_read_part(hook, one, known) for one in content]
            case {"role": str() as given_role, "type": kind, "value": str() as value}:
                parts = [_read_flat(hook, kind, value, known)]
            case _:
                raise hook.wrong(entry, _FLAT)
        role = next((one for one in _ROLES if one == given_role), None)
        if role is None:
            raise hook.wrong(entry, f"a role among {', '.join(_ROLES)}")
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    return [Message(role, tuple(parts)) for role, parts in turns]


def _read_flat(hook: PipelineHook, kind: object, value: str, known: KnownPictures) -> Part:
    match kind:
        case "text":
            return Text(value)
        case "image":
            return Picture(known.get(value) or Screenshot(_read(hook, value), origin=value[:200]))
        case "audio":
            return Audio(_read(hook, value), value[:200])
        case _:
            raise hook.wrong({"type": kind}, _FLAT)


def _read_part(hook: PipelineHook, part: object, known: KnownPictures) -> Part:
    match part:
        case {"type": "text", "text": str() as text}:
            return Text(text)
        case (
            {"type": "image_url", "image_url": str() as place}
            | {"type": "image_url", "image_url": {"url": str() as place}}
            | {"type": "image", "image": str() as place}
        ):
            return _read_flat(hook, "image", place.removeprefix("file://"), known)
        case {"type": "input_audio", "input_audio": {"data": str() as data}}:
            return _read_flat(hook, "audio", f"data:;base64,{data}", known)
        case {"type": "audio", "audio": str() as place}:
            return _read_flat(hook, "audio", place, known)
        case _:
            raise hook.wrong(part, _PARTS)


def api_messages(messages: Sequence[Message]) -> list[HookLine]:
    """Messages in the chat API's shape: content is a list of parts, pictures are data URLs."""
    return [
        {"role": message.role, "content": [_api_part(part) for part in message.parts]}
        for message in messages
    ]


def data_url(shot: Screenshot) -> str:
    """The bytes of a picture, under their true type, as an address."""
    return f"data:{shot.media_type};base64,{b64encode(shot.data).decode()}"


def _api_part(part: Part) -> JsonValue:
    match part:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Picture(screenshot=shot):
            return {"type": "image_url", "image_url": {"url": data_url(shot)}}
        case Audio(data=data, kind=kind):
            sound: JsonValue = {"data": b64encode(data).decode(), "format": kind}
            return {"type": "input_audio", "input_audio": sound}
        case _:
            raise HookError(f"{type(part).__name__}: no part of a benchmark's prompt")


def _read(hook: PipelineHook, place: str) -> bytes:
    try:
        if place.startswith("data:"):
            return b64decode(place.partition(",")[2], validate=True)
        return read_regular(Path(place.removeprefix("file://")))
    except (OSError, Base64Error) as error:
        raise HookError(f"{hook.stage} {hook.path}: {place:.200}: {error}") from error
