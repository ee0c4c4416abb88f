"""What the wires with tools share: ids of calls, joined turns, the system's words."""

from collections import deque
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.errors import UsageError

__all__ = ["CallIds", "join_turns", "system_text"]


class CallIds:
    """Numbers the calls of a conversation; tool messages answer them in order."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._calls = 0
        self._waiting: deque[str] = deque()

    def made(self) -> str:
        """The id of the next call."""
        id_ = f"{self._prefix}{self._calls}"
        self._calls += 1
        self._waiting.append(id_)
        return id_

    def answered(self) -> str:
        """The id of the call that the next tool message answers.

        Raises:
            UsageError: none is unanswered.
        """
        if not self._waiting:
            raise UsageError("a tool message answers no call that was made before it")
        return self._waiting.popleft()


def join_turns(turns: Sequence[Mapping[str, JsonValue]], key: str) -> list[JsonValue]:
    """The turns, those of one speaker in a row as one; their parts are lists under `key`."""
    joined: list[dict[str, JsonValue]] = []
    for turn in turns:
        parts = turn[key]
        assert isinstance(parts, list)
        if not parts:
            continue
        before = joined[-1] if joined else None
        if before is not None and before["role"] == turn["role"]:
            kept = before[key]
            assert isinstance(kept, list)
            before[key] = [*kept, *parts]
        else:
            joined.append(dict(turn))
    return [*joined]


def system_text(messages: Sequence[Message]) -> str:
    """The words of all system messages, for APIs that take them apart from the turns."""
    return "\n\n".join(one.text for one in messages if one.role == "system" and one.text)
