"""Gymnasium's spaces of observations and actions, and the conversion to tapwright's actions.

https://gymnasium.farama.org/api/spaces/. An action is a dict of five values; its kind determines
which of them apply. No value depends on another, so any library can sample one.
"""

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from pydantic import ValidationError

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size
from tapwright.environment.errors import BAD_GYM_ACTION

_INSTRUCTION_BYTES = 2048
_TYPED_CHARS = 256


class AnyText(spaces.Text):
    """Text of up to `max_length` characters of the basic multilingual plane, "" included."""

    def __init__(self, max_length: int) -> None:
        super().__init__(max_length, min_length=0, charset=_charset())

    def __deepcopy__(self, memo: dict[int, Any]) -> "AnyText":
        clone = copy(self)  # the tables of characters are never changed
        clone._np_random = deepcopy(self._np_random, memo)
        return clone

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"


def make_observation_space(size: Size) -> spaces.Dict:
    """`screen` (height, width, RGB), and `instruction` as `encode_instruction` makes it.

    Bytes, because a vector of processes cannot share `Text`: it would read the value before the
    reset.
    """
    return spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (size.height, size.width, 3), np.uint8),
            "instruction": spaces.Box(0, 255, (_INSTRUCTION_BYTES,), np.uint8),
        }
    )


def encode_instruction(text: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """An instruction in UTF-8, padded with zeros, and cut to its length in the observation."""
    data = text.encode()[:_INSTRUCTION_BYTES].decode(errors="ignore").encode()
    encoded = np.zeros(_INSTRUCTION_BYTES, np.uint8)
    encoded[: len(data)] = np.frombuffer(data, np.uint8)
    return encoded


class ActionSpace(spaces.Dict):
    """`kind` and `key` as indices into `kinds` and `key_names`; points as (x, y) from 0 to 1.

    `at` applies to actions at a point, `to` to those that end at another point: scrolling brings
    there what is at `at`. `text` applies to typed text, answers, addresses and names of apps, `key`
    to pressed keys: "control+c" is a hotkey.
    """

    def __init__(self, kinds: Sequence[str], keys: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        self.key_names = tuple(keys)
        point = spaces.Box(0.0, 1.0, (2,), np.float32)
        super().__init__(
            {
                "kind": spaces.Discrete(len(self.kinds)),
                "at": point,
                "to": deepcopy(point),
                "text": AnyText(_TYPED_CHARS),
                "key": spaces.Discrete(len(self.key_names)),
            }
        )

    def to_action(self, values: Mapping[str, Any]) -> Action:
        """The action of a member of the space.

        Raises:
            UsageError: it is not a member.
        """
        try:
            kind = self.kinds[int(values["kind"])]
            at, to = (Point(*(float(one) for one in values[name])) for name in ("at", "to"))
            return _build_action(
                kind, at, to, str(values["text"]), self.key_names[int(values["key"])]
            )
        except (KeyError, IndexError, TypeError, ValueError, ValidationError) as error:
            raise BAD_GYM_ACTION(
                f"{values!r} is not an action of this environment: {error}",
                hint=f"expected kind (of {len(self.kinds)}: {', '.join(self.kinds)}), at, to, "
                f"text and key (of {len(self.key_names)}), as action_space.sample() gives",
            ) from error


def _build_action(kind: str, at: Point, to: Point, text: str, key: str) -> Action:
    match kind:
        case "tap":
            return actions.Tap(at=at)
        case "double_tap":
            return actions.DoubleTap(at=at)
        case "triple_tap":
            return actions.TripleTap(at=at)
        case "right_tap":
            return actions.Tap(at=at, button="right")
        case "scroll":
            return actions.Scroll(at=at, dx=at.x - to.x, dy=at.y - to.y)
        case "long_press":
            return actions.LongPress(at=at)
        case "hover":
            return actions.Hover(at=at)
        case "swipe":
            return actions.Swipe(start=at, end=to)
        case "drag":
            return actions.Drag(start=at, end=to)
        case "type_text":
            return actions.TypeText(text=text)
        case "press_key":
            if "+" in key:
                return actions.Hotkey(keys=tuple(key.split("+")))
            return actions.PressKey.model_validate({"key": key})
        case "open_app":
            return actions.OpenApp(app=text)
        case "goto":
            return actions.Goto(url=text)
        case "answer":
            return actions.Answer(text=text)
        case "finish":
            return actions.Finish()
        case _:
            return actions.Wait()


@cache
def _charset() -> str:
    return "".join(c for c in map(chr, range(0x10000)) if c in "\t\n" or c.isprintable())
