"""Finds icons on a screen by OpenCV's template matching.

https://docs.opencv.org/4.x/de/da9/tutorial_template_matching.html
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.core.geometry import Box
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, MissingExtraError
from tapwright.files.regular import read_regular
from tapwright.tasks.errors import EventSourceUnavailableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["shows_icon"]

_SCALES = (1.0, 0.9, 1.1, 0.8, 1.25)
_ALIKE = 0.9


def shows_icon(screenshot: Screenshot, icon: Path, region: Box) -> bool:
    """Whether the region shows the icon, at 0.8 to 1.25 times its size in pixels.

    Raises:
        EventSourceUnavailableError: the file is not a picture, or has a single colour.
        MissingExtraError: OpenCV is not installed.
    """
    try:
        import cv2
        import numpy as np
    except ModuleNotFoundError as error:
        raise MissingExtraError("looking for an icon on a screen", "ocr") from error
    template = _load_icon(icon)
    picture = np.asarray(screenshot.image().convert("RGB"))
    height, width = picture.shape[:2]
    area = picture[
        round(region.top * height) : round(region.bottom * height),
        round(region.left * width) : round(region.right * width),
    ]
    for scale in _SCALES:
        scaled = cv2.resize(template, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if scaled.shape[0] > area.shape[0] or scaled.shape[1] > area.shape[1]:
            continue
        if cv2.matchTemplate(area, scaled, cv2.TM_CCOEFF_NORMED).max() >= _ALIKE:
            return True
    return False


@lru_cache(maxsize=64)
def _load_icon(path: Path) -> "NDArray[np.uint8]":
    import numpy as np

    try:
        icon = np.asarray(Screenshot(read_regular(path), origin=str(path)).image())
    except (OSError, BadImageError) as error:
        raise EventSourceUnavailableError(f"{path}: not a picture of an icon: {error}") from error
    if (icon == icon[0, 0]).all():
        # Its similarity is the same everywhere.
        raise EventSourceUnavailableError(f"{path}: one colour only, which matches every screen")
    return icon
