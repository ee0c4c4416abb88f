"""Keys as pywinauto's `send_keys` takes them, in which agents of Windows such as UFO press keys.

    ^c  {VK_CONTROL}c      control and c; + is shift, % is alt, each for what comes next
    ^(ac)                  … or for each key of a group
    {TAB 3}  ~             a key by its name, three times; Enter
    {VK_SHIFT down}        a key that stays down, until {VK_SHIFT up}
    {+}  {{}               a character that means something else without braces
    all else               text

https://github.com/pywinauto/pywinauto/blob/0f3c724/pywinauto/keyboard.py
"""

import re
from collections.abc import Iterator, Mapping

from tapwright.core.actions import Action, KeyDown, KeyUp, TypeText
from tapwright.core.keys import find_key
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.desktop import press_keys

__all__ = ["read_send_keys"]

_HELD: Mapping[str, str] = {"^": "control", "+": "shift", "%": "alt"}
_PREFIXES = (
    (re.compile(r"\{(?:VK_)?(?:CONTROL|CTRL)\}(?=.)", re.IGNORECASE | re.DOTALL), "^"),
    (re.compile(r"\{(?:VK_)?SHIFT\}(?=.)", re.IGNORECASE | re.DOTALL), "+"),
    (re.compile(r"\{(?:VK_)?(?:MENU|ALT)\}(?=.)", re.IGNORECASE | re.DOTALL), "%"),
)
_PART = re.compile(
    r"(?P<held>[\^+%]*)(?:\{(?P<name>[{}]|[^{}]+)\}|\((?P<group>[^()]*)\)|(?P<plain>[^\^+%{}~])|(?P<enter>~))",
    re.DOTALL,
)
_MORE = re.compile(r"(.+?)\s+(down|up|\d{1,3})", re.IGNORECASE)
_NAMES: Mapping[str, str] = {
    "menu": "alt", "lmenu": "alt", "rmenu": "alt", "lwin": "meta", "rwin": "meta",
    "lcontrol": "control", "rcontrol": "control", "lshift": "shift", "rshift": "shift",
    "back": "backspace", "bs": "backspace", "bksp": "backspace", "capital": "caps_lock",
    "cap": "caps_lock", "scroll": "scroll_lock", "snapshot": "print",
    "oem_plus": "+", "oem_minus": "-", "oem_period": ".", "oem_comma": ",", "oem_7": "'",
}  # fmt: skip


def read_send_keys(keys: str, where: str) -> list[Action]:
    """The actions of such keys, in their order.

    Raises:
        ForeignDataError: they cannot be read, or name a key that no keyboard has.
    """
    for pattern, prefix in _PREFIXES:
        keys = pattern.sub(prefix, keys)
    actions: list[Action] = []
    text, at = "", 0
    for part in _PART.finditer(keys):
        if part.start() != at:
            break
        at = part.end()
        if not part["held"] and part["name"] is None and part["enter"] is None:
            text += part[0] if part["group"] is None else part["group"]
            continue
        if text:
            actions.append(TypeText(text=text))
            text = ""
        actions += _press(part, where)
    if at != len(keys):
        raise ForeignDataError(f"{where}: {keys[at : at + 20]!r} is nothing that send_keys takes")
    return [*actions, TypeText(text=text)] if text else actions


def _press(part: re.Match[str], where: str) -> Iterator[Action]:
    held = [_HELD[one] for one in part["held"]]
    if part["enter"] is not None:
        yield press_keys([*held, "enter"], where)
        return
    if part["name"] is None:
        for one in part["group"] or part["plain"]:
            yield press_keys([*held, _key(one, where)], where)
        return
    more = _MORE.fullmatch(part["name"])
    name, times = (more[1], more[2].lower()) if more else (part["name"], "1")
    key = _key(name, where)
    if times in ("down", "up"):
        yield KeyDown(key=key) if times == "down" else KeyUp(key=key)
        return
    for _ in range(int(times)):
        yield press_keys([*held, key], where)


def _key(name: str, where: str) -> str:
    lower = name.lower().removeprefix("vk_")
    key = find_key(name) if len(name) == 1 else _NAMES.get(lower) or find_key(lower)
    if key is None:
        raise ForeignDataError(f"{where}: a keyboard has no key {name[:40]!r}")
    return key
