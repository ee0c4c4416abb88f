"""The installed applications, from their desktop entries.

https://specifications.freedesktop.org/desktop-entry-spec/1.5/
"""

import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Application", "list_applications"]

_FOLDERS = (Path("/usr/local/share/applications"), Path("/usr/share/applications"))
_OWN_FOLDER = ".local/share/applications"
_ENTRY = "Desktop Entry"
_MAX_ENTRY = 1_000_000


@dataclass(frozen=True, slots=True)
class Application:
    """One that a menu would show: `id` is the name of its entry ("org.xfce.mousepad").

    `names` are by language, "" for the one without. `window_class` is what its windows call
    themselves (WM_CLASS), in lower case.
    """

    id: str
    names: Mapping[str, str]
    argv: tuple[str, ...]
    window_class: str

    @property
    def command(self) -> tuple[str, ...]:
        """What starts it: `argv`, but of LibreOffice the program that its script starts.

        The script starts eight others before, to find out where it lies, and then a splash.
        """
        splash = Path(self.argv[0]).resolve().with_name("oosplash")
        return (str(splash), "--nologo", *self.argv[1:]) if splash.exists() else self.argv

    def name(self, language: str) -> str:
        """Its name in a language ("en", "zh")."""
        keys = ("zh_CN", "zh", "") if language == "zh" else (language, "")
        return next(self.names[key] for key in keys if key in self.names)

    def answers_to(self, name: str) -> bool:
        """Whether somebody means it: by its name in any language, its id, or its program's."""
        wanted = name.strip().casefold()
        known = {self.id, self.id.rpartition(".")[2], Path(self.argv[0]).name, *self.names.values()}
        return wanted in {one.casefold() for one in known}


def list_applications(home: Path) -> Sequence[Application]:
    """Those of this machine with windows of their own, and those of the user's, by their ids."""
    found = {**_of_machine(), **_read_folder(home / _OWN_FOLDER)}
    return tuple(found[name] for name in sorted(found))


@cache
def _of_machine() -> Mapping[str, Application]:
    found: dict[str, Application] = {}
    for folder in reversed(_FOLDERS):
        found.update(_read_folder(folder))
    return found


def _read_folder(folder: Path) -> dict[str, Application]:
    read = ((path.stem, _read(path)) for path in folder.glob("*.desktop"))
    return {name: application for name, application in read if application is not None}


def _read(path: Path) -> Application | None:
    parser = ConfigParser(
        interpolation=None, delimiters=("=",), comment_prefixes=("#",), strict=False
    )
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        if path.stat().st_size > _MAX_ENTRY:
            return None
        parser.read_string(path.read_text("utf-8"))
        entry = parser[_ENTRY]
        argv = tuple(_arguments(entry["Exec"]))
    except (OSError, ValueError, KeyError, ConfigError):
        return None  # a menu leaves out what it cannot read, too
    hidden = any(entry.get(key) == "true" for key in ("NoDisplay", "Hidden", "Terminal"))
    program = shutil.which(argv[0]) if argv else None
    if hidden or entry.get("Type") != "Application" or program is None or "Name" not in entry:
        return None
    names = {"": entry["Name"]}
    for key, value in entry.items():
        if key.startswith("Name[") and key.endswith("]"):
            names[key[5:-1]] = value
    window_class = entry.get("StartupWMClass") or Path(argv[0]).name
    return Application(path.stem, names, (program, *argv[1:]), window_class.casefold())


def _arguments(command: str) -> Iterator[str]:
    for word in shlex.split(command):
        if word == "%%":
            yield "%"
        elif not (len(word) == 2 and word.startswith("%")):
            yield word
