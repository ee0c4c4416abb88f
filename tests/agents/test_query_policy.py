"""A model is asked as its manner says, and every answer is kept."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from pydantic import JsonValue

from tapwright.agents.query_policy import (
    DEFAULT_QUERY_POLICY,
    MOBIAGENT_QUERY_POLICY,
    ModelAnswer,
    ModelQuery,
    QueryPolicy,
    change_pictures,
)
from tapwright.core.actions import Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.messages import Message, Text
from tapwright.devices.fake import FakeDevice
from tapwright.errors import BadAnswerError, UsageError
from tapwright.models.model import Completion
from tapwright.models.openai import OpenAIModel
from tapwright.models.scripted import ScriptedModel
from tapwright.testing import FakeChatServer

ASKED = [Message("user", (Text("Which?"),))]


class Adjusted(ScriptedModel):
    """Keeps the settings that each question came with."""

    def __init__(self, answers: Sequence[str]) -> None:
        super().__init__(answers)
        self.given: list[Mapping[str, JsonValue]] = []

    async def complete_with(
        self, messages: Sequence[Message], settings: Mapping[str, JsonValue]
    ) -> Completion:
        self.given.append(settings)
        return await self.complete(messages)


class Silent(ScriptedModel):
    async def complete(self, messages: Sequence[Message]) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError


def number(text: str) -> int:
    if not text.isdecimal():
        raise BadAnswerError("no number")
    return int(text)


def ask(model: ScriptedModel, policy: QueryPolicy, kept: list[ModelAnswer]) -> int:
    return asyncio.run(ModelQuery(model, "planner", policy).ask(ASKED, number, 4, kept))


def test_a_bad_answer_is_told_what_was_wrong_and_every_one_is_kept() -> None:
    kept: list[ModelAnswer] = []
    model = ScriptedModel(["x", "", "7"])
    assert ask(model, DEFAULT_QUERY_POLICY, kept) == 7
    assert [(one.raw, one.status, one.problem) for one in kept] == [
        ("x", "bad", "no number"),
        ("", "bad", "no number"),
        ("7", "ok", ""),
    ]
    assert {(one.step, one.role) for one in kept} == {(4, "planner")}
    assert [message.text for message in model.requests[2]][1] == "x"
    assert [message.text for message in model.requests[2]][3] == "(nothing)"


def test_asked_warmer_the_question_stays_the_same() -> None:
    model = Adjusted(["x", "x", "7"])
    assert ask(model, MOBIAGENT_QUERY_POLICY, []) == 7
    assert [one["temperature"] for one in model.given] == [0.0, 0.1, 0.2]
    assert {one["max_tokens"] for one in model.given} == {256}
    assert {len(asked) for asked in model.requests} == {1}


def test_a_model_that_cannot_be_warmed_is_told_instead() -> None:
    model = ScriptedModel(["x", "7"])
    assert ask(model, MOBIAGENT_QUERY_POLICY, []) == 7
    assert len(model.requests[1]) == 3


def test_after_the_last_try_no_other_answer_stands_in() -> None:
    kept: list[ModelAnswer] = []
    with pytest.raises(BadAnswerError, match="in 5 attempts; the last: no number"):
        ask(Adjusted(["x"]), MOBIAGENT_QUERY_POLICY, kept)
    assert len(kept) == 5


def test_an_answer_that_does_not_come_is_a_bad_one() -> None:
    kept: list[ModelAnswer] = []
    with pytest.raises(BadAnswerError, match=r"no answer within 0\.01 s"):
        ask(Silent(["x"]), QueryPolicy(max_attempts=2, timeout_s=0.01), kept)
    assert [one.status for one in kept] == ["bad", "bad"]


def test_a_server_is_sent_the_settings_of_the_question() -> None:
    async def run(url: str) -> None:
        model = OpenAIModel("any", base_url=url, temperature=0.5)
        await ModelQuery(model, "decider", MOBIAGENT_QUERY_POLICY).ask(ASKED, number, 0, [])
        await model.complete(ASKED)
        await model.close()

    with FakeChatServer(["x", "7"]) as server:
        asyncio.run(run(server.base_url))
        bodies = [one.body for one in server.received]
    assert [(one["temperature"], one["max_tokens"]) for one in bodies] == [
        (0.5, 256),
        (0.6, 256),
        (0.5, 2048),
    ]


def test_smaller_pictures_are_sent_of_the_screen_and_of_the_steps_before() -> None:
    seen = FakeDevice().observe()
    step = Step(seen, Decision(Wait()))
    now, before = asyncio.run(change_pictures(seen, [step], scale=0.5))
    half = (seen.size.width // 2, seen.size.height // 2)
    assert (now.size.width, now.size.height) == half
    assert now.screenshot.size == now.size == before[0].observation.size
    assert now.screenshot.extension == "jpg"
    assert asyncio.run(change_pictures(seen, [step], scale=1.0)) == (seen, [step])


def test_pictures_are_limited_of_the_screen_and_of_the_steps_before() -> None:
    seen = FakeDevice().observe()
    step = Step(seen, Decision(Wait()))
    most = seen.size.width * seen.size.height // 4
    now, before = asyncio.run(change_pictures(seen, [step], max_pixels=most))
    assert now.screenshot.size == now.size == before[0].observation.size
    assert now.size == seen.size.shrink(max_pixels=most)
    assert asyncio.run(change_pictures(seen, [step], max_pixels=4 * most)) == (seen, [step])


@pytest.mark.parametrize("scale", [0.0, 1.5])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    with pytest.raises(UsageError, match="a picture scale of"):
        QueryPolicy(picture_scale=scale)
