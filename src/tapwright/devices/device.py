"""The interface of every device: observe, perform, reset, close."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeAlias, get_args, runtime_checkable

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, Key, mouse_details
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.task_setup import SetupCall
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import BadTreeError, DeviceError, DeviceLostError, UnsupportedActionError
from tapwright.files.closing import Closing

__all__ = [
    "BareDevice", "ClipboardDevice", "Device", "DeviceFactory", "FocusDevice", "HoldingDevice",
    "KeyedDevice", "LiveDevice", "LiveFrame", "Overrides", "PreparedDevice", "StreamingDevice",
    "keys_of", "let_go", "refuse_given", "refuse_mouse", "takes_text",
]  # fmt: skip

Overrides: TypeAlias = Mapping[str, JsonValue]
"""What holds after a reset in place of what the seed gives, by dotted path."""


@runtime_checkable
class Device(Protocol):
    """Something with a screen.

    Calls block until they are done and end within a time limit. `Answer`, `AskUser` and `Finish` go
    to the user and not to the screen, so devices accept them and do nothing.
    """

    @property
    def name(self) -> str:
        """Its name in an episode: "phone 1080x2400 en"."""

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Start over: the same arguments give the same screen.

        `state` overrides what `seed` gave, by dotted path ("settings.wifi"); `app` is brought to
        the front. A device that cannot set state refuses what it is given.

        Raises:
            DeviceError: the device has no such state or app.
        """

    def observe(self) -> Observation:
        """Screenshot and tree of one moment; marked stale when they may not be."""

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the screen has handled it.

        Typing may have a place and more: `typing_steps` gives its single actions.

        Raises:
            UnsupportedActionError: the device has no way to do this.
            UnknownAppError: `OpenApp` names an app that is not there.
            DeviceLostError: the device did not respond in time, or is gone.
        """

    def log(self, since: int = 0) -> Sequence[str]:
        """The log lines since `reset` from number `since` on, in logcat's "threadtime" form."""

    def state(self, path: str) -> JsonValue:
        """The state of apps at a dotted path ("notes.items"), None if there is none.

        It is for checks only; an agent never sees it.
        """

    def apps(self) -> Sequence[str]:
        """The names of the apps that `OpenApp` takes."""

    def close(self) -> None:
        """Release everything; more than once is allowed."""

    def __enter__(self) -> Self:
        """The device itself."""

    def __exit__(self, *exception: object) -> None:
        """Close it."""


@runtime_checkable
class PreparedDevice(Protocol):
    """A device that runs calls of a task's set-up; on others, tasks with such calls are refused."""

    def set_up(self, call: SetupCall) -> None:
        """Run one call.

        Raises:
            UnsupportedActionError: it does not support the call.
            UnknownAppError: the call names an app that is not there.
        """


@runtime_checkable
class ClipboardDevice(Protocol):
    """A device whose clipboard can be read and written from outside."""

    def clipboard(self) -> str:
        """The text on the clipboard; "" when there is none.

        Raises:
            DeviceError: it cannot be read now; the hint names what is required.
        """

    def set_clipboard(self, text: str) -> None:
        """Set the clipboard's text, for an app to paste.

        Raises:
            DeviceError: as for `clipboard`.
        """


@runtime_checkable
class AddressedDevice(Protocol):
    """A device that another program reaches, too."""

    def address(self) -> Mapping[str, JsonValue]:
        """Its `kind`, and what a program of that kind needs to reach it, such as a serial."""


@runtime_checkable
class KeyedDevice(Protocol):
    """A device that does not have every key, and says which it has."""

    def keys(self) -> Sequence[Key]:
        """The keys that `PressKey` takes; any other raises `UnsupportedActionError`."""


def keys_of(device: Device) -> tuple[Key, ...]:
    """The keys of a device: all, where it does not say otherwise."""
    return tuple(device.keys()) if isinstance(device, KeyedDevice) else get_args(Key)


def refuse_mouse(name: str, action: Action) -> None:
    """Refuse what takes a mouse or held keys, on the device called `name` that is touched.

    Raises:
        UnsupportedActionError: the action is such a one, or has such details.
    """
    alone = isinstance(
        action, actions.ButtonDown | actions.ButtonUp | actions.KeyDown | actions.KeyUp
    )
    details = mouse_details(action)
    if alone or details:
        raise UnsupportedActionError(
            f"{name} is touched, and does no {action.type}" + (f" with {details}" * bool(details)),
            hint="tap, long_press, swipe, and press_key are what a phone has",
        )


def refuse_given(name: str, seed: int, state: Overrides | None, hint: str) -> None:
    """Refuse a seed and a state for the device called `name`; `hint` is what has states.

    Raises:
        DeviceError: one of them is given.
    """
    if state:
        raise DeviceError(
            f"{name} cannot be put into the state {', '.join(sorted(state))}", hint=hint
        )
    if seed:
        raise DeviceError(
            f"{name} takes no seed, as nothing on it is random; got {seed}", hint="omit --seed"
        )


class BareDevice(Closing):
    """What devices share: without more there are no log, no state and no apps.

    `close` sets `_closed`; what `_marking_loss` passes on sets `_lost`, until `reset` mends that.
    """

    _closed = False
    _lost = False

    @property
    @abstractmethod
    def name(self) -> str:
        """As `Device.name`."""

    def log(self, since: int = 0) -> Sequence[str]:
        """Nothing."""
        return ()

    def state(self, path: str) -> JsonValue:
        """Nothing."""
        return None

    def apps(self) -> Sequence[str]:
        """None that could be opened by name."""
        return ()

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceLostError(f"{self.name} is closed")

    @contextmanager
    def _marking_loss(self) -> Iterator[None]:
        try:
            yield
        except DeviceLostError:
            self._lost = True
            raise

    def _read_tree(self, xml: str, size: Size, what: str, hint: str = "") -> UiTree:
        """A hierarchy that was parsed; `what` it is."""
        tree = UiTree(xml, size, origin=self.name)
        try:
            _ = tree.nodes
        except BadTreeError as error:
            raise BadDeviceOutputError(
                f"{self.name}: its {what} cannot be read: {error}", hint=hint
            ) from error
        return tree

    def _no_key(self, key: Key, keys: Sequence[Key]) -> UnsupportedActionError:
        return UnsupportedActionError(
            f"{self.name} has no key {key!r}", hint=f"it has: {', '.join(keys)}"
        )

    def _no_tabs(self, action: Action, hint: str) -> UnsupportedActionError:
        return UnsupportedActionError(
            f"{self.name} has no tabs and no address field for {action.type}", hint=hint
        )


@runtime_checkable
class HoldingDevice(Protocol):
    """A device on which keys and buttons stay down; `reset` lets them go."""

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was: "shift", "the left button".

        Raises:
            DeviceLostError: the device is gone.
        """


def let_go(device: Device) -> tuple[str, ...]:
    """Let go what is down on a device, which is nothing where it does not hold anything."""
    return tuple(device.let_go()) if isinstance(device, HoldingDevice) else ()


@runtime_checkable
class FocusDevice(Protocol):
    """A device that knows whether anything takes the text that is typed."""

    def takes_text(self) -> bool:
        """Whether text that is typed now goes anywhere, as a field has the focus.

        Raises:
            DeviceLostError: the device is gone.
        """


def takes_text(device: Device) -> bool:
    """Whether text that is typed now goes anywhere; true where the device does not know."""
    return device.takes_text() if isinstance(device, FocusDevice) else True


@dataclass(frozen=True, slots=True)
class LiveFrame:
    """One frame of a device's live screen, for a person to watch; recordings hold screenshots.

    `data` is a JPEG, or one access unit of an H.264 stream in Annex B form, which decodes on its
    own when `key` is set. `size` is that of the picture in pixels, `time_s` when it was taken on
    the clock of `time.monotonic`.
    """

    data: bytes
    kind: Literal["jpeg", "h264"]
    size: Size
    time_s: float
    key: bool = True


@runtime_checkable
class LiveDevice(Protocol):
    """A device that streams its screen as it changes, faster than by observations."""

    def live(self, on_frame: Callable[[LiveFrame], None]) -> AbstractContextManager[None]:
        """Call `on_frame` for each frame, in a thread of the device, until the block ends.

        The first comes at once, the others when the screen has changed. `on_frame` returns quickly.

        Raises:
            DeviceLostError: the device is gone; at the end of the block, if it went within it.
        """


@runtime_checkable
class StreamingDevice(LiveDevice, Protocol):
    """A live device whose frames depend on earlier ones, so viewers start at a key frame.

    Its `log` raises when the stream has ended.
    """

    def renew(self) -> None:
        """Request a key frame; while `live` runs, from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """


class DeviceFactory(Protocol):
    """Opens a device by what follows the colon in "name:argument"."""

    def __call__(self, argument: str = "") -> Device:
        """Open the device, ready to be observed and reset."""
