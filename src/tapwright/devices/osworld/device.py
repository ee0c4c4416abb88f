"""A machine behind OSWorld's protocol, used by mouse and keyboard.

It is a VM of OSWorld's, or a desktop that `tapwright devices serve --protocol osworld` serves.
Every action is PyAutoGUI's code that the machine runs, as an agent of OSWorld acts. A VM is put
back to its snapshot by its provider, which this protocol does not reach: `reset` leaves a VM as it
is, and starts a served desktop over.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from tapwright.core import actions
from tapwright.core.actions import Action, Button, Key, duration_s
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.device import BareDevice, Overrides
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.devices.osworld.accessibility import parse_tree
from tapwright.devices.osworld.code import KEYS, write_code
from tapwright.devices.osworld.connection import USER, Address, OsWorldConnection
from tapwright.errors import DeviceError, UnsupportedActionError, first_problem

__all__ = ["OsWorldDevice", "open_osworld"]

T = TypeVar("T")

_LOOKS = 3
_SETTLE_S = 0.5  # until the applications of a VM have drawn; a served desktop waits for its own


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Size(_Answer):
    width: int
    height: int


class _Tree(_Answer):
    AT: str


_SIZE, _TREE = TypeAdapter(_Size), TypeAdapter(_Tree)


def open_osworld(argument: str = "", *, token: str = "") -> "OsWorldDevice":
    """The machine whose server is at an address: "http://192.168.1.20:5000", "127.0.0.1:5000".

    `token` is a served desktop's, where the address has none; a VM's server asks for none. It goes
    to this machine alone.

    Raises:
        UsageError: it is no address.
        DeviceLostError: no server answers.
        UnsupportedActionError: what answers is another server, or wants another token.
    """
    address = Address.read(argument)
    if token and address.login is None and address.is_local:
        address = replace(address, login=(USER, token))
    return OsWorldDevice(address)


class OsWorldDevice(BareDevice):
    """The machine behind the server at `address`."""

    def __init__(self, address: Address) -> None:
        self._address = address
        # A VM's server has no login, and so a served desktop is known.
        self._served = address.login is not None and address.login[0] == USER
        self._settle_s = 0.0 if self._served else _SETTLE_S
        self._connection = OsWorldConnection(address)
        self._buttons: dict[Button, None] = {}
        self._keys: dict[str, None] = {}
        self._began_s = self._acted_s = time.monotonic()
        try:
            told = self._read(_SIZE, self._connection.post("/screen_size"))
        except BaseException:
            self._connection.close()
            raise
        self._size = Size(told.width, told.height)

    @property
    def name(self) -> str:
        """Its kind and size; the address, which may hold a token, is in no recording."""
        return f"osworld {self._size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Start a served desktop over; leave a VM as it is. `seed` and `language` change nothing.

        Raises:
            DeviceError: a state or an app is asked for, which this protocol does not set.
        """
        self._check_open()
        if state or app:
            raise DeviceError(
                f"{self.name} sets no state and opens no app",
                hint="OSWorld's tasks set up their machine themselves: eval run osworld",
            )
        if self._served:
            self._connection.post("/tapwright/reset", takes_s=60)
            self._buttons.clear()
            self._keys.clear()
        else:
            self.let_go()
        self._began_s = time.monotonic()

    def observe(self) -> Observation:
        """Picture and tree when two pictures around the tree are equal; stale if they never are."""
        self._check_open()
        rest_s = self._acted_s + self._settle_s - time.monotonic()
        if rest_s > 0:
            time.sleep(rest_s)
        before = self._connection.get("/screenshot")
        for _ in range(_LOOKS):
            tree = self._read(_TREE, self._connection.get("/accessibility")).AT
            after = self._connection.get("/screenshot")
            same = before == after
            if same:
                break
            before = after
        shot = Screenshot(after, origin=self.name)
        self._size = shot.size
        found = parse_tree(tree, shot.size, self.name)
        active = next((node for node in found.nodes if node.is_("focused")), None)
        return Observation(
            screenshot=shot,
            size=shot.size,
            ui_tree=found,
            app="" if active is None else active.attributes.get("package", ""),
            orientation="landscape" if shot.size.width > shot.size.height else "portrait",
            time_s=time.monotonic() - self._began_s,
            stale=not same,
        )

    def perform(self, action: Action) -> None:
        """Run an action's code on the machine, and return when it has run.

        Raises:
            UnsupportedActionError: a keyboard and a mouse cannot do this.
            UnsupportedActionError: the code failed there.
            DeviceLostError: no answer in time.
        """
        self._check_open()
        match action:
            case actions.ButtonUp() if action.button not in self._buttons:
                raise UnsupportedActionError(f"the {action.button} button is not down")
            case actions.KeyUp(key=key) if key not in self._keys:
                raise UnsupportedActionError(f"{key} is not down")
            case _:
                self._run(action)
        match action:
            case actions.ButtonDown(button=button):
                self._buttons[button] = None
            case actions.ButtonUp(button=button):
                del self._buttons[button]
            case actions.KeyDown(key=key):
                self._keys[key] = None
            case actions.KeyUp(key=key):
                del self._keys[key]
            case _:
                pass

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        down = [*self._keys, *(f"the {button} button" for button in self._buttons)]
        for button in reversed([*self._buttons]):
            self.perform(actions.ButtonUp(button=button))
        for key in reversed([*self._keys]):
            self.perform(actions.KeyUp(key=key))
        return down

    def _run(self, action: Action) -> None:
        code = write_code(action, self._size, to_run=True)
        if code:
            self._connection.run_code(code, takes_s=duration_s(action))
            self._acted_s = time.monotonic()

    def keys(self) -> Sequence[Key]:
        """The keys that PyAutoGUI has."""
        return KEYS

    def address(self) -> Mapping[str, JsonValue]:
        """Where OSWorld's own code finds the machine, with the login of the address."""
        parts = urlsplit(self._address.url)
        user, token = self._address.login or ("", "")
        return {
            "kind": "osworld", "host": parts.hostname, "port": parts.port, "user": user,
            "token": token, "width": self._size.width, "height": self._size.height,
            "retry_s": 0.2 if self._served else 5.0,
        }  # fmt: skip

    def close(self) -> None:
        """End the connection; the machine stays as it is."""
        self._closed = True
        self._connection.close()

    def _read(self, kind: TypeAdapter[T], data: bytes) -> T:
        try:
            return kind.validate_json(data)
        except ValidationError as error:
            raise BadDeviceOutputError(
                f"{self._address.host}: no answer of OSWorld's server: {first_problem(error)}"
            ) from error
