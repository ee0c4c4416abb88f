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

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tapwright.core.messages import Message, Picture, Text, ToolCall
from tapwright.core.screenshot import Screenshot
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.tool_turns import join_turns, system_text
from tapwright.models.transport import UnreadableResponseError

__all__ = ["GeminiModel"]

_AT_THE_TOP = frozenset({"tools", "toolConfig", "safetySettings", "cachedContent", "labels"})
_NO_SIGNATURE = b64encode(b"skip_thought_signature_validator").decode()


class _Content(BaseModel):
    parts: list[dict[str, JsonValue]] = []


class _Candidate(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    content: _Content = _Content()
    finish: str | None = Field(default=None, alias="finishReason")


class _Tokens(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    prompt: int = Field(default=0, alias="promptTokenCount")
    answer: int = Field(default=0, alias="candidatesTokenCount")
    thoughts: int = Field(default=0, alias="thoughtsTokenCount")


class _Answer(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    candidates: list[_Candidate]
    usage: _Tokens = Field(default=_Tokens(), alias="usageMetadata")


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

    def _read(self, payload: bytes, settings: Mapping[str, JsonValue]) -> Completion:
        try:
            answer = _Answer.model_validate_json(payload)
        except ValidationError:
            raise UnreadableResponseError("a response without candidates") from None
        if not answer.candidates:
            raise UnreadableResponseError("a response without a candidate")
        candidate = answer.candidates[0]
        thoughts = [part for part in candidate.content.parts if part.get("thought") is True]
        parts = [part for part in candidate.content.parts if part.get("thought") is not True]
        usage = answer.usage
        return Completion(
            text=_render(candidate, parts) if "tools" in settings else _texts(parts),
            usage=Usage(usage.prompt, usage.answer + usage.thoughts),
            finish="length" if candidate.finish == "MAX_TOKENS" else candidate.finish or "",
            reasoning=_texts(thoughts),
        )


def _texts(parts: Sequence[Mapping[str, JsonValue]]) -> str:
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))


def _render(candidate: _Candidate, parts: Sequence[Mapping[str, JsonValue]]) -> str:
    """The text and the call, or the whole candidate where it has not exactly one call."""
    calls = [call for part in parts if isinstance(call := part.get("functionCall"), dict)]
    if len(calls) == 1:
        call = {"name": calls[0].get("name"), "args": calls[0].get("args") or {}}
        words, block = _texts(parts).strip(), json.dumps(call, ensure_ascii=False)
        return f"{words}\n{block}" if words else block
    kept = [
        {key: value for key, value in part.items() if key != "thoughtSignature"} for part in parts
    ]
    return json.dumps(
        {"content": {"parts": kept}, "finish_reason": candidate.finish}, ensure_ascii=False
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
