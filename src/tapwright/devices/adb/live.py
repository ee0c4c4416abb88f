"""A phone whose screen is seen as it moves: scrcpy's stream, passed on as it comes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic

from tapwright.devices.adb.address import parse_address
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.hierarchy import TreeSource
from tapwright.devices.adb.scrcpy import VideoSession, VideoStream, jar_version
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.device import LiveFrame
from tapwright.devices.errors import LiveStreamError
from tapwright.errors import DeviceLostError
from tapwright.geometry import Size

__all__ = ["LivePhone", "open_phone"]

_DRIFT = 100e-6
"""Two clocks go apart by less than this, in seconds for each second."""


def open_phone(argument: str = "", *, client: AdbClient | None = None) -> AndroidPhone:
    """The phone that "SERIAL[@HOST:PORT][,u2][,snapshot=NAME][,scrcpy=FILE]" names.

    "" is the only one. `client` speaks to the adb server here, and knows the program that starts
    it; what comes after "@" is another server. With FILE, a server of scrcpy 4, the phone has a
    live picture.

    Raises:
        DeviceError: the argument says something else, or the phone cannot be driven.
        LiveStreamError: FILE is no server of scrcpy 4.
    """
    spec = parse_address(argument)
    if spec.scrcpy is not None:
        jar_version(spec.scrcpy)
    client = client or AdbClient()
    if spec.host:
        client = client.at(spec.host, spec.port)
    client.check_version()
    shell = PhoneShell(client, client.choose(spec.serial).serial)
    if spec.scrcpy is None:
        return AndroidPhone(shell, tree=spec.tree, snapshot=spec.snapshot)
    return LivePhone(shell, spec.scrcpy, tree=spec.tree, snapshot=spec.snapshot)


class LivePhone(AndroidPhone):
    """A phone with scrcpy's server `jar`: its live pictures are H.264 in Annex B form."""

    def __init__(
        self,
        shell: PhoneShell,
        jar: Path,
        *,
        tree: TreeSource = "uiautomator",
        snapshot: str = "",
    ) -> None:
        super().__init__(shell, tree=tree, snapshot=snapshot)
        self._jar = jar
        self._moving: VideoStream | None = None
        self._wrong: DeviceLostError | LiveStreamError | None = None

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass the stream on as it comes; what a decoder must know first goes before key pictures.

        Raises:
            LiveStreamError: scrcpy's server does not start, or sends something else.
            DeviceLostError: the phone is gone; at the end of the block, if it went in between.
        """
        self._wrong = None
        with VideoStream(self.shell, self._jar) as moving:
            self._moving = moving
            reader = Thread(
                target=self._pass_on, args=(moving, on_frame), name="scrcpy", daemon=True
            )
            reader.start()
            try:
                yield
            finally:
                self._moving = None
                moving.close()
                reader.join()
                wrong, self._wrong = self._wrong, None
        if wrong is not None:
            raise wrong

    def renew(self) -> None:
        """Show a picture soon that can be shown by itself; while `live` goes on, from any thread.

        Raises:
            DeviceLostError: the stream has ended.
        """
        self._check()
        moving = self._moving
        if moving is not None:
            moving.renew()

    def log(self, since: int = 0) -> Sequence[str]:
        """What the phone logged since `reset` and has come by now.

        Raises:
            DeviceLostError: the live picture has ended, which nothing else would tell.
        """
        self._check()
        return super().log(since)

    def _check(self) -> None:
        if self._wrong is not None:
            raise self._wrong

    def _pass_on(self, moving: VideoStream, on_frame: Callable[[LiveFrame], None]) -> None:
        size: Size | None = None
        head = b""
        behind_s, last_s = float("inf"), monotonic()
        try:
            for event in moving:
                if isinstance(event, VideoSession):
                    size = event.size
                elif event.config:
                    head = event.data
                elif size is None:
                    raise LiveStreamError(f"{self.name}: a picture came before its size")
                else:
                    # The picture that came quickest shows how the phone's clock stands to ours.
                    now_s = monotonic()
                    behind_s = min(now_s - event.time_s, behind_s + _DRIFT * (now_s - last_s))
                    last_s = now_s
                    data = head + event.data if event.key else event.data
                    on_frame(LiveFrame(data, "h264", size, event.time_s + behind_s, key=event.key))
        except (DeviceLostError, LiveStreamError) as error:
            self._wrong = error
