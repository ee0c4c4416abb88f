import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tapwright.cli.record import _way_out
from tapwright.jobs.job import ItemFailed
from tapwright.store.store import EpisodeStore
from tapwright.workflows.devices import device_openers
from tapwright.workflows.host import HostConfig
from tests.cli.running import tapwright


@contextmanager
def serving(*words: str, **environment: str) -> Iterator[list[str]]:
    """A server in a process of its own; yields the addresses that it prints."""
    count = words.count("--device")
    with subprocess.Popen(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "tapwright",
            "devices",
            "serve",
            "--port",
            "0",
            *words,
        ],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        yield [process.stdout.readline().strip() for _ in range(count)]
        process.terminate()
        said = process.stderr.read()
    assert process.returncode == 0, said
    assert "Traceback" not in said


def test_a_device_is_used_from_elsewhere_by_who_knows_the_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-secret\n")
    with serving(
        "--device", "fake", "--device", "fake", "--token-file", str(tmp_path / "token")
    ) as addresses:
        assert [address.rpartition("/")[2] for address in addresses] == ["fake", "fake-2"]
        command = ("devices", "info", "--device", addresses[1], "--format", "json")
        run = tapwright(*command, TAPWRIGHT_TOKEN="a-secret")
        assert json.loads(run.stdout)["device"] == "fake 270x600", run.stderr
        run = tapwright(*command, TAPWRIGHT_TOKEN="another")
        assert run.returncode == 3
        assert "wants another token" in run.stderr
        assert "another token [TW330]" in run.stderr


@pytest.mark.slow
def test_several_devices_are_recorded_on_at_once(tmp_path: Path) -> None:
    with serving("--device", "phone:jpeg", "--device", "phone:jpeg") as (one, other):
        run = tapwright(
            "record", "--agent", "script", "--task", "wifi_off", "--task", "airplane_mode_off",
            "--device", one, "--device", other, "-o", str(tmp_path / "episodes"),
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
    outcomes = [episode.outcome for episode in EpisodeStore(tmp_path / "episodes")]
    assert outcomes == ["success", "success"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "TAPWRIGHT_TOKEN"),
        (["--token-file", "missing"], "missing"),
        (["--token-file", "empty"], "empty holds no token"),
        (["--host", "192.0.2.1", "--token-file", "token"], "192.0.2.1"),
    ],
)
def test_a_server_that_could_not_be_safe_or_reached_does_not_start(
    words: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "token").write_text("a-secret")
    run = tapwright(
        "devices", "serve", "--device", "fake", *words, cwd=tmp_path, TAPWRIGHT_TOKEN=""
    )
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert "a-secret" not in run.stderr


def test_a_device_that_is_given_twice_has_two_names() -> None:
    assert list(device_openers(["fake", "phone", "fake", "fake"], HostConfig())) == [
        "fake", "phone", "fake-2", "fake-3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("phone:foo", "'foo' is neither a size nor a word"),
        ("web:foo", "'foo' is no address"),
        ("webdriver:foo", "no address of a WebDriver server"),
        ("adb:a@b:c", "no address of an adb server"),
        ("desktop:foo", "expected a size of 240 to 8192 pixels"),
        ("desktop:vnc://host:foo", "could not be cast to integer"),
        ("fake:x", "'x' is not an option of a fake device"),
        ("miniwob:foo", "MiniWoB++ has no task 'foo'"),
        ("osworld:ftp://x", "expected the address of a server"),
        ("osworld:http://x:foo", "expected the address of a server"),
        ("remote:http://x", "expected an address"),
        ("replay:", "no episode is named"),
        ("sites:foo", "no site is called 'foo'"),
    ],
)
@pytest.mark.parametrize("command", ["record --agent random", "eval run l3 -m random"])
def test_a_device_that_cannot_be_read_is_refused_before_anything_is_written(
    tmp_path: Path, command: str, device: str, said: str
) -> None:
    out = tmp_path / "out"
    result = tapwright(*command.split(), "--device", device, "-o", str(out))
    assert result.returncode == 2
    assert said in result.stderr
    assert not out.exists()


def test_where_a_device_was_lost_nothing_is_asked_about_its_tasks() -> None:
    lost = ItemFailed("wifi_off", "TW302", "the page did not respond within 10 s")
    assert _way_out(lost, ["phone"]).startswith("the same command tries again, once the device")
    wrong = ItemFailed("wifi_off", "TW501", "no such element on the screen")
    assert _way_out(wrong, ["fake"]).startswith("was fake the device of these tasks?")
