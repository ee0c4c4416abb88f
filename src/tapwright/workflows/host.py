"""What a machine provides to workflows: model servers with their keys, tokens, a browser, adb."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from tapwright.core.secret_destinations import (
    DESKTOP_PASSWORD,
    DEVICE_TOKEN,
    GROUNDER_KEY,
    PLANNER_KEY,
    Destination,
    NamedBy,
    Secret,
)
from tapwright.devices.errors import BROWSER_MISSING
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.devices.adb.client import AdbClient
    from tapwright.models.addresses import Proxies

__all__ = ["HelperRole", "HostConfig", "ModelOptions", "ReadHost"]

HelperRole: TypeAlias = Literal["grounder", "planner"]

_ADDRESSES = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "openai-responses": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "anthropic": ("ANTHROPIC_BASE_URL",),
    "gemini": ("GOOGLE_GEMINI_BASE_URL",),
}
_HELPER_KEYS: Mapping[HelperRole, Secret] = {
    "grounder": GROUNDER_KEY,
    "planner": PLANNER_KEY,
}

# Devices are opened by name on the command line alone: a run's log must be told its device again.
_GIVEN = Destination("", NamedBy.ARGUMENT)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a command's models are reached and queried. Workers of a cluster get it: no secret.

    `base_url` has the servers' addresses with blanks between them, "" for the machine's own, and
    `named_by` is who named them; `settings` go into every request, and None there unsets a field;
    `timeout_s` bounds each request, by the client's own bound for None.
    """

    base_url: str = ""
    settings: "Mapping[str, JsonValue]" = field(default_factory=dict)
    timeout_s: float | None = None
    named_by: NamedBy = NamedBy.ARGUMENT


@dataclass(frozen=True, slots=True)
class HostConfig:
    """The configuration of one machine, under the names of its environment variables.

    The command line and the web app read the environment and build one; a Python program gives the
    values that it wants. `network` is what the device `web` may reach; None is its first address's
    host. `profile` is the folder that it keeps logins in. `allow` is what agents may do on
    devices, as `Allowance.parse` takes it; None is all. It holds secrets, so it is never sent to
    another machine: each worker of a cluster reads its own.
    """

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    models: ModelOptions = ModelOptions()
    network: str | None = None
    profile: Path | None = None
    allow: str | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("a HostConfig holds secrets and stays on its machine")

    def server(self, client: str = "openai") -> Destination:
        """The addresses of the model servers, TAPWRIGHT_BASE_URL; "" for the client's default.

        Where that is unset, it is the variable that the client's provider documents, such as
        OPENAI_BASE_URL.
        """
        if self.models.base_url:
            return Destination(self.models.base_url, self.models.named_by)
        if everybody := self.variables.get("TAPWRIGHT_BASE_URL"):
            return Destination(everybody, NamedBy.EVERY_MODEL)
        for name in _ADDRESSES.get(client, ()):
            if url := self.variables.get(name):
                return Destination(url, NamedBy.ENVIRONMENT)
        return Destination("", NamedBy.PROVIDER)

    def secret(self, secret: Secret, to: Destination) -> str:
        """A secret for a destination; "" for none, and where it must not go.

        No other way leads to one: clients, devices, suites and the hub get theirs from here.
        """
        return secret.read(self.variables) if secret.may_go_to(to) else ""

    @property
    def proxies(self) -> "Proxies":
        """The proxies of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY."""
        from tapwright.models.addresses import Proxies

        return Proxies.from_variables(self.variables)

    @property
    def shared_models(self) -> ModelOptions:
        """What workers of a cluster get: the options, with this machine's address where it is set.

        That is TAPWRIGHT_BASE_URL only; a provider's own variable is that of each machine.
        """
        found = self.server("")
        return replace(self.models, base_url=found.url, named_by=found.named_by)

    def with_models(self, models: ModelOptions) -> "HostConfig":
        """The same machine with these options for models; its own address where they have none."""
        return replace(self, models=models)

    def helper_url(self, role: HelperRole) -> str:
        """The address of a helping model's own server, such as TAPWRIGHT_GROUNDER_URL."""
        return self.variables.get(f"TAPWRIGHT_{role.upper()}_URL", "")

    def helper_key(self, role: HelperRole, url: str) -> str:
        """The key of a helping model's own server, TAPWRIGHT_GROUNDER_KEY, where this names it."""
        named = NamedBy.ENVIRONMENT if url == self.helper_url(role) else NamedBy.STRANGER
        return self.secret(_HELPER_KEYS[role], Destination(url, named))

    def device_token(self, file: Path | None = None) -> str:
        """The token for device servers: the content of a file, or TAPWRIGHT_TOKEN.

        Raises:
            UsageError: there is no such file, or it holds no token that a header can carry.
        """
        token, source = self.secret(DEVICE_TOKEN, _GIVEN), "TAPWRIGHT_TOKEN"
        if file is not None:
            try:
                token, source = file.read_text(encoding="utf-8").strip(), str(file)
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"{file}: cannot be read: {error}") from error
        if (file is not None and not token) or re.fullmatch(r"[!-~]*", token) is None:
            raise UsageError(
                f"{source} holds no token; expected ASCII letters, digits and signs without spaces",
                hint="python3 -c 'import secrets; print(secrets.token_urlsafe())' > token.txt",
            )
        return token

    def kept(self, what: str, given: Path | None = None) -> Path:
        """Where all "data", "sites" or "suites" lie: the given directory, else TAPWRIGHT_<WHAT>.

        Without either, it is one in the user's cache.
        """
        if given is not None:
            return given
        if named := self.variables.get(f"TAPWRIGHT_{what.upper()}"):
            return Path(named)
        cache = self.variables.get("XDG_CACHE_HOME")
        return (Path(cache) if cache else Path.home() / ".cache") / "tapwright" / what

    def vnc_password(self) -> str:
        """The password of the desktop elsewhere, from TAPWRIGHT_VNC_PASSWORD."""
        return self.secret(DESKTOP_PASSWORD, _GIVEN)

    def chromium_path(self) -> Path | None:
        """The browser that TAPWRIGHT_CHROMIUM names, None when it names none.

        Raises:
            DeviceError: there is no such program.
        """
        given = self.variables.get("TAPWRIGHT_CHROMIUM")
        if not given:
            return None
        path = Path(given)
        if not os.access(path, os.X_OK):
            raise BROWSER_MISSING(
                f"TAPWRIGHT_CHROMIUM={given}: no such program",
                hint="unset TAPWRIGHT_CHROMIUM, and run: tapwright doctor --fix",
            )
        return path

    def adb_client(self) -> "AdbClient":
        """A client of this machine's adb server, with the adb program for it.

        ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT are adb's own variables; the program
        is that of TAPWRIGHT_ADB, else of ANDROID_HOME, else the installed one.

        Raises:
            UsageError: the port is none.
        """
        from tapwright.devices.adb.client import ADB_PORT, AdbClient

        port = self.variables.get("ANDROID_ADB_SERVER_PORT") or str(ADB_PORT)
        if not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 1 << 16:
            raise UsageError(
                f"ANDROID_ADB_SERVER_PORT={port}: not a port", hint="unset ANDROID_ADB_SERVER_PORT"
            )
        host = self.variables.get("ANDROID_ADB_SERVER_ADDRESS") or "127.0.0.1"
        return AdbClient(host, int(port), program=self._adb_path())

    def _adb_path(self) -> Path | None:
        given = self.variables.get("TAPWRIGHT_ADB")
        if given:
            return Path(given)
        for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
            path = Path(self.variables.get(variable) or os.devnull, "platform-tools", "adb")
            if os.access(path, os.X_OK):
                return path
        return None


ReadHost: TypeAlias = Callable[[], HostConfig]
"""Reads the configuration of the machine that it is called on; sent to workers by its name."""
