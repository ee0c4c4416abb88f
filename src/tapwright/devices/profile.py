"""Profile folders of browsers: one that goes with its browser, or one that the user keeps.

What nobody keeps is removed with the browser, or later if its owner was killed.
"""

import os
from pathlib import Path

from tapwright.devices.errors import ProfileUnusableError
from tapwright.files.lock import try_lock
from tapwright.files.temporary import OwnedDirectory

__all__ = ["KeptProfile", "Profile"]


class Profile(OwnedDirectory):
    """A new, empty folder at `path`."""

    def __init__(self) -> None:
        super().__init__("tapwright-chromium-")


class KeptProfile:
    """The user's folder at `path`, made if it is not there; one browser at a time has it.

    Raises:
        ProfileUnusableError: another browser has it, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            # Of a browser before, which would be taken for this one's.
            (self.path / "DevToolsActivePort").unlink(missing_ok=True)
        except OSError as error:
            raise ProfileUnusableError(
                f"the profile {path} cannot be used: {error.strerror}",
                hint="--profile takes a folder that you can write",
            ) from error
        if not try_lock(self._lock):
            os.close(self._lock)
            raise ProfileUnusableError(
                f"the profile {path} is used by another browser",
                hint="close that, or copy the folder: each device that runs at the same time needs "
                "one of its own",
            )

    def release(self) -> None:
        """Let others have it; once only."""
        os.close(self._lock)
