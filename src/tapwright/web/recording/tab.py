"""A page that shows a recording session, and the messages that wait for it."""

import asyncio

from tapwright.web.recording.messages import ServerMessage

__all__ = ["SessionTab"]

_MAX_MESSAGES = 1000


class SessionTab:
    """One page that shows a session; `messages` are those to be sent."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[ServerMessage] = asyncio.Queue()

    @property
    def is_overflowing(self) -> bool:
        """Whether it sends messages without reading the answers."""
        return self.messages.qsize() >= _MAX_MESSAGES

    def send(self, message: ServerMessage) -> None:
        """Queue a message."""
        self.messages.put_nowait(message)
