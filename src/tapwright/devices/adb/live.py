"""A phone with a live video of its screen: scrcpy's stream, passed on as it arrives."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic

from tapwright.core.geometry import Size
from tapwright.devices.adb.address import parse_address
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.hierarchy import TreeSource
from tapwright.devices.adb.scrcpy import VideoSession, VideoStream, jar_version
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.device import LiveFrame
from tapwright.devices.errors import LiveStreamError
from tapwright.errors import DeviceLostError

__all__ = ["LivePhone", "open_phone"]

_DRIFT = 100e-6
"""The largest drift between two clocks, in seconds per second."""


def open_phone(argument: str = "", *, client: AdbClient | None = None) -> AndroidPhone:
    """The phone that "SERIAL[@HOST:PORT][,u2][,snapshot=NAME][,scrcpy=FILE]" names.

    "" is the only one. `client` connects to the local adb server, and knows the program that
    starts it; what follows "@" is another server. With FILE, a server of scrcpy 4, the phone has
    a live video.

    Raises:
        UsageError: the argument is malformed.
        DeviceError: the phone cannot be driven.
        LiveStreamError: FILE is not a server of scrcpy 4.
    """
    address = parse_address(argument)
    if address.scrcpy is not None:
        jar_version(address.scrcpy)
    client = client or AdbClient()
    if address.host:
        client = client.at(address.host, address.port)
    client.check_version()
    shell = PhoneShell(client, client.choose(address.serial).serial)
    if address.scrcpy is None:
        return AndroidPhone(shell, tree=address.tree, snapshot=address.snapshot)
    return LivePhone(shell, address.scrcpy, tree=address.tree, snapshot=address.snapshot)


class LivePhone(AndroidPhone):
    """A phone with scrcpy's server `jar`: its live pictures are H.264 in Annex B form."""

    def __init__(
        self, shell: PhoneShell, jar: Path, *, tree: TreeSource = "uiautomator", snapshot: str = ""
    ) -> None:
        super().__init__(shell, tree=tree, snapshot=snapshot)
        self._jar = jar
        self._stream: VideoStream | None = None
        self._failure: DeviceLostError | LiveStreamError | None = None

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass the stream on as it arrives; the decoder's configuration precedes each key frame.

        Raises:
            LiveStreamError: scrcpy's server does not start, or sends something else.
            DeviceLostError: the phone is gone; at the end of the block, if it went in between.
        """
        self._failure = None
        with VideoStream(self.shell, self._jar) as stream:
            self._stream = stream
            reader = Thread(
                target=self._pass_on, args=(stream, on_frame), name="scrcpy", daemon=True
            )
            reader.start()
            try:
                yield
            finally:
                self._stream = None
                stream.close()
                reader.join()
                failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def renew(self) -> None:
        """Request a key frame; while `live` runs, from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """
        self._check()
        stream = self._stream
        if stream is not None:
            stream.renew()

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines that the phone logged since `reset` and that have arrived.

        Raises:
            DeviceLostError: the live video has ended, which no other call reports.
        """
        self._check()
        return super().log(since)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _pass_on(self, stream: VideoStream, on_frame: Callable[[LiveFrame], None]) -> None:
        size: Size | None = None
        head = b""
        behind_s, last_s = float("inf"), monotonic()
        try:
            for event in stream:
                if isinstance(event, VideoSession):
                    size = event.size
                elif event.config:
                    head = event.data
                elif size is None:
                    raise LiveStreamError(f"{self.name}: a frame came before its size")
                else:
                    # The frame that arrived fastest shows the offset of the phone's clock to ours.
                    now_s = monotonic()
                    behind_s = min(now_s - event.time_s, behind_s + _DRIFT * (now_s - last_s))
                    last_s = now_s
                    data = head + event.data if event.key else event.data
                    on_frame(LiveFrame(data, "h264", size, event.time_s + behind_s, key=event.key))
        except (DeviceLostError, LiveStreamError) as error:
            self._failure = error
