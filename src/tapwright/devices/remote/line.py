"""A client's connection to a server of devices: one request at a time, one answer to each.

Nothing is ever said twice: when the connection is lost, so is every call that had no answer, and
the line stays dead. Whether such an action was done, nobody knows.
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TypeAlias, TypeVar

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tapwright.devices.errors import RemoteProtocolError, RemoteRefusedError
from tapwright.devices.remote.protocol import (
    ANSWER_BYTES,
    SUBPROTOCOL,
    Answer,
    Failure,
    Frame,
    Request,
    encode,
    read_answer,
)
from tapwright.errors import DeviceLostError, TapwrightError, UsageError

__all__ = [
    "Line",
    "OnFrame",
]

A = TypeVar("A", bound=Answer)
OnFrame: TypeAlias = Callable[[Frame, bytes], None]

_HANDSHAKE_S = 10.0
_CLOSE_S = 2.0
_HEARTBEAT_S = 10.0
_LOG = logging.getLogger(__name__)
_LOG.setLevel(logging.INFO)  # below, websockets writes down all headers, and so the token
_BROKEN = (1002, 1007, 1009)
"""How a connection is closed that broke WebSocket's own rules, or said more than it may."""


class Line:
    """An open connection to `address`, "ws://host:port", by who knows its `token`.

    Raises:
        UsageError: the address is not one.
        RemoteRefusedError: the server wants another token, or speaks another version.
        DeviceLostError: nobody answers there.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.on_frame: OnFrame | None = None
        self._lost = ""
        self._asking = Lock()
        self._answers: SimpleQueue[tuple[Answer, bytes] | TapwrightError] = SimpleQueue()
        self._stack = ExitStack()
        try:
            self._connection = self._stack.enter_context(
                connect(
                    address,
                    additional_headers={"Authorization": f"Bearer {token}"} if token else {},
                    subprotocols=[Subprotocol(SUBPROTOCOL)],
                    compression=None,
                    proxy=None,
                    open_timeout=_HANDSHAKE_S,
                    close_timeout=_CLOSE_S,
                    ping_interval=_HEARTBEAT_S,
                    ping_timeout=_HEARTBEAT_S,
                    max_size=ANSWER_BYTES,
                    logger=_LOG,
                )
            )
        except InvalidURI as error:
            raise UsageError(
                f"{address} is no address of a server of devices", hint="remote:ws://HOST:PORT/NAME"
            ) from error
        except InvalidStatus as error:
            raise _refused(address, error.response.status_code) from error
        except (OSError, InvalidHandshake) as error:
            raise DeviceLostError(
                f"{address}: no server of devices answers: {error}",
                hint="start one there: tapwright devices serve --device phone",
            ) from error
        if self._connection.subprotocol != SUBPROTOCOL:
            self.close()
            raise RemoteRefusedError(
                f"{address} does not speak {SUBPROTOCOL}", hint="use one version at both ends"
            )
        Thread(target=self._read, name="remote-device", daemon=True).start()

    def ask(self, request: Request, kind: type[A], timeout_s: float) -> tuple[A, bytes]:
        """The answer to a request, and the bytes that came with it.

        Raises:
            DeviceLostError: it did not come in time, or the connection is lost.
            RemoteProtocolError: what came is no answer to this.
            TapwrightError: what the device raised there.
        """
        with self._asking:
            if self._lost:
                raise DeviceLostError(self._lost, hint="open the device anew")
            with suppress(Empty):
                raise self._lost_by(self._unasked(self._answers.get_nowait()))
            try:
                self._connection.send(encode(request))
                answer = self._answers.get(timeout=timeout_s)
            except ConnectionClosed as error:
                answer = self._closed(error)
            except Empty:
                answer = DeviceLostError(
                    f"{self.address} did not answer {request.call!r} within {timeout_s:g} s"
                )
            if not isinstance(answer, TapwrightError):
                said, parts = answer
                if isinstance(said, Failure):
                    raise said.error()
                if isinstance(said, kind):
                    return said, parts
                answer = RemoteProtocolError(
                    f"{self.address} answers {request.call!r} with {said.says!r}"
                )
            raise self._lost_by(answer)

    def close(self) -> None:
        """End the lease; more than once is allowed."""
        self._lost = self._lost or f"the connection to {self.address} was closed"
        self._stack.close()

    def _lost_by(self, error: TapwrightError) -> TapwrightError:
        self._lost = self._lost or str(error)
        self.close()
        return error

    def _unasked(self, answer: tuple[Answer, bytes] | TapwrightError) -> TapwrightError:
        """What came while nothing was asked: the end, or what nobody wanted to hear."""
        if isinstance(answer, TapwrightError):
            return answer
        return RemoteProtocolError(f"{self.address} says {answer[0].says!r}, and nobody asked")

    def _read(self) -> None:
        """Hand on what comes, until the connection ends."""
        try:
            for message in self._connection:
                answer = read_answer(message)
                if not isinstance(answer[0], Frame):
                    self._answers.put(answer)
                elif (on_frame := self.on_frame) is not None:
                    on_frame(answer[0], answer[1])
        except RemoteProtocolError as error:
            self._answers.put(RemoteProtocolError(f"{self.address} sent {error}"))
        except ConnectionClosed as error:
            self._answers.put(self._closed(error))
        else:
            self._answers.put(DeviceLostError(f"{self.address} ended the connection"))

    def _closed(self, error: ConnectionClosed) -> TapwrightError:
        if error.sent is not None and error.sent.code in _BROKEN:
            return RemoteProtocolError(f"{self.address} breaks the protocol: {error.sent.reason}")
        return DeviceLostError(f"the connection to {self.address} is lost: {error}")


def _refused(address: str, status: int) -> RemoteRefusedError:
    if status == 401:
        return RemoteRefusedError(
            f"{address} wants another token",
            hint="set TAPWRIGHT_TOKEN to the one that the server was started with",
        )
    return RemoteRefusedError(
        f"{address} answers with status {status}", hint="is it a server of devices?"
    )
