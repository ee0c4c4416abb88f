"""Gymnasium's spaces for what tapwright's environments show and take, and the way between them.

https://gymnasium.farama.org/api/spaces/. An action is a dict of five values, of which its kind says
those that count; so that any library can sample one, none depends on another.
"""

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from pydantic import ValidationError

from tapwright.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.geometry import Point, Size
from tapwright.gym.errors import BadGymActionError

_INSTRUCTION_BYTES = 2048
_TYPED_CHARS = 256


class AnyText(spaces.Text):
    """Text of up to `max_length` characters of the basic multilingual plane, "" included."""

    def __init__(self, max_length: int) -> None:
        super().__init__(max_length, min_length=0, charset=_charset())

    def __deepcopy__(self, memo: dict[int, Any]) -> "AnyText":
        made = copy(self)  # the tables of characters are never changed
        made._np_random = deepcopy(self._np_random, memo)
        return made

    def __repr__(self) -> str:
        return f"AnyText({self.max_length})"


def observation_space(size: Size) -> spaces.Dict:
    """`screen` (height, width, RGB) and `instruction`, UTF-8 ended by zeros (`as_bytes`).

    Bytes, as a vector of processes shares no `Text`: it would read what was there before the reset.
    """
    return spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (size.height, size.width, 3), np.uint8),
            "instruction": spaces.Box(0, 255, (_INSTRUCTION_BYTES,), np.uint8),
        }
    )


def as_bytes(text: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """An instruction as the observation has it; what does not fit is cut off."""
    data = text.encode()[:_INSTRUCTION_BYTES].decode(errors="ignore").encode()
    made = np.zeros(_INSTRUCTION_BYTES, np.uint8)
    made[: len(data)] = np.frombuffer(data, np.uint8)
    return made


class ActionSpace(spaces.Dict):
    """`kind` and `key` by their number in `kinds` and `keys`; places as (x, y) from 0 to 1.

    `at` counts for what happens at a place, `to` where it ends somewhere else, `text` for what is
    typed or answered, `key` for what is pressed: "control+c" is a hotkey.
    """

    def __init__(self, kinds: Sequence[str], keys: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        self.keys_of_board = tuple(keys)
        place = spaces.Box(0.0, 1.0, (2,), np.float32)
        super().__init__(
            {
                "kind": spaces.Discrete(len(self.kinds)),
                "at": place,
                "to": deepcopy(place),
                "text": AnyText(_TYPED_CHARS),
                "key": spaces.Discrete(len(self.keys_of_board)),
            }
        )

    def action(self, values: Mapping[str, Any]) -> Action:
        """The action that a member of the space means.

        Raises:
            BadGymActionError: it is no member.
        """
        try:
            kind = self.kinds[int(values["kind"])]
            at, to = (Point(*(float(one) for one in values[name])) for name in ("at", "to"))
            return _made(kind, at, to, str(values["text"]), self.keys_of_board[int(values["key"])])
        except (KeyError, IndexError, TypeError, ValueError, ValidationError) as error:
            raise BadGymActionError(
                f"{values!r} is no action of this environment: {error}",
                hint=f"expected kind (of {len(self.kinds)}: {', '.join(self.kinds)}), at, to, "
                f"text and key (of {len(self.keys_of_board)}), as action_space.sample() gives",
            ) from error


def _made(kind: str, at: Point, to: Point, text: str, key: str) -> Action:
    match kind:
        case "tap":
            return Tap(at=at)
        case "double_tap":
            return DoubleTap(at=at)
        case "long_press":
            return LongPress(at=at)
        case "hover":
            return Hover(at=at)
        case "swipe":
            return Swipe(start=at, end=to)
        case "drag":
            return Drag(start=at, end=to)
        case "type_text":
            return TypeText(text=text)
        case "press_key":
            if "+" in key:
                return Hotkey(keys=tuple(key.split("+")))
            return PressKey.model_validate({"key": key})
        case "answer":
            return Answer(text=text)
        case "finish":
            return Finish()
        case _:
            return Wait()


@cache
def _charset() -> str:
    return "".join(c for c in map(chr, range(0x10000)) if c in "\t\n" or c.isprintable())
