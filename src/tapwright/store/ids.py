"""Ids of episodes, and the file names under which they are stored."""

import hashlib
import re
import secrets
import time

from tapwright.store.errors import BadIdError

__all__ = ["directory_name", "new_id"]

_MAX_ID = 1000

# Not "….jsonl": jobs keep their ledgers in the store, under such names. Nor what Windows takes for
# a device, or ends in a dot, which it drops.
_PLAIN_NAME = re.compile(
    r"(?!.*\.jsonl$)(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9][a-z0-9._-]{0,79}(?<!\.)",
    re.ASCII,
)


def new_id() -> str:
    """A fresh id: 12 characters of time in milliseconds, so ids sort by age, and 8 of chance."""
    return f"{int(time.time() * 1000):012x}{secrets.token_hex(4)}"


def directory_name(id_: str) -> str:
    """The file name under which an id is stored; different ids never share one.

    Plain ids (lower case, digits, "._-", not ending in ".jsonl" or ".", no device of Windows) are
    their own name. Any other id, in whatever script, becomes what is plain in it, then "~" and a
    hash, so that it can never be a path.

    Raises:
        BadIdError: the id is empty, longer than 1000 characters, or holds a control character.
    """
    if not id_ or len(id_) > _MAX_ID:
        raise BadIdError(f"an id of {len(id_)} characters; expected 1 to {_MAX_ID}")
    if _PLAIN_NAME.fullmatch(id_):
        return id_
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in id_):
        raise BadIdError(f"the id {id_[:60]!r} holds a control character")
    slug = re.sub(r"[^a-z0-9]+", "-", id_.lower(), flags=re.ASCII).strip("-")[:40]
    return f"{slug or 'id'}~{hashlib.sha256(id_.encode()).hexdigest()[:24]}"
