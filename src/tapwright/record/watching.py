"""A device under the eyes of a person: its live pictures, and captures to record what they saw.

Use it from one thread; `sight` may be used from any. A device that is lost is let go of at once,
and another one can take its place.
"""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import monotonic, sleep

from tapwright.devices.device import Device, LiveDevice, LiveFrame, StreamingDevice
from tapwright.errors import DeviceError, TapwrightError
from tapwright.geometry import Size
from tapwright.observation import Observation
from tapwright.record.errors import DeviceUnavailableError
from tapwright.record.frames import still_frame
from tapwright.record.sight import Capture, Sight

__all__ = ["Watching"]

_QUICK_S = 0.03
_ON_ITS_WAY_S = 0.02
_QUIET_S = 0.1
_SETTLED_S = 1.5
_POLL_S = 0.15
_HEARTBEAT_S = 1.0
_FIRST_S = 2.0


class Watching:
    """What one device shows.

    `on_frame` gets each live picture with its number, and how many `acts` had been begun when it
    came, from any thread; `on_change` is called when the device comes or goes. `hurry` tells
    whether somebody waits to act: the screen after an action is then taken at once, and not when
    it has settled. `message` says what became of the device, "" when all is well.
    """

    def __init__(
        self,
        on_frame: Callable[[int, int, LiveFrame], None],
        on_change: Callable[[], None],
        hurry: Callable[[], bool],
    ) -> None:
        self.sight = Sight()
        self.device: Device | None = None
        self.size: Size | None = None
        self.message = ""
        self.acts = 0
        self._on_frame = on_frame
        self._on_change = on_change
        self._hurry = hurry
        self._live = ExitStack()
        self._is_live = False
        self._heard_s = 0.0
        self._look_s = 0.0
        self._took_s = 0.0

    def connect(self, device: Device, message: str = "") -> None:
        """Watch a device from now on.

        Raises:
            DeviceLostError: it is gone.
        """
        self.detach()
        self._is_live = isinstance(device, LiveDevice)
        if isinstance(device, LiveDevice):
            number = self.sight.number
            self._live.enter_context(device.live(self._show))
            # A capture from before the first picture would not be known to be of it.
            self.sight.wait(number, _FIRST_S)
        self.device, self.message = device, message
        self._heard_s, self._look_s = monotonic(), 0.0
        self._on_change()

    def detach(self) -> None:
        """Let go of the device, which belongs to who opened it."""
        self.device = None
        with suppress(DeviceError):  # it is let go of
            self._live.pop_all().close()

    def lose(self, error: TapwrightError) -> None:
        """The device is gone; `error` says how."""
        self.message = str(error)
        self.detach()
        self._on_change()

    def refresh(self) -> None:
        """Have the live pictures go on with one that can be shown by itself."""
        device = self.device
        try:
            if isinstance(device, StreamingDevice):
                device.renew()
            elif isinstance(device, LiveDevice):
                self._live.pop_all().close()
                self._live.enter_context(device.live(self._show))
        except DeviceError as error:
            self.lose(error)

    def look(self) -> float:
        """Look at the device while nobody acts; in how many seconds to look again."""
        device, now = self.device, monotonic()
        if device is None:
            return _HEARTBEAT_S
        if now < self._look_s:
            return self._look_s - now
        try:
            if not self._is_live or self.sight.captured() is None:
                self._capture(device)
                took = monotonic() - now
                # As long as it took, so that a screen that never rests leaves time for actions.
                self._look_s = monotonic() + (took if self._is_live else max(took, _POLL_S))
                return self._look_s - monotonic()
            if now - self._heard_s >= _HEARTBEAT_S:
                device.log(10**9)
                self._heard_s = monotonic()
        except TapwrightError as error:
            self.lose(error)
        return _HEARTBEAT_S

    def seen(self, frame: int) -> Observation:
        """What the person saw with the picture of this number; 0 is the one that is shown now.

        Raises:
            DeviceUnavailableError: nothing was seen yet.
            DeviceError: the device is gone.
            BadImageError: it gives no picture that can be read, and was let go of.
        """
        now = monotonic()
        frame = frame or self.sight.number
        seen = self.sight.seen(frame, now)
        unsure = seen is None or (seen.stale and frame == self.sight.number)
        if unsure and self.device is not None:
            try:
                self._capture(self.device)
            except TapwrightError as error:
                self.lose(error)
                raise
            seen = self.sight.seen(frame or self.sight.number, now)
        if seen is None:
            raise DeviceUnavailableError(
                "no screen was seen yet", hint="wait until the device is there"
            )
        return seen

    def now(self) -> Observation | None:
        """The screen as it is; None when the device is away, or just went."""
        if self.device is None:
            return None
        try:
            return self._capture(self.device).observation
        except TapwrightError as error:
            self.lose(error)
            return None

    def settled(self) -> Observation | None:
        """The screen after an action, when it rests or time is over; None when the device went."""
        until_s = monotonic() + _SETTLED_S
        if self._is_live:
            number = self.sight.number
            if self._hurry():
                self.sight.wait(number, _ON_ITS_WAY_S)
            while not self._hurry() and monotonic() < until_s:
                if self._took_s < _QUICK_S and self.sight.captured() is None:
                    self.now()  # what comes and goes can be recorded, too
                if not self.sight.wait(number, _QUIET_S):
                    break
                number = self.sight.number
            return self.now()
        last = self.now()
        while last is not None and not self._hurry() and monotonic() < until_s:
            sleep(_QUIET_S)
            before, last = last, self.now()
            if last is not None and _same(before, last):
                break
        return last

    def _show(self, frame: LiveFrame) -> None:
        self._on_frame(self.sight.show(frame.time_s), self.acts, frame)

    def _capture(self, device: Device) -> Capture:
        began_s = monotonic()
        capture = Capture(device.observe(), began_s, monotonic())
        self._took_s = capture.ended_s - began_s
        self.size = capture.observation.size
        if self._is_live:
            self.sight.keep(capture)
            return capture
        last = self.sight.captured()
        if last is not None and _same(last.observation, capture.observation):
            return last
        frame = still_frame(capture.observation, began_s)
        self._on_frame(self.sight.show(began_s, capture), self.acts, frame)
        return capture


def _same(one: Observation, other: Observation) -> bool:
    return one.screenshot == other.screenshot and one.ui_tree == other.ui_tree
