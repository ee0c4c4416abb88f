"""A capture as a live picture, for devices that have no quicker one."""

from io import BytesIO

from tapwright.devices.device import LiveFrame
from tapwright.observation import Observation

__all__ = ["still_frame"]

_WIDTH = 540
_QUALITY = 80


def still_frame(observation: Observation, time_s: float) -> LiveFrame:
    """What was observed as a small JPEG; a JPEG that the device gave is passed on as it is."""
    shot = observation.screenshot
    if shot.media_type == "image/jpeg":
        return LiveFrame(shot.data, "jpeg", shot.size, time_s)
    image = shot.image()
    if image.width > _WIDTH:
        image = image.reduce(max(1, image.width // _WIDTH))
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY)
    return LiveFrame(buffer.getvalue(), "jpeg", type(shot.size)(*image.size), time_s)
