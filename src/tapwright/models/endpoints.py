"""The servers of one model, each judged by what it did last: who gets the next request.

A server that fails again and again is paused: one request at a time tries whether it is there
again, after longer and longer waits. One that keeps failing, or whose refusals are about every
request, is shut for a while; the others go on, and when all are shut nothing more is sent.
"""

import asyncio
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal, TypeAlias

from tapwright.errors import ModelError
from tapwright.models.errors import ModelWaitWarning, RepeatedRefusalError, ServerDownError

__all__ = [
    "MAX_EQUAL_REFUSALS", "MAX_OTHER_REFUSALS", "MAX_WAIT_S", "Endpoint", "Endpoints", "Fault",
    "FaultKind",
]  # fmt: skip

MAX_EQUAL_REFUSALS = 5
"""After so many equal refusals in a row of the key, the model or the address, no more is sent."""
MAX_OTHER_REFUSALS = 25
"""The same for refusals that may lie in a single question, such as a picture that is too large."""

FaultKind: TypeAlias = Literal["tls", "connection", "timeout", "busy", "error", "access"]

MAX_WAIT_S = 600.0
"""A server that requires a longer wait than this counts as unavailable."""

_PAUSED_AFTER = 8
"""Faults in a row; then one request at a time is sent."""
_FIRST_TOGETHER = 20
"""Requests at a time until a server has answered one, so that few are wasted on a wrong one."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 32.0
_SHUT_S = 60.0
_SET_ASIDE_S = 30.0
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Patience:
    """A server is shut after so many faults in a row and so many seconds since the first of them.

    The seconds are for one that has never answered, and for one that has.
    """

    faults: int
    new_s: float
    known_s: float


_PATIENCE: dict[FaultKind, _Patience] = {
    "tls": _Patience(1, 0.0, 0.0),
    "access": _Patience(1, 0.0, 0.0),
    "connection": _Patience(4, 5.0, 60.0),
    "timeout": _Patience(12, 60.0, 240.0),
    "error": _Patience(12, 15.0, 60.0),
    "busy": _Patience(12, 60.0, 600.0),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """An attempt that failed; `wait_s` is what the server requires, `hint` the way out."""

    kind: FaultKind
    cause: str
    wait_s: float = 0.0
    hint: str = ""


@dataclass(slots=True)
class Endpoint:
    """One of the servers: how many requests are under way, and how the latest ones ended.

    `back_at` and `since` are in seconds of the `clock`: until when it is set aside, and when the
    first of its latest faults in a row was.
    """

    url: str
    proxy: str | None
    clock: Callable[[], float] = monotonic
    under_way: int = 0
    back_at: float = 0.0
    has_answered: bool = False
    faults: int = 0
    since: float = 0.0
    refusals: int = 0
    refusal: str = ""
    shut: ModelError | None = None
    shut_until: float = 0.0

    @property
    def is_paused(self) -> bool:
        """Whether one request at a time is sent."""
        return self.shut is not None or self.faults >= _PAUSED_AFTER

    @property
    def is_shut(self) -> bool:
        """Whether nothing is sent."""
        return self.shut is not None and self.clock() < self.shut_until

    @property
    def admits(self) -> bool:
        """Whether one more request may be sent."""
        if self.is_paused:
            return self.under_way == 0 and not self.is_shut
        return self.has_answered or self.under_way < _FIRST_TOGETHER

    @property
    def set_aside_s(self) -> float:
        """For how long others are preferred to it."""
        return max(self.back_at - self.clock(), 0.0)

    @property
    def pause_s(self) -> float:
        """How long it is left alone before the next request; 0 for one that is not paused."""
        if self.shut is not None or self.faults < _PAUSED_AFTER:
            return 0.0
        required = self.back_at - self.clock() - _SET_ASIDE_S
        doubled = _FIRST_PAUSE_S * 2.0 ** min(self.faults - _PAUSED_AFTER, 16)
        return max(min(doubled, _LONGEST_PAUSE_S), required)


@dataclass
class Endpoints:
    """The servers of one client; `who` is its name in messages."""

    who: str
    all: Sequence[Endpoint]
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def take(self) -> Endpoint:
        """The least busy endpoint that admits a request; waits until there is one.

        Raises:
            RepeatedRefusalError: all are shut, the last for what it refused.
            ServerDownError: all are shut, the last for its faults.
        """
        while True:
            free = [one for one in self.all if one.admits]
            if free:
                found = min(free, key=lambda one: (one.set_aside_s, one.under_way))
                found.under_way += 1
                return found
            self.check()
            # A future of this loop: a client may be used in one loop after another.
            changed = asyncio.get_running_loop().create_future()
            self._waiting.append(changed)
            await changed

    def give_back(self, endpoint: Endpoint) -> None:
        """The request to an endpoint has ended."""
        endpoint.under_way -= 1
        self._wake()

    def check(self) -> None:
        """See that not all servers are shut.

        Raises:
            RepeatedRefusalError: the last was shut for what it refused.
            ServerDownError: the last was shut for its faults.
        """
        if all(one.is_shut for one in self.all):
            last = max(self.all, key=lambda one: one.shut_until)
            assert last.shut is not None
            raise last.shut

    def is_other_ready(self) -> bool:
        """Whether an endpoint that is not set aside takes a request at once."""
        return any(not one.set_aside_s and one.admits for one in self.all)

    def note_answer(self, endpoint: Endpoint) -> None:
        """It answered: all before is forgotten."""
        endpoint.has_answered = True
        endpoint.faults = endpoint.refusals = 0
        endpoint.back_at = 0.0
        endpoint.shut = None

    def note_fault(self, endpoint: Endpoint, fault: Fault) -> None:
        """It failed; shut it when it failed too often."""
        now = endpoint.clock()
        endpoint.since = endpoint.since if endpoint.faults else now
        endpoint.faults += 1
        endpoint.back_at = now + _SET_ASIDE_S + min(fault.wait_s, MAX_WAIT_S)
        patience = _PATIENCE[fault.kind]
        waited = now - endpoint.since
        enough = waited >= (patience.known_s if endpoint.has_answered else patience.new_s)
        several = f" ({endpoint.faults} attempts in a row)" if endpoint.faults > 1 else ""
        why = f"does not answer{several}"
        is_long = fault.wait_s > MAX_WAIT_S
        if is_long:
            why = f"requires a wait of {fault.wait_s:.0f} s"
        if is_long or endpoint.shut is not None or (endpoint.faults >= patience.faults and enough):
            self._shut(
                endpoint,
                ServerDownError(
                    f"{self.who}: {endpoint.url} {why}, so no more is sent: {fault.cause}",
                    hint=fault.hint or "when it answers again, the same command continues",
                ),
            )
        elif endpoint.faults == _PAUSED_AFTER and endpoint.under_way > 1:
            warnings.warn(
                f"{self.who}: {endpoint.url} fails: {fault.cause}; one request at a time tries "
                "whether it is there again",
                ModelWaitWarning,
                stacklevel=2,
            )

    def note_refusal(self, endpoint: Endpoint, cause: str, hint: str, *, limit: int) -> None:
        """It refused in these words; shut it after `limit` equal ones in a row.

        Raises:
            RepeatedRefusalError: that many there were.
        """
        # A number differs from question to question: of tokens, of pixels, of the request.
        words = _DIGITS.sub("#", cause)
        endpoint.refusals = endpoint.refusals + 1 if words == endpoint.refusal else 1
        endpoint.refusal = words
        endpoint.faults = 0  # it is there
        if endpoint.refusals >= limit:
            error = RepeatedRefusalError(
                f"{self.who}: {endpoint.url} refused: {cause}; {endpoint.refusals} times in a row, "
                "so no more is sent",
                hint=hint or "when that is mended, the same command continues",
            )
            self._shut(endpoint, error)
            raise error

    def _shut(self, endpoint: Endpoint, error: ModelError) -> None:
        endpoint.shut = error
        endpoint.shut_until = endpoint.clock() + _SHUT_S
        self._wake()

    def _wake(self) -> None:
        """Let who waits look again."""
        waiting, self._waiting = self._waiting, []
        for changed in waiting:
            if not changed.done():  # whose request was cancelled meanwhile
                changed.set_result(None)
