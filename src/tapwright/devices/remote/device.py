"""A device that a server of devices elsewhere has, driven as if it were here.

Pictures and trees are the far device's own bytes; those that did not change since the last look
are not sent again. Errors that are raised there are raised here, of the same class.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import JsonValue

from tapwright.actions import Action
from tapwright.devices.device import LiveFrame
from tapwright.devices.errors import RemoteProtocolError
from tapwright.devices.remote.line import Line
from tapwright.devices.remote.protocol import (
    SET_UP_S,
    Apps,
    Frame,
    Lease,
    Leased,
    Live,
    Log,
    Observe,
    Perform,
    Request,
    Reset,
    Seen,
    SetUp,
    State,
    Value,
    duration_s,
)
from tapwright.errors import DeviceLostError, UsageError
from tapwright.geometry import Size
from tapwright.observation import Observation, UiTree
from tapwright.screenshot import Screenshot
from tapwright.setup import SetupCall

__all__ = [
    "LiveRemoteDevice",
    "RemoteDevice",
    "open_remote",
]

_TIMEOUT_S = 75.0
"""Longer than the server gives a device, so that its own words come first."""


def open_remote(argument: str = "", *, token: str = "", who: str = "") -> "RemoteDevice":
    """Lease the device that "ws://host:port/NAME" means, or any free one for "ws://host:port".

    "?wait_s=60" at the end waits so long while others have it. `who` is told to them meanwhile.

    Raises:
        UsageError: the argument says something else.
        RemoteRefusedError: the server wants another token.
        UnknownNameError: it has no such device.
        DeviceBusyError: another client has it; the message says who.
        DeviceLostError: no server answers there.
    """
    address, place, wait_s = _parts(argument)
    line = Line(address, token)
    try:
        asked = Lease(place=place, who=who, wait_s=wait_s)
        leased, _ = line.ask(asked, Leased, wait_s + 2 * _TIMEOUT_S)
    except BaseException:
        line.close()
        raise
    kind = LiveRemoteDevice if leased.live else RemoteDevice
    return kind(line, leased.name)


def _parts(argument: str) -> tuple[str, str, float]:
    """Address, place and time to wait."""
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
                f"remote: {name}={value} means nothing", hint="…/NAME?wait_s=60 is all there is"
            )
        wait_s = min(float(value), 3600.0)
    return f"{url.scheme}://{url.netloc}", unquote(url.path.removeprefix("/")), wait_s


class RemoteDevice:
    """A leased device at the other end of a line; the lease ends when it is closed.

    It does calls of a task's set-up as the far device does; one that does none refuses each. Each
    call ends within a time limit, after which the device is lost for good: an action whose answer
    did not come is not sent again.
    """

    def __init__(self, line: Line, name: str) -> None:
        self._line = line
        self._name = name
        self._screenshot: Screenshot | None = None
        self._tree: UiTree | None = None
        self._tree_sha256 = ""

    @property
    def name(self) -> str:
        """The far device's own name."""
        return self._name

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        """Start over, as the far device does; a `language` of "" is the one that it takes."""
        given = None if state is None else dict(state)
        self._ask(Reset(seed=seed, language=language, state=given, app=app))

    def observe(self) -> Observation:
        """Picture and tree as the far device gave them.

        Raises:
            RemoteProtocolError: what came is not what it was hashed to.
        """
        had = "" if self._screenshot is None else self._screenshot.sha256
        seen, parts = self._line.ask(Observe(picture=had, tree=self._tree_sha256), Seen, _TIMEOUT_S)
        if len(parts) != (seen.picture_bytes or 0) + (seen.tree_bytes or 0):
            raise self._broken(f"{len(parts)} bytes of picture and tree")
        size = Size(seen.width, seen.height)
        picture, xml = parts[: seen.picture_bytes or 0], parts[seen.picture_bytes or 0 :]
        if seen.picture_bytes is not None:
            self._screenshot = Screenshot(picture, origin=f"a screenshot of {self.name}")
        if self._screenshot is None or self._screenshot.sha256 != seen.picture:
            raise self._broken("a picture that is not what it was hashed to")
        return Observation(
            screenshot=self._screenshot,
            size=size,
            ui_tree=self._tree_of(seen, xml, size),
            app=seen.app,
            orientation=seen.orientation,
            time_s=seen.time_s,
            stale=seen.stale,
        )

    def perform(self, action: Action) -> None:
        """Act there, once; the time that the action takes by itself comes to the limit."""
        self._ask(Perform(action=action), duration_s(action))

    def set_up(self, call: SetupCall) -> None:
        """Do a call of a task's set-up there."""
        self._ask(SetUp(name=call.name, arguments=dict(call.arguments)), SET_UP_S)

    def log(self, since: int = 0) -> Sequence[str]:
        """The far device's log."""
        return self._strings(Log(since=since))

    def state(self, path: str) -> JsonValue:
        """What the far device's apps hold at a path."""
        value: JsonValue = self._ask(State(path=path))
        return value

    def apps(self) -> Sequence[str]:
        """The far device's apps."""
        return self._strings(Apps())

    def close(self) -> None:
        """End the lease; more than once is allowed."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _ask(self, request: Request, takes_s: float = 0.0) -> JsonValue:
        said, _ = self._line.ask(request, Value, _TIMEOUT_S + takes_s)
        value: JsonValue = said.value
        return value

    def _strings(self, request: Request) -> Sequence[str]:
        value = self._ask(request)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._broken(f"{request.call!r} that is no list of strings")
        return [str(one) for one in value]

    def _tree_of(self, seen: Seen, xml: bytes, size: Size) -> UiTree | None:
        if seen.tree is None:
            return None
        if seen.tree_bytes is not None:
            try:
                text = xml.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                raise self._broken("a view hierarchy that is no text") from None
            self._tree = UiTree(text, size, origin=f"the screen of {self.name}")
            self._tree_sha256 = sha256(xml).hexdigest()
        if self._tree is None or self._tree_sha256 != seen.tree:
            raise self._broken("a view hierarchy that is not what it was hashed to")
        if self._tree.size != size:  # turned, and by chance with the same words
            self._tree = UiTree(self._tree.xml, size, origin=self._tree.origin)
        return self._tree

    def _broken(self, found: str) -> RemoteProtocolError:
        self.close()
        return RemoteProtocolError(f"{self._line.address} sent {found}", hint="open it anew")


class LiveRemoteDevice(RemoteDevice):
    """A remote device that has a live screen."""

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """The far device's live screen; a client that is slow gets fewer pictures."""

        def take(frame: Frame, data: bytes) -> None:
            size = Size(frame.width, frame.height)
            taken_s = time.monotonic() - frame.age_s
            on_frame(LiveFrame(data, frame.kind, size, taken_s, frame.key))

        self._line.on_frame = take
        try:
            self._ask(Live(on=True))
            yield
        finally:
            self._line.on_frame = None
            with suppress(DeviceLostError):
                self._ask(Live(on=False))
