"""However a server behaves, a query ends in one of a few ways, and soon."""

import asyncio
import json
import ssl
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import count

import pytest
from aiohttp import ClientConnectorCertificateError
from aiohttp.client_reqrep import ConnectionKey
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.messages import Message, Text
from tapwright.errors import ModelError
from tapwright.models.anthropic import AnthropicModel
from tapwright.models.endpoints import Endpoint, Endpoints, Fault
from tapwright.models.errors import (
    ModelRefusedError,
    ModelWaitWarning,
    RepeatedRefusalError,
    ServerDownError,
)
from tapwright.models.gemini import GeminiModel
from tapwright.models.model import Completion
from tapwright.models.openai import OpenAIModel
from tapwright.models.openai_responses import OpenAIResponsesModel
from tapwright.models.query_endings import ENDINGS, QueryEnding, failed_ending, query_ending
from tapwright.models.retry_after import retry_after_s
from tapwright.models.server import ServerModel
from tapwright.models.server_errors import FailedAnswerError
from tapwright.models.transport import _tls_hint
from tapwright.testing import FakeChatServer, HttpError
from tests.models.manners import ANSWERS, FAILURES, HINTS, MANNERS, POINT, REFUSALS, Manner

HELLO = [Message("user", (Text("hello"),))]
TOGETHER = 8
MOST_WASTED = 40


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def model_of(urls: str, time: Time) -> OpenAIModel:
    return OpenAIModel(
        "any", base_url=urls, sleep=time.sleep, clock=time, chance=lambda: 1.0, timeout_s=5.0
    )


def ending_of(outcome: Completion | ModelError) -> QueryEnding:
    if isinstance(outcome, ModelError):
        return failed_ending(outcome.code)
    is_read = outcome.text == POINT or outcome.ending == "answered"
    return query_ending(outcome.text, outcome.finish, is_read=is_read)


async def ask(model: ServerModel) -> Completion | ModelError:
    try:
        return await model.complete(HELLO)
    except ModelError as error:
        return error


def ask_many(urls: str, number: int, time: Time) -> list[Completion | ModelError]:
    """Ask as a run does: so many at a time, until the server is given up."""

    async def main() -> list[Completion | ModelError]:
        found: list[Completion | ModelError] = []
        model, room = model_of(urls, time), asyncio.Semaphore(TOGETHER)

        async def one() -> None:
            async with room:
                if not any(isinstance(each, ModelError) and each.fatal for each in found):
                    found.append(await ask(model))

        try:
            await asyncio.gather(*(one() for _ in range(number)))
        finally:
            await model.close()
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWaitWarning)
        return asyncio.run(main())


@pytest.mark.parametrize("manner", MANNERS, ids=lambda manner: manner.name)
def test_every_manner_ends_in_its_way(manner: Manner) -> None:
    time = Time()
    with FakeChatServer([manner.answer]) as server:
        (outcome,) = ask_many(server.base_url, 1, time)
    assert ending_of(outcome) == manner.ending
    if isinstance(outcome, Completion):
        assert outcome.text == manner.text
    else:
        assert not ENDINGS[manner.ending].has_answer
        assert not outcome.hint or HINTS.get(manner.name, "") in f"{outcome} {outcome.hint}"


@pytest.mark.parametrize("manner", [*FAILURES, *REFUSALS], ids=lambda manner: manner.name)
def test_a_server_that_cannot_answer_is_noticed_after_few_queries(manner: Manner) -> None:
    time = Time()
    with FakeChatServer([manner.answer]) as server:
        outcomes = ask_many(server.base_url, 300, time)
        assert len(server.received) <= MOST_WASTED
    (last,) = (one for one in outcomes[-1:] if isinstance(one, ModelError))
    assert last.fatal
    assert "so no more is sent" in str(last)
    assert HINTS.get(manner.name, "") in last.hint


def test_a_dead_port_ends_the_run_within_seconds() -> None:
    with FakeChatServer(["never"]) as server:
        pass
    time = Time()
    outcomes = ask_many(server.base_url, 300, time)
    assert any(isinstance(one, ServerDownError) for one in outcomes)
    assert time.now <= 20


@pytest.mark.parametrize(
    ("code", "way"),
    [(62, "as its certificate does"), (10, "has expired"), (18, "SSL_CERT_FILE")],
)
def test_a_certificate_that_is_refused_has_its_own_way_out(code: int, way: str) -> None:
    cause = ssl.SSLCertVerificationError(1, "certificate verify failed")
    cause.verify_code = code
    place = ConnectionKey("localhost", 443, True, True, None, None, None)
    assert way in _tls_hint(ClientConnectorCertificateError(place, cause))


def test_a_server_is_told_what_is_unpacked() -> None:
    with FakeChatServer(["yes"]) as server:
        ask_many(server.base_url, 1, Time())
        assert server.received[0].headers["accept-encoding"] == "gzip"


def test_a_client_is_used_in_one_loop_after_another() -> None:
    with FakeChatServer(["yes"]) as server:
        model = model_of(server.base_url, Time())

        async def main() -> list[str]:
            try:
                return [one.text for one in await asyncio.gather(*map(ask_well, [model] * 30))]
            finally:
                await model.close()

        assert asyncio.run(main()) == asyncio.run(main()) == ["yes"] * 30


async def ask_well(model: ServerModel) -> Completion:
    return await model.complete(HELLO)


def test_with_several_servers_the_others_go_on() -> None:
    with FakeChatServer(["never"]) as gone:
        pass
    with (
        FakeChatServer([HttpError(401, "key")]) as one,
        FakeChatServer([HttpError(500)]) as two,
        FakeChatServer(["yes"]) as good,
    ):
        urls = " ".join(server.base_url for server in (one, two, gone, good))
        outcomes = ask_many(urls, 100, Time())
    assert [one.text for one in outcomes if isinstance(one, Completion)] == ["yes"] * 100
    assert len(one.received) <= TOGETHER


def test_a_server_that_comes_back_answers_all() -> None:
    time, received = Time(), count()

    def answer(_: object) -> str | HttpError:
        return "yes" if next(received) < 20 or time.now > 40 else HttpError(500, "restarting")

    with FakeChatServer(answer) as server:
        outcomes = ask_many(server.base_url, 60, time)
    answered = [one for one in outcomes if isinstance(one, Completion)]
    assert len(outcomes) == 60
    assert len(answered) >= 40


def test_a_server_that_takes_few_questions_at_a_time_answers_most_in_one_round() -> None:
    time = Time()
    seconds: Counter[int] = Counter()

    def answer(_: object) -> str | HttpError:
        seconds[int(time.now)] += 1
        return "yes" if seconds[int(time.now)] <= 4 else HttpError(429, "slow down")

    with FakeChatServer(answer) as server:
        outcomes = ask_many(server.base_url, 100, time)
    assert len(outcomes) == 100
    # The rest is asked again in the next round of a run.
    assert sum(isinstance(one, Completion) for one in outcomes) >= 60
    assert not any(one.fatal for one in outcomes if isinstance(one, ModelError))


def test_refusals_of_single_questions_end_nothing() -> None:
    received = count()

    def answer(_: object) -> str | HttpError:
        return HttpError(400, "picture 7 is too large") if next(received) % 2 else "yes"

    with FakeChatServer(answer) as server:
        outcomes = ask_many(server.base_url, 120, Time())
    assert len(outcomes) == 120
    assert {type(one) for one in outcomes} == {Completion, ModelRefusedError}


def test_equal_refusals_that_differ_in_numbers_are_equal() -> None:
    endpoints = Endpoints("m", [Endpoint("http://a", None)])
    for tokens in range(4):
        endpoints.note_refusal(endpoints.all[0], f"{tokens} tokens", "", limit=5)
    with pytest.raises(RepeatedRefusalError, match="5 times in a row"):
        endpoints.note_refusal(endpoints.all[0], "9 tokens", "", limit=5)


def test_a_server_that_was_shut_is_tried_again_after_a_while() -> None:
    time = Time()
    endpoint = Endpoint("http://a", None, time)
    endpoints = Endpoints("m", [endpoint])
    endpoints.note_fault(endpoint, Fault("tls", "self-signed", hint="SSL_CERT_FILE"))
    with pytest.raises(ServerDownError) as caught:
        endpoints.check()
    assert caught.value.hint == "SSL_CERT_FILE"
    time.now += 61
    endpoints.check()
    endpoints.note_answer(endpoint)
    assert endpoint.shut is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": "2m30s"}, 150.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}, 30.0),
        ({"Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"}, 30.0),
        ({"Retry-After": "Sun Nov  6 08:49:37 1994"}, 30.0),
        ({"Retry-After": "Infinity"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s"}, 0.0),
        ({"anthropic-ratelimit-requests-remaining": "0",
          "anthropic-ratelimit-requests-reset": "1994-11-06T08:49:37Z"}, 30.0),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"}, 30.0),
        ({"Retry-After": "-1"}, 0.0),
        ({}, 0.0),
    ],
    ids=repr,
)  # fmt: skip
def test_a_wait_is_read_in_every_published_form(headers: dict[str, str], seconds: float) -> None:
    assert retry_after_s({"Date": "Sun, 06 Nov 1994 08:49:07 GMT", **headers}) == seconds


def test_a_wait_in_the_body_is_kept_too() -> None:
    time = Time()
    detail: JsonValue = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37s"}
    error: JsonValue = {"message": "You exceeded your current quota", "details": [detail]}
    with FakeChatServer([HttpError(429, body={"error": error}), "yes"]) as server:
        (outcome,) = ask_many(server.base_url, 1, time)
    assert isinstance(outcome, Completion)
    assert time.now == 37.5


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
WIRES: dict[type[ServerModel], tuple[dict[str, JsonValue], Sequence[str]]] = {
    OpenAIModel: (
        {"choices": [{"message": {"role": "assistant", "content": POINT}}]},
        (
            "usage", "id", "choices.0.finish_reason", "choices.0.logprobs", "choices.0.index",
            "choices.0.message.tool_calls", "choices.0.message.reasoning",
            "choices.0.message.reasoning_content", "choices.0.message.reasoning_details",
            "choices.0.message.refusal", "choices.0.message.function_call", "status", "created",
            "choices.0.message.annotations", "system_fingerprint", "usage.prompt_tokens",
        ),
    ),
    AnthropicModel: (
        {"type": "message", "content": [{"type": "text", "text": POINT}]},
        ("usage", "stop_reason", "id", "content.0.citations", "usage.input_tokens", "role",
         "stop_sequence", "container"),
    ),
    GeminiModel: (
        {"candidates": [{"content": {"parts": [{"text": POINT}]}}]},
        ("usageMetadata", "promptFeedback", "candidates.0.finishReason", "modelVersion",
         "candidates.0.safetyRatings", "candidates.0.content.role",
         "usageMetadata.promptTokenCount", "candidates.0.content.parts.0.thoughtSignature"),
    ),
    OpenAIResponsesModel: (
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": POINT}]}]},
        ("usage", "incomplete_details", "output.0.status", "reasoning", "id",
         "output.0.content.0.annotations", "usage.input_tokens", "incomplete_details.reason"),
    ),
}  # fmt: skip
PLACES = [(kind, place) for kind, (_, places) in WIRES.items() for place in places]
ENDS = {"failed", "cancelled", "error"}


def _put(found: JsonValue, path: Sequence[str], value: JsonValue) -> JsonValue:
    head, *rest = path
    if isinstance(found, list):
        inner = _put(found[0], rest, value) if rest else value
        return [inner, *found[1:]]
    assert isinstance(found, dict)
    return {**found, head: _put(found.get(head, {}), rest, value) if rest else value}


@given(place=st.sampled_from(PLACES), value=ANY)
@example(place=(OpenAIModel, "choices.0.message.tool_calls"), value=[{"function": 3}])
@settings(max_examples=60, deadline=None)
def test_no_answer_is_lost_for_what_stands_beside_it(
    place: tuple[type[ServerModel], str], value: JsonValue
) -> None:
    kind, path = place
    body = _put(WIRES[kind][0], path.split("."), value)
    model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    completion = model._completion(json.dumps(body).encode(), {})
    assert completion.text == POINT
    assert completion.usage.input_tokens >= 0


@pytest.mark.parametrize(
    ("kind", "body", "ending"),
    [
        (AnthropicModel, {"content": [], "stop_reason": "refusal"}, "refused"),
        (AnthropicModel, {"content": [], "stop_reason": "max_tokens"}, "cut"),
        (AnthropicModel, {"content": POINT, "stop_reason": "end_turn"}, "answered"),
        (AnthropicModel, {"content": [POINT], "stop_reason": "end_turn"}, "answered"),
        (AnthropicModel, {"content": [{"text": POINT}], "stop_reason": "end_turn"}, "answered"),
        (AnthropicModel, {"content": None, "stop_reason": "refusal"}, "refused"),
        (AnthropicModel, {"content": None, "stop_reason": "max_tokens"}, "cut"),
        (AnthropicModel, {"content": None, "stop_reason": "end_turn"}, "empty"),
        (AnthropicModel, {"content": [{"type": "tool_use", "name": "computer", "input": {}}]},
         "answered"),
        (AnthropicModel, {"content": [None, {"type": "text", "text": POINT}]}, "answered"),
        (AnthropicModel, {"content": [], "stop_reason": "end_turn"}, "empty"),
        (GeminiModel, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "refused"),
        (GeminiModel, {"candidates": [{"finishReason": "SAFETY"}]}, "refused"),
        (GeminiModel, {"promptFeedback": {"blockReason": "OTHER"}}, "refused"),
        (GeminiModel, {"candidates": [{"finishReason": "OTHER"}]}, "empty"),
        (GeminiModel, {"candidates": [{"content": {"parts": [POINT]}}]}, "answered"),
        (GeminiModel, {"candidates": [{"content": POINT}]}, "answered"),
        (GeminiModel, {"candidates": [{"content": {"parts": [
            {"functionCall": {"name": "click_at", "args": {}}}]}}]}, "answered"),
        (GeminiModel, {"candidates": [{"finishReason": "MAX_TOKENS"}]}, "cut"),
        (GeminiModel, {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "malformed"),
        (GeminiModel, {"candidates": [{"content": {"parts": {"text": POINT}}}]}, "answered"),
        (OpenAIResponsesModel, {"output": [{"type": "message", "content": [
            {"type": "refusal", "refusal": "no"}]}]}, "refused"),
        (OpenAIResponsesModel, {"output": [], "status": "incomplete", "incomplete_details": {
            "reason": "max_output_tokens"}}, "cut"),
        (OpenAIResponsesModel, {"output": [], "status": "incomplete", "incomplete_details": {
            "reason": "content_filter"}}, "refused"),
        (OpenAIResponsesModel, {"output": [{"type": "message", "content": POINT}]}, "answered"),
        (OpenAIResponsesModel, {"output": [POINT]}, "answered"),
        (OpenAIResponsesModel, {"output": [{"content": [{"text": POINT}]}]}, "answered"),
        (OpenAIResponsesModel, {"output": None, "status": "completed"}, "empty"),
        (OpenAIResponsesModel, {"output": []}, "empty"),
    ],
    ids=str,
)  # fmt: skip
def test_every_provider_has_its_words_for_the_same_endings(
    kind: type[ServerModel], body: JsonValue, ending: QueryEnding
) -> None:
    model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    assert model._completion(json.dumps(body).encode(), {}).ending == ending


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (AnthropicModel, {"content": [], "stop_reason": "error"}),
        (AnthropicModel, {"content": None, "message": "down"}),
        (GeminiModel, {"candidates": [{"finishReason": "ERROR"}]}),
        (GeminiModel, {"candidates": [], "message": "down"}),
        (OpenAIResponsesModel, {"output": [], "message": "down"}),
    ],
    ids=str,
)
def test_what_every_provider_fails_in_is_no_answer(
    kind: type[ServerModel], body: JsonValue
) -> None:
    model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    with pytest.raises(FailedAnswerError):
        model._completion(json.dumps(body).encode(), {})


def test_tokens_in_words_are_counted() -> None:
    body = {"choices": [{"message": {"content": POINT}}], "usage": {"prompt_tokens": "12"}}
    model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1")
    assert model._completion(json.dumps(body).encode(), {}).usage.input_tokens == 12


def _stream(*events: JsonValue) -> bytes:
    return "".join(f"event: e\ndata: {json.dumps(one)}\n\n" for one in events).encode()


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (AnthropicModel, _stream(
            {"type": "message_start", "message": {"type": "message", "content": []}},
            {"type": "content_block_start", "index": 0,
             "content_block": {"type": "text", "text": ""}},
            {"type": "ping"},
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": "(500, "}},
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": "250)"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"})),
        (GeminiModel, _stream(
            {"candidates": [{"content": {"parts": [{"text": "(500, "}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "250)"}]}, "finishReason": "STOP"}]})),
        (GeminiModel, json.dumps([
            {"candidates": [{"content": {"parts": [{"text": "(500, "}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "250)"}]}, "finishReason": "STOP"}]},
        ]).encode()),
        (OpenAIResponsesModel, _stream(
            {"type": "response.created", "response": {"status": "in_progress", "output": []}},
            {"type": "response.output_text.delta", "delta": "(500"},
            {"type": "response.completed", "response": {"status": "completed", "output": [
                {"type": "message", "content": [{"type": "output_text", "text": POINT}]}]}})),
        (OpenAIResponsesModel, json.dumps({"output_text": POINT, "output": None}).encode()),
    ],
    ids=str,
)  # fmt: skip
def test_a_stream_that_nobody_asked_for_is_joined(kind: type[ServerModel], payload: bytes) -> None:
    model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    completion = model._completion(payload, {})
    assert (completion.text, completion.ending) == (POINT, "answered")


def test_a_streamed_call_is_one_of_anthropics() -> None:
    payload = _stream(
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "name": "computer", "input": {}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"partial_json": '{"x"'}},
        {"type": "content_block_delta", "index": 0, "delta": {"partial_json": ": 1}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    )
    model = AnthropicModel("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    assert '"input": {"x": 1}' in model._completion(payload, {"tools": []}).text


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        (AnthropicModel, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
        (GeminiModel, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow"}}),
        (OpenAIResponsesModel, {"type": "response.failed", "response": {
            "status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow"}}}),
    ],
    ids=str,
)  # fmt: skip
def test_an_error_in_a_stream_is_one(kind: type[ServerModel], event: JsonValue) -> None:
    model = kind("m", base_url="http://127.0.0.1:9/v1", api_key="sk-0123456789")
    with pytest.raises(FailedAnswerError) as caught:
        model._completion(_stream(event), {})
    assert caught.value.status in (429, 529)


def test_the_good_manners_are_all_read() -> None:
    assert {manner.ending for manner in ANSWERS} == {"answered"}
    assert {manner.ending for manner in MANNERS} == ENDINGS.keys() - {"unread"}
    assert len(MANNERS) >= 60
