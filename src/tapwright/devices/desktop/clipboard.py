"""The clipboard of a desktop, through xclip: the text belongs to a program, and goes with it."""

import subprocess
from pathlib import Path

from tapwright.devices.desktop.session import Session
from tapwright.errors import DeviceError

__all__ = ["read_clipboard", "write_clipboard"]

_LIMIT_S = 5.0
_TYPE = "UTF8_STRING"


def read_clipboard(xclip: Path, session: Session) -> str:
    """The text on the clipboard; "" when there is none.

    Raises:
        DeviceError: the program that owns it does not hand it out in time.
    """
    try:
        done = subprocess.run(
            [str(xclip), "-o", "-selection", "clipboard", "-t", _TYPE],
            env=session.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DeviceError(
            f"the clipboard's owner did not hand out its text in {_LIMIT_S:g} s",
            hint="the application that the text was copied in may hang",
        ) from error
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def write_clipboard(xclip: Path, session: Session, text: str) -> None:
    """Set the clipboard's text; a program of the session holds it from then on."""
    given = session.home.runtime / "clipboard"
    given.write_text(text, encoding="utf-8")
    pid = session.start(
        [str(xclip), "-i", "-selection", "clipboard", "-t", _TYPE, "-quiet", str(given)]
    )
    session.await_start("xclip", pid, lambda: read_clipboard(xclip, session) == text)
