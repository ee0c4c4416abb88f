"""Manners of model servers, good and bad: what comes back, and how the query ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.models.query_endings import QueryEnding
from tapwright.testing import BadBody, CutBody, Fault, HttpError, Reset

Json = dict[str, JsonValue]
POINT = "(500, 250)"


@dataclass(frozen=True)
class Manner:
    """A way of a server to answer, the ending of the query, and the answer that is kept."""

    name: str
    answer: str | Fault
    ending: QueryEnding
    text: str = ""


def chat(message: JsonValue, finish: JsonValue = "stop", **more: JsonValue) -> BadBody:
    choice: Json = {"index": 0, "message": message, "finish_reason": finish}
    return BadBody(json.dumps({"choices": [choice], **more}))


def choice(**fields: JsonValue) -> BadBody:
    return BadBody(json.dumps({"choices": [fields]}))


def said(content: JsonValue = POINT, finish: JsonValue = "stop", **beside: JsonValue) -> BadBody:
    return chat({"role": "assistant", "content": content, **beside}, finish)


def refusal(status: int, code: JsonValue, message: str = "no", **more: JsonValue) -> HttpError:
    return HttpError(status, message, body={"error": {"code": code, "message": message, **more}})


def text(value: str) -> Json:
    return {"type": "text", "text": value}


CALL: Json = {"function": {"name": "click", "arguments": '{"x": 1}'}}
CALLED = '<tool_call>\n{"name": "click", "arguments": {"x": 1}}\n</tool_call>'

ANSWERS = (
    Manner("plain", POINT, "answered", POINT),
    Manner("parts", said([text("(500, "), text("250)")]), "answered", POINT),
    Manner("thinking part", said([{"type": "thinking", "thinking": [text("hm")]}, text(POINT)]),
           "answered", POINT),
    Manner("part alone", said(text(POINT)), "answered", POINT),
    Manner("parts of strings", said([POINT]), "answered", POINT),
    Manner("unknown part", said([{"type": "audio", "data": "x"}, text(POINT)]), "answered", POINT),
    Manner("message is text", chat(POINT), "answered", POINT),
    Manner("output_text", said([{"type": "output_text", "text": POINT, "annotations": []}]),
           "answered", POINT),
    Manner("call beside text", said("I click", "tool_calls", tool_calls=[CALL]), "answered",
           f"I click\n{CALLED}"),
    Manner("call alone", said(None, "tool_calls", tool_calls=[CALL]), "answered", CALLED),
    Manner("legacy call", said(None, "function_call", function_call=CALL["function"]),
           "answered", CALLED),
    Manner("tool_calls is a text", said(tool_calls="none"), "answered", POINT),
    Manner("tool_calls is null", said(tool_calls=None), "answered", POINT),
    Manner("reasoning is a list", said(reasoning=[text("hm")]), "answered", POINT),
    Manner("reasoning is a number", said(reasoning=3), "answered", POINT),
    Manner("reasoning_details", said(reasoning_details=[{"type": "reasoning.text", "text": "x"}]),
           "answered", POINT),
    Manner("thinking_blocks", said(thinking_blocks=[{"type": "thinking", "thinking": "x"}]),
           "answered", POINT),
    Manner("refusal is null", said(refusal=None), "answered", POINT),
    Manner("finish is null", said(finish=None), "answered", POINT),
    Manner("finish is a number", said(finish=1), "answered", POINT),
    Manner("usage is null", chat({"content": POINT}, usage=None), "answered", POINT),
    Manner("usage is a list", chat({"content": POINT}, usage=[1]), "answered", POINT),
    Manner("usage of words", chat({"content": POINT}, usage={"prompt_tokens": "many"}),
           "answered", POINT),
    Manner("usage is a float", chat({"content": POINT}, usage={"prompt_tokens": 3.0}),
           "answered", POINT),
    Manner("usage below zero", chat({"content": POINT}, usage={"prompt_tokens": -1}),
           "answered", POINT),
    Manner("error is null", chat({"content": POINT}, error=None), "answered", POINT),
    Manner("error is empty", chat({"content": POINT}, error={"code": None, "message": ""}),
           "answered", POINT),
    Manner("logprobs odd", choice(message={"content": POINT}, logprobs="x"), "answered", POINT),
    Manner("content is read JSON", said({"x": 500, "y": 250}), "answered", '{"x": 500, "y": 250}'),
    Manner("content is a read action", said({"type": "type", "value": "x", "at": [1, 2]}),
           "answered", '{"type": "type", "value": "x", "at": [1, 2]}'),
    Manner("content is a list of read actions", said([{"action": "type", "text": "hello"}]),
           "answered", '[{"action": "type", "text": "hello"}]'),
    Manner("content is a number", said(5), "answered", "5"),
    Manner("content is a list of numbers", said([500, 250]), "answered", "[500, 250]"),
    Manner("first choice odd", BadBody(json.dumps(
        {"choices": [None, {"message": {"content": POINT}}]})), "answered", POINT),
    Manner("a huge number beside", BadBody(
        '{"choices": [{"message": {"content": "(500, 250)"}}], "created": 1' + "0" * 5000 + "}"),
        "answered", POINT),
)  # fmt: skip


def event(**choice: JsonValue) -> str:
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


STREAMED = (
    Manner("streamed unasked", BadBody(
        ": PROCESSING\n\n" + event(delta={"role": "assistant", "content": "(500, "})
        + event(delta={"content": "250)"})
        + event(delta={}, finish_reason="stop") + "data: [DONE]\n\n"), "answered", POINT),
    Manner("streamed and cut", BadBody(
        event(delta={"content": "(5"}) + event(delta={}, finish_reason="length")), "cut", "(5"),
    Manner("streamed an error", BadBody(
        event(delta={"content": "(5"}) + 'data: {"error": {"message": "down"}}\n\n'), "failed"),
)  # fmt: skip


def streamed(*chunks: JsonValue, end: str = "data: [DONE]\n\n") -> BadBody:
    return BadBody("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end)


def delta(finish: str | None = None, **fields: JsonValue) -> Json:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


SHAPES = (
    Manner("Ollama's own API", BadBody(json.dumps(
        {"message": {"content": POINT}, "done": True, "done_reason": "stop"})), "answered", POINT),
    Manner("Ollama's own stream", BadBody(
        '{"message": {"content": "(500, "}, "done": false}\n'
        '{"message": {"content": "250)"}, "done": true}\n'), "answered", POINT),
    Manner("a completion", choice(text=POINT, finish_reason="stop"), "answered", POINT),
    Manner("a chunk", choice(delta={"content": POINT}, finish_reason="stop"), "answered", POINT),
    Manner("in an envelope", BadBody(json.dumps(
        {"code": 0, "data": {"choices": [{"message": {"content": POINT}}]}})), "answered", POINT),
    Manner("a call without its envelope", said(None, tool_calls=[CALL["function"]]),
           "answered", CALLED),
    Manner("arguments as an object", said(None, tool_calls=[
        {"function": {"name": "click", "arguments": {"x": 1}}}]), "answered", CALLED),
    Manner("arguments as a string of a string", said(None, tool_calls=[
        {"function": {"name": "click", "arguments": '"{\\"x\\": 1}"'}}]), "answered", CALLED),
    Manner("SGLang's own reason", said(POINT, {"type": "length", "length": 9}), "cut", POINT),
    Manner("a stream that begins with a mark", BadBody("\ufeff" + streamed(
        delta(content="(500, "), delta("stop", content="250)")).text), "answered", POINT),
    Manner("every chunk is a success", streamed(
        {**delta(content=POINT), "code": 0, "message": "Success"},
        {**delta("stop"), "code": 0, "message": "Success"},
        {"choices": [], "usage": {}, "code": 0, "message": "Success"}), "answered", POINT),
    Manner("cut before a message", choice(finish_reason="length"), "cut"),
    Manner("declined in place of a message", choice(message=None, finish_reason="content_filter"),
           "refused"),
    Manner("a character in two chunks", streamed(
        delta(content="\ud83d"), delta("stop", content="\ude00")), "answered", "\U0001f600"),
    Manner("a streamed call", streamed(
        delta(tool_calls=[{"index": 0, "function": {"name": "click", "arguments": '{"x"'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]),
        delta("tool_calls")), "answered", CALLED),
    Manner("streamed parts", streamed(
        delta(content=[text("(500, ")]), delta(content=[text("250)")]), delta("stop")),
        "answered", POINT),
    Manner("streamed, its usage at the end", streamed(
        delta("stop", content=POINT), {"choices": [], "usage": {"prompt_tokens": 3}}),
        "answered", POINT),
    Manner("a stream that ends in the middle", streamed(delta(content="(5"), end=""), "failed"),
    Manner("a stream with half a chunk", streamed(delta(content="(5"), end='data: {"cho'),
           "failed"),
    Manner("a stream of an error", streamed({"error": {"message": "slow", "code": 429}}),
           "unavailable"),
    Manner("a stream with an error in plain", streamed(
        delta(content="(5"), end='{"error": {"message": "down"}}\n'), "failed"),
)  # fmt: skip
UNGIVEN = (
    Manner("refusal", said(None, refusal="I cannot help"), "refused", "I cannot help"),
    Manner("content_filter", said("", "content_filter"), "refused"),
    Manner("content_filter in the middle", said("(5", "content_filter"), "refused", "(5"),
    Manner("filter as 400", refusal(400, "content_filter"), "refused"),
    Manner("filter inside 400", refusal(
        400, None, innererror={"code": "ResponsibleAIPolicyViolation"}), "refused"),
    Manner("filter as error in 200", BadBody(json.dumps(
        {"error": {"code": "content_filter", "message": "blocked"}})), "refused"),
    Manner("DashScope's filter", refusal(400, "data_inspection_failed"), "refused"),
    Manner("OpenRouter's moderation", refusal(403, 403, "your input was flagged"), "refused"),
    Manner("OpenAI's policy", refusal(
        400, "invalid_prompt", "your prompt was flagged as potentially violating our usage policy"),
        "refused"),
    Manner("Anthropic's filter", HttpError(400, "Output blocked by content filtering policy"),
           "refused"),
    Manner("Volcengine's filter", refusal(400, "InputTextSensitiveContentDetected"), "refused"),
    Manner("Zhipu's filter", refusal(400, "1301", "可能包含不安全或敏感内容"), "refused"),
    Manner("MiniMax declines", BadBody(json.dumps({"choices": None, "base_resp": {
        "status_code": 1026, "status_msg": "input new_sensitive"}})), "refused"),
    Manner("cut", said("I see a", "length"), "cut", "I see a"),
    Manner("cut in its thoughts", said(None, "length", reasoning_content="hm"), "cut"),
    Manner("Mistral's cut", said("I see", "model_length"), "cut", "I see"),
    Manner("empty", said(""), "empty"),
    Manner("blank", said(" \n"), "empty", " \n"),
    Manner("null", said(None), "empty"),
    Manner("no content", chat({"role": "assistant"}), "empty"),
    Manner("call without a name", said(None, "tool_calls", tool_calls=[{}]), "empty"),
    Manner("malformed call", said("", "malformed_function_call"), "malformed"),
)  # fmt: skip
FAILURES = (
    Manner("error in the choice", choice(
        message={"content": ""}, finish_reason="error", error={"code": 502, "message": "x"}),
        "failed"),
    Manner("finish is error", said("(1, 2)", "error"), "failed"),
    Manner("broken off", said("(1, 2)", "abort"), "failed"),
    Manner("error in the message", said(None, None, error={"message": "down"}), "failed"),
    Manner("one choice with an error", BadBody(json.dumps(
        {"choices": {"message": {"content": ""}, "error": {"message": "down"}}})), "failed"),
    Manner("finish is ERROR", said("(1, 2)", "ERROR"), "failed"),
    Manner("finish is cancelled", said("", "cancelled"), "failed"),
    Manner("words in place of choices", BadBody('{"choices": [], "message": "down"}'), "failed"),
    Manner("a success without a choice", BadBody(json.dumps(
        {"choices": [], "code": 0, "message": "Success"})), "failed"),
    Manner("error is true", BadBody('{"error": true, "message": "down"}'), "failed"),
    Manner("Baidu's words", BadBody('{"error_code": 336100, "error_msg": "try it later"}'),
           "failed"),
    Manner("Cloudflare's errors", BadBody('{"errors": [{"code": 7, "message": "down"}]}'),
           "failed"),
    Manner("error at the top", BadBody(json.dumps({"error": {"message": "down"}})), "failed"),
    Manner("error in words", BadBody(json.dumps({"error": "down"})), "failed"),
    Manner("object is error", BadBody(json.dumps({"object": "error", "message": "down"})),
           "failed"),
    Manner("code and msg", BadBody(json.dumps({"code": 1234, "msg": "down"})), "failed"),
    Manner("500", HttpError(500), "failed"),
    Manner("502 in HTML", HttpError(502, "<html>"), "failed"),
    Manner("no JSON", BadBody("<html>Bad gateway</html>"), "failed"),
    Manner("no choices", BadBody('{"choices": []}'), "failed"),
    Manner("a list", BadBody("[]"), "failed"),
    Manner("503", HttpError(503, "loading"), "unavailable"),
    Manner("529", HttpError(529, "overloaded"), "unavailable"),
    Manner("429", HttpError(429, "slow down"), "unavailable"),
    Manner("504", HttpError(504, "Gateway Time-out"), "unavailable"),
    Manner("Cloudflare's 522", HttpError(522, "Connection timed out"), "unavailable"),
    Manner("rate limit in 200 without a code", BadBody('{"error": "Rate limit exceeded"}'),
           "unavailable"),
    Manner("a minute's rate beside billing", refusal(
        429, "rate_limit_exceeded", "Rate limit reached for m on tokens per min. Please try again "
        "in 2s. Visit https://platform.openai.com/account/billing"), "unavailable"),
    Manner("not done", BadBody('{"status": "queued", "output": []}'), "failed"),
    Manner("reset", Reset(), "unavailable"),
    Manner("half a body", CutBody(), "unavailable"),
)  # fmt: skip
REFUSALS = (
    Manner("no quota", refusal(429, "insufficient_quota", "You exceeded your current quota"),
           "failed"),
    Manner("no credit", refusal(402, None, "Insufficient Balance"), "failed"),
    Manner("no credit as 400", refusal(400, None, "Your credit balance is too low"), "failed"),
    Manner("no quota in 200", BadBody(json.dumps(
        {"error": {"code": "insufficient_quota", "message": "quota exceeded"}})), "failed"),
    Manner("MiniMax without credit", BadBody(json.dumps({"choices": None, "base_resp": {
        "status_code": 1008, "status_msg": "insufficient balance"}})), "failed"),
    Manner("wrong key", HttpError(401, "Incorrect API key provided"), "failed"),
    Manner("key in 200", BadBody(json.dumps({"error": {"code": 401, "message": "key"}})), "failed"),
    Manner("not allowed", HttpError(403, "not for you"), "failed"),
    Manner("wrong model", refusal(404, "model_not_found", "no such model"), "failed"),
    Manner("wrong address", HttpError(405, "Method not allowed"), "failed"),
    Manner("too many pictures", HttpError(400, "At most 1 image(s) may be provided"), "failed"),
    Manner("too long", refusal(400, "context_length_exceeded", "maximum context length is 8192"),
           "failed"),
    Manner("no system message", HttpError(400, "System role not supported"), "failed"),
    Manner("Gemini's wrong key", HttpError(400, "API key not valid. Please pass a valid API key."),
           "failed"),
    Manner("wrong model as 400", HttpError(400, "The model `m` does not exist"), "failed"),
    Manner("too long as 500", HttpError(500, "the request exceeds the available context size"),
           "failed"),
    Manner("too large", HttpError(413, "Request Entity Too Large"), "failed"),
    Manner("a list of problems", HttpError(400, body={"errors": [
        {"message": "maximum context length is 8192"}]}), "failed"),
    Manner("a field", HttpError(422, "messages: Input should be a valid string"), "failed"),
    Manner("a field, with the prompt", HttpError(422, body={"detail": [
        {"type": "missing", "loc": ["body", "model"], "msg": "Field required",
         "input": {"messages": [{"role": "user", "content": "Show flagged mails"}]}}]}), "failed"),
    Manner("no credit in Chinese", refusal(429, "1113", "余额不足或无可用资源包"), "failed"),
    Manner("overdue", refusal(403, "AccountOverdueError", "an overdue balance"), "failed"),
    Manner("a proxy's budget", HttpError(400, "Budget has been exceeded! Max budget: 5.0"),
           "failed"),
    Manner("Gemini's day", refusal(429, 429, "You exceeded your current quota", details=[
        {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
        {"retryDelay": "7s"}]), "failed"),
    Manner("no eyes", HttpError(400, "m is not a multimodal model"), "failed"),
    Manner("no eyes as 500", HttpError(500, "image input is not supported"), "failed"),
    Manner("no eyes as 404", HttpError(404, "No endpoints found that support image input"),
           "failed"),
    Manner("wrong model in Chinese", refusal(400, "1211", "模型不存在，请检查"), "failed"),
    Manner("the provider's words within", refusal(400, 400, "Provider returned error", metadata={
        "raw": "maximum context length is 8192 tokens"}), "failed"),
    Manner("a proxy wants a user", HttpError(407, "<html>"), "failed"),
    Manner("http to https", HttpError(400, "The plain HTTP request was sent to HTTPS port"),
           "failed"),
    Manner("redirect", HttpError(307, "elsewhere"), "failed"),
)  # fmt: skip
MANNERS = (*ANSWERS, *STREAMED, *SHAPES, *UNGIVEN, *FAILURES, *REFUSALS)
HINTS: Mapping[str, str] = {
    "no quota": "credit",
    "MiniMax without credit": "credit",
    "wrong key": "API key",
    "wrong model": "model's name",
    "too many pictures": "--max-pixels",
    "too long": "--max-pixels",
    "Gemini's wrong key": "API key",
    "wrong model as 400": "model's name",
    "too long as 500": "--max-pixels",
    "too large": "--max-pixels",
    "a list of problems": "--max-pixels",
    "redirect": "--base-url",
    "no system message": "system=model_default",
    "no credit in Chinese": "credit",
    "overdue": "credit",
    "a proxy's budget": "credit",
    "Gemini's day": "credit",
    "no eyes": "sees pictures",
    "no eyes as 500": "sees pictures",
    "no eyes as 404": "sees pictures",
    "wrong model in Chinese": "model's name",
    "the provider's words within": "--max-pixels",
    "a proxy wants a user": "HTTPS_PROXY",
    "http to https": "https://",
}
"""What the way out names."""
