"""Code that a served desktop runs in forks of a Python that has started."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import RLock
from time import monotonic, sleep

import pytest

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.osworld import warm
from tapwright.devices.osworld.commands import CommandResult, Commands
from tapwright.devices.osworld.warm import ForkServer
from tapwright.errors import DeviceLostError
from tests.devices.desktop.conftest import programs  # noqa: F401 - a fixture

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def desktop(programs: None) -> Iterator[Desktop]:  # noqa: F811
    with Desktop() as one:
        yield one


@pytest.fixture(scope="module")
def commands(desktop: Desktop) -> Commands:
    return Commands(desktop, RLock(), lambda: "127.0.0.1:1#none")


def python(commands: Commands, code: str, *argv: str, limit_s: float = PATIENCE_S) -> CommandResult:
    return commands.run(["python", "-c", code, *argv], limit_s=limit_s)


def runs(pid: str) -> bool:
    """Whether a process is there, and not one that has ended and waits to be read."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def kill_none(pid: int) -> None:
    pytest.fail(f"{pid} would have been killed")


def name(pid: str) -> str:
    return Path("/proc", pid, "comm").read_text()


def test_code_runs_as_it_does_in_a_python_of_its_own(commands: Commands) -> None:
    code = (
        "import os, sys, threading, atexit\n"
        "atexit.register(print, 'exit')\n"
        "threading.Thread(target=print, args=('thread',)).start()\n"
        "print(type(__builtins__))\n"
        "print(__name__, sys.argv, sys.path[0] == '', os.getcwd(), sys.stdin.read() == '')\n"
        "print(__builtins__)\n"
        "print('wrong', file=sys.stderr)\n"
    )
    forked = python(commands, code, "one", "two")
    # A shell between them, and Python is started.
    started = commands.run(
        ["/bin/sh", "-c", 'python -c "$@"', "sh", code, "one", "two"], limit_s=60
    )
    assert sorted(forked.output.splitlines()) == sorted(started.output.splitlines())
    assert forked.output.startswith(
        "thread\n<class 'module'>\n__main__ ['-c', 'one', 'two'] True /home/user"
    )
    assert (forked.error, forked.status) == (started.error, started.status) == ("wrong\n", 0)


@pytest.mark.parametrize(
    ("code", "status", "last"),
    [
        ("raise SystemExit(7)", 7, ""),
        ("raise SystemExit('no')", 1, "no"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("if:", 1, "SyntaxError: invalid syntax"),
        ("import os; os.kill(os.getpid(), 15)", -15, ""),
    ],
)
def test_how_code_ends_is_told(code: str, status: int, last: str, commands: Commands) -> None:
    told = python(commands, code)
    assert (told.status, (told.error.splitlines() or [""])[-1]) == (status, last)
    assert "fork_server" not in told.error


def test_nothing_of_one_call_is_seen_by_the_next(commands: Commands) -> None:
    python(
        commands,
        "import os, sys, builtins, pyautogui\n"
        "os.environ['LEFT'] = os.getcwd(); os.chdir('/'); sys.path.append('/left')\n"
        "builtins.left = pyautogui.PAUSE = 9",
    )
    asked = (
        "import os, sys, builtins, pyautogui\n"
        "print(os.environ.get('LEFT'), os.getcwd(), '/left' in sys.path, "
        "hasattr(builtins, 'left'), pyautogui.PAUSE)"
    )
    assert python(commands, asked).output == "None /home/user False False 0.1\n"


@pytest.mark.slow
def test_code_that_takes_too_long_is_killed_with_what_it_started(
    commands: Commands, tmp_path: Path
) -> None:
    started = tmp_path / "pid"
    code = (
        "import subprocess\n"
        f"open({str(started)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))\n"
        "import time; time.sleep(600)"
    )
    for limit_s in (0.5, 5.0, PATIENCE_S):  # until it had the time to start one
        with ThreadPoolExecutor() as pool:
            late = pool.submit(python, commands, code, limit_s=limit_s)
            assert python(commands, "print('beside it')").output == "beside it\n"
            assert late.result().status is None
        if started.exists() and started.read_text():
            break
    until = monotonic() + PATIENCE_S
    while runs(started.read_text()) and monotonic() < until:
        sleep(0.01)
    assert not runs(started.read_text())


@pytest.fixture
def own_desktop(desktop: Desktop) -> Iterator[Desktop]:
    """The desktop with no Python of its own in it, nor one of the test's afterwards."""
    desktop.reset()
    yield desktop
    desktop.reset()


@pytest.mark.parametrize(
    "then", ["import time; time.sleep(600)", "listener.accept()[0].recv(9)"], ids=["late", "gone"]
)
@pytest.mark.slow_but_one
def test_a_server_that_names_no_process_kills_none(
    then: str, own_desktop: Desktop, tmp_path: Path
) -> None:
    code = (
        "import socket, sys\n"
        "listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()\n"
        + then
    )
    server = ForkServer(own_desktop, RLock(), [sys.executable, "-c", code], lambda: os.environ)
    status = server.run(
        "1", (), folder=tmp_path, out=tmp_path / "out", err=tmp_path / "err", kill=kill_none,
        limit_s=1.0 if "sleep" in then else PATIENCE_S,
    )  # fmt: skip
    assert status == (None if "sleep" in then else -signal.SIGKILL)


@pytest.mark.slow
def test_a_server_that_does_not_start_is_told_with_its_last_words(
    own_desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "_START_S", 1.0)
    argv = [sys.executable, "-c", "import no_such_library"]
    server = ForkServer(own_desktop, RLock(), argv, lambda: os.environ)
    with pytest.raises(DeviceLostError, match="does not start: ModuleNotFoundError: No module"):
        server.run("1", (), folder=tmp_path, out=tmp_path, err=tmp_path, kill=kill_none, limit_s=60)


def test_a_program_that_code_leaves_behind_stays(commands: Commands) -> None:
    told = python(commands, "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)")
    assert runs(told.output.strip())


@pytest.mark.parametrize(
    "command",
    [
        "pkill -9 lullaby",
        "pkill -SIGKILL lullaby",
        "pkill -f -9 lullaby",
        "pkill --signal 9 lullaby",
        "pkill --signal=SIGKILL -x lullaby",
        "killall -KILL lullaby",
        "killall -9 lullaby",
        "killall -q -s KILL lullaby",
        "killall -r -I -9 LULLA",
        "pkill lullaby",
        "killall -SIGTERM lullaby",
        "killall lullaby",
    ],
)
def test_programs_are_ended_by_name_on_this_desktop_alone(
    command: str, commands: Commands, tmp_path: Path
) -> None:
    program = tmp_path / "lullaby"
    program.symlink_to("/bin/sleep")
    deaf = "trap '' TERM; " if "9" in command or "KILL" in command else ""
    inside = str(commands.launch(["/bin/sh", "-c", f'{deaf}exec "$0" 600', str(program)]))
    with subprocess.Popen([program, "600"]) as outside:
        try:
            until = monotonic() + PATIENCE_S
            while not all("lullaby" in name(pid) for pid in (inside, str(outside.pid))):
                assert monotonic() < until
                sleep(0.01)
            ended = commands.run(commands.argv(command, shell=True), limit_s=PATIENCE_S)
            assert (ended.status, ended.error) == (0, "")
            while runs(inside) and monotonic() < until:
                sleep(0.01)
            assert not runs(inside)
            assert runs(str(outside.pid))
        finally:
            outside.kill()
    assert commands.run(commands.argv(command, shell=True), limit_s=PATIENCE_S).status == 1


def test_several_names_are_ended_and_those_that_are_not_there_are_told(
    commands: Commands, tmp_path: Path
) -> None:
    pids = []
    for one in ("lullaby", "ten-letters++-more"):  # longer than the kernel keeps
        (tmp_path / one).symlink_to("/bin/sleep")
        pids.append(str(commands.launch([str(tmp_path / one), "600"])))
    until = monotonic() + PATIENCE_S
    while [name(pid) for pid in pids] != ["lullaby\n", "ten-letters++-m\n"]:
        assert monotonic() < until
        sleep(0.01)
    argv = ["killall", "-9", "lullaby", "nobody", "ten-letters++-more"]
    told = commands.run(argv, limit_s=PATIENCE_S)
    assert (told.status, told.error) == (1, "nobody: no process found\n")
    while any(runs(pid) for pid in pids):
        assert monotonic() < until
        sleep(0.01)


def test_a_reset_ends_what_runs_and_the_next_call_works(
    commands: Commands, desktop: Desktop, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    with ThreadPoolExecutor() as pool:
        code = f"open({str(begun)!r}, 'w'); import time; time.sleep(600)"
        running = pool.submit(python, commands, code)
        until = monotonic() + PATIENCE_S
        while not begun.exists() and monotonic() < until:
            sleep(0.01)
        desktop.reset()
        assert running.result().status == -signal.SIGKILL
    assert python(commands, "print(1)").output == "1\n"
