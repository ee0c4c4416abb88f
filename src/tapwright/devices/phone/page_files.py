"""The files of the phone's page, as they are served, and the script that starts it over."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["RESET", "page_files"]

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
      const place = stores.includes(keys[0]) ? phone.state(keys.join(".")) : null
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
