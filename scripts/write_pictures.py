"""Writes docs/images: the phone, the record page, the demo's report and its three platforms.

Run: python scripts/write_pictures.py [NAME ...], of phone, record, report and platforms; without a
NAME all. It needs the web app's pages (`make frontend`), Chromium, a desktop, and two minutes.
"""

import argparse
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tapwright.core.actions import Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.devices.chromium import find_chromium
from tapwright.devices.phone.device import Phone

IMAGES = Path(__file__).parents[1] / "docs/images"
SCREEN_PX, GAP_PX = (270, 600), 20
SCREENS: tuple[tuple[str, str, Mapping[str, bool]], ...] = (
    ("", "en", {}),
    ("shop", "en", {}),
    ("calendar", "en", {}),
    ("mail", "zh", {}),
    ("settings", "en", {"settings.dark_theme": True}),
    ("notes", "zh", {}),
)
"""App, language and state of each screen of the phone; the home screen has no app."""
_TAPWRIGHT = (sys.executable, "-m", "tapwright")


def draw_phone() -> Image.Image:
    """Six screens side by side, the last with a search typed into it."""
    width = len(SCREENS) * (SCREEN_PX[0] + GAP_PX) - GAP_PX
    row = Image.new("RGB", (width, SCREEN_PX[1]), "white")
    with Phone() as phone:
        for number, (app, language, state) in enumerate(SCREENS):
            phone.reset(language=language, state=state, app=app)
            if app == "notes":
                phone.perform(Tap(at=Point(0.5, 0.12)))
                phone.perform(TypeText(text="买菜"))
            picture = Image.open(io.BytesIO(phone.observe().screenshot.data)).convert("RGB")
            small = picture.resize(SCREEN_PX, Image.Resampling.LANCZOS)
            row.paste(small, (number * (SCREEN_PX[0] + GAP_PX), 0))
    return row


def draw_record() -> Image.Image:
    """The record page when the goal of a task is reached."""
    with tempfile.TemporaryDirectory() as folder, _page(1280, 800) as page:
        command = [
            *_TAPWRIGHT,
            "record",
            "--task",
            "dark_theme",
            "-o",
            f"{folder}/e",
            "--port",
            "0",
        ]
        server = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            page.goto(_address(server))
            page.get_by_role("button", name="Start recording").click()
            page.get_by_label("App to open").fill("settings")
            page.get_by_role("button", name="Open", exact=True).click()
            page.get_by_text("Tap by name").click()
            page.get_by_role("button", name=re.compile("^Display")).click()
            page.get_by_role("button", name=re.compile("^Dark theme")).click()
            expect(page.get_by_text("Goal reached")).to_be_visible(timeout=60_000)
            expect(page.get_by_text("All saved")).to_be_visible()
            page.get_by_role("button", name="Finish").scroll_into_view_if_needed()
            return _shown(page)
        finally:
            server.terminate()
            server.wait()


def draw_report() -> Image.Image:
    """The top of the report that `tapwright demo` ends with."""
    with tempfile.TemporaryDirectory() as folder, _page(870, 975) as page:
        subprocess.run([*_TAPWRIGHT, "demo", "--out", folder], check=True)
        page.goto(Path(folder, "report.html").as_uri())
        return _shown(page)


def draw_platforms() -> Image.Image:
    """One recording on the phone, on a web page and on a Linux desktop, as the demo draws them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*_TAPWRIGHT, "demo", "--tasks", "2", "--out", folder], check=True)
        with Image.open(Path(folder, "platforms.jpg")) as sheet:
            sheet.thumbnail((1200, 1200), Image.Resampling.LANCZOS)
            return sheet.copy()


def _address(server: subprocess.Popen[str]) -> str:
    for stream in (server.stdout, server.stderr):
        assert stream is not None
        for line in stream:
            if found := re.search(r"http://127\.0\.0\.1:\d+\S*", line):
                return found[0]
    raise RuntimeError("tapwright record printed no address")


@contextmanager
def _page(width: int, height: int) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        yield browser.new_page(viewport={"width": width, "height": height}, locale="en-US")
        browser.close()


def _shown(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


DRAWN = {
    "phone": draw_phone,
    "record": draw_record,
    "report": draw_report,
    "platforms": draw_platforms,
}


def main() -> None:
    """Draw the pictures that are asked for, and say where they lie."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(DRAWN)}")
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in DRAWN]:
        parser.error(f"no picture is named {unknown[0]}; there are {', '.join(DRAWN)}")
    for name in names or DRAWN:
        path = IMAGES / f"{name}.jpg"
        DRAWN[name]().save(path, quality=85, optimize=True)
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
