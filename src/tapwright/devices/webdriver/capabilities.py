"""What a WebDriver session is asked for: a JSON file with the protocol's capabilities.

A file is an object of capabilities, or has `alwaysMatch` and `firstMatch`
(https://www.w3.org/TR/webdriver2/#capabilities). Names that begin with "tapwright:" are ours and
never sent. Values that are secrets are hidden in every message of the device.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import JsonValue

from tapwright.devices.errors import BAD_CAPABILITIES
from tapwright.devices.limits import MAX_CAPABILITIES
from tapwright.devices.login import hide_login
from tapwright.errors import UsageError

__all__ = [
    "Capabilities", "Platform", "WebDriverAddress", "parse_address", "platform_of",
    "read_capabilities",
]  # fmt: skip


Platform: TypeAlias = Literal["ios", "android", "macos", "windows", "browser"]
"""What stands behind a session, which decides units, page source, pointer and keys."""

# A dialog would fail each further command, and so it is dismissed, as in our own browser. A page
# that does not end to load would hold each for five minutes.
_BROWSER: Mapping[str, JsonValue] = {
    "unhandledPromptBehavior": "dismiss",
    "timeouts": {"pageLoad": 20_000, "script": 20_000},
}
_OURS = "tapwright:"
_SECRET = re.compile(r"key$|token|secret|passw|credential|login|^pin$", re.IGNORECASE)
_USER_INFO = re.compile(r"://([^/@\s]+)@")
_SHORTEST_SECRET = 4
_AUTOMATIONS: Mapping[str, Platform] = {
    "xcuitest": "ios", "uiautomator2": "android", "espresso": "android", "mac2": "macos",
    "windows": "windows", "novawindows": "windows", "novawindows2": "windows",
    "chromium": "browser", "gecko": "browser", "safari": "browser",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Capabilities:
    """A request for a session: `body` is what is sent.

    `login` is "USER:KEY" for the server, or "". `platform` is what the file says of a driver that
    tapwright does not know. `secrets` are the texts that no message may show.
    """

    body: Mapping[str, JsonValue]
    login: str = ""
    platform: Platform | None = None
    secrets: tuple[str, ...] = ()

    def hide(self, text: str) -> str:
        """A text without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def read_capabilities(path: Path | None) -> Capabilities:
    """Read a file; without one, the server is asked for what it opens by itself.

    Raises:
        DeviceError: it cannot be read, or is not what the protocol takes.
    """
    content = {} if path is None else _read(path)
    if isinstance(inner := content.get("capabilities"), dict):
        content = inner
    ours = {name: content[name] for name in content if name.startswith(_OURS)}
    theirs = {name: content[name] for name in content if name not in ours}
    if not {"alwaysMatch", "firstMatch"} & set(theirs):
        theirs = {"alwaysMatch": theirs}
    always = theirs.get("alwaysMatch", {})
    if not isinstance(always, dict) or not isinstance(theirs.get("firstMatch", []), list):
        raise BAD_CAPABILITIES(
            f"{path}: alwaysMatch must be an object, and firstMatch a list of objects"
        )
    theirs["alwaysMatch"] = {**_BROWSER, **always} if _is_browser(theirs) else always
    login, platform = ours.get("tapwright:login", ""), ours.get("tapwright:platform")
    unknown = sorted(set(ours) - {"tapwright:login", "tapwright:platform"})
    if unknown or not isinstance(login, str) or platform not in (None, *get_args(Platform)):
        raise BAD_CAPABILITIES(
            f"{path}: {unknown[0] if unknown else 'a value'} is not one of tapwright's",
            hint='"tapwright:login": "USER:KEY", and "tapwright:platform": '
            f"one of {', '.join(get_args(Platform))}",
        )
    secrets = {login, login.partition(":")[2], *_secrets(theirs, named=False)}
    return Capabilities(
        {"capabilities": theirs},
        login,
        platform,  # type: ignore[arg-type]  # one of `get_args`
        tuple(sorted((one for one in secrets if len(one) >= _SHORTEST_SECRET), key=len)[::-1]),
    )


def platform_of(session: Mapping[str, JsonValue], told: Platform | None) -> Platform:
    """What stands behind a session, by the capabilities that the server reports of it.

    Raises:
        DeviceError: they name no driver that tapwright knows, and the file does not tell.
    """
    if told is not None:
        return told
    automation = _text(session, "automationName").lower()
    if automation in _AUTOMATIONS:
        return _AUTOMATIONS[automation]
    if not automation and _text(session, "browserName"):
        return "browser"
    raise BAD_CAPABILITIES(
        f"the session's driver is {automation or 'not named'}, on "
        f"{_text(session, 'platformName') or 'no named platform'}; known are "
        f"{', '.join(sorted(_AUTOMATIONS))}",
        hint='say what it is like in the file of capabilities: "tapwright:platform": "ios"',
    )


def device_of(session: Mapping[str, JsonValue]) -> str:
    """What a session's capabilities call the device or the browser, in one line."""
    words = [
        _text(session, "browserName") or _text(session, "deviceName"),
        _text(session, "browserVersion") or _text(session, "platformVersion"),
    ]
    return " ".join(" ".join(word.split())[:40] for word in words if word.isprintable()).strip()


def _text(session: Mapping[str, JsonValue], name: str) -> str:
    value = session.get(name, session.get(f"appium:{name}", ""))
    return value if isinstance(value, str) else ""


def _is_browser(theirs: Mapping[str, JsonValue]) -> bool:
    return '"automationName"' not in json.dumps(theirs).replace("appium:", "")


def _read(path: Path) -> dict[str, JsonValue]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CAPABILITIES + 1)
    except OSError as error:
        raise BAD_CAPABILITIES(
            f"{path}: the file of capabilities cannot be read: {error.strerror}",
            hint='write one, such as {"browserName": "chrome"}',
        ) from error
    try:
        content = json.loads(data) if len(data) <= MAX_CAPABILITIES else None
    except (ValueError, RecursionError) as error:
        raise BAD_CAPABILITIES(f"{path}: capabilities are JSON; found: {error}") from error
    if not isinstance(content, dict):
        raise BAD_CAPABILITIES(
            f"{path}: capabilities are one JSON object of at most {MAX_CAPABILITIES:,} bytes",
            hint='{"platformName": "iOS", "appium:automationName": "XCUITest"}',
        )
    return content


def _secrets(value: JsonValue, *, named: bool) -> Iterator[str]:
    """The texts under secret names, and the user parts of addresses, however deep they lie."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _secrets(inner, named=named or bool(_SECRET.search(name)))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, named=named)
    elif isinstance(value, str):
        if named:
            yield value
        yield from _USER_INFO.findall(value)


_EXAMPLE = "--device webdriver:http://127.0.0.1:4723,caps.json"


@dataclass(frozen=True, slots=True)
class WebDriverAddress:
    """A server by its `url`, without a slash at the end, and a file of capabilities, if any.

    `start` is the page that a browser shows after each reset.
    """

    url: str
    capabilities: Path | None = None
    start: str = ""


def parse_address(argument: str) -> WebDriverAddress:
    """Read "URL[,FILE][,start=PAGE]"; PAGE may have commas, the others have none.

    Raises:
        UsageError: it is malformed, or has a password, which would be in every list of processes.
    """
    rest, _, start = argument.partition(",start=")
    url, *files = rest.split(",")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            f"the address of the WebDriver server at {parts.hostname} has more than a host, a "
            "port and a path",
            hint='a user and a key belong in the file of capabilities: "tapwright:login": '
            '"USER:KEY"',
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(
            f"webdriver:{hide_login(argument)}: {hide_login(rest)!r} is no address of a WebDriver "
            "server",
            hint=_EXAMPLE,
        )
    if len(files) > 1:
        raise UsageError(
            f"webdriver:{hide_login(argument)}: {hide_login(files[1])!r} is no option of a "
            "WebDriver server",
            hint=f"{_EXAMPLE},start=https://example.org",
        )
    return WebDriverAddress(url.rstrip("/"), Path(files[0]) if files else None, start)
