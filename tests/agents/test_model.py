import asyncio
from pathlib import Path

import pytest
from PIL import Image

from tapwright.agents.model import ModelAgent
from tapwright.agents.query_policy import QueryPolicy
from tapwright.conventions.history import HistoryPolicy
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.messages import Picture
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.errors import UsageError
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY
from tapwright.formats.exporters.training_set import SftSettings
from tapwright.models.scripted import ScriptedModel
from tapwright.tasks.solution import PerformAction
from tapwright.tasks.task import Judge, Task
from tests.formats.training_sets import episode, export

GOOD = '{"reasoning": "r", "target": "t", "action": {"type": "tap", "at": [500, 250]}}'


class NoCheck:
    def start(self) -> Judge:
        raise AssertionError("an agent does not judge")


TASK = Task("t", "do it", (), NoCheck(), solution=(PerformAction(Wait()),))


def test_a_good_answer_is_the_decision() -> None:
    agent = ModelAgent(ScriptedModel([GOOD]), JSON_CONVENTION)
    decision = asyncio.run(agent.act("do it", [], FakeDevice().observe()))
    assert decision == Decision(Tap(at=Point(0.5, 0.25)), "r", "t")
    assert [(answer.raw, answer.status) for answer in agent.answers] == [(GOOD, "ok")]


def test_a_bad_answer_is_kept_and_asked_again_with_the_reason() -> None:
    model = ScriptedModel(["I cannot.", GOOD])
    agent = ModelAgent(model, JSON_CONVENTION)
    decision = asyncio.run(agent.act("do it", [], FakeDevice().observe()))
    assert decision.action == Tap(at=Point(0.5, 0.25))
    assert [(answer.raw, answer.status) for answer in agent.answers] == [
        ("I cannot.", "bad"),
        (GOOD, "ok"),
    ]
    assert agent.answers[0].problem == "no JSON object in the answer"
    said, why = model.requests[1][-2:]
    assert (said.role, said.text) == ("assistant", "I cannot.")
    assert why.role == "user"
    assert "no JSON object in the answer" in why.text


def test_after_the_last_try_the_attempt_is_a_failure() -> None:
    model = ScriptedModel([""])
    agent = ModelAgent(model, JSON_CONVENTION, policy=QueryPolicy(max_attempts=2))
    decision = asyncio.run(agent.act("do it", [], FakeDevice().observe()))
    assert isinstance(decision.action, Finish)
    assert decision.action.outcome == "failure"
    assert "no JSON object" in decision.action.reason
    assert len(model.requests) == len(agent.answers) == 2


@pytest.mark.parametrize(("last", "told"), [(0, []), (2, ["b3", "b4"]), (9, ["b0", "b4"])])
def test_only_the_last_steps_are_told(last: int, told: list[str]) -> None:
    screen = FakeDevice().observe()
    steps = [Step(screen, Decision(Wait(), target=f"b{number}")) for number in range(5)]
    model = ScriptedModel([GOOD])
    asyncio.run(
        ModelAgent(model, JSON_CONVENTION, history=HistoryPolicy(last)).act("do it", steps, screen)
    )
    words = model.requests[0][-1].text
    assert all(target in words for target in told)
    assert words.count("- {") == min(last, 5)


def test_it_is_called_by_its_model_and_its_convention() -> None:
    assert ModelAgent(ScriptedModel(["x"]), JSON_CONVENTION).name == "scripted json"


def test_an_agent_that_may_not_ask_is_refused() -> None:
    with pytest.raises(UsageError, match="0 attempts"):
        QueryPolicy(max_attempts=0)


def test_a_model_is_shown_the_pictures_that_it_was_taught_on(tmp_path: Path) -> None:
    model, seen = ScriptedModel([GOOD]), FakeDevice().observe()
    most = seen.size.width * seen.size.height // 4
    step = Step(seen, Decision(Tap(at=Point(0.5, 0.25)), "r", "t"))
    export(
        LLAMAFACTORY,
        [episode("a", step)],
        tmp_path / "set",
        SftSettings(JSON_CONVENTION, max_pixels=most),
    )
    (taught,) = (tmp_path / "set/images").iterdir()
    agent = ModelAgent(model, JSON_CONVENTION, max_pixels=most)
    decision = asyncio.run(agent.act("do it", [], seen))
    (shown,) = _shown(model)
    with Image.open(taught) as image:
        assert image.width * image.height <= most
        assert shown.image().tobytes() == image.convert("RGB").tobytes()
    assert decision.action == Tap(at=Point(0.5, 0.25))


def test_a_scaled_screen_is_within_the_limit_too_and_read_in_its_own_size() -> None:
    model, seen = ScriptedModel([GOOD]), FakeDevice().observe()
    most = seen.size.width * seen.size.height // 9
    policy = QueryPolicy(picture_scale=0.5)
    agent = ModelAgent(model, JSON_CONVENTION, policy=policy, max_pixels=most)
    decision = asyncio.run(agent.act("do it", [], seen))
    (shown,) = _shown(model)
    assert (shown.size, shown.extension) == (seen.size.shrink(max_pixels=most), "jpg")
    assert decision.action == Tap(at=Point(0.5, 0.25))


def test_a_screen_that_is_small_enough_is_shown_as_it_is() -> None:
    model, seen = ScriptedModel([GOOD]), FakeDevice().observe()
    agent = ModelAgent(model, JSON_CONVENTION, max_pixels=seen.size.width * seen.size.height)
    asyncio.run(agent.act("do it", [], seen))
    assert _shown(model) == [seen.screenshot]


def _shown(model: ScriptedModel) -> list[Screenshot]:
    parts = [part for message in model.requests[0] for part in message.parts]
    return [part.screenshot for part in parts if isinstance(part, Picture)]
