"""What the built-in phone's apps log, keep and show: what a task can be written on.

Logs and ids are read off the apps' own files, the state off a phone that was just reset.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import JsonValue

__all__ = ["RESET", "AppDetail", "describe_apps", "describe_state", "page_files"]

SYSTEM = "system"
"""Bars, keyboard, home screen and dialogs, which belong to no app."""

_APPS = "apps/"
_NOT_SCREENS = ("_data", "_seed", "_pictures")
_LOG = re.compile(r"\bctx\.log\(\s*(?:`([^`]*)`|\"([^\"]*)\")")
_ID = re.compile(r"""\bid: ["`]([a-z][a-z0-9_]*(?:\$\{[^}`]*\})?)["`]""")
_CHOICE = re.compile(r'\$\{[^}?]*\? "([^"]*)" : "([^"]*)"\}')
_QUOTED = re.compile(r"\$\{quote\([^`]*?\)\}")
_VALUE = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class AppDetail:
    """One thing of an app: a line that it logs by its tag, a path of its state, an element's id.

    `example` is a message with "…" for what varies, or a value.
    """

    app: str
    kind: Literal["log", "state", "element"]
    name: str
    example: str = ""


def describe_apps() -> Iterator[AppDetail]:
    """What the apps log, by their tags, and the ids of their elements; in the order of names."""
    sources: dict[str, list[str]] = {}
    for path, (data, _) in sorted(page_files().items()):
        stem = PurePosixPath(path).stem
        if not path.endswith(".js") or stem == "index" or stem.endswith(_NOT_SCREENS):
            continue
        app = stem.partition("_")[0] if path.startswith(_APPS) else SYSTEM
        sources.setdefault(app, []).append(data.decode())
    for app, texts in sources.items():
        whole = "\n".join(texts)
        if app != SYSTEM and f'id: "{app}"' not in whole:
            continue  # a part that several apps share
        logged = dict.fromkeys(_message(one[0] or one[1]) for one in _LOG.findall(whole))
        tag = f"{app[0].upper()}{app[1:]}App"
        yield from (AppDetail(app, "log", tag, message) for message in sorted(logged))
        ids = {_VALUE.sub("…", one) for one in _ID.findall(whole)} - {app}
        yield from (AppDetail(app, "element", id_) for id_ in sorted(ids))


def describe_state(state: JsonValue) -> Iterator[AppDetail]:
    """The paths of the apps' state, with a value of each; of a list how many, and the first."""
    for app, value in state.items() if isinstance(state, dict) else ():
        for path, one in _paths(app, value):
            yield AppDetail(app, "state", path, _shorten(one))


def _paths(path: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from _paths(f"{path}.{name}", one)
    else:
        yield path, value


def _shorten(value: JsonValue) -> str:
    if isinstance(value, list) and value:
        return f"{len(value)} of {_shorten(value[0])}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _message(template: str) -> str:
    chosen = _CHOICE.sub(r"\1|\2", template)
    return _VALUE.sub("…", _QUOTED.sub('"…"', chosen))


_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
# The page would create any path of state, so unknown ones are detected first.
RESET = """
(({ seed, language, state, app }) => {
  if (!globalThis.phone) return null
  const paths = Object.keys(state)
  if (paths.length) {
    phone.reset({ seed, language })
    const stores = phone.stores()
    for (const path of paths) {
      const keys = path.split(".")
      const last = keys.pop()
      const place = stores.includes(keys[0]) ? JSON.parse(phone.state(keys.join("."))) : null
      if (place === null || typeof place !== "object" || !Object.hasOwn(place, last))
        return { path, keys: place && typeof place === "object" ? Object.keys(place) : stores }
    }
  }
  phone.reset({ seed, language, state })
  if (app && !phone.open(app)) return { app }
  return { now: phone.now() }
})
"""


@cache
def page_files() -> Mapping[str, tuple[bytes, str]]:
    """The phone's files by path; read once."""
    found: dict[str, tuple[bytes, str]] = {}
    stack: list[tuple[str, Traversable]] = [("", files(__package__) / "pages")]
    while stack:
        folder, place = stack.pop()
        for entry in place.iterdir():
            path = f"{folder}{entry.name}"
            if entry.is_dir():
                stack.append((f"{path}/", entry))
            elif (suffix := Path(entry.name).suffix) in _MEDIA_TYPES:
                found[path] = entry.read_bytes(), _MEDIA_TYPES[suffix]
    return found
