"""Pictures in the bodies of requests: marks while the JSON is made, base64 when it is sent.

Base64 has nothing that JSON would have to escape, so the bytes go in last and are never copied
through a string.
"""

import json
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping
from secrets import token_hex

from pydantic import JsonValue

from tapwright.core.screenshot import Screenshot

__all__ = ["EncodedPictures", "RequestPictures"]

_SHA = 64
_CACHED = 32


class EncodedPictures:
    """The latest few pictures of a client, encoded."""

    def __init__(self) -> None:
        self._encoded: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    def get(self, screenshot: Screenshot) -> tuple[str, bytes]:
        """The picture's media type, and its own bytes in base64."""
        found = self._encoded.get(screenshot.sha256)
        if found is None:
            found = (screenshot.media_type, b64encode(screenshot.data))
            self._encoded[screenshot.sha256] = found
            if len(self._encoded) > _CACHED:
                self._encoded.popitem(last=False)
        self._encoded.move_to_end(screenshot.sha256)
        return found


class RequestPictures:
    """The pictures of one request, of which its body holds marks."""

    def __init__(self, encoded: EncodedPictures) -> None:
        # No text can hold it by chance, and nobody can know it.
        self._mark = token_hex(16)
        self._encoded = encoded
        self._marked: dict[str, Screenshot] = {}

    def base64(self, screenshot: Screenshot) -> str:
        """What stands in the body for the picture's own bytes in base64."""
        self._marked[screenshot.sha256] = screenshot
        return self._mark + screenshot.sha256

    def data_url(self, screenshot: Screenshot) -> str:
        """What stands in the body for the picture's own bytes as a data URL."""
        return f"data:{self._encoded.get(screenshot)[0]};base64,{self.base64(screenshot)}"

    def encode(self, body: Mapping[str, JsonValue]) -> bytes:
        """The body as JSON, with its pictures."""
        text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        head, *rest = text.split(self._mark.encode())
        pieces = [head]
        for one in rest:
            pieces += [self._encoded.get(self._marked[one[:_SHA].decode()])[1], one[_SHA:]]
        return b"".join(pieces)
