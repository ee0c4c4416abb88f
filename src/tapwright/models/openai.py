"""Any server that speaks OpenAI's chat API: vLLM, SGLang, llama.cpp, or a hosted one.

Follows https://platform.openai.com/docs/api-reference/chat/create in its text and image parts. What
reasoning models think comes beside the answer, as `reasoning_content` (DeepSeek, vLLM up to 0.11,
SGLang), `reasoning` (vLLM since, OpenRouter), `thinking` (Ollama), `thinking_blocks` (litellm) or a
part of the content (Mistral), and is kept apart. Where a tool was called, the call becomes text
behind the content, `<tool_call>{"name": ..., "arguments": ...}</tool_call>`, as a model writes it
whose server has no parser for tools (Qwen's and Hermes' chat templates).
"""

import json
from base64 import b64encode
from collections import deque
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.errors import UsageError
from tapwright.models.errors import UnreadableResponseError
from tapwright.models.lenient import LenientReader
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.server_errors import SAID

__all__ = ["OpenAIModel"]

_LAYERS = 2
"""Some servers put the JSON of arguments into a string of JSON."""
_REASONING = (
    "reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks",
)  # fmt: skip


class OpenAIModel(ServerModel):
    """One model on servers that speak OpenAI's chat API."""

    wire = Wire("openai", "https://api.openai.com/v1", "OPENAI_API_KEY")

    def _path(self) -> str:
        return "/chat/completions"

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        return {"model": self._model, "messages": _turns(messages, pictures)}

    def _read(
        self,
        found: Mapping[str, JsonValue],
        reader: LenientReader,
        settings: Mapping[str, JsonValue],
    ) -> Completion:
        # Ollama's own API has the message at the top.
        choices = [*reader.mappings(found.get("choices")), found]
        given = ((one, one[name]) for one in choices for name in SAID if one.get(name) is not None)
        choice, message = next(given, (choices[0], None))
        if message is None and not reader.finish(choice):
            raise UnreadableResponseError("a response without a choice")
        if not isinstance(message, dict):
            message = {"content": message}
        text, thought = reader.answer(message.get("content"))
        apart = (reader.words(message.get(name)) for name in _REASONING)
        blocks = [text, *_render_calls(message, reader)]
        text = "\n".join(block for block in blocks if block)
        declined = "" if text else reader.word(message.get("refusal"))
        usage = reader.mapping(found.get("usage"))
        return Completion(
            text=text or declined,
            usage=Usage(
                reader.count(usage.get("prompt_tokens"), usage.get("input_tokens")),
                reader.count(usage.get("completion_tokens"), usage.get("output_tokens")),
            ),
            finish="refusal" if declined else reader.finish(choice),
            reasoning=next(filter(None, apart), "") or thought,
        )


def _render_calls(message: Mapping[str, JsonValue], reader: LenientReader) -> Sequence[str]:
    """The calls of tools as text; those without a name are none."""
    calls = [
        reader.mapping(call.get("function")) or call
        for call in reader.mappings(message.get("tool_calls"))
    ]
    calls.append(reader.mapping(message.get("function_call")))
    return [
        "<tool_call>\n"
        + json.dumps(
            {"name": name, "arguments": _arguments(call.get("arguments"))}, ensure_ascii=False
        )
        + "\n</tool_call>"
        for call in calls
        if (name := reader.word(call.get("name")))
    ]


def _arguments(found: JsonValue) -> JsonValue:
    """The arguments of a call, which are JSON in a string; as they stand where they are not."""
    for _ in range(_LAYERS):
        if not isinstance(found, str):
            break
        try:
            found = json.loads(found or "{}")
        except (ValueError, RecursionError):
            break
    return {} if found is None else found


def _turns(messages: Sequence[Message], pictures: RequestPictures) -> list[JsonValue]:
    """The messages as JSON. Tool calls are numbered; tool messages answer them in order."""
    turns: list[JsonValue] = []
    waiting: deque[str] = deque()
    calls = 0
    for message in messages:
        entry: dict[str, JsonValue] = {"role": message.role, "content": _content(message, pictures)}
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
    if not any(isinstance(part, Picture | Audio) for part in message.parts):
        return message.text
    content: list[JsonValue] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                content.append({"type": "text", "text": text})
            case Picture(screenshot=screenshot):
                url = pictures.data_url(screenshot)
                content.append({"type": "image_url", "image_url": {"url": url}})
            case Audio(data=data, kind=kind):
                sound: JsonValue = {"data": b64encode(data).decode(), "format": kind}
                content.append({"type": "input_audio", "input_audio": sound})
            case ToolCall():
                pass  # beside the content, in `tool_calls`
    return content


def _call(id_: str, call: ToolCall) -> JsonValue:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": call.name, "arguments": arguments}}
