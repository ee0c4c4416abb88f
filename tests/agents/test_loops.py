"""A loop is detected, and the agent warned or the attempt ended; progress is left alone."""

import asyncio
import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tapwright.agents.loops import LOOPING, LoopGuard, LoopPolicy, show_same_screen
from tapwright.agents.wrappers import TIMED_OUT, TimeoutAgent, collect_counts
from tapwright.core.actions import Action, Finish, PressKey, Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UsageError

SIZE = Size(200, 400)


def picture(*marks: tuple[int, int, int, int], kind: str = "PNG") -> Screenshot:
    image = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    for mark in ((20, 100, 180, 140), *marks):
        ImageDraw.Draw(image).rectangle(mark, fill="black")
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return Screenshot(buffer.getvalue())


def screen(text: str, clock: str = "12:00") -> Observation:
    xml = (
        f'<hierarchy><node text="{clock}" bounds="[0,0][200,19]"/>'
        f'<node text="{text}" bounds="[0,40][200,80]"/></hierarchy>'
    )
    return Observation(picture(), SIZE, UiTree(xml, SIZE))


def seen(shot: Screenshot) -> Observation:
    return Observation(shot, SIZE)


class Noting:
    """Waits, and keeps what it was asked."""

    name = "noting"

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        self.requests.append(instruction)
        return Decision(Wait())


def act(
    steps: Sequence[Step], now: Observation, then: LoopPolicy = "warn", words: str = "Do it"
) -> tuple[Action, str, int]:
    inner = Noting()
    guard = LoopGuard(inner, then)
    decision = asyncio.run(guard.act(words, steps, now))
    return decision.action, "".join(inner.requests), collect_counts(guard)["loops"]


def cycle(period: int, count: int) -> list[Step]:
    return [
        Step(
            screen(str(number % period), clock=f"12:{number:02}"),
            Decision(Tap(at=Point(0.5, (number % period) / 10))),
        )
        for number in range(count)
    ]


@given(period=st.integers(1, 3), before=st.integers(0, 4))
def test_one_two_or_three_actions_again_and_again_are_noticed(period: int, before: int) -> None:
    others = [Step(screen(f"x{n}"), Decision(PressKey(key="back"))) for n in range(before)]
    count = {1: 3, 2: 6, 3: 6}[period]
    steps = [*others, *cycle(period, count)]
    now = screen(str(count % period), clock="13:00")
    assert act(steps, now)[2] == 1
    assert act(steps[:-1], screen(str((count - 1) % period)))[2] == 0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=True))
def test_what_is_never_done_twice_is_no_loop(places: list[int]) -> None:
    steps = [Step(screen("a"), Decision(Tap(at=Point(0.5, one / 10)))) for one in places]
    assert act(steps, screen("a")) == (Wait(), "Do it", 0)


def test_an_action_that_changes_the_screen_is_no_loop() -> None:
    plus = Decision(Tap(at=Point(0.9, 0.5)))
    steps = [Step(screen(f"{number} pieces"), plus) for number in range(8)]
    assert act(steps, screen("8 pieces"))[2] == 0
    stuck = [Step(screen("0 pieces"), plus) for _ in range(3)]
    assert act(stuck, screen("1 pieces"))[2] == 0
    assert act(stuck, screen("0 pieces"))[2] == 1


def test_the_inner_agent_is_told_in_the_language_of_the_task() -> None:
    steps, now = cycle(1, 3), screen("0")
    _, told, _ = act(steps, now)
    assert told.startswith("Do it\n\nNote: the last steps (tap at (50 %")
    assert "3 times" in told
    assert "重复了 3 次" in act(steps, now, words="关闭无线网络")[1]


def test_the_attempt_is_ended_with_the_reason() -> None:
    action, told, loops = act(cycle(2, 6), screen("0"), "end")
    assert isinstance(action, Finish)
    assert action.outcome == "failure"
    assert action.reason.startswith(LOOPING)
    assert (told, loops) == ("", 1)


def test_pictures_without_trees_are_the_same_but_for_the_clock_and_noise() -> None:
    one = seen(picture())
    assert show_same_screen(one, seen(picture(kind="JPEG")))
    assert show_same_screen(one, seen(picture((80, 4, 120, 14))))
    assert not show_same_screen(one, seen(picture((100, 300, 112, 312))))
    assert not show_same_screen(one, seen(Screenshot.stand_in(SIZE)))
    assert act([Step(one, Decision(Wait()))] * 3, seen(picture(kind="JPEG")))[2] == 1


def test_a_loop_of_once_is_refused() -> None:
    with pytest.raises(UsageError, match="expected at least 2"):
        LoopGuard(Noting(), "warn", times=1)


class Never(Noting):
    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        await asyncio.Event().wait()
        raise AssertionError


class TimedOut(Noting):
    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        raise TimeoutError("its own")


def test_a_decision_that_takes_too_long_ends_the_attempt() -> None:
    decision = asyncio.run(TimeoutAgent(Never(), 0.01).act("Do it", [], screen("a")))
    assert decision.action == Finish(outcome="failure", reason=f"{TIMED_OUT}: none within 0.01 s")
    assert asyncio.run(TimeoutAgent(Noting(), 60).act("Do it", [], screen("a"))).action == Wait()
    with pytest.raises(TimeoutError, match="its own"):
        asyncio.run(TimeoutAgent(TimedOut(), 60).act("Do it", [], screen("a")))
