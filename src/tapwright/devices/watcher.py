"""Shows a device to a person: its live pictures, and captures to record what they saw.

Use it from one thread; `frame_history` may be used from any. A device that is lost is let go of at
once, and another one can take its place.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from time import monotonic, sleep

from tapwright.core.actions import Action
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, LiveDevice, LiveFrame, StreamingDevice
from tapwright.devices.frame_history import Capture, FrameHistory
from tapwright.errors import DeviceError, TapwrightError

__all__ = ["DeviceWatcher"]

_QUICK_S = 0.03
_NEXT_FRAME_S = 0.02
_QUIET_S = 0.1
_SETTLED_S = 1.5
_POLL_S = 0.15
_HEARTBEAT_S = 1.0
_FIRST_FRAME_S = 2.0
_STILL_WIDTH = 540
_STILL_QUALITY = 80


class DeviceWatcher:
    """Watches one device at a time.

    `on_frame` gets each live picture with its number, and how many `actions` had been begun when
    it came, from any thread; `on_change` is called when the device comes or goes. While
    `has_pending` is true, a command waits: the screen after an action is then captured at once, and
    not when it has settled. `message` describes the device's failure, "" when all is well.
    """

    def __init__(
        self,
        on_frame: Callable[[int, int, LiveFrame], None],
        on_change: Callable[[], None],
        has_pending: Callable[[], bool],
    ) -> None:
        self.frame_history = FrameHistory()
        self.device: Device | None = None
        self.size: Size | None = None
        self.message = ""
        self.actions = 0
        self._on_frame = on_frame
        self._on_change = on_change
        self._has_pending = has_pending
        self._live = ExitStack()
        self._is_live = False
        self._contact_s = 0.0
        self._poll_at_s = 0.0
        self._capture_took_s = 0.0
        self._ahead_s = 0.0
        self._asked_s: float | None = None

    @property
    def waiting_s(self) -> float:
        """For how many seconds the device has owed an answer; 0 when it owes none."""
        asked_s = self._asked_s
        return 0.0 if asked_s is None else max(0.0, monotonic() - asked_s)

    @contextmanager
    def asking(self, action: Action | None = None) -> Iterator[None]:
        """Whatever calls the device: it owes an answer until then, as the disk and we do not.

        To an `action` it owes one when that has lasted as long as it says.
        """
        self._asked_s = monotonic() + (getattr(action, "duration_s", None) or 0.0)
        try:
            yield
        finally:
            self._asked_s = None

    def connect(self, device: Device, message: str = "", *, plays: bool = True) -> None:
        """Watch a device from now on; by its live pictures, where it has some and `plays`.

        Raises:
            DeviceLostError: it is gone.
        """
        self.detach()
        self._is_live = plays and isinstance(device, LiveDevice)
        if self._is_live and isinstance(device, LiveDevice):
            number = self.frame_history.number
            self._live.enter_context(device.live(self._add_frame))
            # A capture from before the first picture would not be assigned to it.
            self.frame_history.wait_for_frame(number, _FIRST_FRAME_S)
        self.device, self.message = device, message
        self._contact_s, self._poll_at_s = monotonic(), 0.0
        self._on_change()

    def detach(self) -> None:
        """Let go of the device, which belongs to its opener."""
        self.device = None
        with suppress(DeviceError):
            self._live.pop_all().close()

    def lose(self, error: TapwrightError) -> None:
        """Let go of a device that is lost; `error` is the reason."""
        self.message = str(error)
        self.detach()
        self._on_change()

    @property
    def time_s(self) -> float:
        """The time on the clock of the device's screens; before the first, on the machine's."""
        return monotonic() + self._ahead_s

    def mark_action(self) -> None:
        """Note that an action begins on the device."""
        self.actions += 1
        self.frame_history.mark_action(monotonic())

    def refresh(self) -> None:
        """Restart the live pictures with one that can be decoded by itself."""
        device = self.device
        try:
            if isinstance(device, StreamingDevice):
                with self.asking():
                    device.renew()
            elif isinstance(device, LiveDevice):
                self._live.pop_all().close()
                self._live.enter_context(device.live(self._add_frame))
        except DeviceError as error:
            self.lose(error)

    def poll(self) -> float:
        """Capture the screen, or check the connection; the seconds until the next poll."""
        device, now = self.device, monotonic()
        if device is None:
            return _HEARTBEAT_S
        if now < self._poll_at_s:
            return self._poll_at_s - now
        try:
            if not self._is_live or self.frame_history.current_capture() is None:
                self._capture(device)
                took = monotonic() - now
                # As long as it took, so that a screen that never rests leaves time for actions.
                self._poll_at_s = monotonic() + (took if self._is_live else max(took, _POLL_S))
                return self._poll_at_s - monotonic()
            if now - self._contact_s >= _HEARTBEAT_S:
                with self.asking():
                    device.log(10**9)
                self._contact_s = monotonic()
        except TapwrightError as error:
            self.lose(error)
        return _HEARTBEAT_S

    def show(self, seen: Observation) -> None:
        """Show a look that another took a moment ago."""
        self.size = seen.size
        self._show(Capture(seen, now := monotonic(), now))

    def observe_frame(self, frame: int) -> Observation | None:
        """What the person saw with the picture of this number; 0 is the current one.

        None when nothing was captured yet.

        Raises:
            DeviceError: the device is gone.
            BadImageError: it gives no readable picture, and was let go of.
        """
        now = monotonic()
        frame = frame or self.frame_history.number
        seen = self.frame_history.find_observation(frame, now)
        unsure = seen is None or (seen.stale and frame == self.frame_history.number)
        if unsure and self.device is not None:
            try:
                self._capture(self.device)
            except TapwrightError as error:
                self.lose(error)
                raise
            seen = self.frame_history.find_observation(frame or self.frame_history.number, now)
        return seen

    def observe_now(self) -> Observation | None:
        """The current screen; None when the device is away, or was just lost."""
        if self.device is None:
            return None
        try:
            return self._capture(self.device).observation
        except TapwrightError as error:
            self.lose(error)
            return None

    def observe_settled(self) -> Observation | None:
        """The screen after an action, at rest or when time is up; None when the device is lost."""
        until_s = monotonic() + _SETTLED_S
        if self._is_live:
            number = self.frame_history.number
            if self._has_pending():
                self.frame_history.wait_for_frame(number, _NEXT_FRAME_S)
            while not self._has_pending() and monotonic() < until_s:
                if self._capture_took_s < _QUICK_S and self.frame_history.current_capture() is None:
                    self.observe_now()  # a screen that passes is recorded, too
                if not self.frame_history.wait_for_frame(number, _QUIET_S):
                    break
                number = self.frame_history.number
            return self.observe_now()
        last = self.observe_now()
        while last is not None and not self._has_pending() and monotonic() < until_s:
            sleep(_QUIET_S)
            before, last = last, self.observe_now()
            if last is not None and _is_same_screen(before, last):
                break
        return last

    def _add_frame(self, frame: LiveFrame) -> None:
        self._on_frame(self.frame_history.add_frame(frame.time_s), self.actions, frame)

    def _capture(self, device: Device) -> Capture:
        began_s = monotonic()
        with self.asking():
            seen = device.observe()
        capture = Capture(seen, began_s, monotonic())
        self._capture_took_s = capture.ended_s - began_s
        self.size = capture.observation.size
        self._ahead_s = capture.observation.time_s - began_s
        if self._is_live:
            self.frame_history.add_capture(capture)
            return capture
        last = self.frame_history.current_capture()
        if last is not None and _is_same_screen(last.observation, capture.observation):
            return last
        self._show(capture)
        return capture

    def _show(self, capture: Capture) -> None:
        frame = _make_still_frame(capture.observation, capture.began_s)
        number = self.frame_history.add_frame(capture.began_s, capture)
        self._on_frame(number, self.actions, frame)


def _is_same_screen(one: Observation, other: Observation) -> bool:
    return one.screenshot == other.screenshot and one.ui_tree == other.ui_tree


def _make_still_frame(observation: Observation, time_s: float) -> LiveFrame:
    """A capture as a live picture: a small JPEG; a JPEG of the device is passed on unchanged."""
    shot = observation.screenshot
    if shot.media_type == "image/jpeg":
        return LiveFrame(shot.data, "jpeg", shot.size, time_s)
    image = shot.image()
    if image.width > _STILL_WIDTH:
        image = image.reduce(max(1, image.width // _STILL_WIDTH))
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=_STILL_QUALITY)
    return LiveFrame(buffer.getvalue(), "jpeg", Size(*image.size), time_s)
