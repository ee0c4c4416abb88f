"""One device has a profile: it is opened once, and whatever would not have it is refused."""

import asyncio
from pathlib import Path

import pytest

from tapwright.core.actions import Finish
from tapwright.errors import UsageError
from tapwright.jobs.job import ItemDone
from tapwright.tasks.checks import AnswerHas, When
from tapwright.tasks.solution import PerformAction
from tapwright.tasks.task import Task
from tapwright.workflows.devices import count_devices, device_openers, open_device
from tapwright.workflows.host import HostConfig
from tapwright.workflows.record import RecordSettings, record_tasks
from tests.cli.running import tapwright
from tests.devices.web.conftest import Site

WEB = "web:https://example.org"


@pytest.mark.slow
def test_several_tasks_are_recorded_with_a_profile_one_after_the_other(tmp_path: Path) -> None:
    tasks = [
        Task(
            id=f"look_{number}",
            instruction="Look at the page",
            apps=(),
            check=When(AnswerHas(("tea",))),
            solution=(PerformAction(Finish()),),
        )
        for number in range(2)
    ]
    host = HostConfig({}, profile=tmp_path / "logins")
    with Site().serving() as site:
        site.pages["/"] = "<p>tea"
        settings = RecordSettings(devices=(f"web:{site.url}/",))
        ended = asyncio.run(record_tasks(tasks, tmp_path / "episodes", host, settings))
    assert [type(one) for one in ended] == [ItemDone] * 2


def test_without_a_profile_a_device_is_opened_twice_or_as_often_as_is_said() -> None:
    host = HostConfig({})
    assert count_devices((WEB,), None, host) == 2
    assert count_devices((WEB,), 5, host) == 5
    assert count_devices((WEB, "phone", "phone"), 5, host) == 3
    assert count_devices(("adb:pixel",), 5, host) == 1


def test_more_browsers_than_one_are_refused_a_profile_with_a_hint_that_helps() -> None:
    host = HostConfig({}, profile=Path("logins"))
    with pytest.raises(UsageError, match="2 were to be opened") as caught:
        count_devices((WEB,), 2, host)
    assert caught.value.hint == "--envs 1"
    assert count_devices((WEB,), 1, host) == count_devices((WEB,), None, host) == 1
    with pytest.raises(UsageError, match="one device at a time has a --profile"):
        device_openers((WEB, f"{WEB},phone"), host)
    assert list(device_openers((WEB, "phone"), host)) == [WEB, "phone"]


@pytest.mark.parametrize("spec", ["phone", "desktop:800x600", "sites:trac", "remote:ws://lab/a"])
def test_a_device_that_keeps_no_logins_is_refused_a_profile(spec: str) -> None:
    host = HostConfig({}, profile=Path("logins"))
    for ask in (lambda: open_device(spec, host), lambda: device_openers((spec,), host)):
        with pytest.raises(UsageError, match=f"is for the device web, and {spec} keeps none"):
            ask()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("record", "--agent", "script"), "and phone keeps none"),
        (("record", "--agent", "script", "--device", WEB, "--envs", "3"), "hint: --envs 1"),
        (("eval", "run", "l3", "-m", "script"), "and phone keeps none"),
        (("eval", "run", "screenspot", "--data", ".", "-m", "tree"), "--profile has no effect"),
        (("devices", "serve", "--protocol", "osworld", "--device", "desktop"), "desktop keeps"),
    ],
)  # fmt: skip
def test_a_command_says_so_before_it_begins(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    run = tapwright(*words, "--profile", "logins", cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert said in run.stderr
    assert list(tmp_path.iterdir()) == []
