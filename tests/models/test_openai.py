import asyncio
import base64
import json
import traceback
from collections.abc import Sequence
from io import BytesIO

import pytest
from PIL import Image
from pydantic import JsonValue

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.core.screenshot import Screenshot
from tapwright.errors import ModelError, UsageError
from tapwright.models import models
from tapwright.models.errors import ModelRefusedError
from tapwright.models.model import Completion, Usage
from tapwright.models.openai import OpenAIModel
from tapwright.models.transport import MAX_ANSWER_BYTES
from tapwright.testing import (
    BadBody,
    CutBody,
    FakeChatServer,
    Fault,
    HttpError,
    Reset,
    Slow,
)

HELLO = [Message("user", (Text("hello"),))]
KEY = "sk-very-secret-0123456789"


def ask(
    server: FakeChatServer,
    messages: Sequence[Message] = HELLO,
    *,
    api_key: str | None = None,
    retries: int = 5,
    timeout_s: float = 20.0,
    waits: list[float] | None = None,
    extra: dict[str, JsonValue] | None = None,
) -> Completion:
    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    async def main() -> Completion:
        model = OpenAIModel(
            "any",
            base_url=server.base_url,
            api_key=api_key,
            retries=retries,
            timeout_s=timeout_s,
            extra=extra,
            sleep=sleep,
            chance=lambda: 1.0,
        )
        try:
            return await model.complete(messages)
        finally:
            await model.close()
            await model.close()

    return asyncio.run(main())


def picture(kind: str) -> Screenshot:
    buffer = BytesIO()
    Image.new("RGB", (4, 8), "red").save(buffer, kind)
    return Screenshot(buffer.getvalue())


def test_an_answer_comes_with_its_cost() -> None:
    with FakeChatServer(["two words"]) as server:
        completion = ask(server)
    assert completion.text == "two words"
    assert completion.usage == Usage(input_tokens=4, output_tokens=2)
    assert completion.attempts == 1
    assert completion.latency_s > 0


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_from_the_answer(field: str) -> None:
    message = {"role": "assistant", "content": "tap", field: f"I think so, {KEY}"}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    with FakeChatServer([BadBody(body)]) as server:
        completion = ask(server, api_key=KEY)
    assert (completion.text, completion.reasoning) == ("tap", "I think so, ***")


@pytest.mark.parametrize("arguments", ['{"action": "wait"}', {"action": "wait"}], ids=repr)
def test_a_tool_call_without_content_becomes_the_text_of_one(arguments: JsonValue) -> None:
    call = {"type": "function", "function": {"name": "computer_use", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    with FakeChatServer([BadBody(body)]) as server:
        text = ask(server).text
    assert text == (
        '<tool_call>\n{"name": "computer_use", "arguments": {"action": "wait"}}\n</tool_call>'
    )


def test_the_request_names_the_model_and_carries_the_extra_settings() -> None:
    with FakeChatServer(["yes"]) as server:
        ask(server, extra={"top_p": 0.5, "temperature": 0.7})
        body = server.received[0].body
    assert body == {
        "model": "any",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.7,
        "max_tokens": 2048,
        "top_p": 0.5,
    }


@pytest.mark.parametrize(
    ("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")]
)
def test_a_picture_goes_as_the_bytes_that_it_has(kind: str, media_type: str) -> None:
    shot = picture(kind)
    with FakeChatServer(["yes"]) as server:
        ask(server, [Message("user", (Text("look: "), Picture(shot), Text("!")))])
        sent = server.received[0].body["messages"]
    url = f"data:{media_type};base64,{base64.b64encode(shot.data).decode()}"
    assert sent == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look: "},
                {"type": "image_url", "image_url": {"url": url}},
                {"type": "text", "text": "!"},
            ],
        }
    ]


def test_a_sound_goes_as_the_bytes_that_it_has() -> None:
    with FakeChatServer(["yes"]) as server:
        ask(server, [Message("user", (Text("listen: "), Audio(b"ID3sound", "a.mp3")))])
        sent = server.received[0].body["messages"]
    sound = {"data": base64.b64encode(b"ID3sound").decode(), "format": "mp3"}
    content = [
        {"type": "text", "text": "listen: "},
        {"type": "input_audio", "input_audio": sound},
    ]
    assert sent == [{"role": "user", "content": content}]


def test_a_picture_is_encoded_once_however_often_it_is_sent() -> None:
    shot, reads = picture("PNG"), []

    def load() -> bytes:
        reads.append(1)
        return shot.data

    lazy = Screenshot.lazy(load, sha256=shot.sha256, origin="a file")
    message = Message("user", (Picture(lazy),))
    _ = lazy.media_type
    reads.clear()
    with FakeChatServer(["yes"]) as server:
        ask(server, [message, message, message])
    assert reads == [1]


def test_tool_calls_are_numbered_and_answered_in_order() -> None:
    messages = [
        Message("assistant", (Text("now"), ToolCall("tap", {"x": 1}), ToolCall("wait"))),
        Message("tool", (Text("tapped"),)),
        Message("tool", (Text("waited"),)),
    ]
    with FakeChatServer(["yes"]) as server:
        ask(server, messages)
        sent = server.received[0].body["messages"]
    assert sent == [
        {
            "role": "assistant",
            "content": "now",
            "tool_calls": [
                {
                    "id": "call_0",
                    "type": "function",
                    "function": {"name": "tap", "arguments": '{"x": 1}'},
                },
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "wait", "arguments": "{}"},
                },
            ],
        },
        {"role": "tool", "content": "tapped", "tool_call_id": "call_0"},
        {"role": "tool", "content": "waited", "tool_call_id": "call_1"},
    ]


def test_a_tool_message_without_a_call_is_refused_before_it_is_sent() -> None:
    with FakeChatServer(["yes"]) as server:
        with pytest.raises(UsageError, match="answers no call"):
            ask(server, [Message("tool", (Text("tapped"),))])
        assert server.received == []


@pytest.mark.parametrize(
    "fault",
    [
        HttpError(408),
        HttpError(409),
        HttpError(429),
        HttpError(500),
        HttpError(503),
        Reset(),
        CutBody(),
        BadBody(),
        BadBody('{"choices": []}'),
        BadBody('{"error": {"message": "overloaded"}}'),
    ],
    ids=repr,
)
def test_what_may_pass_is_asked_again(fault: Fault) -> None:
    waits: list[float] = []
    with FakeChatServer([fault, fault, "there"]) as server:
        completion = ask(server, waits=waits)
    assert (completion.text, completion.attempts) == ("there", 3)
    assert waits == [0.5, 1.0]


@pytest.mark.slow
def test_an_attempt_that_takes_too_long_is_repeated() -> None:
    with FakeChatServer([Slow(), "there"]) as server:
        assert ask(server, timeout_s=2.0).attempts == 2


def test_the_waiting_doubles_up_to_half_a_minute() -> None:
    waits: list[float] = []
    with FakeChatServer([HttpError(500)]) as server, pytest.raises(ModelError):
        ask(server, retries=9, waits=waits)
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.parametrize(
    ("headers", "asked_s"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        (
            {
                "Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT",
                "Date": "Fri, 31 Dec 1999 23:59:29 GMT",
            },
            30.0,
        ),
        ({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0),
        ({"Retry-After": "soon"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "nan"}, 0.0),
    ],
    ids=repr,
)
def test_a_server_gets_the_rest_that_it_asks_for(headers: dict[str, str], asked_s: float) -> None:
    waits: list[float] = []
    with FakeChatServer([HttpError(429, headers=headers), "there"]) as server:
        ask(server, waits=waits)
    assert waits == [asked_s + 0.5]


def test_a_server_that_asks_for_an_hour_counts_as_unavailable() -> None:
    waits: list[float] = []
    fault = HttpError(429, "quota used up", {"Retry-After": "3600"})
    with (
        FakeChatServer([fault]) as server,
        pytest.raises(ModelError, match="requires a wait of 3600 s"),
    ):
        ask(server, waits=waits)
    assert waits == []


def test_after_the_last_try_every_cause_is_told() -> None:
    with (
        FakeChatServer([HttpError(429, "too many"), CutBody(), HttpError(500, "oops")]) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask(server, retries=2)
    assert "1. HTTP 429: too many; 2. ClientPayloadError" in str(caught.value)
    assert str(caught.value).endswith("3. HTTP 500: oops")


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with FakeChatServer(["never"]) as server:
        pass
    with pytest.raises(ModelError, match="Cannot connect"):
        ask(server, retries=1)


@pytest.mark.parametrize("status", [307, 400, 401, 403, 404, 422])
def test_a_refusal_is_told_at_once_with_the_servers_words(status: int) -> None:
    waits: list[float] = []
    with FakeChatServer([HttpError(status, "no such model")]) as server:
        with pytest.raises(ModelRefusedError, match=f"HTTP {status}: no such model"):
            ask(server, waits=waits)
        assert len(server.received) == 1
    assert waits == []


@pytest.mark.parametrize(
    "faults",
    [
        [HttpError(401, "Incorrect API key provided: {key}")],
        [HttpError(500, "{key} " * 100)],
        [BadBody(f"<p>{KEY}</p>")],
        [HttpError(429, "x" * 390 + "{key}")],
    ],
    ids=repr,
)
def test_the_key_is_sent_and_never_told(faults: list[Fault]) -> None:
    with FakeChatServer(faults) as server:
        with pytest.raises((ModelRefusedError, ModelError)) as caught:
            ask(server, api_key=KEY, retries=0)
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert "***" in told
    for length in range(8, len(KEY)):
        assert KEY[:length] not in told


def test_the_key_is_cut_out_of_an_answer_too() -> None:
    with FakeChatServer([f"your key is {KEY}"]) as server:
        assert ask(server, api_key=KEY).text == "your key is ***"


def test_a_word_that_is_given_for_a_key_may_stand_in_an_answer() -> None:
    with FakeChatServer(["the cart is EMPTY"]) as server:
        assert ask(server, api_key="EMPTY").text == "the cart is EMPTY"


def test_the_key_is_not_in_the_repr() -> None:
    model = OpenAIModel("any", base_url="https://models.example/v1", api_key=KEY)
    assert repr(model) == "OpenAIModel('any', base_url='https://models.example/v1')"
    assert KEY not in model.name


def test_a_hosted_model_without_a_key_names_the_variables() -> None:
    with pytest.raises(ModelError) as caught:
        models.get("openai")("qwen2.5-vl-7b")
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "TAPWRIGHT_BASE_URL" in caught.value.hint


@pytest.mark.parametrize(
    "base_url",
    ["http://127.0.0.1:8000/v1/", "http://localhost:8000/v1", "http://[::1]:8000/v1"],
)
def test_a_server_on_this_machine_needs_no_key(base_url: str) -> None:
    model = models.get("openai")("qwen2.5-vl-7b", base_url=base_url)
    assert model.name == "openai/qwen2.5-vl-7b"


@pytest.mark.parametrize(
    "base_url",
    ["ftp://127.0.0.1", "127.0.0.1:8000", "http://", "http://127.0.0.1:x/", "http://[::1/v1"],
)
def test_what_is_no_address_is_refused(base_url: str) -> None:
    with pytest.raises(UsageError, match="not the address"):
        OpenAIModel("any", base_url=base_url)


def test_a_password_in_the_address_is_refused_and_not_told() -> None:
    with pytest.raises(UsageError) as caught:
        OpenAIModel("any", base_url="http://me:hunter2@127.0.0.1/v1")
    assert "hunter2" not in str(caught.value)


def test_a_key_that_no_header_can_hold_is_refused_and_not_told() -> None:
    with pytest.raises(UsageError) as caught:
        OpenAIModel("any", base_url="http://127.0.0.1/v1", api_key="secret\r\nHost: evil")
    assert "secret" not in str(caught.value)


def test_many_requests_share_one_session() -> None:
    async def main(base_url: str) -> list[Completion]:
        model = OpenAIModel("any", base_url=base_url)
        try:
            return await asyncio.gather(*(model.complete(HELLO) for _ in range(50)))
        finally:
            await model.close()

    with FakeChatServer(lambda body: "same for all") as server:
        completions = asyncio.run(main(server.base_url))
    assert {completion.text for completion in completions} == {"same for all"}


def failed(choice: dict[str, JsonValue] | None = None, **top: JsonValue) -> BadBody:
    """A body with status 200 and a failure in it, beside half an answer where it has a choice."""
    half: JsonValue = {"role": "assistant", "content": "(500, 250)"}
    choices: JsonValue = [] if choice is None else [{"message": half, **choice}]
    return BadBody(json.dumps({"choices": choices, **top}))


@pytest.mark.parametrize(
    "fault",
    [
        failed({"finish_reason": "error"}),
        failed({"finish_reason": "error", "error": {"code": 502, "message": "upstream"}}),
        failed({"finish_reason": "stop", "error": {"code": "429", "message": "busy"}}),
        failed({"finish_reason": "stop", "error": "upstream"}),
        failed({"message": None, "error": {"code": 500}}),
        failed({"finish_reason": "stop"}, error={"message": "overloaded"}),
        failed({"finish_reason": "stop"}, error="overloaded"),
        failed(error={"code": "server_error", "message": "overloaded"}),
        failed({"finish_reason": "abort"}),
        failed({"finish_reason": "insufficient_system_resource"}),
        failed({"finish_reason": "network_error"}),
    ],
    ids=lambda fault: fault.text[:90],
)
def test_a_failure_that_arrives_with_status_200_is_repeated_and_no_answer(fault: BadBody) -> None:
    with FakeChatServer([fault, fault, "there"]) as server:
        completion = ask(server, waits=[])
    assert (completion.text, completion.attempts) == ("there", 3)
    with FakeChatServer([fault]) as server:
        with pytest.raises(ModelError, match="HTTP 200 with error"):
            ask(server, retries=1, waits=[])
        assert len(server.received) == 2


@pytest.mark.parametrize("code", [400, "401", "invalid_request_error"])
def test_a_refusal_that_arrives_with_status_200_is_not_repeated(code: JsonValue) -> None:
    fault = failed({"finish_reason": "error", "error": {"code": code, "message": f"no, {KEY}"}})
    with FakeChatServer([fault]) as server:
        with pytest.raises(ModelRefusedError, match=r"no, \*\*\*"):
            ask(server, api_key=KEY, waits=[])
        assert len(server.received) == 1


@pytest.mark.parametrize("nothing", [None, "", {}])
@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", None])
def test_an_error_field_that_is_empty_leaves_the_answer(
    nothing: JsonValue, finish: str | None
) -> None:
    with FakeChatServer(
        [failed({"finish_reason": finish, "error": nothing}, error=nothing)]
    ) as server:
        completion = ask(server)
    assert (completion.text, completion.finish) == ("(500, 250)", finish or "")


@pytest.mark.parametrize("above", [0, 1])
def test_an_answer_has_a_limit(above: int) -> None:
    message = {"role": "assistant", "content": "", "padding": ""}
    shell = json.dumps({"choices": [{"message": message}]})
    message["padding"] = "x" * (MAX_ANSWER_BYTES + above - len(shell))
    body = json.dumps({"choices": [{"message": message}]})
    with FakeChatServer([BadBody(body)]) as server:
        if above:
            with pytest.raises(ModelError, match="more than 8,000,000 bytes"):
                ask(server, retries=0)
        else:
            assert ask(server).text == ""
