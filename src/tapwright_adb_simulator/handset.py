"""The device behind the wire, used by one thread at a time, with the parts that Android adds.

When the screen is off it is black, and when it is locked the lock screen is in the way; when the
phone is held sideways, picture, tree and touches are turned.
"""

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from PIL import Image

from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, write_node
from tapwright.devices.device import Device
from tapwright.errors import UnsupportedActionError
from tapwright_adb_simulator.android import Android

__all__ = ["Handset"]

Wanted: TypeAlias = Literal["picture", "tree"]

SYSTEM_UI = "com.android.systemui"
_LOOK_AGE_S = 1.0
_TURNS = {
    1: Image.Transpose.ROTATE_90,
    2: Image.Transpose.ROTATE_180,
    3: Image.Transpose.ROTATE_270,
}
_BOUNDS = re.compile(r'bounds="\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]"')
_ROTATION = re.compile(r'<hierarchy rotation="\d"')
_XML = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


@runtime_checkable
class _Packaged(Protocol):
    """A device whose apps have packages besides names."""

    def packages(self) -> Mapping[str, str]: ...


class Handset:
    """The device with Android's own screens and state; its methods block.

    One look at the device serves one picture and one tree, as long as nothing was done between
    them; so reading both over the wire costs what one observation costs.
    """

    def __init__(self, device: Device, android: Android) -> None:
        self.android = android
        self._device = device
        self._lock = threading.RLock()
        self._look: Observation | None = None
        self._looked_s = 0.0
        self._served: set[Wanted] = set()
        self._logged: list[str] = []
        self.opened = ""
        """The component in front, where it is one of the apps that show nothing of their own."""
        self.size = device.observe().size
        self.finger: tuple[float, float, float] | None = None
        """The start of a touch that has not ended, in pixels, and its time."""

    @contextmanager
    def held(self) -> Iterator[Device]:
        """The device itself, exclusively while the block lasts."""
        with self._lock:
            try:
                yield self._device
            finally:
                self._look = None

    def new_lines(self) -> Sequence[str]:
        """The lines logged since the last call; all of them after a reset."""
        with self._lock:
            known = len(self._logged)
            lines = list(self._device.log(max(known - 1, 0)))
            if known and lines[:1] == self._logged[-1:]:
                del lines[0]
            elif known:
                self._logged.clear()
                lines = list(self._device.log())
            self._logged += lines
            return lines

    def reset(self, **given: object) -> None:
        """Reset the device, and its log with it."""
        with self.held() as device:
            device.reset(**given)  # type: ignore[arg-type]
            self._logged.clear()

    def perform(self, action: Action) -> None:
        """Perform an action; like a phone, ignores a key without a function."""
        self.opened = ""
        with self.held() as device, suppress(UnsupportedActionError):
            device.perform(action)

    @property
    def screen(self) -> Size:
        """The screen's size in pixels, as it is rotated now."""
        size = self.size
        return Size(size.height, size.width) if self.android.rotation % 2 else size

    @property
    def shows_apps(self) -> bool:
        """Whether apps are visible and receive touches."""
        return self.android.awake and not self.android.locked

    def packages(self) -> Mapping[str, str]:
        """The names of the apps by their package."""
        with self._lock:
            device, gone = self._device, self.android.uninstalled
            if isinstance(device, _Packaged):
                named = device.packages()
            else:
                named = {name: name for name in device.apps()}
        named = {**named, **self.android.others}
        return {package: name for package, name in named.items() if package not in gone}

    def front(self) -> str:
        """The package in front."""
        if self.opened and self.shows_apps:
            return self.opened.partition("/")[0]
        return self._recent_observation().app if self.shows_apps else SYSTEM_UI

    def picture(self) -> Image.Image | bytes:
        """The screen: a PNG's bytes as the device returned them, or another picture."""
        if not self.shows_apps:
            return Image.new("RGB", (self.screen.width, self.screen.height), self._cover())
        seen = self._observe("picture").screenshot
        turn = _TURNS.get(self.android.rotation)
        if turn is None and seen.data.startswith(b"\x89PNG"):
            return seen.data
        image = seen.image()
        return image if turn is None else image.transpose(turn)

    def tree(self) -> str | None:
        """The view hierarchy as uiautomator writes it, None when there is none."""
        android = self.android
        if not android.awake:
            return None
        if android.locked:
            node = {
                "index": "0",
                "class": "android.widget.FrameLayout",
                "package": SYSTEM_UI,
                "bounds": f"[0,0][{self.screen.width},{self.screen.height}]",
            }
            inner = write_node(node, closed=True)
            return f'{_XML}<hierarchy rotation="{android.rotation}">{inner}</hierarchy>'
        tree = self._observe("tree").ui_tree
        if tree is None:
            return None
        xml = tree.xml if tree.xml.startswith("<?xml") else _XML + tree.xml
        if not android.rotation:
            return xml
        xml = _ROTATION.sub(f'<hierarchy rotation="{android.rotation}"', xml, count=1)
        return _BOUNDS.sub(self._rotate_bounds, xml)

    def to_point(self, x: float, y: float) -> Point | None:
        """The point on the upright screen of the pixel (x, y), None off the screen.

        A whole pixel means its centre.
        """
        width, height = self.screen.width, self.screen.height
        if not (0 <= x < width and 0 <= y < height):
            return None
        across, down = (int(x) + 0.5) / width, (int(y) + 0.5) / height
        match self.android.rotation:
            case 1:
                return Point(1 - down, across)
            case 2:
                return Point(1 - across, 1 - down)
            case 3:
                return Point(down, 1 - across)
        return Point(across, down)

    def _rotate_bounds(self, found: re.Match[str]) -> str:
        left, top, right, bottom = (int(edge) for edge in found.groups())
        width, height = self.size.width, self.size.height
        match self.android.rotation:
            case 1:
                left, top, right, bottom = top, width - right, bottom, width - left
            case 2:
                left, top, right, bottom = (
                    width - right, height - bottom, width - left, height - top,
                )  # fmt: skip
            case 3:
                left, top, right, bottom = height - bottom, left, height - top, right
        return f'bounds="[{left},{top}][{right},{bottom}]"'

    def _cover(self) -> tuple[int, int, int]:
        return (24, 28, 48) if self.android.awake else (0, 0, 0)

    def _observe(self, wanted: Wanted) -> Observation:
        with self._lock:
            if wanted in self._served:
                self._look = None
            seen = self._recent_observation()
            self._served.add(wanted)
            return seen

    def _recent_observation(self) -> Observation:
        """The last observation while it is fresh, else a new one."""
        with self._lock:
            if self._look is None or time.monotonic() - self._looked_s > _LOOK_AGE_S:
                self._look = self._device.observe()
                self._served.clear()
                self._looked_s = time.monotonic()
            return self._look
