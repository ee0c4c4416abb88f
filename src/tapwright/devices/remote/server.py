"""Offers the devices of a pool over a WebSocket: by token, one per client, never to a browser.

A lease ends when its client goes, or does not answer the heartbeat; the device is then reset and
free again, or closed and replaced where that fails or a call was under way.
"""

import asyncio
import hmac
import ipaddress
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import Any, TypeVar, assert_never

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response as HttpResponse
from websockets.typing import Subprotocol

from tapwright.core.actions import duration_s
from tapwright.core.task_setup import SetupCall
from tapwright.devices.device import Device, LiveDevice, PreparedDevice, keys_of, let_go, takes_text
from tapwright.devices.errors import RemoteProtocolError
from tapwright.devices.pool import DevicePool
from tapwright.devices.remote import protocol
from tapwright.devices.remote.live import LiveSender
from tapwright.devices.timeouts import run_within
from tapwright.errors import DeviceLostError, TapwrightError, UnsupportedActionError, UsageError
from tapwright.files.peers import is_users

__all__ = ["serve_devices"]

T = TypeVar("T")

_FIRST_REQUEST_S = 10.0
_LAST_CALL_S = 5.0
_POLICY_VIOLATION = 1008

_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # a scanner's half handshake is nobody's traceback
_LOG.setLevel(logging.INFO)  # below, websockets writes down all headers, and so the token


@asynccontextmanager
async def serve_devices(
    pool: DevicePool,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str = "",
    heartbeat_s: float = 10.0,
    limit_s: float = 60.0,
) -> AsyncIterator[int]:
    """Offer the places of `pool` while the block lasts; yields the port, chosen if it was 0.

    A client that does not answer for twice `heartbeat_s` loses its lease. A call to a device may
    take `limit_s`, and what its action takes by itself.

    Raises:
        UsageError: other machines could connect, and no token is set.
        OSError: the port is taken, or there is no such host.
    """
    if not token and not _is_loopback(host):
        raise UsageError(
            f"anybody who reaches {host} could use these devices without a token",
            hint="set TAPWRIGHT_TOKEN, or give --token-file; or serve 127.0.0.1 alone",
        )
    async with serve(
        partial(_serve_client, pool, limit_s),
        host,
        port,
        origins=[None],  # browsers always send theirs
        process_request=partial(_admit, token),
        subprotocols=[Subprotocol(protocol.SUBPROTOCOL)],
        compression=None,
        max_size=protocol.REQUEST_BYTES,
        ping_interval=heartbeat_s,
        ping_timeout=heartbeat_s,
        close_timeout=_LAST_CALL_S,
        server_header=None,
        logger=_LOG,
    ) as server:
        yield int(next(iter(server.sockets)).getsockname()[1])


def _is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _admit(token: str, connection: ServerConnection, request: HttpRequest) -> HttpResponse | None:
    given = request.headers.get_all("Authorization")
    wanted = f"Bearer {token}".encode()
    if token and not (
        len(given) == 1 and hmac.compare_digest(given[0].encode(errors="surrogateescape"), wanted)
    ):
        return connection.respond(HTTPStatus.UNAUTHORIZED, "another token is expected\n")
    if not token and is_users(connection.remote_address, connection.local_address) is False:
        told = "these devices are for programs of their user; set TAPWRIGHT_TOKEN here and there\n"
        return connection.respond(HTTPStatus.UNAUTHORIZED, told)
    return None


async def _serve_client(pool: DevicePool, limit_s: float, connection: ServerConnection) -> None:
    """Serve one client, from its lease until it goes."""
    with suppress(ConnectionClosed):
        try:
            lease = protocol.decode_request(
                await asyncio.wait_for(connection.recv(), _FIRST_REQUEST_S)
            )
            if not isinstance(lease, protocol.LeaseRequest):
                raise RemoteProtocolError(f"the first request is {lease.call!r}; expected 'lease'")
            who = f"{lease.who or 'somebody'} at {_peer(connection)}"
            async with pool.lease(lease.place or None, who=who, wait_s=lease.wait_s) as device:
                try:
                    await _Session(connection, device, limit_s).serve()
                except _DeviceHangsError as error:
                    raise DeviceLostError(str(error), hint="it is replaced; lease again") from None
        except TimeoutError:
            await connection.close(_POLICY_VIOLATION, "expected a lease request")
        except TapwrightError as error:
            await connection.send(protocol.encode_message(protocol.ErrorResponse.of(error)))
            await connection.close(_POLICY_VIOLATION)


def _peer(connection: ServerConnection) -> str:
    address = connection.remote_address
    return str(address[0]) if isinstance(address, tuple) else "this machine"


class _Session:
    """A client and the device that it has leased."""

    def __init__(self, connection: ServerConnection, device: Device, limit_s: float) -> None:
        self.connection = connection
        self.device = device
        self.limit_s = limit_s
        self._live = LiveSender(connection)

    async def serve(self) -> None:
        """Answer the client until it goes, then reset the device.

        Raises:
            DeviceLostError: the device cannot be reset.
            _DeviceHangsError: it did not end a call in time.
        """
        hello = protocol.LeaseResponse(
            name=self.device.name,
            live=isinstance(self.device, LiveDevice),
            keys=keys_of(self.device),
        )
        self._gone = asyncio.ensure_future(self.connection.wait_closed())
        try:
            await self.connection.send(protocol.encode_message(hello))
            async for message in self.connection:
                await self.connection.send(await self._answer(message))
        except ConnectionClosed:
            pass  # however it went, the device is to be left in order
        except RemoteProtocolError as error:
            await self._dismiss(error)
        finally:
            self._gone.cancel()
            await self._live.stop(self.limit_s)
        await run_within(
            self.limit_s, self.device.reset, description=f"{self.device.name}: the final reset"
        )

    async def _dismiss(self, error: RemoteProtocolError) -> None:
        with suppress(ConnectionClosed):
            await self.connection.send(protocol.encode_message(protocol.ErrorResponse.of(error)))
            await self.connection.close(_POLICY_VIOLATION)

    async def _answer(self, message: str | bytes) -> str | bytes:
        """The response to a request; an error of the device is one, too."""
        request = protocol.decode_request(message)
        try:
            return await self._respond(request)
        except TapwrightError as error:
            return protocol.encode_message(protocol.ErrorResponse.of(error))

    async def _respond(self, request: protocol.DeviceRequest) -> str | bytes:
        device = self.device
        value: Any = None  # also of calls for which another's device returns something
        match request:
            case protocol.ObserveRequest(picture=picture, tree=tree):
                response, parts = await self._call(partial(_observe, device, picture, tree))
                return protocol.encode_message(response, *parts)
            case protocol.PerformRequest(action=action):
                await self._call(partial(device.perform, action), duration_s(action))
            case protocol.ResetRequest(seed=seed, language=language, state=state, app=app):
                spoken = {"language": language} if language else {}
                await self._call(partial(device.reset, seed=seed, state=state, app=app, **spoken))
            case protocol.LogRequest(since=since):
                value = list(await self._call(partial(device.log, since)))
            case protocol.StateRequest(path=path):
                value = await self._call(partial(device.state, path))
            case protocol.LetGoRequest():
                value = list(await self._call(partial(let_go, device)))
            case protocol.TakesTextRequest():
                value = await self._call(partial(takes_text, device))
            case protocol.AppsRequest():
                value = list(await self._call(device.apps))
            case protocol.SetUpRequest(name=name, arguments=arguments):
                call = SetupCall(name, arguments)
                if not isinstance(device, PreparedDevice):
                    raise UnsupportedActionError(
                        f"{device.name} does none of a task's set-up calls, such as {call}"
                    )
                await self._call(partial(device.set_up, call), protocol.SET_UP_S)
            case protocol.LiveRequest(on=on):
                if not isinstance(device, LiveDevice):
                    raise UnsupportedActionError(f"{device.name} has no live screen")
                await self._live.stop(self.limit_s)
                if on:
                    await self._live.start(device, self.limit_s)
            case protocol.LeaseRequest():
                raise RemoteProtocolError("a second lease on one connection; expected one")
            case _:
                assert_never(request)
        return protocol.encode_message(protocol.ValueResponse(value=value))

    async def _call(self, call: Callable[[], T], takes_s: float = 0.0) -> T:
        limit_s = self.limit_s + takes_s
        running = asyncio.ensure_future(run_within(None, call, description="a call"))
        await asyncio.wait(
            {running, self._gone}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED
        )
        if not running.done() and self._gone.done():
            await asyncio.wait({running}, timeout=_LAST_CALL_S)
        if not running.done():
            running.cancel()
            raise _DeviceHangsError(
                f"{self.device.name} did not finish a call within {limit_s:g} s"
            )
        return running.result()


class _DeviceHangsError(Exception):
    """The device is still at work, so no further call may be sent to it."""


def _observe(
    device: Device, picture: str, tree: str
) -> tuple[protocol.ObservationResponse, list[bytes]]:
    """An observation, without the bytes that the client has already."""
    observation = device.observe()
    screenshot, ui_tree = observation.screenshot, observation.ui_tree
    picture_data = None if screenshot.sha256 == picture else screenshot.data
    xml = None if ui_tree is None else ui_tree.xml.encode("utf-8", "surrogatepass")
    xml_sha256 = None if xml is None else sha256(xml).hexdigest()
    tree_data = None if xml_sha256 == tree else xml
    parts = [data for data in (picture_data, tree_data) if data is not None]
    response = protocol.ObservationResponse(
        width=observation.size.width,
        height=observation.size.height,
        app=observation.app,
        orientation=observation.orientation,
        time_s=observation.time_s,
        stale=observation.stale,
        url=observation.url,
        tabs=observation.tabs,
        picture=screenshot.sha256,
        picture_bytes=None if picture_data is None else len(picture_data),
        tree=xml_sha256,
        tree_bytes=None if tree_data is None else len(tree_data),
    )
    return response, parts
