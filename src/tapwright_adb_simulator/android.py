"""The phone apart from its screen: its make, its settings, whether it is awake or locked."""

import time
from dataclasses import dataclass, field

__all__ = ["ADB_KEYBOARD", "PLAIN_KEYBOARD", "Android"]

PLAIN_KEYBOARD = "com.android.inputmethod.latin/.LatinIME"
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"
"""The input method that types what a broadcast brings: https://github.com/senzhk/ADBKeyBoard."""

_RELEASES = {
    19: "4.4", 21: "5.0", 22: "5.1", 23: "6.0", 24: "7.0", 25: "7.1", 26: "8.0", 27: "8.1", 28: "9",
    29: "10", 30: "11", 31: "12", 32: "12L", 33: "13", 34: "14", 35: "15", 36: "16",
}  # fmt: skip


@dataclass(slots=True)
class Android:
    """The state of a phone; commands change it, and tests may at any time.

    `rotation` counts quarter turns from upright, against the clock; apps are drawn sideways then,
    as those that only know one direction are. A phone that is `secure` needs a PIN to be unlocked.
    `others` are installed apps, name by package, that can be opened and show nothing of their own.
    With `root` its shell is root's, as an emulator's is after `adb root`. Its clock is ahead of
    this machine's since somebody set it.
    """

    serial: str = "tapwright0"
    model: str = "Tapwright Phone"
    manufacturer: str = "tapwright"
    sdk: int = 33
    density: int = 420
    rotation: int = 0
    awake: bool = True
    locked: bool = False
    secure: bool = False
    keyboards: list[str] = field(default_factory=lambda: [PLAIN_KEYBOARD, ADB_KEYBOARD])
    enabled_keyboards: list[str] = field(default_factory=lambda: [PLAIN_KEYBOARD])
    keyboard: str = PLAIN_KEYBOARD
    uninstalled: set[str] = field(default_factory=set)
    others: dict[str, str] = field(default_factory=dict)
    clipboard: str = ""
    clock_ahead_s: float = 0.0
    root: bool = False
    settings: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def now_s(self) -> int:
        """The phone's time in seconds since 1970."""
        return int(time.time() + self.clock_ahead_s)

    @property
    def release(self) -> str:
        """The version's usual name: "13"."""
        return _RELEASES.get(self.sdk, str(self.sdk - 20))

    def properties(self) -> dict[str, str]:
        """The properties that `getprop` prints, by name."""
        name = self.model.lower().replace(" ", "_")
        build = f"{name}:{self.release}/TEST/1:user/release-keys"
        return {
            "persist.sys.locale": "en-US",
            "ro.boot.serialno": self.serial,
            "ro.build.fingerprint": f"{self.manufacturer}/{name}/{build}",
            "ro.build.type": "userdebug" if self.root else "user",
            "ro.build.version.release": self.release,
            "ro.build.version.sdk": str(self.sdk),
            "ro.product.brand": self.manufacturer,
            "ro.product.cpu.abi": "x86_64",
            "ro.product.device": name,
            "ro.product.manufacturer": self.manufacturer,
            "ro.product.model": self.model,
            "ro.product.name": name,
            "ro.serialno": self.serial,
            "ro.sf.lcd_density": str(self.density),
            "sys.boot_completed": "1",
        }

    def banner(self) -> bytes:
        """The banner that the phone sends on connection."""
        properties = self.properties()
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        facts = "".join(f"{name}={properties[name]};" for name in names)
        features = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir" if self.sdk >= 24 else "cmd"
        return f"device::{facts}features={features}".encode()

    def setting(self, space: str, name: str) -> str | None:
        """A setting of "system", "secure" or "global"; None when it is not set."""
        match space, name:
            case "secure", "default_input_method":
                return self.keyboard
            case "secure", "enabled_input_methods":
                return ":".join(self.enabled_keyboards)
            case "system", "user_rotation":
                return self.settings.get((space, name), str(self.rotation))
        return self.settings.get((space, name))

    def set(self, space: str, name: str, value: str) -> None:
        """Change a setting, and what depends on it."""
        self.settings[space, name] = value
        if (space, name) == ("secure", "default_input_method"):
            self.keyboard = value
        if (space, name) == ("system", "user_rotation") and value in ("0", "1", "2", "3"):
            self.rotation = int(value)
