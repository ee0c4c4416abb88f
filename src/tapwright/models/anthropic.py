"""Anthropic's messages API, with its computer tool where a convention declares it.

Follows https://github.com/anthropics/anthropic-sdk-python, types/message_create_params.py and
types/beta: a tool of type `computer_YYYYMMDD` needs the beta header `computer-use-YYYY-MM-DD`
(anthropics/claude-quickstarts@370e18d computer-use-demo/computer_use_demo/tools/groups.py). With
tools, an answer is the text before the call and the `tool_use` block as JSON, or the whole message
when it has no call or several, so that `anthropic-computer` reads how it ended. Thinking blocks are
kept apart. They are not sent back: a history is made of steps, which hold none.
"""

import json
import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.models.errors import ModelRefusedError, UnreadableResponseError
from tapwright.models.lenient import LenientReader
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.tool_turns import CallIds, join_turns, system_text

__all__ = ["AnthropicModel"]

_VERSION = "2023-06-01"
_COMPUTER = re.compile(r"computer_(\d{4})(\d\d)(\d\d)\Z")


class AnthropicModel(ServerModel):
    """One model behind Anthropic's messages API."""

    wire = Wire("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", version="/v1")

    def _path(self) -> str:
        return "/messages"

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"x-api-key": key}

    def _headers(self, settings: Mapping[str, JsonValue]) -> Mapping[str, str]:
        tools = settings.get("tools")
        betas = {
            f"computer-use-{'-'.join(found.groups())}"
            for tool in (tools if isinstance(tools, list) else [])
            if isinstance(tool, dict) and (found := _COMPUTER.match(str(tool.get("type"))))
        }
        version = {"anthropic-version": _VERSION}
        return {**version, "anthropic-beta": ",".join(sorted(betas))} if betas else version

    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        ids = CallIds("toolu_")
        turns = [_turn(one, pictures, ids) for one in messages if one.role != "system"]
        body: dict[str, JsonValue] = {
            "model": self._model,
            "messages": join_turns(turns, "content"),
        }
        system = system_text(messages)
        return {**body, "system": system} if system else body

    def _read(
        self,
        found: Mapping[str, JsonValue],
        reader: LenientReader,
        settings: Mapping[str, JsonValue],
    ) -> Completion:
        stop = reader.finish(found)
        if not stop and not isinstance(found.get("content"), list | str | dict):
            raise UnreadableResponseError("a response that is not a message")
        blocks = reader.parts(found.get("content"))
        usage = reader.mapping(found.get("usage"))
        inputs = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        said = _texts(blocks, "text", reader)
        return Completion(
            text=_render(blocks, stop, said) if "tools" in settings or _calls(blocks) else said,
            usage=Usage(
                sum(reader.count(usage.get(name)) for name in inputs),
                reader.count(usage.get("output_tokens")),
            ),
            finish="length" if stop == "max_tokens" else stop,
            reasoning=_texts(blocks, "thinking", reader),
        )


def _texts(blocks: Sequence[Mapping[str, JsonValue]], kind: str, reader: LenientReader) -> str:
    return "".join(reader.words(one.get(kind)) for one in blocks if one.get("type", "text") == kind)


def _calls(blocks: Sequence[Mapping[str, JsonValue]]) -> Sequence[Mapping[str, JsonValue]]:
    return [block for block in blocks if block.get("type") == "tool_use"]


def _render(blocks: Sequence[Mapping[str, JsonValue]], stop: str, said: str) -> str:
    """The text and the call, or the whole message where it has not exactly one call."""
    calls = _calls(blocks)
    if len(calls) == 1:
        call = {key: calls[0].get(key) for key in ("type", "name", "input")}
        words, block = said.strip(), json.dumps(call, ensure_ascii=False)
        return f"{words}\n{block}" if words else block
    content: list[JsonValue] = [
        dict(one) for one in blocks if one.get("type") in ("text", "tool_use")
    ]
    message = {"type": "message", "stop_reason": stop or None, "content": content}
    return json.dumps(message, ensure_ascii=False)


def _turn(message: Message, pictures: RequestPictures, ids: CallIds) -> dict[str, JsonValue]:
    content: list[JsonValue] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                # The API refuses an empty text.
                content += [{"type": "text", "text": text}] if text.strip() else []
            case Picture(screenshot=screenshot):
                source: JsonValue = {
                    "type": "base64",
                    "media_type": screenshot.media_type,
                    "data": pictures.base64(screenshot),
                }
                content.append({"type": "image", "source": source})
            case Audio(origin=origin):
                raise ModelRefusedError(f"{origin}: Anthropic's messages hold no sound")
            case ToolCall(name=name, arguments=arguments):
                content.append(
                    {"type": "tool_use", "id": ids.made(), "name": name, "input": dict(arguments)}
                )
    if message.role == "tool":
        content = [{"type": "tool_result", "tool_use_id": ids.answered(), "content": content}]
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": content}
