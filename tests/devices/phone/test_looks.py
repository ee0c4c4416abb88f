"""Looks, gestures, the shade, permissions, and a phone that is turned or is a tablet."""

from collections.abc import Iterator

import pytest

from tapwright.core.actions import OpenApp, PressKey, Swipe, Tap
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import UiTree
from tapwright.devices.chromium import Browser
from tapwright.devices.phone.device import Phone
from tapwright.devices.phone.options import LOOKS, PhoneOptions
from tapwright.errors import UsageError

APPS = ("settings", "mail", "notes", "shop", "contacts", "calendar", "clock", "files")


def opened(browser: Browser, **options: str) -> Phone:
    chosen = PhoneOptions.parse(",".join(f"{name}={value}" for name, value in options.items()))
    return Phone(
        browser=browser, picture="jpeg",
        look=chosen.look, navigation=chosen.navigation, keyboard=chosen.keyboard,
    )  # fmt: skip


@pytest.fixture(scope="module")
def orchid(browser: Browser) -> Iterator[Phone]:
    with opened(browser, look="orchid", navigation="gestures") as phone:
        yield phone


@pytest.fixture(scope="module")
def classic(browser: Browser) -> Iterator[Phone]:
    with opened(browser) as phone:
        yield phone


def tree(phone: Phone) -> UiTree:
    found = phone.observe().ui_tree
    assert found is not None
    return found


def ids(phone: Phone) -> set[str]:
    return {node.short_id for node in tree(phone).nodes if node.short_id}


def tap(phone: Phone, short_id: str) -> None:
    node = tree(phone).find(short_id=short_id)
    assert node is not None, short_id
    assert node.box is not None
    phone.perform(Tap(at=node.box.center))


def pull_down(phone: Phone) -> None:
    phone.perform(Swipe(start=Point(0.5, 0.005), end=Point(0.5, 0.5)))


@pytest.mark.parametrize("app", APPS)
@pytest.mark.slow_but_one
def test_another_look_has_the_same_app_drawn_otherwise(
    app: str, classic: Phone, orchid: Phone
) -> None:
    for phone in (classic, orchid):
        phone.reset(seed=5)
        phone.perform(OpenApp(app=app))
    shared = ids(classic) & ids(orchid)
    assert len(shared) >= 0.6 * len(ids(classic) - {"nav_back", "nav_home", "nav_recents"})
    assert classic.observe().app == orchid.observe().app
    assert classic.observe().screenshot.sha256 != orchid.observe().screenshot.sha256


def test_a_look_by_seed_is_the_same_for_one_seed_and_another_for_another(browser: Browser) -> None:
    with opened(browser, look="seed") as phone:
        seen = []
        for seed in (1, 2, 1, 3):
            phone.reset(seed=seed)
            tab = phone.tab.evaluate("document.documentElement.dataset.look ?? ''")
            seen.append(tab)
        assert seen[0] == seen[2]
        assert len(set(seen)) == 3


@pytest.mark.slow
def test_swipes_from_the_edges_go_back_home_and_to_what_was_open(orchid: Phone) -> None:
    orchid.reset(seed=1)
    orchid.perform(OpenApp(app="Settings"))
    tap(orchid, "page_display")
    before = ids(orchid)
    orchid.perform(Swipe(start=Point(0.003, 0.5), end=Point(0.4, 0.5)))
    assert ids(orchid) != before
    assert orchid.observe().app == "org.tapwright.settings"
    orchid.perform(Swipe(start=Point(0.5, 0.995), end=Point(0.5, 0.5)))
    assert orchid.observe().app == "org.tapwright.home"
    assert "home_clock" in ids(orchid)
    orchid.perform(Swipe(start=Point(0.5, 0.995), end=Point(0.5, 0.5), duration_s=1.2))
    assert orchid.observe().app == "org.tapwright.home"
    assert "home_clock" not in ids(orchid)


def test_a_pull_that_the_browser_cancels_has_gone_as_far_as_it_was_seen(classic: Phone) -> None:
    """Chromium under load takes a pull for a scroll now and then, though the page forbids it."""
    classic.reset()
    for kind, points in (
        ("touchStart", [{"x": 200, "y": 9}]),
        ("touchMove", [{"x": 200, "y": 300}]),
        ("touchCancel", []),
    ):
        classic.tab.call("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert "shade_date" in ids(classic)


@pytest.mark.parametrize("look", ["classic", "orchid"])
def test_the_shade_is_pulled_down_switches_opens_and_is_emptied(
    look: str, request: pytest.FixtureRequest
) -> None:
    phone: Phone = request.getfixturevalue(look)
    phone.reset(seed=2, state={"settings.bluetooth": False})
    pull_down(phone)
    tap(phone, "quick_bluetooth")
    assert phone.state("settings.bluetooth") is True
    assert phone.state("notifications.items")
    tap(phone, "clear_notifications")
    assert phone.state("notifications.items") == []


def test_a_notification_opens_its_app(classic: Phone) -> None:
    classic.reset(seed=2)
    pull_down(classic)
    card = next(
        node for node in tree(classic).nodes if node.short_id.startswith("notification_")
        and node.is_("clickable")
    )  # fmt: skip
    assert card.box is not None
    classic.perform(Tap(at=card.box.center))
    assert classic.observe().app == f"org.tapwright.{card.short_id.removeprefix('notification_')}"


@pytest.mark.parametrize(("answer", "held"), [("allow", "allowed"), ("deny", "denied")])
def test_an_app_asks_once_and_the_answer_is_kept(answer: str, held: str, classic: Phone) -> None:
    classic.reset(seed=2)
    classic.perform(OpenApp(app="Shop"))
    tap(classic, "account")
    tap(classic, "addresses")
    tap(classic, "stores")
    tap(classic, f"permission_{answer}")
    assert classic.state("settings.permissions.shop.location") == held


def test_a_phone_is_turned_with_what_is_open_and_upright_again_after_a_reset(
    classic: Phone,
) -> None:
    classic.reset(seed=2)
    upright = classic.observe()
    classic.perform(OpenApp(app="Mail"))
    classic.perform(PressKey(key="rotate"))
    seen = classic.observe()
    assert (seen.orientation, seen.app) == ("landscape", "org.tapwright.mail")
    assert seen.size == Size(upright.size.height, upright.size.width)
    assert seen.screenshot.size == seen.size
    assert all(node.box is None or node.box.right <= 1 for node in tree(classic).nodes)
    classic.reset(seed=2)
    again = classic.observe()
    assert (again.orientation, again.size) == ("portrait", upright.size)
    assert again.screenshot.sha256 == upright.screenshot.sha256


@pytest.mark.slow
def test_a_tablet_shows_more_of_a_list_than_a_phone(classic: Phone) -> None:
    with Phone.named("jpeg,tablet") as tablet:
        for phone in (classic, tablet):
            phone.reset(seed=2)
            phone.perform(OpenApp(app="Settings"))
        assert len(ids(tablet)) >= len(ids(classic))
        width, height = tablet.size.width, tablet.size.height
        assert (width, height) == (1600, 2560)


@pytest.mark.slow
def test_a_phone_without_keys_on_its_screen_has_none(browser: Browser) -> None:
    with opened(browser) as shown, opened(browser, keyboard="off") as hidden:
        keys = []
        for phone in (shown, hidden):
            phone.reset(seed=2)
            phone.perform(OpenApp(app="Notes"))
            tap(phone, "search")
            keys.append(sum(node.short_id.startswith("key_") for node in tree(phone).nodes))
        assert keys[0] >= 26
        assert keys[1] == 0


@pytest.mark.parametrize("look", LOOKS)
def test_every_word_is_read_and_told_to_the_page(look: str) -> None:
    options = PhoneOptions.parse(f"720x1600,jpeg,look={look},navigation=gestures,keyboard=off")
    assert (options.size, options.picture, options.look) == (Size(720, 1600), "jpeg", look)
    assert "navigation=gestures" in options.query
    assert PhoneOptions.parse("").query == ""


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ("look=orchd", "no look; expected classic, orchid, seed", "phone:look=orchid"),
        ("tablt", "neither a size nor a word", "did you mean 'tablet'?"),
        ("lok=orchid", "neither a size nor a word", "did you mean 'look='?"),
    ],
)
def test_a_word_that_is_none_is_refused_with_the_nearest(
    words: str, message: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        PhoneOptions.parse(words)
    assert hint in caught.value.hint
