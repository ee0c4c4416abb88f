"""Devices by name, as `--device NAME[:ARGUMENT]` gives them."""

import socket
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING

from tapwright.devices.login import hide_login
from tapwright.errors import UnknownNameError, UsageError
from tapwright.jobs.processes import check_posix
from tapwright.workflows.host import HostConfig

if TYPE_CHECKING:
    from tapwright.devices.device import Device
    from tapwright.devices.pool import DevicePool

__all__ = ["count_devices", "device_openers", "device_pool", "open_device", "refuse_stray_profile"]

_ENVS = 2
"""How often a device is opened where nobody says it."""

_READERS = {
    "adb": "tapwright.devices.adb.address:parse_address",
    "desktop": "tapwright.devices.desktop.argument:read_argument",
    "fake": "tapwright.devices.fake:FakeDevice.named",
    "miniwob": "tapwright.devices.miniwob.pages:read_argument",
    "osworld": "tapwright.devices.osworld.connection:Address.read",
    "phone": "tapwright.devices.phone.options:PhoneOptions.parse",
    "remote": "tapwright.devices.remote.device:read_argument",
    "replay": "tapwright.devices.replay:ReplayDevice.named",
    "sites": "tapwright.devices.sites.device:read_argument",
    "web": "tapwright.devices.web.addresses:read_argument",
    "webdriver": "tapwright.devices.webdriver.capabilities:parse_address",
}
"""What reads a device's argument without opening it."""


def open_device(spec: str, host: HostConfig) -> "Device":
    """Open the device of a "name" or "name:argument"; an admitted name has a colon itself.

    Raises:
        UnknownNameError: there is no such kind of device.
        UsageError: the host has a profile for it, and it keeps none.
        DeviceError: it cannot be opened.
    """
    refuse_stray_profile((spec,), host)
    return _open(spec, host)


def _open(spec: str, host: HostConfig) -> "Device":
    if host.allow is None:
        return _open_any(spec, host, downloads=True)
    from tapwright.devices.allowance import Allowance, restrict

    allowance = Allowance.parse(host.allow)
    opened = _open_any(spec, host, downloads="downloads" in allowance.words)
    return restrict(opened, allowance)


def _open_any(spec: str, host: HostConfig, *, downloads: bool) -> "Device":
    from tapwright.devices import devices

    name, argument = _split(spec)
    if name == "phone":
        from tapwright.devices.phone.device import Phone

        return Phone.named(argument, executable=host.chromium_path())
    if name == "web":
        from tapwright.devices.web.device import WebDevice

        return WebDevice.named(
            argument, network=host.network, executable=host.chromium_path(), profile=host.profile,
            downloads=downloads,
        )  # fmt: skip
    if name == "miniwob":
        from tapwright.devices.miniwob.device import MiniWob

        return MiniWob.named(argument, executable=host.chromium_path())
    if name == "sites":
        from tapwright.devices.sites.device import SitesDevice
        from tapwright.sites.home import SiteHome

        return SitesDevice.named(
            argument, home=SiteHome(host.kept("sites")), executable=host.chromium_path()
        )
    if name == "osworld":
        from tapwright.devices.osworld.device import open_osworld

        return open_osworld(argument, token=host.device_token())
    if name == "adb":
        from tapwright.devices.adb.live import open_phone

        return open_phone(argument, client=host.adb_client())
    if name == "desktop" and argument.startswith("vnc:"):
        from tapwright.devices.desktop.opening import open_desktop

        return open_desktop(argument, password=host.vnc_password())
    if name == "desktop":
        check_posix("a desktop as a device")  # before its extra is asked for
    if name == "remote":
        from tapwright.devices.remote.device import open_remote

        return open_remote(argument, token=host.device_token(), who=socket.gethostname())
    return devices.get(name)(argument)


def device_openers(specs: Sequence[str], host: HostConfig) -> "dict[str, Callable[[], Device]]":
    """What opens each device, by its name in a pool; one given twice is "phone" and "phone-2".

    Raises:
        UnknownNameError: there is no such kind of device.
        UsageError: an argument is malformed, or the host has a profile that not one of them keeps.
    """
    from tapwright.devices import devices as registry

    _read_arguments(specs)
    refuse_stray_profile(specs, host)
    openers: dict[str, Callable[[], Device]] = {}
    for spec in specs:
        kind = _split(spec)[0]
        if kind not in registry.names():
            raise UnknownNameError(registry.kind, kind, registry.names())
        names = (spec, *(f"{spec}-{number}" for number in range(2, len(specs) + 1)))
        free = next(name for name in names if name not in openers)
        openers[free] = partial(_open, spec, host)
    return openers


def count_devices(specs: Sequence[str], envs: int | None, host: HostConfig) -> int:
    """How many play at a time: one each of several; one alone is opened `envs` times, 2 by default.

    A phone, and a browser with a profile, is opened once.

    Raises:
        UsageError: an argument is malformed, or the devices cannot all have the host's profile.
    """
    _read_arguments(specs)
    refuse_stray_profile(specs, host)
    if len(specs) > 1:
        return len(specs)
    if host.profile is not None and envs not in {None, 1}:
        raise UsageError(
            f"one device at a time has a --profile, and {envs} were to be opened", hint="--envs 1"
        )
    is_one = host.profile is not None or _split(specs[0])[0] == "adb"
    return 1 if is_one else envs or _ENVS


def device_pool(specs: Sequence[str], envs: int, host: HostConfig) -> "DevicePool":
    """A pool of one device opened `envs` times, or of several once each.

    Raises:
        UnknownNameError: there is no such kind of device.
        UsageError: an argument is malformed.
    """
    from tapwright.devices.pool import DevicePool

    openers = device_openers(specs, host)
    if len(specs) == 1:
        return DevicePool(openers[specs[0]], envs)
    return DevicePool.of(openers)


def refuse_stray_profile(specs: Sequence[str], host: HostConfig) -> None:
    """Refuse a profile that no device, or more than one, would have.

    Raises:
        UsageError: not exactly one of the devices is `web`.
    """
    if host.profile is None:
        return
    keeping = [spec for spec in specs if _split(spec)[0] == "web"]
    if not keeping:
        raise UsageError(
            f"--profile is for the device web, and {', '.join(map(hide_login, specs))} keeps none",
            hint="leave out --profile, or --device web:URL; a device of another machine gets it "
            "there: tapwright devices serve --profile",
        )
    if len(keeping) > 1:
        raise UsageError(
            f"one device at a time has a --profile, not {' and '.join(map(hide_login, keeping))}",
            hint="name one of them, or start a command for each with a folder of its own",
        )


def _read_arguments(specs: Sequence[str]) -> None:
    """Refuse a malformed argument before anything is opened or written."""
    for name, argument in map(_split, specs):
        if name in _READERS:
            module, _, reader = _READERS[name].partition(":")
            attrgetter(reader)(import_module(module))(argument)


def _split(spec: str) -> tuple[str, str]:
    """The name of a device and its argument; a name that is registered wins over a module's."""
    from tapwright.devices import devices

    name, _, argument = spec.partition(":")
    attribute, _, rest = argument.partition(":")
    own = f"{name}:{attribute}"
    known = devices.names()
    return (own, rest) if name not in known and own in known else (name, argument)
