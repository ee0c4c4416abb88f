import os
import select
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tapwright.core.geometry import Size
from tapwright.devices import chromium
from tapwright.devices.chromium import Browser, find_chromium
from tapwright.errors import DeviceError, DeviceLostError


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any Chromium; the folder is on its PATH."""
    for name in ("DEBIAN_SHELL", "DEBIAN_CHROMIUM", "PLAYWRIGHT_BROWSERS"):
        monkeypatch.setattr(chromium, name, tmp_path / name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def processes_of(profile: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if profile.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:  # it ended meanwhile
                continue
    return found


def test_a_machine_without_chromium_is_told_how_to_get_one(bare: Path) -> None:
    with pytest.raises(DeviceError) as caught:
        find_chromium()
    for way in ("doctor --fix", "apt-get install chromium-headless-shell", "playwright install"):
        assert way in caught.value.hint


def test_a_given_program_that_is_none_is_named(tmp_path: Path) -> None:
    text = tmp_path / "chromium"
    text.write_text("not a program")
    for path in (text, tmp_path, tmp_path / "missing"):
        with pytest.raises(DeviceError, match=str(path)):
            find_chromium(path)


def test_the_headless_shell_on_the_path_comes_before_a_whole_browser(bare: Path) -> None:
    program(bare / "bin" / "chromium")
    shell = program(bare / "bin" / "chromium-headless-shell")
    assert find_chromium() == shell


def test_the_newest_of_playwrights_shells_is_taken(bare: Path) -> None:
    browsers = bare / "elsewhere"
    program(browsers / "chromium-1300" / "chrome-linux" / "chrome")
    for build in ("chromium_headless_shell-999", "chromium_headless_shell-1208"):
        newest = program(browsers / build / "chrome-linux" / "headless_shell")
    assert find_chromium(playwright_browsers=browsers) == newest


def test_a_browser_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    broken = program(tmp_path / "headless-shell")
    with pytest.raises(DeviceLostError, match="no such library"):
        Browser(broken)


@pytest.mark.parametrize(
    ("output", "package"),
    [
        ("FATAL:zygote_host_impl_linux.cc:128] No usable sandbox! If you are", "chromium-sandbox"),
        ("error while loading shared libraries: libnss3.so: cannot", "chromium-headless-shell"),
    ],
)
def test_a_browser_that_cannot_start_here_names_the_package(
    tmp_path: Path, output: str, package: str
) -> None:
    broken = program(tmp_path / "headless-shell")
    broken.write_text(f"#!/bin/sh\necho '{output}' >&2\necho 'further down' >&2\nexit 1\n")
    with pytest.raises(DeviceError, match=output[:40].replace("]", ".")) as caught:
        Browser(broken)
    assert f"apt-get install {package}" in caught.value.hint


def test_a_program_that_cannot_be_run_is_a_missing_browser(tmp_path: Path) -> None:
    broken = program(tmp_path / "headless-shell")
    broken.write_text("#!/does/not/exist\n")
    with pytest.raises(DeviceError, match="could not be started"):
        Browser(broken)


def test_closing_ends_all_its_processes_and_removes_its_profile() -> None:
    browser = Browser()
    browser.open_tab(Size(100, 100))
    profile = str(browser._profile.path)
    assert processes_of(profile)
    browser.close()
    browser.close()
    assert not processes_of(profile)
    assert not os.path.exists(profile)


def test_the_browser_is_not_told_our_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with Browser() as browser:
        told = Path(f"/proc/{browser.pid}/environ").read_bytes().split(b"\0")
        assert f"XDG_CACHE_HOME={tmp_path}".encode() in told
        assert b"TZ=UTC" in told
        assert not [entry for entry in told if b"hush" in entry]


def test_a_killed_browser_is_noticed_at_once_by_every_waiter() -> None:
    with Browser(timeout_s=60) as browser, ThreadPoolExecutor() as threads:
        tabs = [browser.open_tab(Size(100, 100)) for _ in range(3)]
        waiting = [threads.submit(tab.evaluate, "new Promise(() => 0)") for tab in tabs]
        for tab in tabs[:2]:
            assert tab.call("Target.getTargetInfo")  # so that the calls before it are under way
        os.kill(browser.pid, signal.SIGKILL)
        for call in waiting:
            with pytest.raises(DeviceLostError, match="the browser ended"):
                call.result(50)  # sooner than the timeout of the browser
        assert not browser.alive
        with pytest.raises(DeviceLostError):
            browser.open_tab(Size(100, 100))


def test_a_browser_ends_with_the_process_that_started_it() -> None:
    script = (
        "from tapwright.devices.chromium import Browser\n"
        "import time\n"
        "browser = Browser()\n"
        "print(browser.pid, browser._profile.path, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as ours:
        assert ours.stdout is not None
        pid, profile = ours.stdout.readline().split()
        end = os.pidfd_open(int(pid))
        try:
            ours.kill()
            readable, _, _ = select.select([end], [], [], 10)
        finally:
            os.close(end)
            shutil.rmtree(profile, ignore_errors=True)
        assert readable, "the browser outlived its owner"


def test_a_forked_process_does_not_end_the_browser() -> None:
    with Browser() as browser:
        chromium._end(os.getpid() + 1, browser.pid, browser._wire, browser._profile, None)
        assert browser.open_tab(Size(100, 100)).evaluate("1 + 1") == 2


def test_tabs_share_neither_storage_nor_cookies(browser: Browser) -> None:
    page = {"index.html": (b"<!doctype html>", "text/html")}
    with browser.open_tab(Size(100, 100)) as one, browser.open_tab(Size(100, 100)) as other:
        for tab in (one, other):
            tab.serve(page, "http://page.test")
            tab.goto("http://page.test/")
        one.evaluate("localStorage.setItem('a', 'b'), document.cookie = 'a=b'")
        assert other.evaluate("[localStorage.length, document.cookie]") == [0, ""]
