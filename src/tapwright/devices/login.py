"""Addresses of devices as messages show them: without a login, which may hold a password."""

import re

__all__ = ["hide_login", "hide_page_login"]

_NO_LOGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[^]@]*\]|[^/?#:@]*)(:\d*)?([/?#].*)?", re.I | re.S)
_LOGIN = re.compile(r"((?:[a-z]+:)?(?:https?|wss?|vnc)://)?.*@", re.ASCII | re.DOTALL)


def hide_login(address: str) -> str:
    """An address, malformed or not, with "…" for all between its scheme and its last "@".

    A password may have "/", ":" and "@" itself, so where it ends is not guessed. The address may
    follow the name of a device: "osworld:http://a:b@host" becomes "osworld:http://…@host".
    """
    return _LOGIN.sub(lambda found: f"{found[1] or ''}…@", address, count=1)


def hide_page_login(url: str) -> str:
    """The address of a page, as `hide_login` shows it; an "@" in its path or query is no login.

    "https://example.org/@name" stays as it is, and so its host can be read.
    """
    return url if _NO_LOGIN.fullmatch(url) else hide_login(url)
