"""What every device can do: be looked at, be acted on, start over, go away."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, Self, runtime_checkable

from pydantic import JsonValue

from tapwright.actions import Action
from tapwright.geometry import Size
from tapwright.observation import Observation
from tapwright.setup import SetupCall

__all__ = [
    "ClipboardDevice",
    "Device",
    "DeviceFactory",
    "LiveDevice",
    "LiveFrame",
    "PreparedDevice",
    "StreamingDevice",
]


@runtime_checkable
class Device(Protocol):
    """Something with a screen.

    Calls block until they are done and end within a time limit. `Answer` and `Finish` go to the
    user and not to the screen, so devices accept them and do nothing.
    """

    @property
    def name(self) -> str:
        """What it is called in an episode: "phone 1080x2400 en"."""

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "en",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        """Start over: the same arguments give the same screen.

        `state` overrides what `seed` gave, by dotted path ("settings.wifi"); `app` is brought to
        the front. A device that cannot set state refuses what it is given.

        Raises:
            DeviceError: the device has no such state or app.
        """

    def observe(self) -> Observation:
        """Picture and tree of one moment; marked stale when they may not be."""

    def perform(self, action: Action) -> None:
        """Act, and return when the screen has taken it in.

        Raises:
            UnsupportedActionError: the device has no way to do this.
            UnknownAppError: `OpenApp` names an app that is not there.
            DeviceLostError: the device did not answer in time, or is gone.
        """

    def log(self, since: int = 0) -> Sequence[str]:
        """The log lines since `reset` from number `since` on, in logcat's "threadtime" form."""

    def state(self, path: str) -> JsonValue:
        """What apps hold at a dotted path ("notes.items"), for checks only; None if nothing.

        An agent never sees it.
        """

    def apps(self) -> Sequence[str]:
        """The names of the apps that `OpenApp` takes."""

    def close(self) -> None:
        """Let go of everything; more than once is allowed."""

    def __enter__(self) -> Self:
        """The device itself."""

    def __exit__(self, *exception: object) -> None:
        """Close it."""


@runtime_checkable
class PreparedDevice(Protocol):
    """A device that can do calls of a task's set-up; those that cannot refuse tasks with any."""

    def set_up(self, call: SetupCall) -> None:
        """Do one call.

        Raises:
            UnsupportedActionError: it does not know the call, or does not do it for anyone.
            UnknownAppError: the call names an app that is not there.
        """


@runtime_checkable
class ClipboardDevice(Protocol):
    """A device whose clipboard can be read and written from outside."""

    def clipboard(self) -> str:
        """The text on the clipboard; "" when there is none.

        Raises:
            DeviceError: the device does not let it be read now; the hint says what it takes.
        """

    def set_clipboard(self, text: str) -> None:
        """Put a text on the clipboard, for an app to paste.

        Raises:
            DeviceError: as for `clipboard`.
        """


@dataclass(frozen=True, slots=True)
class LiveFrame:
    """One picture of a device's live screen, for a person to look at; recordings hold others.

    `data` is a JPEG, or one access unit of an H.264 stream in Annex B form, which can be shown by
    itself when `key` is set. `size` is that of the picture in pixels, `time_s` when it was taken on
    the clock of `time.monotonic`.
    """

    data: bytes
    kind: Literal["jpeg", "h264"]
    size: Size
    time_s: float
    key: bool = True


@runtime_checkable
class LiveDevice(Protocol):
    """A device that shows its screen as it changes, faster than by being observed."""

    def live(self, on_frame: Callable[[LiveFrame], None]) -> AbstractContextManager[None]:
        """Call `on_frame` for each picture, from a thread of the device's, until the block ends.

        The first comes at once, the others when the screen has changed. `on_frame` returns quickly.

        Raises:
            DeviceLostError: the device is gone; at the end of the block, if it went in between.
        """


@runtime_checkable
class StreamingDevice(LiveDevice, Protocol):
    """A live device whose pictures build on those before them, so that they cannot be joined late.

    Its `log` raises when the stream has ended.
    """

    def renew(self) -> None:
        """Show a picture soon that can be shown by itself; while `live` goes on, from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """


class DeviceFactory(Protocol):
    """Opens a device from what follows the colon in "name:argument", or from nothing."""

    def __call__(self, argument: str = "") -> Device:
        """The device, ready to be looked at and to be reset."""
