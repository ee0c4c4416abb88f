"""Addresses of model servers: which text is one, which needs no key, which proxy leads to it.

Several addresses stand in one text, with blanks between them: an environment variable and a run
log hold them alike. The variables of a proxy mean what they mean to curl;
they come as data, since only the command line reads the environment.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import inet_aton
from urllib.parse import urlsplit

from tapwright.errors import UsageError

__all__ = ["Proxies", "check_key_form", "is_near", "parse_base_url", "parse_base_urls"]

_NEAR_ENDINGS = (".localhost", ".local", ".lan", ".internal")


def parse_base_urls(text: str) -> tuple[str, ...]:
    """The addresses of servers, split at blanks; the same one counts once.

    Raises:
        UsageError: one is no http(s) address, or carries a key; or there is none.
    """
    found = tuple(dict.fromkeys(_parse_one(one) for one in text.split()))
    return found or (_parse_one(text),)


def parse_base_url(text: str) -> str:
    """The addresses as a log holds them: without a slash at the end, with one blank in between.

    Raises:
        UsageError: one is no http(s) address, or carries a key; or there is none.
    """
    return " ".join(parse_base_urls(text))


def _parse_one(base_url: str) -> str:
    try:
        parts = urlsplit(base_url.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(
            f"{base_url!r} is not the address of a server", hint="such as http://127.0.0.1:8000/v1"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"the address of the server at {parts.hostname} carries more than a path",
            hint="give the key as the API key, not in the address",
        )
    return base_url.strip().rstrip("/").removesuffix("/chat/completions")


def check_key_form(api_key: str | None) -> str:
    """The key as a header holds it, "" for none.

    Raises:
        UsageError: it holds a character that no header may hold.
    """
    key = (api_key or "").strip()
    if not all(33 <= ord(char) < 127 for char in key):
        raise UsageError("the API key holds a blank or a character that no header may hold")
    return key


def is_near(base_url: str) -> bool:
    """Whether a server is one's own: on this machine, in a private network, or on plain http.

    Such servers mostly want no key; a hosted one is on https and has a public name.
    """
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme == "http" or not {".", ":"}.intersection(host):
        return True
    address = _numeric(host)
    return host.endswith(_NEAR_ENDINGS) if address is None else not address.is_global


def _numeric(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host is in numbers, in any spelling that the system takes: 127.1, 0x7f.1.

    None for a name.
    """
    with suppress(ValueError):
        found = ip_address(host)
        return getattr(found, "ipv4_mapped", None) or found
    with suppress(OSError):
        return ip_address(inet_aton(host))
    return None


def _is_loopback(host: str) -> bool:
    address = _numeric(host)
    if address is not None:
        return address.is_loopback
    return host == "localhost" or host.endswith(".localhost")


def _is_listed(host: str, netloc: str, listed: str) -> bool:
    """Whether NO_PROXY lists a host: by its name, a domain's end, with its port, or all by `*`."""
    for entry in (one.strip().lower() for one in listed.split(",")):
        name = entry.removeprefix("*").removeprefix(".")
        if (
            entry == "*"
            or (name and name in (host, netloc))
            or (name and host.endswith(f".{name}"))
        ):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies of a machine: values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, "" where unset.

    A server on this machine is never reached through a proxy.
    """

    https: str = field(default="", repr=False)
    http: str = field(default="", repr=False)
    bypassed: str = ""

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> "Proxies":
        """Those that environment variables name, in either case; ALL_PROXY where one is missing."""

        def read(name: str) -> str:
            return variables.get(name.lower()) or variables.get(name) or ""

        every = read("ALL_PROXY")
        return cls(read("HTTPS_PROXY") or every, read("HTTP_PROXY") or every, read("NO_PROXY"))

    def find(self, base_url: str) -> str | None:
        """The proxy for a server, None for none.

        Raises:
            UsageError: it is no http(s) proxy.
        """
        parts = urlsplit(base_url)
        host = parts.hostname or ""
        proxy = self.https if parts.scheme == "https" else self.http
        if not proxy or _is_loopback(host):
            return None
        if _is_listed(host, parts.netloc, self.bypassed):
            return None
        address = proxy if "://" in proxy else f"http://{proxy}"
        if urlsplit(address).scheme not in ("http", "https"):
            raise UsageError(
                f"the proxy for {host} is a {urlsplit(address).scheme} proxy; expected http",
                hint=f"set HTTPS_PROXY=http://HOST:PORT, or NO_PROXY={host}",
            )
        return address
