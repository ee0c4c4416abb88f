"""What a person was shown, and what the device really showed then.

A live picture is quick and has no tree; a capture (picture and tree of one moment) is neither. So
both are kept with their times, and an action is recorded with the capture of the picture that the
person saw when the finger went down, never with one of a later screen.
"""

from collections import deque
from dataclasses import dataclass, replace
from math import inf
from threading import Condition

from tapwright.observation import Observation

__all__ = ["Capture", "Sight"]

STALE_S = 1.0
"""How long a picture may be gone before what is done on it counts as done too late."""

# A screen has begun to change this long before its picture says so.
_FRAME_S = 0.02
_FRAMES_KEPT = 1000
_CAPTURES_KEPT = 24


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Picture and tree, and when taking them began and ended, on `time.monotonic`'s clock."""

    observation: Observation
    began_s: float
    ended_s: float


@dataclass(slots=True, eq=False)
class _Shown:
    number: int
    time_s: float
    until_s: float = inf
    acted_s: float = -inf
    capture: Capture | None = None


class Sight:
    """The pictures that were shown, numbered from 1, and the captures. Any thread may use it."""

    def __init__(self) -> None:
        self._shown: deque[_Shown] = deque(maxlen=_FRAMES_KEPT)
        self._captures: deque[Capture] = deque(maxlen=_CAPTURES_KEPT)
        self._changed = Condition()
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the picture that is shown now; 0 before the first."""
        return self._number

    def show(self, time_s: float, capture: Capture | None = None) -> int:
        """A picture taken at `time_s` is shown from now on; `capture` if it was made of one."""
        with self._changed:
            if self._shown:
                self._shown[-1].until_s = time_s
            self._number += 1
            self._shown.append(_Shown(self._number, time_s, capture=capture))
            if capture is not None:
                self._captures.append(capture)
            self._changed.notify_all()
            return self._number

    def keep(self, capture: Capture) -> None:
        """A capture was taken."""
        with self._changed:
            self._captures.append(capture)

    def act(self, time_s: float) -> None:
        """Something is done on the device from now on; the screen may change because of it."""
        with self._changed:
            if self._shown:
                self._shown[-1].acted_s = time_s

    def captured(self) -> Capture | None:
        """The capture of the picture that is shown now, if there is one."""
        with self._changed:
            return self._capture_of(self._shown[-1]) if self._shown else None

    def wait(self, number: int, seconds: float) -> bool:
        """Wait until another picture than `number` is shown; whether one was in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._number != number, max(0.0, seconds))

    def seen(self, number: int, now_s: float) -> Observation | None:
        """What was on the screen with the picture `number`; None when nothing was ever captured.

        It is marked stale when that picture had no capture of its own (then the last one before it
        is given), was replaced by another more than `STALE_S` ago, or is not known.
        """
        with self._changed:
            frame = next((one for one in reversed(self._shown) if one.number == number), None)
            if frame is not None:
                own = self._capture_of(frame)
                if own is not None:
                    late = now_s - frame.until_s > STALE_S
                    return replace(own.observation, stale=own.observation.stale or late)
            until_s = inf if frame is None else frame.until_s
            earlier = [one for one in self._captures if one.ended_s <= until_s]
            found = earlier[-1] if earlier else next(iter(self._captures), None)
            return None if found is None else replace(found.observation, stale=True)

    def _capture_of(self, frame: _Shown) -> Capture | None:
        if frame.capture is not None:
            return frame.capture
        until_s = frame.until_s - _FRAME_S
        if frame.acted_s <= frame.until_s:  # then the action led to the change
            until_s = max(until_s, frame.acted_s)
        # The first, as a change may be on its way that no picture tells of yet.
        for one in self._captures:
            if frame.time_s <= one.began_s and one.ended_s <= until_s:
                return one
        return None
