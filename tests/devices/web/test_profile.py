"""A profile that is kept: logins outlive the browser, and nothing of them is told."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tapwright.core.actions import Goto, NewTab
from tapwright.devices.chromium import Browser
from tapwright.devices.profile import KeptProfile
from tapwright.devices.web.device import WebDevice
from tapwright.errors import DeviceError
from tests.devices.web.conftest import Site
from tests.devices.web.looking import tap, texts, wait_until

LOGIN = """<button onclick="logIn()">Log in</button><p id=o>-<script>
const show = () => { o.textContent = [document.cookie, localStorage.theme].join(" "); };
const logIn = () => {
    document.cookie = "sitting=maya";
    document.cookie = "kept=maya; max-age=9999";
    localStorage.theme = "dark";
    show();
};
show();
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().serving() as server:
        server.pages |= {"/": LOGIN, "/pop": "<p>popup"}
        yield server


@contextmanager
def opened(site: Site, profile: Path | None) -> Iterator[WebDevice]:
    device = WebDevice(f"{site.url}/", profile=profile, timeout_s=60.0)
    with device:
        yield device


def is_in(device: WebDevice) -> bool:
    """Whether the page knows who is there, by cookies of both kinds and by storage."""
    words = " ".join(texts(device.observe()))
    return all(part in words for part in ("sitting=maya", "kept=maya", "dark"))


@pytest.mark.slow
def test_a_login_outlives_resets_and_the_browser(site: Site, tmp_path: Path) -> None:
    profile = tmp_path / "logins" / "maya"
    with opened(site, profile) as device:
        assert not is_in(device)
        tap(device, "Log in")
        wait_until(device, lambda _: is_in(device))
        device.perform(NewTab(url=f"{site.url}/pop"))
        device.reset()
        assert is_in(device)
        assert len(device.observe().tabs) == 1
    assert profile.stat().st_mode & 0o077 == 0
    with opened(site, profile) as device:
        assert is_in(device)
        device.perform(Goto(url=f"{site.url}/pop"))
    with opened(site, None) as device:
        assert not is_in(device)


@pytest.mark.slow
def test_a_profile_that_another_browser_has_is_refused_and_free_after_it(
    site: Site, tmp_path: Path
) -> None:
    with opened(site, tmp_path / "one"):
        with pytest.raises(DeviceError, match="used by another browser") as caught:
            WebDevice(f"{site.url}/", profile=tmp_path / "one")
        assert "one of its own" in caught.value.hint
        with opened(site, tmp_path / "two"):
            pass
    with opened(site, tmp_path / "one"):
        pass


def test_a_refused_second_browser_leaves_the_first_one_its_port(tmp_path: Path) -> None:
    profile = tmp_path / "one"
    with Browser(shared=True, profile=profile, timeout_s=60.0) as browser:
        port = browser.port
        with pytest.raises(DeviceError, match="used by another browser"):
            Browser(profile=profile)
        assert browser.port == port


def test_a_profile_that_a_browser_with_windows_has_is_refused(tmp_path: Path) -> None:
    mark = tmp_path / "SingletonLock"
    mark.symlink_to(f"{socket.gethostname()}-{os.getpid()}")
    with pytest.raises(DeviceError, match=f"the process {os.getpid()}") as caught:
        KeptProfile(tmp_path)
    assert str(mark) in caught.value.hint
    mark.unlink()
    KeptProfile(tmp_path).release()


def test_a_profile_that_no_browser_of_this_machine_has_is_free(tmp_path: Path) -> None:
    ended = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(ended, 0)
    mark = tmp_path / "SingletonLock"
    here = socket.gethostname()
    for owner in (f"{here}-{ended}", f"not-{here}-{os.getpid()}", f"{here}-0", "-", "notes"):
        mark.symlink_to(owner)
        KeptProfile(tmp_path).release()
        mark.unlink()


@pytest.mark.slow
def test_a_profile_that_is_no_folder_is_refused(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DeviceError, match="cannot be used"):
        WebDevice(f"{site.url}/", profile=tmp_path / "file")


@pytest.mark.slow
def test_nothing_that_is_recorded_tells_of_a_profile(site: Site, tmp_path: Path) -> None:
    with opened(site, tmp_path / "secret-place") as device:
        told = [device.name, str(device.state("")), *device.log(), device.observe().ui_tree]
        assert "secret-place" not in "".join(map(str, told))
