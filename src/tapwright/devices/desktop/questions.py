"""Many calls at once to the applications on an accessibility bus.

Most applications also answer on a socket of their own, which spares the bus two of four copies of
each message: https://gitlab.gnome.org/GNOME/at-spi2-core at 2.46, xml/Application.xml,
GetApplicationBusAddress.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusFastError

from tapwright.devices.desktop.accessibility_bus import BusCallError, call, connect

__all__ = ["ACCESSIBLE", "ROOT", "OnReply", "Peers", "Questions", "Reference"]

ACCESSIBLE = "org.a11y.atspi.Accessible"
ROOT = "/org/a11y/atspi/accessible/root"
_APPLICATION = "org.a11y.atspi.Application"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_IN_FLIGHT = 64  # more at once on one connection fail with EAGAIN
_MEET_S = 0.5
_LOOK_S = 0.1

Reference: TypeAlias = tuple[str, str]
"""An application's name on the bus, and the path of one of its elements."""
OnReply: TypeAlias = Callable[[Any], None]


class Peers:
    """The connections of one session: the bus, and each application's own below `folder`."""

    def __init__(self, bus: MessageBus, folder: Path) -> None:
        self.bus = bus
        self._folder = folder
        self._own: dict[str, MessageBus | None] = {}

    async def meet(self, names: Collection[str]) -> None:
        """Connect to the applications that are new; what fails is asked over the bus."""
        new = [name for name in names if name not in self._own]
        await asyncio.gather(*(self._meet(name) for name in new))

    def connection(self, name: str) -> MessageBus:
        """The best one to an application."""
        own = self._own.get(name)
        return own if own is not None and own.connected else self.bus

    async def _meet(self, name: str) -> None:
        self._own[name] = None
        with suppress(BusCallError, DBusFastError, OSError, EOFError, asyncio.TimeoutError):
            self._own[name] = await asyncio.wait_for(self._connect(name), _MEET_S)

    async def _connect(self, name: str) -> MessageBus | None:
        address = await call(self.bus, name, ROOT, _APPLICATION, "GetApplicationBusAddress")
        # Nothing but a socket of this session: an application may claim any place of a network.
        kind, _, path = str(address).partition("=")
        if kind != "unix:path" or Path(path).parent != self._folder:
            return None
        return await connect(str(address))


class Questions:
    """The calls of one look; each reply may ask for more, until nothing is open."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers
        self._lines: dict[MessageBus, _Line] = {}
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def ask(
        self, reference: Reference, interface: str, member: str, on_reply: OnReply,
        signature: str = "", body: list[Any] | None = None,
    ) -> None:  # fmt: skip
        """Have a method called; `on_reply` gets its first value, and nothing if it fails."""
        bus = self._peers.connection(reference[0])
        line = self._lines.get(bus)
        if line is None:
            line = self._lines[bus] = _Line(bus, self._go_on)
        line.waiting.append(
            (
                Message(
                    destination=reference[0], path=reference[1], interface=interface,
                    member=member, signature=signature, body=body or [],
                ),
                on_reply,
            )
        )  # fmt: skip

    def get(self, reference: Reference, interface: str, name: str, on_reply: OnReply) -> None:
        """Ask for a property."""

        def unwrap(value: Variant) -> None:
            on_reply(value.value)

        self.ask(reference, _PROPERTIES, "Get", unwrap, "ss", [interface, name])

    async def answered(self, limit_s: float) -> bool:
        """Wait until all is answered; false if the time is up before.

        An application that ends meanwhile answers nothing more, and nobody waits for it.
        """
        until = asyncio.get_running_loop().time() + limit_s
        try:
            self._go_on()
            while not self._done.done():
                left_s = until - asyncio.get_running_loop().time()
                if left_s <= 0:
                    break
                await asyncio.wait({self._done}, timeout=min(left_s, _LOOK_S))
                self._go_on()  # a connection that has ended calls nobody
        finally:
            for line in self._lines.values():
                line.close()
        return self._done.done()

    def _go_on(self) -> None:
        busy = False
        for line in self._lines.values():
            busy |= line.send()
        if not busy and not self._done.done():
            self._done.set_result(None)


class _Line:
    """The calls over one connection; `on_reply` is called after each reply."""

    def __init__(self, bus: MessageBus, on_reply: Callable[[], None]) -> None:
        self._bus = bus
        self._on_reply = on_reply
        self._sent: dict[int, OnReply] = {}
        self.waiting: deque[tuple[Message, OnReply]] = deque()
        bus.add_message_handler(self._on_message)

    def send(self) -> bool:
        """Send what may be sent; whether replies are to come."""
        if not self._bus.connected:
            return False
        while self.waiting and len(self._sent) < _IN_FLIGHT:
            message, on_reply = self.waiting.popleft()
            message.serial = self._bus.next_serial()
            self._sent[message.serial] = on_reply
            self._bus.send(message)
        return bool(self._sent)

    def close(self) -> None:
        self._bus.remove_message_handler(self._on_message)

    def _on_message(self, message: Message) -> bool:
        on_reply = self._sent.pop(message.reply_serial, None)
        if on_reply is None:
            return False
        # An error means that the element has gone, or cannot say this; so does another type than
        # that of the interface, as anything may call itself an application.
        if message.message_type is MessageType.METHOD_RETURN and message.body:
            with suppress(TypeError, ValueError, AttributeError, IndexError, KeyError):
                on_reply(message.body[0])
        self._on_reply()
        return True
