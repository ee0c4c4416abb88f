"""The laws that every registered convention keeps, for any action on any screen."""

import asyncio
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.agents.model import ModelAgent
from tapwright.agents.query_policy import QueryPolicy
from tapwright.conventions import conventions
from tapwright.conventions.convention import Convention, model_size
from tapwright.conventions.element_grounder import ElementGrounder
from tapwright.conventions.family import Family
from tapwright.conventions.grounding import grounding_messages
from tapwright.conventions.parsing import MAX_READ
from tapwright.core.actions import Action, Drag, Finish, Scroll, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.errors import (
    BadAnswerError,
    UngroundedAnswerError,
    UnsupportedByConventionError,
    UsageError,
)
from tapwright.models.scripted import ScriptedModel
from tests.conventions.blank_screens import blank_observation
from tests.strategies import ACTIONS, WORDS

NAMES = conventions.names()
SIZES = st.builds(Size, st.integers(200, 3200), st.integers(200, 3200))
HALF = re.compile("[\ud800-\udfff]")
PLACE_ONLY = (
    *(name for name in NAMES if isinstance(conventions.get(name), ElementGrounder)),
    "mobimind-grounder", "mobimind-grounder-qwen3",
)  # fmt: skip
NO_REASON = (
    *PLACE_ONLY, "cogagent", "cogagent-mac", "cogagent-win", "evocua-s2", "gui-owl",
    "gui-owl-androidworld", "gui-owl-computer", "qwen3-vl-osworld", "qwen3.5-vl-computer",
)  # fmt: skip
ROUNDED = {"fuyu": 0.005, "seeclick": 0.005, "showui": 0.005, "tongui": 0.005}
"""The models that were trained on two decimals of the screen."""
SCREEN = Size(1080, 2400)
# Their upstreams recall older steps as turns of the model with no screen before them.
RECALLING = (
    "opencua", "opencua-72b", "opencua-agentnetbench", "opencua-qwen2.5", "kimi-k2.5",
    "kimi-k2.5-instant", "kimi-vl", "evocua-s1", "mai-ui", "ui-tars-1.0", "ui-tars-1.0-computer",
    "ui-tars-1.5", "ui-tars-1.5-computer", "doubao-1.5-ui-tars", "doubao-1.5-ui-tars-computer",
    "fara", "dart-gui",
)  # fmt: skip

PRESSING_ENTER = ("androidworld", "glm-4.1v", "glm-4.5v", "ui-venus-1.5-web")

every_name = pytest.mark.parametrize("name", NAMES)
# Conventions of one class read answers with the same code.
every_class = pytest.mark.parametrize(
    "name", sorted({type(conventions.get(name)): name for name in reversed(NAMES)}.values())
)


def said(convention: Convention, decision: Decision, size: Size) -> str | None:
    try:
        return convention.render(decision, size)
    except UnsupportedByConventionError:
        return None


def moved(one: Action, other: Action) -> float:
    """How far the places of two actions are apart, in the direction in which it is most."""
    pairs = [
        (ours, theirs)
        for name in type(one).model_fields
        if isinstance(ours := getattr(one, name), Point)
        and isinstance(theirs := getattr(other, name), Point)
    ]
    return max((max(abs(a.x - b.x), abs(a.y - b.y)) for a, b in pairs), default=0.0)


@every_name
@settings(max_examples=12)
@given(action=ACTIONS, reasoning=WORDS, target=WORDS, size=SIZES)
def test_what_is_said_is_read_back(
    name: str, action: Action, reasoning: str, target: str, size: Size
) -> None:
    convention = conventions.get(name)
    text = said(convention, Decision(action, reasoning, target), size)
    if text is None:
        return
    if HALF.search(text) or "\\ud" in text:
        with suppress(BadAnswerError):
            convention.parse(text, size)
        return
    if name == "mobimind-decider" and isinstance(action, Tap):
        with pytest.raises(UngroundedAnswerError) as caught:
            convention.parse(text, size)
        assert (caught.value.reasoning, caught.value.target) == (reasoning, target)
        return
    read = convention.parse(text, size)
    assert type(read.action) is type(action)
    if not isinstance(action, Swipe | Scroll):
        seen = model_size(convention, size)
        rounded = max(1 / min(seen.width, seen.height), 0.001, ROUNDED.get(name, 0))
        assert moved(action, read.action) <= rounded + 1e-9
    for field in type(action).model_fields:
        value = getattr(action, field)
        if isinstance(value, str) and (field, type(action)) != ("reason", Finish):
            # Where typing always presses Enter, the line break for it is not written.
            ends = field == "text" and name in PRESSING_ENTER and isinstance(action, TypeText)
            wanted = value.removesuffix("\n") + "\n" if ends else value
            assert getattr(read.action, field) == wanted
    if name not in NO_REASON and not set(reasoning) & set("<>`"):
        assert read.reasoning.strip() == reasoning.strip()


@every_name
@settings(max_examples=8)
@given(action=ACTIONS, target=WORDS, size=SIZES)
def test_what_was_read_once_is_read_again_the_same(
    name: str, action: Action, target: str, size: Size
) -> None:
    convention = conventions.get(name)
    text = said(convention, Decision(action, "Because.", target), size)
    with suppress(BadAnswerError):
        if text is not None:
            read = convention.parse(text, size)
            assert convention.parse(convention.render(read, size), size) == read


@every_name
@settings(max_examples=20)
@given(text=st.text(alphabet="{}[]()<>\"'\\:,=| actionclikTYPE_0123456789.-\n`", max_size=200))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    with suppress(BadAnswerError):
        assert isinstance(conventions.get(name).parse(text, SCREEN), Decision)


@every_name
def test_a_draft_before_the_answer_does_not_count(name: str) -> None:
    convention = conventions.get(name)
    draft = convention.render(Decision(Tap(at=Point(0.1, 0.1)), "", "a"), SCREEN)
    final = convention.render(Decision(Tap(at=Point(0.9, 0.9)), "", "b"), SCREEN)
    text = f"<think>\nPerhaps\n{draft}\nNo, better:\n</think>\n{final}"
    if name == "mobimind-decider":
        with pytest.raises(UngroundedAnswerError, match='a click on "b"'):
            convention.parse(text, SCREEN)
    else:
        read = convention.parse(text, SCREEN)
        assert moved(read.action, Tap(at=Point(0.9, 0.9))) < 0.002


@every_name
def test_thoughts_that_do_not_end_hold_no_answer(name: str) -> None:
    convention = conventions.get(name)
    draft = convention.render(Decision(Tap(at=Point(0.1, 0.1)), "", "a"), SCREEN)
    draft = draft.replace("<think></think>", "").replace("<THINK>  </THINK>", "")
    with pytest.raises(BadAnswerError, match="thoughts do not end"):
        convention.parse(f"<think>Perhaps\n{draft}\nor", SCREEN)


@every_class
@pytest.mark.parametrize(
    "piece",
    ["x", "{", '{"a":', '{"a":1}', "click(point='", "pyautogui.click(x=1,", "Click(", "\n", "(1,"],
)
@pytest.mark.slow_but_one
def test_a_megabyte_of_garbage_is_looked_at_from_its_end_alone(name: str, piece: str) -> None:
    convention = conventions.get(name)
    problems = []
    for length in (MAX_READ, 1_000_000):
        garbage = (piece * (length // len(piece) + 1))[-length:]
        with pytest.raises(BadAnswerError) as caught:
            convention.parse(garbage, SCREEN)
        problems.append(str(caught.value))
    assert problems[0] == problems[1]


@every_name
def test_a_long_row_of_digits_takes_no_time(name: str) -> None:
    convention = conventions.get(name)
    before = time.process_time()
    for garbage in (
        "9" * MAX_READ,
        "9." * (MAX_READ // 2),
        "-" * MAX_READ,
        "9 " * 7 + "-9" * 9_999,
    ):
        with suppress(BadAnswerError):
            convention.parse(garbage, SCREEN)
    assert time.process_time() - before < 3


@every_name
def test_what_is_off_the_screen_is_refused(name: str) -> None:
    convention = conventions.get(name)
    if name == "mobimind-decider":
        return
    text = convention.render(Decision(Tap(at=Point(0.5, 0.5))), SCREEN)
    far = re.sub(r"(?<![\w.])\d+(?:\.\d+)?", "99999", text, count=1)
    with pytest.raises(BadAnswerError, match=r"off the screen|off a|run from"):
        convention.parse(far, SCREEN)


@every_name
def test_a_prompt_may_have_every_kind_of_step_before_it(name: str) -> None:
    screen = FakeDevice().observe()
    steps = [
        Step(screen, Decision(action, "Because.", "the {task}"))
        for action in (
            Tap(at=Point(0.5, 0.5)),
            Drag(start=Point(0, 0), end=Point(1, 1)),
            Scroll(at=Point(0.5, 0.5), dx=1, dy=1),
            Finish(outcome="infeasible"),
        )
        * 2
    ]
    messages = conventions.get(name).prompt("Find {history} {x}", steps, screen)
    words = "".join(message.text for message in messages)
    assert "Find {history} {x}" in words
    assert messages[-1].role == "user"
    assert [part for part in messages[-1].parts if isinstance(part, Picture)]
    talk = [message.role for message in messages if message.role != "system"]
    assert name in RECALLING or talk == ["user", "assistant"] * (len(talk) // 2) + ["user"]


@every_name
def test_an_agent_can_ask_in_it(name: str) -> None:
    convention = conventions.get(name)
    screen = FakeDevice().observe()
    decision = Decision(Tap(at=Point(0.5, 0.25)), "r", "t")
    model = ScriptedModel([convention.render(decision, screen.size)])
    if name == "mobimind-decider":
        with pytest.raises(UsageError, match="not where"):
            ModelAgent(model, convention)
        return
    agent = ModelAgent(model, convention, policy=QueryPolicy(max_attempts=1))
    acted = asyncio.run(agent.act("do it", [], screen))
    assert moved(acted.action, decision.action) <= 1 / min(screen.size.width, screen.size.height)


def test_every_convention_stands_in_the_docs_with_its_unit() -> None:
    page = (Path(__file__).parents[2] / "docs/conventions.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w.-]+)` \| [^|]* \| ([\w-]+)", page, re.MULTILINE))
    assert rows == {name: conventions.get(name).space for name in NAMES}


@every_name
def test_training_data_has_the_picture_once_and_no_mark_for_it(name: str) -> None:
    family = conventions.get(name)
    if not isinstance(family, Family) or family.trains is None:
        return
    messages = grounding_messages(family.as_trained(), "the bell", blank_observation(SCREEN))
    parts = [part for message in messages for part in message.parts]
    assert sum(isinstance(part, Picture) for part in parts) == 1
    assert "<image>" not in "".join(message.text for message in messages)
