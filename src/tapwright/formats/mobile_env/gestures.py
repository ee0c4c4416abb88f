"""Folds touch-level events into actions, and unfolds actions into such events.

The events are those of Mobile-Env's recorder, at most 15 a second
(https://github.com/X-LANCE/Mobile-Env/tree/976145e): touch, lift, repeat (nothing), and a token of
text. It records no times, so a press lasts as many fifteenths of a second as it has events.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from tapwright.core import actions
from tapwright.core.actions import Action, RawEvent, mouse_details
from tapwright.core.geometry import Point
from tapwright.errors import UnsupportedByConventionError

__all__ = ["fold_events", "group_events", "unfold_action"]

_EVENTS_PER_S = 15
_LONG_PRESS_EVENTS = 8
"""Events of a long press: half a second, after which Android detects one."""
_TAP_REACH = 0.04
"""How far a finger may move in a tap: the rule by which AITW tells taps from swipes."""
_HOLD_REACH = 0.01
"""How far a finger may move while it holds before a drag; a slow swipe goes farther."""
_MAX_DURATION_S = 3600.0
_SPECIAL = frozenset({"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"})


def group_events(events: Sequence[RawEvent]) -> Iterator[range]:
    """Yields the ranges of events that make one action each; in order, every event in one.

    A press lasts until the finger is lifted, a text until the task gives a reward or instruction.
    Lifts and pauses belong to what they follow; those at the start are a range of their own.
    """
    begin, down = 0, False
    for place, event in enumerate(events):
        before = events[place - 1] if place else None
        match event:
            case actions.Touch():
                begins, down = not down, True
            case actions.Token():
                answered = before is not None and (before.reward != 0 or bool(before.instructions))
                begins, down = not isinstance(before, actions.Token) or answered, False
            case actions.Lift():
                begins, down = False, False
            case actions.Repeat():
                begins = False
            case _:
                assert_never(event)
        if begins and place > begin:
            yield range(begin, place)
            begin = place
    if events:
        yield range(begin, len(events))


def fold_events(events: Sequence[RawEvent]) -> Action:
    """Folds one range of events into its action.

    A press within 0.04 of its start (in fractions, as AITW measures) is a tap, or a long press from
    half a second on; one that goes farther is a swipe, or a drag if it held still for half a second
    first. Tokens are joined as Mobile-Env types them, but for the blank after the last; a token
    known only by its number becomes "[token 7]".
    """
    first = events[0]
    if isinstance(first, actions.Token):
        return actions.TypeText(
            text=_join_tokens([one for one in events if isinstance(one, actions.Token)])
        )
    if not isinstance(first, actions.Touch):
        return actions.Wait(duration_s=_duration_s(len(events)))
    lifted = next((n for n, one in enumerate(events) if isinstance(one, actions.Lift)), len(events))
    down = [one.at if isinstance(one, actions.Touch) else None for one in events[:lifted]]
    path = [at for at in down if at is not None]
    if all(first.at.distance(at) <= _TAP_REACH for at in path):
        if len(down) < _LONG_PRESS_EVENTS:
            return actions.Tap(at=first.at)
        return actions.LongPress(at=first.at, duration_s=_duration_s(len(down)))
    held = all(
        at is None or first.at.distance(at) <= _HOLD_REACH for at in down[:_LONG_PRESS_EVENTS]
    )
    kind = actions.Drag if held and len(down) > _LONG_PRESS_EVENTS else actions.Swipe
    return kind(start=first.at, end=path[-1], duration_s=_duration_s(len(down)))


def unfold_action(action: Action) -> tuple[RawEvent, ...]:
    """Unfolds an action into events, for a recording without events.

    Raises:
        UnsupportedByConventionError: touches and tokens cannot express it.
    """
    if details := mouse_details(action):
        raise UnsupportedByConventionError(f"touches and text cannot express {details}")
    match action:
        case actions.Tap(at=at, button="left"):
            return (actions.Touch(at=at), actions.Lift())
        case actions.DoubleTap(at=at):
            return (actions.Touch(at=at), actions.Lift()) * 2
        case actions.TripleTap(at=at):
            return (actions.Touch(at=at), actions.Lift()) * 3
        case actions.LongPress(at=at, duration_s=duration_s):
            return (
                *[actions.Touch(at=at)] * max(_LONG_PRESS_EVENTS, _event_count(duration_s)),
                actions.Lift(),
            )
        case actions.Swipe(start=start, end=end, duration_s=duration_s):
            return (*_touch_line(start, end, max(2, _event_count(duration_s))), actions.Lift())
        case actions.Drag(start=start, end=end, duration_s=duration_s):
            held = [actions.Touch(at=start)] * _LONG_PRESS_EVENTS
            return (
                *held,
                *_touch_line(start, end, max(2, _event_count(duration_s) - _LONG_PRESS_EVENTS)),
                actions.Lift(),
            )
        case actions.TypeText(text=text, at=None, clear=False):
            return (actions.Token(text=text),)
        case actions.Wait(duration_s=duration_s):
            return (actions.Repeat(),) * max(1, _event_count(duration_s))
        case (
            actions.Tap()
            | actions.PressKey()
            | actions.OpenApp()
            | actions.Answer()
            | actions.Finish()
            | actions.Hover()
            | actions.Scroll()
            | actions.Hotkey()
            | actions.Goto()
            | actions.NewTab()
            | actions.CloseTab()
            | actions.SwitchTab()
            | actions.TypeText()
            | actions.ButtonDown()
            | actions.ButtonUp()
            | actions.KeyDown()
            | actions.KeyUp()
            | actions.AskUser()
        ):
            raise UnsupportedByConventionError(f"touches and text cannot express {action.type!r}")
        case _:
            assert_never(action)


def _join_tokens(tokens: Sequence[actions.Token]) -> str:
    text = ""
    for token in tokens:
        word = f"[token {token.index}]" if token.text is None else token.text
        if word in _SPECIAL:
            continue
        if word.startswith("##"):  # a piece that continues the word before it
            text += word[2:]
        else:
            text += f" {word}" if text else word
    return text


def _duration_s(events: int) -> float:
    return min(events / _EVENTS_PER_S, _MAX_DURATION_S)


def _event_count(duration_s: float) -> int:
    return round(duration_s * _EVENTS_PER_S)


def _touch_line(start: Point, end: Point, count: int) -> list[actions.Touch]:
    shares = [number / (count - 1) for number in range(count)]
    return [
        actions.Touch(
            at=Point(start.x * (1 - share) + end.x * share, start.y * (1 - share) + end.y * share)
        )
        for share in shares
    ]
