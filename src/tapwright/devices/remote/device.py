"""A device that a server of devices elsewhere has, driven as if it were here.

Pictures and trees are the far device's own bytes; those that did not change since the last look
are not sent again. Errors that are raised there are raised here, of the same class.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import JsonValue

from tapwright.core.actions import Action, Key, duration_s
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.core.task_setup import SetupCall
from tapwright.devices.device import LiveFrame, Overrides
from tapwright.devices.errors import RemoteProtocolError
from tapwright.devices.remote import protocol
from tapwright.devices.remote.connection import RemoteConnection
from tapwright.errors import DeviceLostError, UsageError
from tapwright.files.closing import Closing

__all__ = ["LiveRemoteDevice", "RemoteDevice", "open_remote"]

_TIMEOUT_S = 75.0
"""Longer than the server gives a device, so that its own words come first."""


def open_remote(argument: str = "", *, token: str = "", who: str = "") -> "RemoteDevice":
    """Lease the device that "ws://host:port/NAME" names, or any free one for "ws://host:port".

    "?wait_s=60" at the end waits up to that long while others have it; they see `who` is waiting.

    Raises:
        UsageError: the argument is malformed.
        DeviceError: the server expects another token.
        UnknownNameError: it has no such device.
        DeviceError: another client has it; the message names it.
        DeviceLostError: no server responds there.
    """
    address, place, wait_s = read_argument(argument)
    connection = RemoteConnection(address, token)
    try:
        request = protocol.LeaseRequest(place=place, who=who, wait_s=wait_s)
        leased, _ = connection.request(request, protocol.LeaseResponse, wait_s + 2 * _TIMEOUT_S)
    except BaseException:
        connection.close()
        raise
    kind = LiveRemoteDevice if leased.live else RemoteDevice
    return kind(connection, leased.name, leased.keys)


def read_argument(argument: str) -> tuple[str, str, float]:
    """The address, the name of the device there, "" for any, and how many seconds to wait for it.

    Raises:
        UsageError: the argument is malformed.
    """
    try:
        url = urlsplit(argument)
        ok = url.scheme in ("ws", "wss") and bool(url.hostname) and url.port != 0
    except ValueError:
        ok = False
    if not ok or url.username is not None or url.fragment:
        raise UsageError(
            "remote: expected an address, without a token in it",
            hint="--device remote:ws://HOST:8790/phone, and the token in TAPWRIGHT_TOKEN",
        )
    wait_s = 0.0
    for name, value in parse_qsl(url.query, keep_blank_values=True):
        if name != "wait_s" or not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", value, re.ASCII):
            raise UsageError(
                f"remote: {name}={value} is unknown", hint="…/NAME?wait_s=60 is the only option"
            )
        wait_s = min(float(value), 3600.0)
    return f"{url.scheme}://{url.netloc}", unquote(url.path.removeprefix("/")), wait_s


class RemoteDevice(Closing):
    """A leased device at the other end of a connection; closing it ends the lease.

    It runs the calls of a task's set-up that the far device supports. Each
    call ends within a time limit, after which the device is lost for good: an action without a
    response is not sent again.
    """

    def __init__(self, connection: RemoteConnection, name: str, keys: Sequence[Key]) -> None:
        self._connection = connection
        self._name = name
        self._keys = keys
        self._screenshot: Screenshot | None = None
        self._tree: UiTree | None = None
        self._tree_sha256 = ""

    @property
    def name(self) -> str:
        """The far device's own name."""
        return self._name

    def reset(
        self, *, seed: int = 0, language: str = "", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Reset the far device; a `language` of "" is its own."""
        overrides = None if state is None else dict(state)
        self._call(protocol.ResetRequest(seed=seed, language=language, state=overrides, app=app))

    def observe(self) -> Observation:
        """Picture and tree as the far device gave them.

        Raises:
            RemoteProtocolError: the bytes do not match their hash.
        """
        known = "" if self._screenshot is None else self._screenshot.sha256
        response, parts = self._connection.request(
            protocol.ObserveRequest(picture=known, tree=self._tree_sha256),
            protocol.ObservationResponse,
            _TIMEOUT_S,
        )
        if len(parts) != (response.picture_bytes or 0) + (response.tree_bytes or 0):
            raise self._broken(f"{len(parts)} bytes of picture and tree")
        size = Size(response.width, response.height)
        picture, xml = parts[: response.picture_bytes or 0], parts[response.picture_bytes or 0 :]
        if response.picture_bytes is not None:
            self._screenshot = Screenshot(picture, origin=f"a screenshot of {self.name}")
        if self._screenshot is None or self._screenshot.sha256 != response.picture:
            raise self._broken("a picture that does not match its hash")
        return Observation(
            screenshot=self._screenshot,
            size=size,
            ui_tree=self._tree_of(response, xml, size),
            app=response.app,
            orientation=response.orientation,
            time_s=response.time_s,
            stale=response.stale,
            url=response.url,
            tabs=response.tabs,
        )

    def perform(self, action: Action) -> None:
        """Perform it there, once; its own duration is added to the time limit."""
        self._call(protocol.PerformRequest(action=action), duration_s(action))

    def set_up(self, call: SetupCall) -> None:
        """Run a call of a task's set-up there."""
        self._call(
            protocol.SetUpRequest(name=call.name, arguments=dict(call.arguments)), protocol.SET_UP_S
        )

    def log(self, since: int = 0) -> Sequence[str]:
        """The far device's log."""
        return self._strings(protocol.LogRequest(since=since))

    def state(self, path: str) -> JsonValue:
        """What the far device's apps hold at a path."""
        value: JsonValue = self._call(protocol.StateRequest(path=path))
        return value

    def apps(self) -> Sequence[str]:
        """The far device's apps."""
        return self._strings(protocol.AppsRequest())

    def keys(self) -> Sequence[Key]:
        """The far device's keys."""
        return self._keys

    def let_go(self) -> Sequence[str]:
        """Let go what is down on the far device; returns what was."""
        return self._strings(protocol.LetGoRequest())

    def takes_text(self) -> bool:
        """Whether the far device takes text now; true where it does not know."""
        return self._call(protocol.TakesTextRequest()) is not False

    def close(self) -> None:
        """End the lease; more than once is allowed."""
        self._connection.close()

    def _call(self, request: protocol.DeviceRequest, takes_s: float = 0.0) -> JsonValue:
        response, _ = self._connection.request(
            request, protocol.ValueResponse, _TIMEOUT_S + takes_s
        )
        value: JsonValue = response.value
        return value

    def _strings(self, request: protocol.DeviceRequest) -> Sequence[str]:
        value = self._call(request)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._broken(f"{request.call!r} that is not a list of strings")
        return [str(one) for one in value]

    def _tree_of(
        self, response: protocol.ObservationResponse, xml: bytes, size: Size
    ) -> UiTree | None:
        if response.tree is None:
            return None
        if response.tree_bytes is not None:
            try:
                text = xml.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                raise self._broken("a view hierarchy that is not text") from None
            self._tree = UiTree(text, size, origin=f"the screen of {self.name}")
            self._tree_sha256 = sha256(xml).hexdigest()
        if self._tree is None or self._tree_sha256 != response.tree:
            raise self._broken("a view hierarchy that does not match its hash")
        if self._tree.size != size:  # turned, and by chance with the same content
            self._tree = UiTree(self._tree.xml, size, origin=self._tree.origin)
        return self._tree

    def _broken(self, found: str) -> RemoteProtocolError:
        self.close()
        return RemoteProtocolError(f"{self._connection.address} sent {found}", hint="open it anew")


class LiveRemoteDevice(RemoteDevice):
    """A remote device that has a live screen."""

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """The far device's live screen; a client that is slow gets fewer pictures."""

        def show(frame: protocol.FrameResponse, data: bytes) -> None:
            size = Size(frame.width, frame.height)
            time_s = time.monotonic() - frame.age_s
            on_frame(LiveFrame(data, frame.kind, size, time_s, frame.key))

        self._connection.on_frame = show
        try:
            self._call(protocol.LiveRequest(on=True))
            yield
        finally:
            self._connection.on_frame = None
            with suppress(DeviceLostError):
                self._call(protocol.LiveRequest(on=False))
