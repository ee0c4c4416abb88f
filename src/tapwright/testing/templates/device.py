"""A device of your own: something with a screen that takes actions.

Try it:    tapwright devices info --device own:open_device
Record it: tapwright record --device own:open_device, with tasks of its own (--suite DIR)
"""

import io
from collections.abc import Mapping, Sequence
from typing import Self

from PIL import Image, ImageDraw
from pydantic import JsonValue

from tapwright.core.actions import Action, Answer, AskUser, Finish, Tap, Wait
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UnknownAppError, UnsupportedActionError

_SIZE = Size(360, 640)


class Own:
    """A screen that counts taps."""

    name = "own 360x640"

    def __init__(self) -> None:
        self._taps = 0
        self._time_s = 0.0

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "en",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        """Start over; what cannot be set is refused, so that no task begins on a wrong screen."""
        if state:
            raise UnsupportedActionError(f"{self.name} has no state to set: {', '.join(state)}")
        if app:
            raise UnknownAppError(f"{self.name} has no app {app!r}")
        self._taps, self._time_s = 0, 0.0

    def observe(self) -> Observation:
        """The screen of this moment."""
        image = Image.new("RGB", (_SIZE.width, _SIZE.height), "white")
        ImageDraw.Draw(image).text((20, 20), f"{self._taps} taps", fill="black")
        data = io.BytesIO()
        image.save(data, "PNG")
        return Observation(Screenshot(data.getvalue()), _SIZE, time_s=self._time_s)

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the screen shows what came of it."""
        match action:
            case Answer() | AskUser() | Finish():  # they are for the user
                return
            case Tap():
                self._taps += 1
            case Wait():
                pass
            case _:
                raise UnsupportedActionError(f"{self.name} does not know {action.type}")
        self._time_s += 1.0

    def log(self, since: int = 0) -> Sequence[str]:
        """What was logged since the last reset, for checks of tasks."""
        return ()

    def state(self, path: str) -> JsonValue:
        """What checks may ask for, by a dotted path; None for what there is not."""
        return self._taps if path == "taps" else None

    def apps(self) -> Sequence[str]:
        """The apps that can be opened."""
        return ()

    def close(self) -> None:
        """Release everything; more than once is allowed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_device(argument: str = "") -> Own:
    """The device; `argument` is what stands behind its name on the command line."""
    return Own()
