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

from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.core.messages import Message, Picture, Text, ToolCall
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.tool_turns import CallIds, join_turns, system_text
from tapwright.models.transport import UnreadableResponseError

__all__ = ["AnthropicModel"]

_VERSION = "2023-06-01"
_COMPUTER = re.compile(r"computer_(\d{4})(\d\d)(\d\d)\Z")


class _Tokens(BaseModel):
    input_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int = 0


class _Answer(BaseModel):
    content: list[dict[str, JsonValue]]
    stop_reason: str | None = None
    usage: _Tokens = _Tokens()


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

    def _read(self, payload: bytes, settings: Mapping[str, JsonValue]) -> Completion:
        try:
            answer = _Answer.model_validate_json(payload)
        except ValidationError:
            raise UnreadableResponseError("a response that is not a message") from None
        blocks = answer.content
        usage = answer.usage
        inputs = (
            usage.input_tokens,
            usage.cache_creation_input_tokens or 0,
            usage.cache_read_input_tokens or 0,
        )
        return Completion(
            text=_render(answer) if "tools" in settings else _texts(blocks, "text"),
            usage=Usage(sum(inputs), usage.output_tokens),
            finish="length" if answer.stop_reason == "max_tokens" else answer.stop_reason or "",
            reasoning=_texts(blocks, "thinking"),
        )


def _texts(blocks: Sequence[Mapping[str, JsonValue]], kind: str) -> str:
    return "".join(
        text
        for block in blocks
        if block.get("type") == kind and isinstance(text := block.get(kind), str)
    )


def _render(answer: _Answer) -> str:
    """The text and the call, or the whole message where it has not exactly one call."""
    calls = [block for block in answer.content if block.get("type") == "tool_use"]
    if len(calls) == 1:
        call = {key: calls[0].get(key) for key in ("type", "name", "input")}
        words = _texts(answer.content, "text").strip()
        block = json.dumps(call, ensure_ascii=False)
        return f"{words}\n{block}" if words else block
    content = [one for one in answer.content if one.get("type") in ("text", "tool_use")]
    message = {"type": "message", "stop_reason": answer.stop_reason, "content": content}
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
            case ToolCall(name=name, arguments=arguments):
                content.append(
                    {"type": "tool_use", "id": ids.made(), "name": name, "input": dict(arguments)}
                )
    if message.role == "tool":
        content = [{"type": "tool_result", "tool_use_id": ids.answered(), "content": content}]
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": content}
