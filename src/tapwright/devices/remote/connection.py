"""A client's connection to a server of devices: one request at a time, one response to each.

No request is sent twice: when the connection is lost, so is every call without a response, and
the connection is not opened again. It is unknown whether such an action was performed.
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

from tapwright.devices.errors import REMOTE_REFUSED, RemoteProtocolError
from tapwright.devices.remote import protocol
from tapwright.errors import DeviceError, DeviceLostError, TapwrightError, UsageError

__all__ = ["OnFrame", "RemoteConnection"]

A = TypeVar("A", bound=protocol.DeviceResponse)
OnFrame: TypeAlias = Callable[[protocol.FrameResponse, bytes], None]

_HANDSHAKE_S = 10.0
_CLOSE_S = 2.0
_HEARTBEAT_S = 10.0
_LOG = logging.getLogger(__name__)
_LOG.setLevel(logging.INFO)  # below, websockets writes down all headers, and so the token
_BROKEN = (1002, 1007, 1009)
"""The codes that close a connection which broke WebSocket's own rules, or sent too much."""


class RemoteConnection:
    """An open connection to `address`, "ws://host:port", authorized by its `token`.

    Raises:
        UsageError: the address is malformed.
        DeviceError: the server expects another token, or speaks another version.
        DeviceLostError: no server responds there.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.on_frame: OnFrame | None = None
        self._lost = ""
        self._request_lock = Lock()
        self._responses: SimpleQueue[tuple[protocol.DeviceResponse, bytes] | TapwrightError] = (
            SimpleQueue()
        )
        self._stack = ExitStack()
        try:
            self._connection = self._stack.enter_context(
                connect(
                    address,
                    additional_headers={"Authorization": f"Bearer {token}"} if token else {},
                    subprotocols=[Subprotocol(protocol.SUBPROTOCOL)],
                    compression=None,
                    proxy=None,
                    open_timeout=_HANDSHAKE_S,
                    close_timeout=_CLOSE_S,
                    ping_interval=_HEARTBEAT_S,
                    ping_timeout=_HEARTBEAT_S,
                    max_size=protocol.RESPONSE_BYTES,
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
        if self._connection.subprotocol != protocol.SUBPROTOCOL:
            self.close()
            raise REMOTE_REFUSED(
                f"{address} does not speak {protocol.SUBPROTOCOL}",
                hint="use one version at both ends",
            )
        Thread(target=self._read, name="remote-device", daemon=True).start()

    def request(
        self, message: protocol.DeviceRequest, kind: type[A], timeout_s: float
    ) -> tuple[A, bytes]:
        """Send a request; returns its response, and the bytes that came with it.

        Raises:
            DeviceLostError: no response in time, or the connection is lost.
            RemoteProtocolError: the response is not one to this request.
            TapwrightError: what the device raised there.
        """
        with self._request_lock:
            if self._lost:
                raise DeviceLostError(self._lost, hint="open the device anew")
            with suppress(Empty):
                raise self._lost_by(self._unexpected(self._responses.get_nowait()))
            try:
                self._connection.send(protocol.encode_message(message))
                response = self._responses.get(timeout=timeout_s)
            except ConnectionClosed as error:
                response = self._closed(error)
            except Empty:
                response = DeviceLostError(
                    f"{self.address} did not respond to {message.call!r} within {timeout_s:g} s"
                )
            if not isinstance(response, TapwrightError):
                reply, parts = response
                if isinstance(reply, protocol.ErrorResponse):
                    raise reply.error()
                if isinstance(reply, kind):
                    return reply, parts
                response = RemoteProtocolError(
                    f"{self.address} responded to {message.call!r} with {reply.says!r}"
                )
            raise self._lost_by(response)

    def close(self) -> None:
        """End the lease; more than once is allowed."""
        self._lost = self._lost or f"the connection to {self.address} was closed"
        self._stack.close()

    def _lost_by(self, error: TapwrightError) -> TapwrightError:
        self._lost = self._lost or str(error)
        self.close()
        return error

    def _unexpected(
        self, response: tuple[protocol.DeviceResponse, bytes] | TapwrightError
    ) -> TapwrightError:
        """The error for what arrived without a request: the end, or an unexpected response."""
        if isinstance(response, TapwrightError):
            return response
        return RemoteProtocolError(f"{self.address} sent {response[0].says!r} without a request")

    def _read(self) -> None:
        """Pass on what arrives, until the connection ends."""
        try:
            for message in self._connection:
                response = protocol.decode_response(message)
                if not isinstance(response[0], protocol.FrameResponse):
                    self._responses.put(response)
                elif (on_frame := self.on_frame) is not None:
                    on_frame(response[0], response[1])
        except RemoteProtocolError as error:
            self._responses.put(RemoteProtocolError(f"{self.address} sent {error}"))
        except ConnectionClosed as error:
            self._responses.put(self._closed(error))
        else:
            self._responses.put(DeviceLostError(f"{self.address} ended the connection"))

    def _closed(self, error: ConnectionClosed) -> TapwrightError:
        if error.sent is not None and error.sent.code in _BROKEN:
            return RemoteProtocolError(f"{self.address} breaks the protocol: {error.sent.reason}")
        return DeviceLostError(f"the connection to {self.address} is lost: {error}")


def _refused(address: str, status: int) -> DeviceError:
    if status == 401:
        return REMOTE_REFUSED(
            f"{address} wants another token",
            hint="set TAPWRIGHT_TOKEN to the one that the server was started with",
        )
    return REMOTE_REFUSED(
        f"{address} answers with status {status}", hint="is it a server of devices?"
    )
