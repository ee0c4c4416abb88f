"""Decodes an H.264 stream into stills, for browsers that do not play it."""

import io
from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from tapwright.devices.device import LiveFrame
from tapwright.errors import MissingExtraError

__all__ = ["StillDecoder"]

_QUALITY = 80


class StillDecoder:
    """A decoder of one stream; use it from one thread at a time.

    Raises:
        MissingExtraError: PyAV is not installed.
    """

    def __init__(self) -> None:
        try:
            import av
        except ImportError as error:
            raise MissingExtraError("stills of a live picture", "video") from error
        self._av = av
        self._restart()

    def decode(self, frames: Sequence[LiveFrame]) -> LiveFrame | None:
        """The picture after these access units, as a JPEG; None if none of them decodes.

        After a break in the stream the first of them has `key` set.
        """
        image: Image.Image | None = None
        for frame in frames:
            if frame.key:
                self._restart()
            try:
                for picture in self._decoder.decode(self._av.Packet(frame.data)):
                    image = picture.to_image()  # type: ignore[no-untyped-call]
            except self._av.error.FFmpegError:
                continue  # a broken picture; the next key picture restarts the stream
        if image is None:
            return None
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=_QUALITY)
        return replace(frames[-1], data=buffer.getvalue(), kind="jpeg", key=True)

    def _restart(self) -> None:
        self._decoder = self._av.CodecContext.create("h264", "r")
        # Frame threads would delay pictures.
        self._decoder.thread_type = "SLICE"
        self._decoder.flags |= self._av.codec.context.Flags.low_delay
