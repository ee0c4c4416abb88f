"""The hosts that a browser may reach, as rules of Chromium's resolver.

The rules hold for addresses in numbers, too, and for WebSockets
(`--host-resolver-rules`, https://chromium.googlesource.com/chromium/src/+/main/net/dns/README.md).
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self
from urllib.parse import urlsplit

from tapwright.errors import UsageError

__all__ = ["Network"]

_LOCAL = ("127.0.0.1", "::1", "localhost", "*.localhost")
_IPV6 = r"[\da-f]*:[\da-f:]*:[\da-f:.]*"
_HOST = re.compile(rf"(\*\.)?[\w.-]+|\*|{_IPV6}|\[{_IPV6}\]", re.ASCII)
_WITHOUT_NETWORK = {"about", "data", "blob", "chrome-error"}


@dataclass(frozen=True, slots=True)
class Network:
    """The hosts that may be reached: names, and `*.example.org` for all below one."""

    hosts: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """`none`, `local` for this machine, or hosts with commas between them; `*` is any.

        Raises:
            UsageError: a word is no host.
        """
        hosts: list[str] = []
        for word in filter(None, (part.strip().lower() for part in text.split(","))):
            if word == "local":
                hosts += _LOCAL
            elif word != "none":
                if not _HOST.fullmatch(word):
                    raise UsageError(
                        f"--network {text}: {word!r} is no host",
                        hint="--network none, local, or example.org,*.example.org",
                    )
                hosts.append(word.strip("[]"))
        return cls(tuple(hosts))

    @classmethod
    def of(cls, url: str) -> Self:
        """The host of an address alone."""
        host = urlsplit(url).hostname
        return cls((host,) if host else ())

    @property
    def rules(self) -> str:
        """The value of Chromium's `--host-resolver-rules`."""
        if "*" in self.hosts:
            return ""
        return ", ".join(("MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in self.hosts)))

    def allows(self, url: str) -> bool:
        """Whether a page at this address may be loaded."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme in _WITHOUT_NETWORK:
            return True
        return parts.scheme in {"http", "https"} and any(
            fnmatchcase(host, pattern) for pattern in self.hosts
        )

    def __str__(self) -> str:
        return ", ".join(self.hosts) or "none"
