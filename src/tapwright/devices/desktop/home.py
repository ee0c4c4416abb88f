"""A fresh home folder with the settings that make an episode repeatable."""

import shutil
from collections.abc import Mapping, Sequence
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from tapwright.devices.desktop.display import VirtualScreen
from tapwright.drawing.text import font_settings

__all__ = ["DOUBLE_CLICK_S", "Home"]

DOUBLE_CLICK_S = 0.25
"""Clicks that are further apart are two: an agent may tap twice quicker than a person."""

_FOLDERS = (
    "Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos",
)  # fmt: skip
_USER_FOLDERS = (
    "DESKTOP", "DOCUMENTS", "DOWNLOAD", "MUSIC", "PICTURES", "PUBLICSHARE", "TEMPLATES", "VIDEOS",
)  # fmt: skip
_GTK = f"""\
[Settings]
gtk-cursor-blink=false
gtk-enable-animations=false
gtk-double-click-time={DOUBLE_CLICK_S * 1000:.0f}
gtk-primary-button-warps-slider=true
gtk-font-name=DejaVu Sans 10
"""
_GTK2 = f"""\
gtk-cursor-blink = 0
gtk-double-click-time = {DOUBLE_CLICK_S * 1000:.0f}
gtk-font-name = "DejaVu Sans 10"
"""
# As a list, whose items have names and places; icons say nothing to screen readers.
_FILE_MANAGER = """\
[ui]
view_mode=list
win_width=900
win_height=560
"""
_OPENDOCUMENT = "application/vnd.oasis.opendocument."
_OPENXML = "application/vnd.openxmlformats-officedocument."
_OPENED_BY: Mapping[str, Sequence[str]] = {
    "org.xfce.mousepad.desktop": ("text/plain", "text/csv", "text/markdown"),
    "libreoffice-calc.desktop": (f"{_OPENDOCUMENT}spreadsheet", f"{_OPENXML}spreadsheetml.sheet"),
    "libreoffice-writer.desktop": (f"{_OPENDOCUMENT}text", f"{_OPENXML}wordprocessingml.document"),
    "pcmanfm.desktop": ("inode/directory",),
}
"""The application that a double click on a file opens, by the files' kinds."""
# No tip of the day, no donation bar, no look for updates, no recovery after a kill.
_OFFICE: Mapping[str, Mapping[str, str]] = {
    "org.openoffice.Office.Common/Misc": {
        "FirstRun": "false", "ShowTipOfTheDay": "false", "ShowDonation": "false",
    },
    "org.openoffice.Setup/Product": {
        "ooSetupLastVersion": "99.9", "LastTimeDonateShown": "4000000000",
        "LastTimeGetInvolvedShown": "4000000000", "WhatsNew": "false",
    },
    "org.openoffice.Office.Recovery/RecoveryInfo": {"Enabled": "false"},
    "org.openoffice.Office.Recovery/AutoSave": {"Enabled": "false"},
}  # fmt: skip
_LANGUAGES: Mapping[str, str] = {"en": "en_US", "zh": "zh_CN"}


class Home:
    """The folders of one episode below `folder`: the user's `path`, and `runtime` for sockets."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "home"
        self.runtime = folder / "run"
        self._fonts = folder / "fonts"

    def renew(self) -> None:
        """Empty it, and lay out what a new user finds."""
        for folder in (self.path, self.runtime):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
        for name in _FOLDERS:
            (self.path / name).mkdir()
        config = self.path / ".config"
        lines = "".join(
            f'XDG_{key}_DIR="$HOME/{name}"\n'
            for key, name in zip(_USER_FOLDERS, _FOLDERS, strict=True)
        )
        _write(config / "user-dirs.dirs", lines)
        _write(config / "user-dirs.locale", "en_US")  # their names stay
        _write(config / "gtk-3.0/settings.ini", _GTK)
        _write(config / "gtk-4.0/settings.ini", _GTK)
        _write(self.path / ".gtkrc-2.0", _GTK2)
        _write(self.path / ".bashrc", "PS1='$ '\n")  # Debian's own names the machine
        _write(config / "pcmanfm/default/pcmanfm.conf", _FILE_MANAGER)
        _write(config / "mimeapps.list", _default_applications())
        office = config / "libreoffice/4/user"
        _write(office / "registrymodifications.xcu", _office_settings())
        if build := _office_build():
            _write(office / "extensions/buildid", build)

    def environment(self, screen: VirtualScreen, language: str) -> dict[str, str]:
        """What programs are told: nothing of ours, and the same on every machine."""
        home = str(self.path)
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
            "HOME": home,
            "USER": "user",
            "LOGNAME": "user",
            "SHELL": "/bin/bash",
            "PWD": home,
            "TMPDIR": str(self.runtime),
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "LANGUAGE": _LANGUAGES.get(language, language),
            "DISPLAY": screen.name,
            "XAUTHORITY": str(screen.authority),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_CONFIG_DIRS": "/etc/xdg",
            "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
            "XDG_CURRENT_DESKTOP": "Openbox",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            "FONTCONFIG_FILE": str(self._font_settings()),
            "GSETTINGS_BACKEND": "keyfile",
            "GIO_USE_VFS": "local",
            "GTK_OVERLAY_SCROLLING": "0",
            "GTK_THEME": "Adwaita",
            "GSK_RENDERER": "cairo",  # GL, without a graphics card, is four times as slow
            "GTK_MODULES": "gail:atk-bridge",  # without, applications of GTK 2 say nothing
            "QT_ACCESSIBILITY": "1",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "SAL_USE_VCLPLUGIN": "gtk3",
            "SAL_ENABLE_FILE_LOCKING": "1",  # as LibreOffice's script, which is not run
        }

    def _font_settings(self) -> Path:
        """Fontconfig's: the machine's fonts, and the Chinese one that comes with tapwright."""
        self._fonts.mkdir(exist_ok=True)
        path = self._fonts / "fonts.conf"
        cache = f"<cachedir>{escape(str(self._fonts))}</cachedir>"
        path.write_text(font_settings(cache), encoding="utf-8")
        return path


def _default_applications() -> str:
    lines = (f"{kind}={name}\n" for name, kinds in _OPENED_BY.items() for kind in kinds)
    return "[Default Applications]\n" + "".join(lines)


def _office_settings() -> str:
    """LibreOffice's own file of settings."""
    items = "".join(
        f'<item oor:path="/{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>"
        for path, values in _OFFICE.items()
        for name, value in values.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry">' + items + "</oor:items>"
    )


@cache
def _office_build() -> str:
    """The build of the LibreOffice that is installed, as it notes it; "" where none is.

    One that finds no note of its own build cleans the folder, and starts a second time
    (cleanExtensionCache in desktop/source/app/app.cxx).
    """
    program = shutil.which("libreoffice")
    versions = Path(program).resolve().with_name("versionrc") if program else None
    if versions is None or not versions.is_file():
        return ""
    parser = ConfigParser(interpolation=None)
    parser.read(versions, "utf-8")
    return parser.get("Version", "buildid", fallback="")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
