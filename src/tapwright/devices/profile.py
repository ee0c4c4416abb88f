"""Profile folders of browsers: one that goes with its browser, or one that the user keeps.

What nobody keeps is removed with the browser, or later if its owner was killed.
"""

import os
import re
import socket
from contextlib import ExitStack
from pathlib import Path

from tapwright.devices.errors import PROFILE_UNUSABLE
from tapwright.files.lock import DirectoryLock
from tapwright.files.temporary import OwnedDirectory

__all__ = ["KeptProfile", "Profile"]


class Profile(OwnedDirectory):
    """A new, empty folder at `path`."""

    def __init__(self) -> None:
        super().__init__("tapwright-chromium-")


class KeptProfile:
    """The user's folder at `path`, made if it is not there; one browser at a time has it.

    Raises:
        DeviceError: another browser has it, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = DirectoryLock(self.path)
            with ExitStack() as failed:
                failed.callback(self.release)
                self._take()
                failed.pop_all()
        except OSError as error:
            raise PROFILE_UNUSABLE(
                f"the profile {path} cannot be used: {error.strerror}",
                hint="--profile takes a folder that you can write",
            ) from error

    def release(self) -> None:
        """Let others have it; once only."""
        self._lock.release()

    def _take(self) -> None:
        if not self._lock.take():
            raise PROFILE_UNUSABLE(
                f"the profile {self.path} is used by another browser",
                hint="close that, or copy the folder: each device that runs at the same time needs "
                "one of its own",
            )
        mark = self.path / "SingletonLock"
        if (pid := _owner(mark)) is not None:
            raise PROFILE_UNUSABLE(
                f"the profile {self.path} is used by another browser, the process {pid}",
                hint=f"close that; where process {pid} is no browser, remove {mark}",
            )
        # Of a browser before, which would be taken for this one's.
        (self.path / "DevToolsActivePort").unlink(missing_ok=True)


def _owner(mark: Path) -> int | None:
    """The process of this machine that has marked the folder as its own, if it lives.

    A browser with windows does it by a link to "HOST-PID", which nothing looks at in a headless
    shell: https://github.com/chromium/chromium/blob/main/chrome/browser/process_singleton_posix.cc
    """
    try:
        host, _, number = os.readlink(mark).rpartition("-")
    except OSError:
        return None
    if host != socket.gethostname() or not re.fullmatch(r"[1-9]\d{0,8}", number, re.ASCII):
        return None
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return None
    except PermissionError:  # of another user
        pass
    return int(number)
