"""The address of a WebDriver server and what to open there: what follows "webdriver:"."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tapwright.devices.login import hide_login
from tapwright.errors import UsageError

__all__ = ["WebDriverAddress", "parse_address"]

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
