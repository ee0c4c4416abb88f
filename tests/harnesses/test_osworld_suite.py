"""OSWorld's own controllers, getters and metrics on a served desktop, with tasks in its form."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tapwright.core.actions import Action, Hotkey, PressKey, TypeText
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.osworld.device import OsWorldDevice, open_osworld
from tapwright.devices.osworld.server import OsWorldServer
from tapwright.harnesses.errors import SuiteDeviceError, SuiteMissingError, SuiteSetupError
from tapwright.harnesses.protocol import Attempt
from tapwright.harnesses.suites import OSWORLD as SUITE
from tapwright.harnesses.worker import SuiteWorker
from tests.cli.running import tapwright
from tests.devices.desktop.conftest import programs  # noqa: F401 - a fixture
from tests.harnesses.environments import suite_python

pytestmark = pytest.mark.slow
DATA = Path(__file__).with_name("osworld")
PATIENCE_S = 120
SAVE = Hotkey(keys=("control", "s"))
ALL = Hotkey(keys=("control", "a"))
END = Hotkey(keys=("control", "end"))


def line(text: str) -> TypeText:
    return TypeText(text=f"{text}\n")


SCRIPTS: dict[str, tuple[str, list[Action]]] = {
    "os/note-new": ("mousepad", [TypeText(text="milk and eggs\n"), SAVE]),
    "os/note-append": ("mousepad", [END, line("call Ann"), SAVE]),
    "os/note-replace": ("mousepad", [ALL, line("final"), SAVE]),
    "os/note-unicode": ("mousepad", [line("Grüße aus 東京"), SAVE]),
    "os/note-compare": ("mousepad", [line("one"), line("two"), SAVE]),
    "os/folder-make": ("lxterminal", [line("mkdir photos")]),
    "os/file-move": ("lxterminal", [line("mv Documents/report.txt Desktop/")]),
    "os/file-count": ("lxterminal", [line("ls | wc -l > ../Desktop/count.txt")]),
    "os/settings-json": (
        "mousepad", [ALL, line('{"mode": "dark", "size": 2}'), SAVE],
    ),
    "os/screen-tree": ("mousepad", [Hotkey(keys=("alt", "h")), PressKey(key="up"),
                                    PressKey(key="enter")]),
    "libreoffice_calc/cell-sum": (
        "soffice", [Hotkey(keys=("control", "home")), line("2"), line("3"), line("=A1+A2"), SAVE,
                    PressKey(key="enter")],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteWorker]:
    options = {"data": str(DATA), "cache": str(tmp_path_factory.mktemp("cache"))}
    with SuiteWorker(SUITE, suite_python("osworld"), options) as started:
        yield started


@pytest.fixture(scope="module")
def machine(programs: None) -> Iterator[OsWorldDevice]:  # noqa: F811
    with Desktop() as desktop, OsWorldServer(desktop) as server, open_osworld(server.url) as one:
        yield one


def await_window(machine: OsWorldDevice, app: str) -> None:
    """Wait until an application's window has the keyboard, and rests."""
    until = monotonic() + PATIENCE_S
    while monotonic() < until:
        seen = machine.observe()
        assert seen.ui_tree is not None
        if app in seen.app.lower() and not seen.stale:
            return
        sleep(0.05)
    pytest.fail(f"no window of {app}")


def evaluate_until(worker: SuiteWorker, attempt: Attempt) -> float:
    """The score, once what was done has reached the disk."""
    until = monotonic() + PATIENCE_S
    while (score := worker.evaluate(attempt).score) < 1 and monotonic() < until:
        sleep(0.1)
    return score


def test_the_tasks_are_those_of_the_folder(worker: SuiteWorker) -> None:
    tasks = {task.id: task for task in worker.tasks()}
    assert {*SCRIPTS, "os/impossible"} == tasks.keys()
    assert re.fullmatch(r"1\.0\.2, tasks [0-9a-f]{12}", worker.hello.version)
    assert tasks["libreoffice_calc/cell-sum"].needs == ("soffice",)
    assert tasks["os/note-new"].needs == tasks["os/note-new"].missing == ()


@pytest.mark.parametrize("task", [*SCRIPTS, "os/impossible"])
def test_doing_nothing_is_worth_nothing(
    task: str, worker: SuiteWorker, machine: OsWorldDevice
) -> None:
    machine.reset()
    worker.set_up(task, machine.address())
    assert worker.evaluate(Attempt(claim="success")).score == 0


@pytest.mark.parametrize("task", SCRIPTS)
def test_a_task_that_is_done_is_worth_one(
    task: str, worker: SuiteWorker, machine: OsWorldDevice
) -> None:
    app, actions = SCRIPTS[task]
    machine.reset()
    worker.set_up(task, machine.address())
    await_window(machine, app)
    for action in actions:
        machine.perform(action)
        machine.observe()
    assert evaluate_until(worker, Attempt(claim="success", steps=len(actions))) == 1


def test_what_cannot_be_done_is_to_be_given_up(worker: SuiteWorker, machine: OsWorldDevice) -> None:
    machine.reset()
    worker.set_up("os/impossible", machine.address())
    assert worker.evaluate(Attempt(claim="infeasible")).score == 1


def test_a_machine_is_put_back_by_the_user_s_own_command(
    machine: OsWorldDevice, tmp_path: Path
) -> None:
    command = (
        f'cd {tmp_path} && echo "$TAPWRIGHT_HOST $TAPWRIGHT_TASK" >> log && '
        "if test -e broken; then echo no snapshot >&2; exit 4; fi"
    )
    options = {"data": str(DATA), "cache": str(tmp_path / "cache"), "revert": command}
    machine.reset()
    with SuiteWorker(SUITE, suite_python("osworld"), options) as own:
        own.set_up("os/folder-make", machine.address())
        (tmp_path / "broken").touch()
        with pytest.raises(SuiteSetupError, match="revert ended with 4: no snapshot"):
            own.set_up("os/folder-make", machine.address())
    assert (tmp_path / "log").read_text() == "127.0.0.1 os/folder-make\n" * 2


def test_another_device_is_named(worker: SuiteWorker) -> None:
    with pytest.raises(SuiteDeviceError, match="osworld:URL"):
        worker.set_up("os/note-new", {"kind": "web"})


def test_a_token_is_in_no_message(worker: SuiteWorker, machine: OsWorldDevice) -> None:
    address = {**machine.address(), "token": "sesame"}
    with pytest.raises(Exception, match="…") as told:
        worker.set_up("libreoffice_calc/cell-sum", address)
    assert "sesame" not in str(told.value)


def test_ls_says_what_each_task_needs() -> None:
    run = tapwright(
        *("suites", "ls", "osworld", "--suite-python", str(suite_python("osworld"))),
        *("--suite-option", f"data={DATA}", "--format", "json"),
    )
    rows = {row["task"]: row for row in json.loads(run.stdout)}
    assert rows["libreoffice_calc/cell-sum"]["needs"] == "soffice"
    assert not rows["os/note-new"]["missing"]
    here = 12 if shutil.which("soffice") else 11
    assert f"12 tasks; this machine lacks nothing for {here}\n" in run.stderr


def test_tasks_that_are_nowhere_are_asked_for() -> None:
    with pytest.raises(SuiteMissingError, match="suite-option data"):
        SuiteWorker(SUITE, suite_python("osworld"), {})
