"""Settings of applications: files of groups with keys, as GLib's key files and .ini files are."""

from pydantic import JsonValue

__all__ = ["read_settings"]

_TRUTHS = {"true": True, "false": False}


def read_settings(text: str) -> dict[str, dict[str, JsonValue]]:
    """The keys of each group with their values; keys before the first group are in "".

    Values are truths, numbers and texts, without the quotes that GSettings writes around them.
    """
    groups: dict[str, dict[str, JsonValue]] = {}
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif line and line[0] not in "#;" and "=" in line:
            key, _, raw = line.partition("=")
            groups.setdefault(group, {})[key.strip()] = _value(raw.strip())
    return groups


def _value(raw: str) -> JsonValue:
    if raw in _TRUTHS:
        return _TRUTHS[raw]
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\"":
        return raw[1:-1]
    digits = raw.removeprefix("-").replace(".", "", 1)
    if not (digits.isdecimal() and digits.isascii() and len(digits) <= 15):
        return raw
    return float(raw) if "." in raw else int(raw)
