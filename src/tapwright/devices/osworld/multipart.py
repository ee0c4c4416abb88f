"""The fields of a form with a file in it: https://www.rfc-editor.org/rfc/rfc7578."""

import re

__all__ = ["read_form"]

_BOUNDARY = re.compile(r'boundary="?([^";]{1,200})"?')
_NAME = re.compile(rb'\bname="([^"]*)"', re.IGNORECASE)


def read_form(kind: str, body: bytes) -> dict[str, bytes]:
    """The fields by their names, as they were sent; none if `kind` is no such form."""
    found = _BOUNDARY.search(kind)
    if found is None or not kind.startswith("multipart/form-data"):
        return {}
    fields = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + found[1].encode())[1:]:
        head, gap, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if gap and name is not None:
            fields[name[1].decode("utf-8", "replace")] = content
    return fields
