"""The providers' own APIs, spoken over HTTP to a server on this machine that answers as they do."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from aiohttp import web
from PIL import Image

from tapwright.agents.model import UNREADABLE, ModelAgent
from tapwright.benchmarks.osworld_g import OSWorldG
from tapwright.conventions import conventions
from tapwright.core.actions import Action, Finish, LongPress, PressKey, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Audio, Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import ModelError
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import RunLog
from tapwright.models.anthropic import AnthropicModel
from tapwright.models.errors import ModelRefusedError
from tapwright.models.gemini import GeminiModel
from tapwright.models.model import Completion, Usage
from tapwright.models.openai_responses import OpenAIResponsesModel
from tapwright.models.server import ServerModel
from tests.benchmarks.dataset_samples import OSWORLD_ROW, osworld_g

KEY = "secret-0123456789"
SIZE = Size(1920, 1080)
HELLO = [Message("user", (Text("hello"),))]
CLIENTS: dict[str, type[ServerModel]] = {
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "openai-responses": OpenAIResponsesModel,
}


class ProviderServer:
    """Answers every POST with the next of its payloads, the last one for ever."""

    def __init__(self, *answers: Any, status: int = 200) -> None:
        self.received: list[tuple[str, Mapping[str, str], Any]] = []
        self._answers = answers
        self._status = status

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append((request.path, headers, await request.json()))
        answer = self._answers[min(len(self.received), len(self._answers)) - 1]
        return web.json_response(answer, status=self._status)


def claude(*content: Any, stop: str = "tool_use") -> Any:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 5}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    return {**head, "content": [*content], "stop_reason": stop, "usage": usage}


def gemini(*parts: Any, finish: str = "STOP") -> Any:
    usage = {"promptTokenCount": 12, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": [*parts]}, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": usage}


def gpt(*items: Any, status: str = "completed") -> Any:
    usage = {"input_tokens": 12, "output_tokens": 5, "total_tokens": 17}
    return {"status": status, "output": [*items], "usage": usage}


def said(text: str) -> dict[str, Any]:
    """The plain answer of each provider, with a thought before it."""
    return {
        "anthropic": claude(
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": text},
            stop="end_turn",
        ),
        "gemini": gemini({"text": "hm", "thought": True}, {"text": text}),
        "openai-responses": gpt(
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": text}]},
        ),
    }


CLICKS: dict[str, Any] = {
    "anthropic": claude(
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "The button."},
        {
            "type": "tool_use",
            "id": "toolu_9",
            "name": "computer",
            "input": {"action": "left_click", "coordinate": [364, 409]},
        },
    ),
    "gemini": gemini(
        {"text": "hm", "thought": True},
        {"text": "The button."},
        {"functionCall": {"name": "click", "args": {"x": 250, "y": 500}}, "thoughtSignature": "c2"},
    ),
    "openai-responses": gpt(
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "The button."}]},
        {
            "type": "computer_call",
            "id": "cu_9",
            "call_id": "call_9",
            "actions": [{"type": "click", "button": "left", "x": 480, "y": 540}],
            "pending_safety_checks": [],
            "status": "completed",
        },
    ),
}
CONVENTIONS = {
    "anthropic": "anthropic-computer",
    "gemini": "gemini-computer",
    "openai-responses": "openai-computer",
}


def screen(colour: str, size: Size = SIZE) -> Observation:
    buffer = BytesIO()
    Image.new("RGB", (size.width, size.height), colour).save(buffer, "PNG")
    return Observation(screenshot=Screenshot(buffer.getvalue()), size=size)


def exchange(
    client: str, server: ProviderServer, use: Callable[[ServerModel], Any], **options: Any
) -> Any:
    async def main() -> Any:
        async with server:
            model = CLIENTS[client]("any", base_url=server.url, api_key=KEY, **options)
            try:
                return await use(model)
            finally:
                await model.close()

    return asyncio.run(main())


def decide(
    client: str, answers: Sequence[Any], history: Sequence[Step] = (), convention: str = ""
) -> tuple[Decision, ProviderServer, ModelAgent]:
    server, agents = ProviderServer(*answers), []

    async def use(model: ServerModel) -> Decision:
        agents.append(ModelAgent(model, conventions.get(convention or CONVENTIONS[client])))
        return await agents[0].act("buy milk", history, screen("red"))

    decision: Decision = exchange(client, server, use)
    return decision, server, agents[0]


@pytest.mark.parametrize("client", CLIENTS)
def test_words_and_pictures_go_out_and_an_answer_comes_with_its_usage(client: str) -> None:
    shot = screen("blue", Size(4, 8)).screenshot
    messages = [Message("system", (Text("be brief"),)), Message("user", (Text("?"), Picture(shot)))]
    server = ProviderServer(said("yes")[client])
    completion: Completion = exchange(client, server, lambda model: model.complete(messages))
    assert (completion.text, completion.reasoning) == ("yes", "hm")
    assert completion.usage == Usage(12, 5)
    path, headers, body = server.received[0]
    assert KEY in (headers.get("x-api-key"), headers.get("x-goog-api-key")) or (
        headers["authorization"] == f"Bearer {KEY}"
    )
    assert KEY not in json.dumps(body)
    picture = {
        "anthropic": lambda: body["messages"][0]["content"][1]["source"]["media_type"],
        "gemini": lambda: body["contents"][0]["parts"][1]["inlineData"]["mimeType"],
        "openai-responses": lambda: body["input"][1]["content"][1]["image_url"][5:14],
    }[client]()
    assert picture == "image/png"
    expected = {
        "anthropic": ("/v1/messages", 2048, "be brief"),
        "gemini": ("/v1beta/models/any:generateContent", 2048, "be brief"),
        "openai-responses": ("/responses", 2048, "be brief"),
    }[client]
    found = {
        "anthropic": lambda: (body["max_tokens"], body["system"]),
        "gemini": lambda: (
            body["generationConfig"]["maxOutputTokens"],
            body["systemInstruction"]["parts"][0]["text"],
        ),
        "openai-responses": lambda: (
            body["max_output_tokens"],
            body["input"][0]["content"][0]["text"],
        ),
    }[client]()
    assert (path, *found) == expected


@pytest.mark.parametrize("client", CLIENTS)
def test_a_declared_tool_is_called_and_the_call_is_the_decision(client: str) -> None:
    decision, server, agent = decide(client, [CLICKS[client]])
    match decision.action:
        case Tap(at=at):
            assert at.x == pytest.approx(0.25, abs=0.001)
            assert at.y == pytest.approx(0.5, abs=0.001)
        case other:
            pytest.fail(f"{other}")
    assert decision.reasoning == "The button."
    assert agent.answers[0].completion.reasoning == "hm"
    _, headers, body = server.received[0]
    tool = body["tools"][0]
    if client == "anthropic":
        assert headers["anthropic-beta"] == "computer-use-2025-01-24"
        assert tool == {
            "type": "computer_20250124",
            "name": "computer",
            "display_width_px": 1456,
            "display_height_px": 819,
        }
    elif client == "gemini":
        assert tool["computerUse"]["environment"] == "ENVIRONMENT_BROWSER"
    else:
        assert (tool, body["truncation"]) == ({"type": "computer"}, "auto")


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_without_a_call_is_the_end(client: str) -> None:
    decision, _, _ = decide(client, [said("Milk is bought.")[client]])
    assert decision.action == Finish(reason="Milk is bought.")


def test_an_answer_that_was_cut_off_is_no_end() -> None:
    cut = claude({"type": "text", "text": "I would"}, stop="max_tokens")
    decision, _, agent = decide("anthropic", [cut])
    assert isinstance(decision.action, Finish)
    assert decision.action.reason.startswith(UNREADABLE)
    assert agent.answers[0].completion.finish == "length"


def test_two_calls_at_once_are_two_actions() -> None:
    block = CLICKS["anthropic"]["content"][2]
    decision, _, _ = decide("anthropic", [claude(block, block)])
    assert [action.type for action in decision.actions] == ["tap", "tap"]


def steps(*actions: Action) -> list[Step]:
    return [Step(screen("green"), Decision(action, reasoning="Because.")) for action in actions]


def test_anthropic_gets_the_history_as_uses_of_the_tool_and_their_results() -> None:
    history = steps(
        Tap(at=Point(0.5, 0.5)), TypeText(text="milk"), LongPress(at=Point(0.5, 0.5)), Wait()
    )
    _, server, _ = decide("anthropic", [CLICKS["anthropic"]], history)
    turns = server.received[0][2]["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 4 + ["user"]
    use = turns[1]["content"][1]
    assert use["input"] == {"action": "left_click", "coordinate": [728, 409]}
    result = turns[2]["content"][0]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", use["id"])
    assert turns[5]["content"][-1]["text"].startswith("long press at")
    pictures = json.dumps(turns).count('"media_type"')
    assert pictures == 3
    assert turns[-1]["content"][0]["content"][-1]["type"] == "image"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sound_goes_where_the_provider_hears_one_and_is_refused_elsewhere(client: str) -> None:
    server = ProviderServer(said("yes")[client])
    asked = [Message("user", (Text("?"), Audio(b"OggSsound", "a.ogg")))]
    if client != "gemini":
        with pytest.raises(ModelRefusedError, match=r"a\.ogg: .* no sound"):
            exchange(client, server, lambda model: model.complete(asked))
        return
    exchange(client, server, lambda model: model.complete(asked))
    part = server.received[0][2]["contents"][0]["parts"][1]
    assert part == {"inlineData": {"mimeType": "audio/ogg", "data": "T2dnU3NvdW5k"}}


def test_gemini_gets_the_history_as_calls_and_responses() -> None:
    _, server, _ = decide("gemini", [CLICKS["gemini"]], steps(PressKey(key="back")))
    task, call, response = server.received[0][2]["contents"]
    assert (task["role"], call["role"], response["role"]) == ("user", "model", "user")
    assert call["parts"][1]["functionCall"] == {"name": "go_back", "args": {}}
    assert call["parts"][1]["thoughtSignature"]
    answer = response["parts"][0]["functionResponse"]
    assert answer["name"] == "go_back"
    assert answer["parts"][0]["inlineData"]["mimeType"] == "image/png"


@pytest.mark.parametrize("convention", ["openai-computer", "openai-computer-preview"])
def test_openai_gets_the_history_as_calls_and_outputs(convention: str) -> None:
    answer = CLICKS["openai-responses"]
    _, server, _ = decide("openai-responses", [answer], steps(TypeText(text="milk")), convention)
    body = server.received[0][2]
    _, words, call, output = body["input"]
    assert words == {"role": "assistant", "content": [{"type": "output_text", "text": "Because."}]}
    made = {"type": "type", "text": "milk"}
    expected = {"actions": [made]} if convention == "openai-computer" else {"action": made}
    assert expected.items() <= call.items()
    assert output["call_id"] == call["call_id"]
    assert output["output"]["image_url"].startswith("data:image/png;base64,")
    assert body["store"] is False
    if convention == "openai-computer-preview":
        assert body["tools"][0]["display_width"] == 1920


def test_a_tool_of_another_provider_goes_as_text() -> None:
    answer = json.dumps({"name": "click", "args": {"x": 1, "y": 2}})
    _, server, _ = decide("anthropic", [said(answer)["anthropic"]], convention="gemini-computer")
    assert "tools" not in server.received[0][2]


def test_tools_of_the_users_own_settings_come_first() -> None:
    tools = [{"type": "computer_20241022", "name": "computer"}]
    server = ProviderServer(CLICKS["anthropic"])

    async def use(model: ServerModel) -> Decision:
        agent = ModelAgent(model, conventions.get("anthropic-computer"))
        return await agent.act("buy milk", (), screen("red"))

    exchange("anthropic", server, use, extra={"tools": tools})
    _, headers, body = server.received[0]
    assert (body["tools"], headers["anthropic-beta"]) == (tools, "computer-use-2024-10-22")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_key_of_a_provider_is_not_told(client: str) -> None:
    server = ProviderServer({"error": {"message": f"bad key {KEY}"}}, status=401)

    async def use(model: ServerModel) -> str:
        with pytest.raises(ModelRefusedError) as caught:
            await model.complete([Message("user", (Text("?"),))])
        return f"{caught.value} {model!r} {model.settings}"

    words = exchange(client, server, use)
    assert "bad key ***" in words
    assert KEY not in words


@pytest.mark.parametrize(
    ("client", "variable"),
    [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("openai-responses", "OPENAI_API_KEY"),
    ],
)
def test_a_hosted_provider_without_a_key_names_the_variable(client: str, variable: str) -> None:
    with pytest.raises(ModelError) as caught:
        CLIENTS[client]("any")
    assert variable in caught.value.hint


@pytest.mark.parametrize(
    ("client", "failure"),
    [
        (
            "anthropic",
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        ),
        ("anthropic", {**said("half")["anthropic"], "type": "error"}),
        ("gemini", {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}),
        ("gemini", {**said("half")["gemini"], "error": {"code": 500, "message": "internal"}}),
        (
            "openai-responses",
            {**gpt(status="failed"), "error": {"code": "server_error", "message": "sorry"}},
        ),
        ("openai-responses", gpt(status="failed")),
    ],
)
def test_a_failure_that_arrives_with_status_200_is_no_answer(client: str, failure: Any) -> None:
    async def at_once(seconds: float) -> None:
        pass

    server = ProviderServer(failure, said("there")[client])
    completion: Completion = exchange(
        client, server, lambda model: model.complete(HELLO), sleep=at_once
    )
    assert (completion.text, completion.attempts) == ("there", 2)
    with pytest.raises(ModelError, match="HTTP 200 with error"):
        exchange(
            client,
            ProviderServer(failure),
            lambda model: model.complete(HELLO),
            sleep=at_once,
            retries=0,
        )


@pytest.mark.parametrize(
    ("client", "failure"),
    [
        (
            "anthropic",
            {"type": "error", "error": {"type": "authentication_error", "message": "no"}},
        ),
        ("gemini", {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}),
        (
            "openai-responses",
            {**gpt(status="failed"), "error": {"code": "invalid_prompt", "message": "no"}},
        ),
    ],
)
def test_a_refusal_that_arrives_with_status_200_is_one(client: str, failure: Any) -> None:
    server = ProviderServer(failure)
    with pytest.raises(ModelRefusedError, match="refused: HTTP 200 with error 40"):
        exchange(client, server, lambda model: model.complete(HELLO))
    assert len(server.received) == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_a_grounding_suite_asks_as_an_agent_does(client: str, tmp_path: Path) -> None:
    benchmark = OSWorldG(osworld_g(tmp_path / "data", OSWORLD_ROW))
    server = ProviderServer(CLICKS[client])

    async def use(model: ServerModel) -> RunLog:
        plan = RunPlan(convention=CONVENTIONS[client])
        return await evaluate(benchmark, model, tmp_path / "run", plan)

    (row,) = exchange(client, server, use).rows
    _, _, acting = decide(client, [CLICKS[client]])[1].received[0]
    _, _, pointing = server.received[0]
    assert pointing["tools"]
    assert pointing.keys() == acting.keys()
    assert row.answer is not None
    assert row.answer.startswith("The button.\n{")
    assert row.status in ("ok", "out_of_range")  # the place may be off this small picture
