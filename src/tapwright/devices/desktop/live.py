"""The screen of a desktop as it changes, for a person to watch."""

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from tapwright.core.geometry import Size
from tapwright.devices.device import LiveFrame
from tapwright.errors import DeviceLostError

__all__ = ["watch"]

_LOOK_S = 0.04
_QUALITY = 80


class Screen(Protocol):
    """What has a picture at any time."""

    def picture(self) -> npt.NDArray[np.uint8]:
        """What it shows now: height x width x (blue, green, red, unused)."""


@contextmanager
def watch(screen: Screen, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
    """Call `on_frame` for the first picture and each other one, in a thread, in the block."""
    ended = Event()

    def show() -> None:
        last: npt.NDArray[np.uint8] | None = None
        while not ended.is_set():
            try:
                picture = screen.picture()
            except DeviceLostError:
                return  # the next look says so
            if last is None or not np.array_equal(last, picture):
                last = picture
                time_s = time.monotonic()
                on_frame(LiveFrame(_jpeg(picture), "jpeg", _size(picture), time_s))
            ended.wait(_LOOK_S)

    thread = Thread(target=show, name="desktop-live", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _jpeg(picture: npt.NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture[:, :, 2::-1])).save(
        buffer, "JPEG", quality=_QUALITY
    )
    return buffer.getvalue()


def _size(picture: npt.NDArray[np.uint8]) -> Size:
    return Size(picture.shape[1], picture.shape[0])
