"""OpenAI's responses API, with its computer tool where a convention declares it.

Follows https://github.com/openai/openai-python/blob/1806456f7bbd64b0579c20f07aa03daa360390fd
/src/openai/types/responses: a call is a `computer_call` item, the screen after it a
`computer_call_output`. With tools, an answer is the text before the call and the item as JSON, or
the whole output when it has no call or several, so that `openai-computer` reads how it ended.
Summaries of reasoning are kept apart. Nothing is stored at the server (`store`), and a history is
sent as items of its own.
"""

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.models.errors import ModelRefusedError, UnreadableResponseError
from tapwright.models.lenient import LenientReader
from tapwright.models.model import Completion, Usage
from tapwright.models.pictures import RequestPictures
from tapwright.models.server import ServerModel, Wire
from tapwright.models.tool_turns import CallIds

__all__ = ["OpenAIResponsesModel"]


class OpenAIResponsesModel(ServerModel):
    """One model behind OpenAI's responses API."""

    wire = Wire(
        "openai-responses",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        renamed={"max_tokens": "max_output_tokens"},
    )

    def _path(self) -> str:
        return "/responses"

    def _key_headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        ids = CallIds("call_")
        items: list[JsonValue] = []
        for message in messages:
            items += _items(message, pictures, ids)
        return {"model": self._model, "input": items, "store": False}

    def _place(self, settings: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        # computer-use-preview accepts no other truncation.
        return {"truncation": "auto", **settings} if "tools" in settings else settings

    def _read(
        self,
        found: Mapping[str, JsonValue],
        reader: LenientReader,
        settings: Mapping[str, JsonValue],
    ) -> Completion:
        given = found.get("output") or found.get("output_text")
        status = reader.word(found.get("status"))
        if given is None and found.get("output") is None and not status:
            raise UnreadableResponseError("a response without an output")
        output = [
            {"type": "message", "content": one["text"]} if one.keys() == {"text"} else one
            for one in reader.parts(given)
        ]
        usage = reader.mapping(found.get("usage"))
        reason = reader.word(reader.mapping(found.get("incomplete_details")).get("reason"))
        said = _texts(output, "message", reader)
        calls = _calls(output)
        text = _render(output, status, said) if "tools" in settings or calls else said
        declined = "" if said or calls else _refusal(output, reader)
        if declined:
            text, reason = declined, "refusal"
        return Completion(
            text=text,
            usage=Usage(
                reader.count(usage.get("input_tokens")), reader.count(usage.get("output_tokens"))
            ),
            finish="length" if reason == "max_output_tokens" else reason or status,
            reasoning=_texts(output, "reasoning", reader),
        )


def _texts(items: Sequence[Mapping[str, JsonValue]], kind: str, reader: LenientReader) -> str:
    """The words of all items of a kind: a message's content, a reasoning's summary and content."""
    words: list[str] = []
    for item in items:
        for key in ("summary", "content") if item.get("type", "message") == kind else ():
            parts = item.get(key)
            words += [
                reader.words(part) for part in (parts if isinstance(parts, list) else [parts])
            ]
    return "\n".join(filter(None, words))


def _refusal(items: Sequence[Mapping[str, JsonValue]], reader: LenientReader) -> str:
    """The words with which the model declines: parts of the type `refusal` in its messages."""
    parts = [part for item in items for part in reader.mappings(item.get("content"))]
    return "\n".join(
        reader.word(part.get("refusal")) for part in parts if part.get("type") == "refusal"
    )


def _calls(items: Sequence[Mapping[str, JsonValue]]) -> Sequence[Mapping[str, JsonValue]]:
    return [item for item in items if item.get("type") == "computer_call"]


def _render(items: Sequence[Mapping[str, JsonValue]], status: str, said: str) -> str:
    """The text and the call, or the whole output where it has not exactly one call."""
    calls = _calls(items)
    if len(calls) == 1:
        item = {key: calls[0][key] for key in ("type", "action", "actions") if calls[0].get(key)}
        checks = calls[0].get("pending_safety_checks")
        item |= {"pending_safety_checks": checks} if checks else {}
        words, block = said.strip(), json.dumps(item, ensure_ascii=False)
        return f"{words}\n{block}" if words else block
    kept: list[JsonValue] = [dict(item) for item in items if item.get("type") != "reasoning"]
    return json.dumps({"status": status, "output": kept}, ensure_ascii=False)


def _items(message: Message, pictures: RequestPictures, ids: CallIds) -> list[JsonValue]:
    content: list[JsonValue] = []
    calls: list[JsonValue] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                kind = "output_text" if message.role == "assistant" else "input_text"
                content += [{"type": kind, "text": text}] if text else []
            case Picture(screenshot=screenshot):
                url = pictures.data_url(screenshot)
                content.append({"type": "input_image", "image_url": url, "detail": "auto"})
            case Audio(origin=origin):
                raise ModelRefusedError(
                    f"{origin}: the Responses API takes no sound",
                    hint="the chat API does: -m openai/NAME",
                )
            case ToolCall(arguments=arguments):
                id_ = ids.made()
                calls.append(
                    {
                        "type": "computer_call",
                        "id": id_.replace("call_", "cu_"),
                        "call_id": id_,
                        **arguments,
                        "pending_safety_checks": [],
                        "status": "completed",
                    }
                )
    if message.role == "tool":
        return _output(message, pictures, ids.answered())
    turn: list[JsonValue] = [{"role": message.role, "content": content}] if content else []
    return [*turn, *calls]


def _output(message: Message, pictures: RequestPictures, id_: str) -> list[JsonValue]:
    """The output of a call, and what is said about it as a turn: an output is a picture alone."""
    shots: list[JsonValue] = [
        {
            "type": "computer_call_output",
            "call_id": id_,
            "output": {
                "type": "computer_screenshot",
                "image_url": pictures.data_url(part.screenshot),
            },
        }
        for part in message.parts
        if isinstance(part, Picture)
    ]
    words: JsonValue = {"role": "user", "content": [{"type": "input_text", "text": message.text}]}
    return [*shots[:1], words] if message.text else shots[:1]
