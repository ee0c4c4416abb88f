"""Google's Gemini API (`generateContent`), with its computer use where a convention declares it.

Follows https://ai.google.dev/api/generate-content and google-gemini/computer-use-preview@c93bb2d
agent.py: the screen after a call is a part of its function response. With tools, an answer is the
text before the call and the call as JSON, or the whole candidate when it has no call or several, so
that `gemini-computer` reads how it ended. Thoughts are kept apart. Models from Gemini 3 on want the
signature of a thought with every call of the history; steps hold none, so the calls carry the word
that Google documents for such histories (https://ai.google.dev/gemini-api/docs/thought-signatures).
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.core.screenshot import Screenshot
from tapwright.models.errors import UnreadableResponseError
from tapwright.models.lenient import LenientReader
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.tool_turns import join_turns, system_text

__all__ = ["GeminiModel"]

_AT_THE_TOP = frozenset({"tools", "toolConfig", "safetySettings", "cachedContent", "labels"})
_BLOCKED = {"OTHER": "BLOCK_REASON_OTHER"}
"""A candidate that ends with this word is not blocked, and a prompt is."""
_NO_SIGNATURE = b64encode(b"skip_thought_signature_validator").decode()


class GeminiModel(ServerModel):
    """One model behind the Gemini API."""

    wire = Wire(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        version="/v1beta",
        renamed={"max_tokens": "maxOutputTokens", "top_p": "topP"},
    )

    def _path(self) -> str:
        return f"/models/{quote(self._model)}:generateContent"

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        calls: list[str] = []
        turns = [_turn(one, pictures, calls) for one in messages if one.role != "system"]
        body: dict[str, JsonValue] = {"contents": join_turns(turns, "parts")}
        system = system_text(messages)
        return {**body, "systemInstruction": {"parts": [{"text": system}]}} if system else body

    def _place(self, settings: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        top = {name: value for name, value in settings.items() if name in _AT_THE_TOP}
        config = {name: value for name, value in settings.items() if name not in _AT_THE_TOP}
        return {**top, "generationConfig": config} if config else top

    def _read(
        self,
        found: Mapping[str, JsonValue],
        reader: LenientReader,
        settings: Mapping[str, JsonValue],
    ) -> Completion:
        usage = reader.mapping(found.get("usageMetadata"))
        tokens = Usage(
            reader.count(usage.get("promptTokenCount")),
            reader.count(usage.get("candidatesTokenCount"))
            + reader.count(usage.get("thoughtsTokenCount")),
        )
        candidates = reader.mappings(found.get("candidates"))
        if not candidates:
            blocked = reader.word(reader.mapping(found.get("promptFeedback")).get("blockReason"))
            if not blocked:
                raise UnreadableResponseError("a response without a candidate")
            return Completion("", tokens, finish=_BLOCKED.get(blocked, blocked))
        candidate = candidates[0]
        finish, content = reader.finish(candidate), candidate.get("content")
        whole = reader.parts(content.get("parts") if isinstance(content, dict) else content)
        parts = [part for part in whole if part.get("thought") is not True]
        return Completion(
            text=_render(parts, finish, reader)
            if "tools" in settings or _calls(parts)
            else _texts(parts, reader),
            usage=tokens,
            finish="length" if finish == "MAX_TOKENS" else finish,
            reasoning=_texts([part for part in whole if part.get("thought") is True], reader),
        )


def _texts(parts: Sequence[Mapping[str, JsonValue]], reader: LenientReader) -> str:
    return "".join(reader.word(part.get("text")) for part in parts)


def _calls(parts: Sequence[Mapping[str, JsonValue]]) -> Sequence[Mapping[str, JsonValue]]:
    return [call for part in parts if isinstance(call := part.get("functionCall"), dict)]


def _render(parts: Sequence[Mapping[str, JsonValue]], finish: str, reader: LenientReader) -> str:
    """The text and the call, or the whole candidate where it has not exactly one call."""
    calls = _calls(parts)
    if len(calls) == 1:
        call = {"name": calls[0].get("name"), "args": calls[0].get("args") or {}}
        words, block = _texts(parts, reader).strip(), json.dumps(call, ensure_ascii=False)
        return f"{words}\n{block}" if words else block
    kept = [
        {key: value for key, value in part.items() if key != "thoughtSignature"} for part in parts
    ]
    return json.dumps(
        {"content": {"parts": kept}, "finish_reason": finish or None}, ensure_ascii=False
    )


def _turn(message: Message, pictures: RequestPictures, calls: list[str]) -> dict[str, JsonValue]:
    if message.role == "tool":
        return {"role": "user", "parts": [_response(message, pictures, calls)]}
    parts: list[JsonValue] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                parts += [{"text": text}] if text else []
            case Picture(screenshot=screenshot):
                parts.append({"inlineData": _inline(screenshot, pictures)})
            case Audio(data=data, kind=kind):
                sound: JsonValue = {"mimeType": f"audio/{kind}", "data": b64encode(data).decode()}
                parts.append({"inlineData": sound})
            case ToolCall(name=name, arguments=arguments):
                calls.append(name)
                call: JsonValue = {"name": name, "args": dict(arguments)}
                parts.append({"functionCall": call, "thoughtSignature": _NO_SIGNATURE})
    return {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def _response(message: Message, pictures: RequestPictures, calls: list[str]) -> JsonValue:
    # The browser tool's responses name the page; a device has none to name.
    response: dict[str, JsonValue] = {"url": ""}
    if message.text:
        response["output"] = message.text
    shots: list[JsonValue] = [
        {"inlineData": _inline(part.screenshot, pictures)}
        for part in message.parts
        if isinstance(part, Picture)
    ]
    name = calls.pop(0) if calls else ""
    made: dict[str, JsonValue] = {"name": name, "response": response}
    return {"functionResponse": {**made, "parts": shots} if shots else made}


def _inline(screenshot: Screenshot, pictures: RequestPictures) -> JsonValue:
    return {"mimeType": screenshot.media_type, "data": pictures.base64(screenshot)}
