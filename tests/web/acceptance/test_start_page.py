"""What the start page says before it knows, and of one's own device."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.web.app import WebConfig
from tests.web.browsing import serving, watched

pytestmark = pytest.mark.slow

TASK = Task("press", "Get to button 8", ("fake",), When(TreeShows("Button 8")))


def test_a_suite_is_not_said_to_have_no_task_while_its_tasks_are_loaded(
    browser_process: Browser, tmp_path: Path
) -> None:
    waiting: list[Route] = []
    with serving(config(tmp_path)) as address, watched(browser_process) as found:
        page = found.page
        page.route("**/api/tasks?*", lambda route: waiting.append(route))
        with page.expect_request("**/api/tasks?*"):
            page.goto(address)
        shown = page.get_by_role("group", name="Tasks")
        expect(shown.get_by_text("Loading")).to_be_visible()
        expect(shown.get_by_text("No task of this suite matches.")).to_have_count(0)
        for route in waiting:
            route.continue_()
        expect(shown.get_by_role("radio", name="Get to button 8")).to_be_visible()


def test_ones_own_device_is_in_use_by_you_and_can_be_chosen(
    browser_process: Browser, tmp_path: Path
) -> None:
    with serving(config(tmp_path)) as address, watched(browser_process) as found:
        page = found.page
        page.goto(address)
        page.get_by_role("radio", name="Get to button 8").check()
        page.get_by_role("button", name="Start recording").click()
        expect(page.get_by_role("button", name="Back", exact=True)).to_be_enabled()
        page.goto(address)
        expect(page.get_by_role("radio", name="fake in use by you")).to_be_checked()


def test_what_was_refused_is_said_no_longer_once_another_try_has_begun(
    browser_process: Browser, tmp_path: Path
) -> None:
    taken = {"code": "TW332", "message": "somebody has it", "hint": "", "values": {}}
    with serving(config(tmp_path)) as address, watched(browser_process, allow="409") as found:
        page = found.page
        page.route(
            "**/api/sessions",
            lambda route: (
                route.fulfill(status=409, json=taken)
                if route.request.method == "POST"
                else route.continue_()
            ),
        )
        page.goto(address)
        page.get_by_role("radio", name="Get to button 8").check()
        page.get_by_role("button", name="Start recording").click()
        expect(page.get_by_text("The device is in use.")).to_be_visible()
        page.unroute_all()
        page.get_by_role("button", name="Start recording").click()
        expect(page.get_by_role("button", name="Back", exact=True)).to_be_enabled()
        expect(page.get_by_text("The device is in use.")).to_have_count(0)


def config(root: Path) -> WebConfig:
    return WebConfig(
        episodes=root / "kept",
        suites={"mine": lambda: [TASK]},
        devices={"fake": lambda: FakeDevice(EndlessScenes())},
    )
