"""Any server that speaks OpenAI's chat API: vLLM, SGLang, llama.cpp, or a hosted one.

Follows https://platform.openai.com/docs/api-reference/chat/create in its text and image parts. What
reasoning models think comes beside the answer, as `reasoning_content` (DeepSeek, vLLM up to 0.11,
SGLang) or `reasoning` (vLLM since, OpenRouter), and is kept apart. Where the content is empty and a
tool was called, the call becomes text, `<tool_call>{"name": ..., "arguments": ...}</tool_call>`, as
a model writes it whose server has no parser for tools (Qwen's and Hermes' chat templates).
"""

import json
from collections import deque
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.core.messages import Message, Picture, Text, ToolCall
from tapwright.errors import UsageError
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.transport import UnreadableResponseError

__all__ = ["OpenAIModel"]


class _Function(BaseModel):
    name: str = ""
    arguments: str | dict[str, JsonValue] | None = None


class _Call(BaseModel):
    function: _Function = _Function()


class _Text(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Text
    finish_reason: str | None = None


class _Tokens(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(BaseModel):
    choices: list[_Choice]
    usage: _Tokens | None = None


class OpenAIModel(ServerModel):
    """One model on servers that speak OpenAI's chat API."""

    wire = Wire("openai", "https://api.openai.com/v1", "OPENAI_API_KEY")

    def _path(self) -> str:
        return "/chat/completions"

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        return {"model": self._model, "messages": _turns(messages, pictures)}

    def _read(self, payload: bytes, settings: Mapping[str, JsonValue]) -> Completion:
        try:
            answer = _Answer.model_validate_json(payload)
        except ValidationError:
            raise UnreadableResponseError("a response that is not a chat completion") from None
        if not answer.choices:
            raise UnreadableResponseError("a response without a choice")
        choice, usage = answer.choices[0], answer.usage or _Tokens()
        message = choice.message
        return Completion(
            text=message.content or _render_calls(message.tool_calls or ()),
            usage=Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0),
            finish=choice.finish_reason or "",
            reasoning=message.reasoning_content or message.reasoning or "",
        )


def _render_calls(calls: Sequence[_Call]) -> str:
    return "\n".join(
        "<tool_call>\n"
        + json.dumps(
            {"name": call.function.name, "arguments": _arguments(call.function.arguments)},
            ensure_ascii=False,
        )
        + "\n</tool_call>"
        for call in calls
    )


def _arguments(found: str | dict[str, JsonValue] | None) -> JsonValue:
    """The arguments of a call, which are JSON in a string; as they stand where they are not."""
    if not isinstance(found, str):
        return found or {}
    try:
        value: JsonValue = json.loads(found or "{}")
    except (ValueError, RecursionError):
        return found
    return value


def _turns(messages: Sequence[Message], pictures: RequestPictures) -> list[JsonValue]:
    """The messages as JSON. Tool calls are numbered; tool messages answer them in order."""
    turns: list[JsonValue] = []
    waiting: deque[str] = deque()
    calls = 0
    for message in messages:
        entry: dict[str, JsonValue] = {
            "role": message.role,
            "content": _content(message, pictures),
        }
        made = [part for part in message.parts if isinstance(part, ToolCall)]
        if made:
            ids = [f"call_{calls + number}" for number in range(len(made))]
            calls += len(made)
            waiting.extend(ids)
            entry["tool_calls"] = [_call(id_, call) for id_, call in zip(ids, made, strict=True)]
        if message.role == "tool":
            if not waiting:
                raise UsageError("a tool message answers no call that was made before it")
            entry["tool_call_id"] = waiting.popleft()
        turns.append(entry)
    return turns


def _content(message: Message, pictures: RequestPictures) -> JsonValue:
    # Plain text goes as a string: some servers take part lists from users only.
    if not any(isinstance(part, Picture) for part in message.parts):
        return message.text
    content: list[JsonValue] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                content.append({"type": "text", "text": text})
            case Picture(screenshot=screenshot):
                url = pictures.data_url(screenshot)
                content.append({"type": "image_url", "image_url": {"url": url}})
            case ToolCall():
                pass  # beside the content, in `tool_calls`
    return content


def _call(id_: str, call: ToolCall) -> JsonValue:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": call.name, "arguments": arguments}}
