"""The live pictures that a person saw, and the captures of the device's screen at those times.

A live picture is quick and has no tree; a capture (picture and tree of one moment) is neither. So
both are kept with their times, and an action is recorded with the capture of the picture that the
person saw when the finger went down, never with one of a later screen.
"""

from collections import deque
from dataclasses import dataclass, replace
from math import inf
from threading import Condition

from tapwright.core.observation import Observation

__all__ = ["Capture", "FrameHistory"]

STALE_S = 1.0
"""An action that comes this long after its picture was replaced counts as late."""

# A screen begins to change this long before a picture shows the change.
_FRAME_S = 0.02
_FRAMES_KEPT = 1000
_CAPTURES_KEPT = 24


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Picture and tree, and when the capture began and ended, on `time.monotonic`'s clock."""

    observation: Observation
    began_s: float
    ended_s: float


@dataclass(slots=True, eq=False)
class _Frame:
    number: int
    time_s: float
    until_s: float = inf
    acted_s: float = -inf
    capture: Capture | None = None


class FrameHistory:
    """The live pictures, numbered from 1, and the captures. Any thread may use it."""

    def __init__(self) -> None:
        self._frames: deque[_Frame] = deque(maxlen=_FRAMES_KEPT)
        self._captures: deque[Capture] = deque(maxlen=_CAPTURES_KEPT)
        self._changed = Condition()
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the current picture; 0 before the first."""
        return self._number

    def add_frame(self, time_s: float, capture: Capture | None = None) -> int:
        """Make a picture taken at `time_s` the current one; `capture` if it was made of one.

        Returns:
            Its number.
        """
        with self._changed:
            if self._frames:
                self._frames[-1].until_s = time_s
            self._number += 1
            self._frames.append(_Frame(self._number, time_s, capture=capture))
            if capture is not None:
                self._captures.append(capture)
            self._changed.notify_all()
            return self._number

    def add_capture(self, capture: Capture) -> None:
        """Add a capture, which belongs to the picture of its time."""
        with self._changed:
            self._captures.append(capture)

    def mark_action(self, time_s: float) -> None:
        """Note that an action begins on the device, which may change the screen."""
        with self._changed:
            if self._frames:
                self._frames[-1].acted_s = time_s

    def current_capture(self) -> Capture | None:
        """The capture of the current picture, if there is one."""
        with self._changed:
            return self._capture_of(self._frames[-1]) if self._frames else None

    def wait_for_frame(self, number: int, timeout_s: float) -> bool:
        """Wait until another picture than `number` is current; False when none came in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._number != number, max(0.0, timeout_s))

    def find_observation(self, number: int, now_s: float) -> Observation | None:
        """What was on the screen with the picture `number`; None before the first capture.

        It is marked stale when that picture had no capture of its own (then the last one before it
        is returned), was replaced by another more than `STALE_S` ago, or is not known.
        """
        with self._changed:
            frame = next((one for one in reversed(self._frames) if one.number == number), None)
            if frame is not None:
                own = self._capture_of(frame)
                if own is not None:
                    late = now_s - frame.until_s > STALE_S
                    return replace(own.observation, stale=own.observation.stale or late)
            until_s = inf if frame is None else frame.until_s
            earlier = [one for one in self._captures if one.ended_s <= until_s]
            found = earlier[-1] if earlier else next(iter(self._captures), None)
            return None if found is None else replace(found.observation, stale=True)

    def _capture_of(self, frame: _Frame) -> Capture | None:
        if frame.capture is not None:
            return frame.capture
        until_s = frame.until_s - _FRAME_S
        if frame.acted_s <= frame.until_s:  # then the action led to the change
            until_s = max(until_s, frame.acted_s)
        # The first, as a change may be under way that no picture shows yet.
        for one in self._captures:
            if frame.time_s <= one.began_s and one.ended_s <= until_s:
                return one
        return None
