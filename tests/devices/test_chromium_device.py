import io
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tapwright.core.geometry import Size
from tapwright.devices.chromium import Browser, find_chromium
from tapwright.devices.chromium_device import ChromiumDevice, Viewport
from tapwright.devices.page_capture import CaptureOptions, take_screenshot
from tapwright.devices.tab import Tab
from tapwright.errors import DeviceError


class Blank(ChromiumDevice):
    """An empty page of 100x100 CSS pixels, four device pixels to each."""

    name = "blank"

    def __init__(self, picture: CaptureOptions, frame: Size, browser: Browser) -> None:
        view = Viewport(Size(100, 100), 4.0, mobile=True)
        super().__init__(view, picture, frame, browser=browser, executable=None, timeout_s=10.0)

    def _load(self, tab: Tab) -> None:
        tab.evaluate("document.title = 'blank'")

    def take(self) -> bytes:
        return self._cut(take_screenshot(self.tab, self._picture))


def test_a_picture_of_the_requested_size_is_taken_as_it_is(browser: Browser) -> None:
    with Blank(CaptureOptions("png", 25, 25), Size(100, 100), browser) as device:
        data = take_screenshot(device.tab, CaptureOptions("png", 25, 25))
        assert device.take() == data


def test_a_size_that_chromium_cannot_take_is_cut_from_the_next_larger(browser: Browser) -> None:
    for _ in range(2):  # the second device is of a kind that was compared before
        with Blank(CaptureOptions("png", 25.1, 25.1), Size(101, 102), browser) as device:
            assert Image.open(io.BytesIO(device.take())).size == (101, 102)


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_a_browser_that_takes_other_sizes_is_refused(browser: Browser, kind: str) -> None:
    picture = CaptureOptions("jpeg" if kind == "jpeg" else "png", 25, 25)
    with pytest.raises(DeviceError, match="screenshots of 100x100; expected 150x100"):
        Blank(picture, Size(150, 100), browser)


def test_a_browser_without_chinese_characters_is_refused(tmp_path: Path) -> None:
    latin = Path("/usr/share/fonts/truetype/dejavu")
    if not latin.is_dir():
        pytest.skip("DejaVu is not installed")
    shutil.copytree(latin, tmp_path / "fonts")
    settings = tmp_path / "fonts.conf"
    settings.write_text(f"<fontconfig><dir>{tmp_path / 'fonts'}</dir></fontconfig>")
    program = tmp_path / "headless-chromium"
    program.write_text(f'#!/bin/sh\nFONTCONFIG_FILE={settings} exec {find_chromium()} "$@"\n')
    program.chmod(0o700)
    with Browser(program) as browser, pytest.raises(DeviceError, match="empty boxes"):
        Blank(CaptureOptions("png", 25, 25), Size(100, 100), browser)
