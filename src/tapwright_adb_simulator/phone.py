"""A simulated phone: any device behind the protocol between `adb` and phones."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Self

from pydantic import JsonValue

from tapwright.devices.device import Device
from tapwright_adb_simulator.android import Android
from tapwright_adb_simulator.connection import AdbdConnection, Service, Terms, Trust
from tapwright_adb_simulator.faults import Fault, Hang, Instead, fault_of
from tapwright_adb_simulator.frames import MAX_DATA, UNCHECKED_VERSION
from tapwright_adb_simulator.handset import Handset
from tapwright_adb_simulator.log import DeviceLog
from tapwright_adb_simulator.services import Services
from tapwright_adb_simulator.shell import System
from tapwright_adb_simulator.storage import Storage

__all__ = ["AdbPhone"]

_ASKED_S = 60.0


class AdbPhone:
    """A device that `adb` connects to, on a free port of this machine, in a thread of its own.

    What its commands do is done to `device`, with files and settings in memory; nothing that comes
    over the wire runs here or touches this machine's files. `android` is what the phone is apart
    from its screen, `faults` what goes wrong; both may be changed at any time. `commands` keeps
    what was asked. With `keys` (public keys as `adbkey.pub` has them, or none) it lets in who
    signs with one of them, and asks its user about others: `allow` is the yes. `services` listen
    on the phone's ports and sockets, by what adb calls them: "tcp:9008". `storage` has its files.

        with AdbPhone(FakeDevice()) as phone, AdbServer() as server:
            serial = server.connect(phone.address)
            server.run("-s", serial, "shell", "input", "tap", "100", "200")

    While it is open the device is used in its thread: whoever wants to use it directly does so in
    `held` or by `reset`.
    """

    def __init__(
        self,
        device: Device,
        *,
        android: Android | None = None,
        faults: Mapping[str, Fault] | None = None,
        keys: Sequence[str] | None = None,
        services: Mapping[str, Service] | None = None,
        storage: Storage | None = None,
        version: int = UNCHECKED_VERSION,
        max_data: int = MAX_DATA,
    ) -> None:
        self.android = android or Android()
        self.faults: dict[str, Fault] = dict(faults or {})
        self.commands: list[str] = []
        self._handset = Handset(device, self.android)
        self._keys = None if keys is None else [key.encode() for key in keys]
        self._own = dict(services or {})
        self.storage = storage or Storage()
        self._version, self._max_data = version, max_data
        self._connections: set[AdbdConnection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: list[BaseException] = []
        self._reserved: socket.socket | None = None

    @property
    def address(self) -> str:
        """Its address, as `adb connect` takes it."""
        return f"127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        listening = socket.create_server(("127.0.0.1", 0))
        self._port = listening.getsockname()[1]
        self._executor = ThreadPoolExecutor(1, "adb-phone")
        ready = threading.Event()
        lines = self._handset.new_lines()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._main(listening, lines, ready)), daemon=True
        )
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *exception: object) -> None:
        self._call(self._stopping.set)
        self._thread.join()
        self._executor.shutdown()
        if self._failures and exception[:1] == (None,):
            raise self._failures[0]

    def allow(self) -> None:
        """Accept every key that waits for approval, as its user can once one is asked for.

        Raises:
            TimeoutError: none was asked for within a minute.
        """
        asyncio.run_coroutine_threadsafe(self._trust.allow(), self._loop).result(_ASKED_S)

    def unplug(self) -> None:
        """End every connection and accept no new one; its port stays its own."""
        self._call(self._unplug)

    def plug(self) -> None:
        """Accept connections again, at the same address."""
        asyncio.run_coroutine_threadsafe(self._listen(None), self._loop).result()

    def drop(self) -> None:
        """End every connection; new ones are accepted."""
        self._call(self._drop)

    def go_offline(self) -> None:
        """End every connection; new ones are accepted and never greeted."""
        self.faults["CNXN"] = Hang()
        self.drop()

    @contextmanager
    def held(self) -> Iterator[Device]:
        """The device itself; requests over the wire wait meanwhile."""
        with self._handset.held() as device:
            yield device
        lines = self._handset.new_lines()
        self._call(lambda: self._log.extend(lines))

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "en",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        """Reset the device, as its own `reset` does; later log lines are new to `logcat`."""
        self._handset.reset(seed=seed, language=language, state=state, app=app)
        lines = self._handset.new_lines()
        self._call(lambda: self._log.extend(lines))

    def open(self, component: str) -> None:
        """Bring one of `android.others` to the front, as its user would: "package/activity"."""
        self._handset.opened = component

    def _call(self, act: Callable[[], object]) -> None:
        """Run a function in the loop's thread, and wait for it."""

        async def do() -> None:
            act()

        asyncio.run_coroutine_threadsafe(do(), self._loop).result()

    async def _main(
        self, listening: socket.socket, lines: Sequence[str], ready: threading.Event
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._trust = Trust(self._keys)
        self._log = DeviceLog()
        self._log.extend(lines)
        system = System(self._handset, self.storage, self._log, self._run, self._own)
        self._services = Services(system, self.faults, self.commands, self._unplug)
        await self._listen(listening)
        ready.set()
        await self._stopping.wait()
        self._unplug()
        self._release_port()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, listening: socket.socket | None) -> None:
        self._release_port()
        place = listening or socket.create_server(("127.0.0.1", self._port))
        self._server = await asyncio.start_server(self._accept, sock=place)

    def _reserve_port(self) -> None:
        """Keep the port from other programs, while who connects to it is refused."""
        self._release_port()
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", self._port))

    def _release_port(self) -> None:
        if self._reserved is not None:
            self._reserved.close()
            self._reserved = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        # asyncio does so only for sockets that were made with a protocol's number, and without it
        # each response of two messages waits 40 ms for an acknowledgement.
        wire: socket.socket = writer.get_extra_info("socket")
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        terms = Terms(self.android.banner(), self._version, self._max_data)
        connection = AdbdConnection(reader, writer, terms, self._trust, self._services.find)
        self._connections.add(connection)
        try:
            match fault_of(self.faults, "CNXN"):
                case Hang():
                    while await reader.read(4096):
                        pass
                case Instead(answer=answer):
                    await connection.send_raw(answer)
                    while await reader.read(4096):
                        pass
                case _:
                    await connection.run()
        except OSError:
            pass  # it was ended on purpose
        except BaseExceptionGroup as group:
            self._failures.extend(group.exceptions)
        finally:
            connection.abort()
            self._connections.discard(connection)
            self._tasks.discard(task)

    def _drop(self) -> None:
        for connection in list(self._connections):
            connection.abort()

    def _unplug(self) -> None:
        self._server.close()
        self._reserve_port()
        self._drop()

    async def _run(self, act: Callable[[], object]) -> object:
        result, lines = await self._loop.run_in_executor(self._executor, self._use, act)
        self._log.extend(lines)
        return result

    def _use(self, act: Callable[[], object]) -> tuple[object, Sequence[str]]:
        return act(), self._handset.new_lines()
