"""What a hand does of its actions, and what it knows to be down."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import (
    Button,
    ButtonDown,
    ButtonUp,
    Drag,
    Hotkey,
    KeyDown,
    KeyUp,
    LongPress,
    Scroll,
    Tap,
)
from tapwright.core.geometry import Point
from tapwright.devices.device import refuse_mouse
from tapwright.devices.hand import Hand, HandAction, way_through
from tapwright.errors import DeviceLostError, UnsupportedActionError
from tests.strategies import HAND_ACTIONS

_AT, _OTHER = Point(0.25, 0.5), Point(0.75, 0.5)


class WrittenHand(Hand):
    """Writes down what it is asked for; `breaks` is what the screen does not take."""

    def __init__(self, breaks: str = "") -> None:
        super().__init__()
        self.done: list[str] = []
        self._breaks = breaks

    def _do(self, words: str) -> None:
        if self._breaks and words.startswith(self._breaks):
            raise DeviceLostError(words)
        self.done.append(words)

    def spend(self, duration_s: float) -> None:
        self._do(f"wait {duration_s:g}")

    def move(self, at: Point) -> None:
        self._do(f"move {at.x:g}")

    def click(self, at: Point, button: Button, times: int) -> None:
        self._do(f"click {button} {times}")

    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        self._do(f"hold {button} {duration_s:g}")

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        self._do(f"drag {button} {len(places)}")

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        self._do(f"scroll {dx:g} {dy:g}")

    def button(self, button: Button, *, down: bool) -> None:
        self._do(f"{button} {'down' if down else 'up'}")

    def key(self, name: str, *, down: bool) -> None:
        self._do(f"{name} {'down' if down else 'up'}")

    def chord(self, names: Sequence[str]) -> None:
        self._do("+".join(names))

    def type(self, text: str) -> None:
        self._do(text)


@pytest.mark.parametrize(
    ("action", "done"),
    [
        (Tap(at=_AT, held=("control", "shift")),
         ["control down", "shift down", "click left 1", "shift up", "control up"]),
        (LongPress(at=_AT, button="right", duration_s=2.0), ["hold right 2"]),
        (Drag(start=_AT, end=_OTHER, path=(_AT, _OTHER), button="middle"), ["drag middle 4"]),
        (Scroll(at=_AT, dy=1.0, held=("control",)), ["control down", "scroll 0 1", "control up"]),
        (Hotkey(keys=("shift", "a")), ["shift+a"]),
        (Hotkey(keys=("shift", "a"), duration_s=1.5),
         ["shift down", "a down", "wait 1.5", "a up", "shift up"]),
        (ButtonDown(at=_AT), ["move 0.25", "left down"]),
        (ButtonDown(button="back"), ["back down"]),
    ],
)  # fmt: skip
def test_an_action_is_done_by_these(action: HandAction, done: list[str]) -> None:
    hand = WrittenHand()
    hand.perform(action)
    assert hand.done == done


def test_what_stays_down_is_known_until_it_goes_up() -> None:
    hand = WrittenHand()
    for action in (KeyDown(key="shift"), ButtonDown(at=_AT), Tap(at=_AT, held=("shift",))):
        hand.perform(action)
    assert list(hand.down) == ["shift", "the left button"]
    assert hand.done.count("shift down") == 1
    hand.perform(ButtonUp(at=_OTHER))
    hand.perform(KeyUp(key="shift"))
    assert hand.done[-3:] == ["move 0.75", "left up", "shift up"]
    assert not hand.down


@pytest.mark.parametrize("action", [KeyUp(key="shift"), ButtonUp(button="right")])
def test_what_is_not_down_does_not_go_up(action: HandAction) -> None:
    hand = WrittenHand()
    hand.perform(KeyDown(key="alt"))
    with pytest.raises(UnsupportedActionError, match="is not down"):
        hand.perform(action)
    assert hand.done == ["alt down"]


def test_letting_go_is_the_reverse_of_pressing_and_says_what_was_down() -> None:
    hand = WrittenHand()
    for action in (KeyDown(key="control"), KeyDown(key="a"), ButtonDown(button="right")):
        hand.perform(action)
    assert hand.let_go() == ("control", "a", "the right button")
    assert hand.done[3:] == ["right up", "a up", "control up"]
    assert hand.let_go() == ()


def test_held_keys_go_up_where_the_click_failed() -> None:
    hand = WrittenHand(breaks="click")
    with pytest.raises(DeviceLostError):
        hand.perform(Tap(at=_AT, held=("control", "alt")))
    assert hand.done == ["control down", "alt down", "alt up", "control up"]
    assert hand.down == ()


def test_another_connection_to_the_same_screen_lets_go_what_the_lost_one_left() -> None:
    lost, found = WrittenHand(), WrittenHand()
    lost.perform(KeyDown(key="shift"))
    found.succeed(lost)
    assert found.let_go() == ("shift",)
    assert found.done == ["shift up"]


@given(st.lists(HAND_ACTIONS.filter(lambda action: action.type != "ask_user"), max_size=20))
def test_after_letting_go_nothing_is_down_and_each_key_went_up_as_often(
    actions: list[HandAction],
) -> None:
    hand = WrittenHand()
    for action in actions:
        try:
            hand.perform(action)
        except UnsupportedActionError:
            assert isinstance(action, ButtonUp | KeyUp)
    hand.let_go()
    assert hand.down == ()
    state: dict[str, str] = {}
    for words in hand.done:
        name, _, change = words.rpartition(" ")
        if change in ("down", "up"):
            state[name] = change
    assert set(state.values()) <= {"up"}


@given(
    st.lists(st.tuples(st.floats(0, 1000), st.floats(0, 1000)), min_size=2, max_size=6),
    st.integers(1, 20),
)
def test_a_way_goes_through_each_place_and_ends_at_the_last(
    places: list[tuple[float, float]], moves: int
) -> None:
    way = list(way_through(places, moves))
    assert way[-1] == pytest.approx(places[-1])
    rest = iter(way)
    for place in places[1:]:
        assert any(spot == pytest.approx(place) for spot in rest)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Tap(at=_AT, held=("control",)), "no tap with control held"),
        (Tap(at=_AT, button="back"), "no tap with the back button"),
        (Drag(start=_AT, end=_OTHER, path=(_AT,)), "no drag with a path"),
        (Hotkey(keys=("a",), duration_s=2.0), "no hotkey with keys held for 2 s"),
        (KeyDown(key="shift"), "no key_down"),
        (ButtonUp(), "no button_up"),
    ],
)
def test_what_is_touched_refuses_a_mouse_by_name(action: HandAction, words: str) -> None:
    with pytest.raises(UnsupportedActionError, match=f"a phone is touched, and does {words}$"):
        refuse_mouse("a phone", action)


@pytest.mark.parametrize("action", [Tap(at=_AT), Tap(at=_AT, button="right"), Scroll(at=_AT)])
def test_what_a_finger_may_do_is_left_to_the_device(action: HandAction) -> None:
    refuse_mouse("a phone", action)
