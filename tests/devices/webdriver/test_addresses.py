import json
from pathlib import Path

import pytest

from tapwright.devices.webdriver.capabilities import (
    WebDriverAddress,
    parse_address,
    platform_of,
    read_capabilities,
)
from tapwright.errors import DeviceError, UsageError


def test_an_address_has_a_server_a_file_and_a_page() -> None:
    assert parse_address("http://127.0.0.1:4723/") == WebDriverAddress("http://127.0.0.1:4723")
    whole = parse_address("https://grid.test/wd/hub,caps.json,start=http://a.test/?q=1,2")
    assert whole == WebDriverAddress(
        "https://grid.test/wd/hub", Path("caps.json"), "http://a.test/?q=1,2"
    )


@pytest.mark.parametrize(
    "argument",
    ["", "localhost:4723", "ftp://a", "http://", "http://a:99999", "http://a:0", "http://[a",
     "http://a?b=c", "http://a,b.json,c.json"],
)  # fmt: skip
def test_a_malformed_address_is_refused(argument: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(argument)
    assert caught.value.hint


@pytest.mark.parametrize(
    "argument",
    ["https://anna:hunter2@grid.test", "http://anna:hunter2@h:999999", "anna:hunter2@h:4723",
     "http://anna:x/hunter2@h", "http://anna:hunter2@h:x,caps.json", "http://h,a,u:hunter2@b"],
)  # fmt: skip
def test_a_password_in_an_address_is_refused_and_not_repeated(argument: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(argument)
    assert "hunter2" not in str(caught.value)


def written(tmp_path: Path, content: object) -> Path:
    file = tmp_path / "caps.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_plain_capabilities_must_all_match(tmp_path: Path) -> None:
    wanted = {"platformName": "iOS", "appium:automationName": "XCUITest"}
    for content in (wanted, {"capabilities": {"alwaysMatch": wanted}}, {"alwaysMatch": wanted}):
        body = read_capabilities(written(tmp_path, content)).body
        assert body == {"capabilities": {"alwaysMatch": wanted}}


def test_a_browser_hangs_on_no_dialog_and_no_page_unless_the_file_says_otherwise(
    tmp_path: Path,
) -> None:
    body = read_capabilities(written(tmp_path, {"browserName": "chrome"})).body
    waits = {"pageLoad": 20_000, "script": 20_000}
    assert body["capabilities"] == {
        "alwaysMatch": {
            "unhandledPromptBehavior": "dismiss", "timeouts": waits, "browserName": "chrome",
        }
    }  # fmt: skip
    given = {"browserName": "chrome", "unhandledPromptBehavior": "accept", "timeouts": {}}
    assert read_capabilities(written(tmp_path, given)).body["capabilities"] == {
        "alwaysMatch": given
    }


def test_our_own_words_are_not_sent(tmp_path: Path) -> None:
    file = written(tmp_path, {"tapwright:login": "anna:key1", "tapwright:platform": "ios"})
    read = read_capabilities(file)
    assert "tapwright" not in json.dumps(read.body)
    assert (read.login, read.platform) == ("anna:key1", "ios")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", "[" * 100_000, {"alwaysMatch": []}, {"firstMatch": {}},
     {"tapwright:pltform": "ios"}, {"tapwright:platform": "symbian"}, {"tapwright:login": 7},
     " " * 1_000_001],
)  # fmt: skip
def test_a_file_that_says_nothing_of_use_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(DeviceError, match=r"caps\.json"):
        read_capabilities(written(tmp_path, content))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="cannot be read: No such file"):
        read_capabilities(tmp_path / "no.json")


@pytest.mark.parametrize(
    ("session", "platform"),
    [
        ({"automationName": "XCUITest"}, "ios"),
        ({"appium:automationName": "uiautomator2"}, "android"),
        ({"automationName": "Mac2", "browserName": ""}, "macos"),
        ({"automationName": "Windows"}, "windows"),
        ({"browserName": "firefox"}, "browser"),
        ({"automationName": "Chromium", "browserName": "chrome"}, "browser"),
    ],
)
def test_the_driver_says_which_platform_it_is(session: dict[str, str], platform: str) -> None:
    assert platform_of(session, None) == platform


def test_an_unknown_driver_must_be_told_of() -> None:
    with pytest.raises(DeviceError, match="driver is youiengine") as caught:
        platform_of({"automationName": "YouiEngine"}, None)
    assert "tapwright:platform" in caught.value.hint
    assert platform_of({"automationName": "YouiEngine"}, "android") == "android"
