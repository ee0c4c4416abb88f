"""A client of the adb server: starts it, lists what is connected, opens streams to a phone."""

import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from tapwright.devices import errors
from tapwright.devices.adb.connection import AdbConnection, Deadline, RefusedError
from tapwright.errors import DeviceError, DeviceLostError

__all__ = ["ADB_PORT", "MIN_SERVER", "AdbClient", "AttachedPhone", "find_adb", "program_version"]

ADB_PORT = 5037
MIN_SERVER = 36
"""The oldest supported server, 1.0.36: the first with shell v2, in 2016."""

_START_S = 15.0
_RECONNECT_S = 8.0
_POLL_S = 0.1
_WAY_OUT = "apt-get install adb, or point TAPWRIGHT_ADB at Android's platform-tools/adb"
_ADDRESS = re.compile(r"[^\s/@]+:\d{1,5}", re.ASCII)
_LISTED = re.compile(
    r"(?P<serial>\(no serial number\)|\S+)\s+(?P<state>.+?)"
    r"(?P<facts>(?:\s+(?:usb|product|model|device|features|transport_id):\S*)*)\s*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class AttachedPhone:
    """A line of `adb devices -l`; `state` is "device" when the phone can be driven."""

    serial: str
    state: str
    model: str = ""


def find_adb(program: Path | None = None) -> Path:
    """The adb program to use: `program` if given, else the one that can be found.

    Raises:
        AdbMissingError: `program` is not one, or none is found.
    """
    found = shutil.which(program or "adb")
    if found is None:
        what = f"{program} is not a program that can be started" if program else "no adb was found"
        raise errors.AdbMissingError(f"{what}; phones are reached through it", hint=_WAY_OUT)
    return Path(found)


def program_version(program: Path) -> str:
    """The version of an adb program, such as "1.0.41"; two of one version are compatible.

    Raises:
        AdbMissingError: it reports none.
    """
    try:
        run = subprocess.run(
            [program, "version"],
            capture_output=True, encoding="utf-8", errors="replace",
            timeout=_START_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise errors.AdbMissingError(
            f"{program} could not be run: {error}", hint=_WAY_OUT
        ) from error
    match = re.search(r"version (\d+\.\d+\.\d+)", run.stdout)
    if match is None:
        raise errors.AdbMissingError(f"{program} does not report its version", hint=_WAY_OUT)
    return match[1]


class AdbClient:
    """Connects to the adb server at `host`:`port`; a local one is started by `program` when needed.

    Every call ends within `timeout_s`, and a start of the server within 15 s more. Any thread may
    call.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = ADB_PORT,
        *,
        program: Path | None = None,
        timeout_s: float = 15.0,
    ) -> None:
        self.host = host
        self.port = port
        self.program = program
        self.timeout_s = timeout_s

    def __str__(self) -> str:
        return f"the adb server at {self.host}:{self.port}"

    @property
    def local(self) -> bool:
        """Whether it runs on this machine, where it can be started."""
        return self.host in ("127.0.0.1", "localhost")

    def at(self, host: str, port: int) -> "AdbClient":
        """A client of the server elsewhere, with the same program and limits."""
        return AdbClient(host, port, program=self.program, timeout_s=self.timeout_s)

    def version(self) -> int:
        """The last part of its version: 41 for 1.0.41.

        Raises:
            AdbServerError: it cannot be reached, or is not an adb server.
        """
        answer = self.query("host:version")
        try:
            return int(answer, 16)
        except ValueError:
            raise errors.AdbServerError(f"{self} reports {answer[:40]!r} as its version") from None

    def check_version(self) -> int:
        """Its version.

        Raises:
            AdbServerError: it is older than `MIN_SERVER`.
        """
        version = self.version()
        if version < MIN_SERVER:
            raise errors.ADB_VERSION(
                f"{self} is of version 1.0.{version}; expected 1.0.{MIN_SERVER} or newer",
                hint="adb kill-server, then install newer platform-tools: " + _WAY_OUT,
            )
        return version

    def attached(self) -> list[AttachedPhone]:
        """The connected phones, in the server's order."""
        found = []
        for line in self.query("host:devices-l").splitlines():
            match = _LISTED.fullmatch(line)
            if match is not None:
                model = re.search(r"\bmodel:(\S+)", match["facts"])
                found.append(
                    AttachedPhone(
                        match["serial"], match["state"], model[1].replace("_", " ") if model else ""
                    )
                )
        return found

    def choose(self, serial: str = "") -> AttachedPhone:
        """The phone of this serial, or the only one.

        An address that is not yet listed is connected first, and one that is listed as offline,
        as a phone that was restarted is, is connected anew.

        Raises:
            DeviceError: there is none, or more than one.
            DeviceError, DeviceError: it cannot be driven.
        """
        attached = self.attached()
        states = [one.state for one in attached if one.serial == serial]
        if _ADDRESS.fullmatch(serial) and states in ([], ["offline"]):
            if states:
                with suppress(errors.AdbServerError):  # adb gave it up meanwhile
                    self.query(f"host:disconnect:{serial}")
            output = self.query(f"host:connect:{serial}")
            attached = self.attached()
            if not any(one.serial == serial for one in attached):
                if states:
                    raise refusal_error(serial, "offline")
                raise errors.AMBIGUOUS_DEVICE(
                    f"no phone responds at {serial}: {output}",
                    hint="on the phone: Developer options > Wireless debugging; pair first with "
                    "`adb pair HOST:PORT`",
                )
        matches = [one for one in attached if not serial or one.serial == serial]
        if len(matches) != 1:
            raise _ambiguity_error(serial, matches, attached)
        (one,) = matches
        if one.state != "device":
            raise refusal_error(one.serial, f"device {one.state}")
        return one

    def query(self, request: str) -> str:
        """Send a request to the server itself; returns the block that it responds with.

        Raises:
            AdbServerError: it cannot be reached, refuses, or is not an adb server.
        """
        deadline = Deadline(self.timeout_s)
        try:
            with self._connect(deadline) as connection:
                connection.request(request)
                return connection.read_block().decode("utf-8", "replace")
        except RefusedError as error:
            raise errors.AdbServerError(f"{self} refused {request!r}: {error}") from error
        except DeviceLostError as error:
            raise errors.AdbServerError(
                f"{self} did not respond to {request!r}: {error}",
                hint="adb kill-server, and try again",
            ) from error

    def open(self, serial: str, service: str, deadline: Deadline) -> AdbConnection:
        """A stream to a service of a phone, such as "sync:"; the caller closes it.

        A stopped server is started again, and the phone waited for. That happens before anything
        is sent to the phone, so nothing is done twice.

        Raises:
            DeviceError: of the kind that names the problem of the phone or the server.
        """
        try:
            connection = AdbConnection(self.host, self.port, peer=serial, deadline=deadline)
        except OSError as error:
            self._start(error)
            self.wait_for(serial)
            connection = self._connect(deadline, peer=serial)
        try:
            connection.request(f"host:transport:{serial}")
            connection.request(service)
        except RefusedError as error:
            connection.close()
            raise refusal_error(serial, str(error)) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def wait_for(self, serial: str) -> None:
        """Wait some seconds until a phone is connected, as after a start of the server."""
        deadline = Deadline(_RECONNECT_S)
        if _ADDRESS.fullmatch(serial):
            self.query(f"host:connect:{serial}")
        while deadline.left():
            if any(one.serial == serial and one.state == "device" for one in self.attached()):
                return
            sleep(_POLL_S)

    def emulator(self, serial: str, *words: str) -> None:
        """Send a command to an emulator's console, such as ("avd", "snapshot", "load", "clean").

        The console requires a secret that only the adb program reads, so the program is run.

        Raises:
            DeviceError: it is not an emulator, or the console refused.
        """
        command = [str(find_adb(self.program)), "-H", self.host, "-P", str(self.port), "-s", serial]
        try:
            run = subprocess.run(
                [*command, "emu", *words],
                capture_output=True, encoding="utf-8", errors="replace",
                timeout=_START_S * 4, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeviceLostError(f"{serial}: emu {' '.join(words)}: {error}") from error
        output = run.stdout + run.stderr
        if run.returncode or "KO" in output or "error:" in output:
            raise DeviceError(
                f"{serial}: emu {' '.join(words)}: {output.strip() or 'failed'}",
                hint="only emulators have snapshots; list them: adb emu avd snapshot list",
            )

    def _connect(self, deadline: Deadline, peer: str = "") -> AdbConnection:
        peer = peer or str(self)
        try:
            return AdbConnection(self.host, self.port, peer=peer, deadline=deadline)
        except OSError as error:
            self._start(error)
        try:
            return AdbConnection(self.host, self.port, peer=peer, deadline=deadline)
        except OSError as error:
            raise errors.AdbServerError(
                f"{self} was started and cannot be reached: {error}"
            ) from error

    def _start(self, cause: OSError) -> None:
        if not self.local or not isinstance(cause, ConnectionRefusedError):
            raise errors.AdbServerError(
                f"{self} cannot be reached: {cause}",
                hint="on that machine: adb -a nodaemon server start; better, a tunnel: "
                "ssh -L 5038:127.0.0.1:5037 HOST, and adb:SERIAL@127.0.0.1:5038",
            ) from cause
        command = [str(find_adb(self.program)), "-P", str(self.port), "start-server"]
        # Not a pipe: the server that stays behind would keep it open.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            try:
                run = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    timeout=_START_S, check=False,
                )  # fmt: skip
                code: int | str = run.returncode
            except (OSError, subprocess.TimeoutExpired) as error:
                code = str(error)
            if code:
                output.seek(0)
                raise errors.AdbServerError(
                    f"{' '.join(command)} failed ({code}): {output.read(2000).strip()}",
                    hint="adb kill-server, and try again",
                ) from cause


def refusal_error(serial: str, reason: str) -> DeviceError:
    """The error for the reason why an adb server gives no access to a phone."""
    reason = " ".join(reason.split())
    if "unauthorized" in reason or "authorizing" in reason:
        return errors.DEVICE_UNAUTHORIZED(
            f"{serial} has not allowed this computer to drive it",
            hint="unlock the phone and accept its dialog 'Allow USB debugging?'; no dialog? "
            "Developer options > Revoke USB debugging authorizations, then plug it in again",
        )
    if "no permissions" in reason or "insufficient permissions" in reason:
        return errors.DEVICE_UNAUTHORIZED(
            f"{serial}: this computer may not open the phone's USB device",
            hint="Linux: apt-get install android-sdk-platform-tools-common, join the group "
            "plugdev, plug the phone in again",
        )
    if "offline" in reason or "connecting" in reason:
        return errors.DEVICE_OFFLINE(
            f"{serial} is offline: adb lists it and gets no response",
            hint="plug it out and in; over Wi-Fi: wake it, switch Wireless debugging off and on; "
            "else restart the phone",
        )
    if "not found" in reason or "no devices" in reason:
        return DeviceLostError(
            f"{serial} is not connected any more", hint="look for it: tapwright devices ls"
        )
    if any(state in reason for state in ("bootloader", "recovery", "sideload", "rescue")):
        return errors.DEVICE_OFFLINE(
            f"{serial} is not running Android: {reason}", hint=f"adb -s {serial} reboot"
        )
    return DeviceLostError(f"{serial}: adb reports: {reason}", hint="tapwright doctor --check adb")


def _ambiguity_error(
    serial: str, matches: list[AttachedPhone], attached: list[AttachedPhone]
) -> DeviceError:
    if len(matches) > 1 and serial:
        return errors.AMBIGUOUS_DEVICE(
            f"{len(matches)} phones have the serial {serial!r}, as cheap ones do",
            hint="unplug all but one, or reach them over Wi-Fi, where their addresses differ",
        )
    known = ", ".join(f"adb:{one.serial}" for one in attached)
    if matches:
        return errors.AMBIGUOUS_DEVICE(
            f"{len(matches)} phones are connected, and none was named", hint=f"one of: {known}"
        )
    what = f"no phone of the serial {serial!r}" if serial else "no phone"
    return errors.AMBIGUOUS_DEVICE(
        f"{what} is connected over adb",
        hint=f"connected: {known}"
        if known
        else "switch on Developer options > USB debugging, and plug the phone in; "
        "then look for it: tapwright devices ls",
    )
