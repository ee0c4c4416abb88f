"""What happens when a part of the desktop ends, or its owner does."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapwright.actions import OpenApp
from tapwright.devices.desktop.children import Children
from tapwright.devices.desktop.device import Desktop
from tapwright.errors import DeviceError, DeviceLostError
from tests.devices.desktop.looking import find, tree, wait_for

LIMIT_S = 60.0
BROKEN = "[Desktop Entry]\nType=Application\nName=Broken\nExec=false\n"


def is_running(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + LIMIT_S
    while is_running(pid):
        assert time.monotonic() < until, f"{pid} is still there"
        time.sleep(0.02)


def test_programs_end_with_their_owner_even_when_it_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from tapwright.devices.desktop.children import Children\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "children = Children()\n"
        "pid = children.start(['/bin/sh', '-c', 'setsid sleep 600 & echo $! >inner; wait'],\n"
        "    environment={'PATH': '/usr/bin:/bin'}, folder=folder, log=folder / 'log')\n"
        "print(pid, flush=True); time.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    inner = tmp_path / "inner"
    until = time.monotonic() + LIMIT_S
    while not (inner.exists() and inner.read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.02)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    wait_until_gone(pid)
    wait_until_gone(int(inner.read_text()))


def test_ending_leaves_what_is_named(tmp_path: Path) -> None:
    children = Children()
    try:
        kept, ended = (
            children.start(
                ["/bin/sleep", "600"], environment={}, folder=tmp_path, log=tmp_path / "log"
            )
            for _ in range(2)
        )
        children.end(but=[kept])
        assert is_running(kept)
        assert not is_running(ended)
        assert children.status(ended) == -signal.SIGKILL
    finally:
        children.close()
    assert not is_running(kept)


def test_a_screen_that_is_gone_is_replaced_by_the_next_reset(programs: None) -> None:
    with Desktop.named("640x480") as desktop:
        os.kill(desktop.machine.screen.pid, signal.SIGKILL)
        wait_until_gone(desktop.machine.screen.pid)
        with pytest.raises(DeviceLostError):
            desktop.observe()
        desktop.reset()
        assert tree(desktop.observe()).nodes


def test_an_application_that_ends_at_once_is_named(desktop: Desktop) -> None:
    desktop.reset(state={"files..local/share/applications/broken.desktop": BROKEN})
    assert "Broken" in desktop.apps()
    with pytest.raises(DeviceError, match="broken ended with 1"):
        desktop.perform(OpenApp(app="Broken"))
    assert desktop.observe().app == "desktop"


@pytest.mark.slow
def test_an_application_that_hangs_makes_a_look_stale(desktop: Desktop) -> None:
    desktop.perform(OpenApp(app="galculator"))
    find(desktop, "7")
    front = next(one for one in desktop.machine.windows.shown() if one.pid)
    os.kill(front.pid, signal.SIGSTOP)
    assert desktop.observe().stale
    os.kill(front.pid, signal.SIGCONT)
    wait_for(desktop, lambda seen: not seen.stale, "it is still stale")
