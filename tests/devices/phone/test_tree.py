"""What the phone's view hierarchy says can be touched, and what a touch then does."""

from collections.abc import Iterator

import pytest

from tapwright.core.actions import LongPress, Tap
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.observation import UiNode, UiTree
from tapwright.devices.chromium import Browser
from tapwright.devices.phone.device import Phone


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[Phone]:
    with Phone(browser=browser, picture="jpeg") as phone:
        yield phone


@pytest.fixture
def phone(shared: Phone) -> Phone:
    shared.reset()
    return shared


def tree_of(phone: Phone) -> UiTree:
    tree = phone.observe().ui_tree
    assert tree is not None
    return tree


def node_of(phone: Phone, short_id: str) -> UiNode:
    tree = tree_of(phone)
    found = tree.find(short_id=short_id)
    assert found is not None, [(node.short_id, node.label) for node in tree.nodes]
    return found


def box_of(node: UiNode) -> Box:
    assert node.box is not None
    return node.box


def walk(phone: Phone, app: str, *short_ids: str) -> None:
    """Open an app and touch its way to a screen."""
    phone.reset(app=app)
    for short_id in short_ids:
        phone.perform(Tap(at=box_of(node_of(phone, short_id)).center))


def spots(box: Box, size: Size) -> list[Point]:
    """Within a box's corners and the middles of its edges, and its middle."""
    # Nearer to an edge Chromium takes a fingertip for one on the button next to it.
    across, down = 6 / size.width, 6 / size.height
    return [
        Point(x, y)
        for x in (box.left + across, box.center.x, box.right - across)
        for y in (box.top + down, box.center.y, box.bottom - down)
    ]


FIELDS = [
    ("settings", (), "search"),
    ("clock", ("add_alarm",), "alarm_label"),
    ("notes", ("add", "new_text"), "note_title"),
    ("notes", ("add", "new_text"), "note_body"),
    ("notes", ("add", "new_checklist"), "item_new"),
    ("contacts", ("add",), "mobile"),
    ("mail", ("compose",), "to"),
    ("mail", ("compose",), "body"),
    ("calendar", ("search",), "search_field"),
    ("calendar", ("add_event",), "location"),
    ("files", ("add",), "name"),
    ("shop", ("search_bar",), "search"),
]


@pytest.mark.parametrize(("app", "way", "short_id"), FIELDS)
@pytest.mark.slow_but_one
def test_a_tap_anywhere_on_a_field_focuses_it(
    phone: Phone, app: str, way: tuple[str, ...], short_id: str
) -> None:
    walk(phone, app, *way)
    for nth in range(9):
        phone.tab.evaluate("void document.activeElement.blur()")
        tree = tree_of(phone)
        spot = spots(box_of(node_of(phone, short_id)), tree.size)[nth]
        phone.perform(Tap(at=spot))
        assert node_of(phone, short_id).is_("focused"), spot


@pytest.mark.parametrize(("language", "close"), [("en", "Dismiss"), ("zh", "关闭弹窗")])
def test_a_menu_is_a_plain_box_under_a_scrim_that_closes_it(
    phone: Phone, language: str, close: str
) -> None:
    phone.reset(app="notes", language=language)
    phone.perform(Tap(at=box_of(node_of(phone, "add")).center))
    clickable = [node for node in tree_of(phone).nodes if node.is_("clickable")]
    ids = [node.short_id for node in clickable if not node.short_id.startswith("nav_")]
    assert ids == ["touch_outside", "new_text", "new_checklist"]
    scrim, first = node_of(phone, "touch_outside"), node_of(phone, "new_text")
    assert scrim.label == close
    assert box_of(scrim).bottom <= box_of(first).top
    phone.perform(Tap(at=box_of(scrim).center))
    assert tree_of(phone).find(short_id="new_text") is None


def test_a_dialog_has_nothing_clickable_but_what_is_in_and_around_it(phone: Phone) -> None:
    walk(phone, "files", "add")
    clickable = [node for node in tree_of(phone).nodes if node.is_("clickable")]
    ids = [node.short_id for node in clickable]
    assert [i for i in ids if not i.startswith(("nav_", "key_"))] == [
        "touch_outside", "name", "cancel", "ok",
    ]  # fmt: skip
    titles = [node for node in tree_of(phone).nodes if node.label == "New folder"]
    assert [node.short_id for node in titles] == ["dialog_title"]


def test_a_tap_beside_a_dialog_closes_it_and_one_on_it_does_not(phone: Phone) -> None:
    walk(phone, "files", "add")
    phone.perform(Tap(at=box_of(node_of(phone, "dialog_title")).center))
    title = box_of(node_of(phone, "dialog_title"))
    phone.perform(Tap(at=Point(0.5, title.top / 2)))
    assert tree_of(phone).find(short_id="dialog_title") is None


@pytest.mark.parametrize(
    ("app", "way", "row", "switch"),
    [
        ("settings", ("page_network", "wifi"), "wifi", "wifi_switch"),
        ("settings", ("page_network",), "airplane_mode", "airplane_mode_switch"),
        ("calendar", ("add_event",), "all_day", "all_day_switch"),
        ("clock", ("add_alarm",), "vibrate", "vibrate_switch"),
    ],
)
@pytest.mark.slow_but_one
def test_a_row_with_a_switch_is_one_clickable_thing(
    phone: Phone, app: str, way: tuple[str, ...], row: str, switch: str
) -> None:
    walk(phone, app, *way)
    checked = node_of(phone, switch).is_("checked")
    for short_id in (switch, row):
        whole, inner = node_of(phone, row), node_of(phone, switch)
        assert (whole.is_("clickable"), whole.is_("checkable")) == (True, False)
        assert (inner.is_("clickable"), inner.is_("checkable")) == (False, True)
        assert inner.parent is not None
        assert inner.parent.order == whole.order
        assert inner.label == ""  # the row has the name
        phone.perform(Tap(at=box_of(node_of(phone, short_id)).center))
        checked = not checked
        assert node_of(phone, switch).is_("checked") is checked


def test_an_alarm_and_its_switch_are_two_clickable_things(phone: Phone) -> None:
    phone.reset(app="clock")
    assert node_of(phone, "alarm").is_("clickable")
    assert node_of(phone, "alarm_switch").is_("clickable")
    assert node_of(phone, "alarm_switch").label != ""


def test_of_a_payment_only_the_row_is_clickable(phone: Phone) -> None:
    walk(phone, "shop", "cart", "checkout")
    row, mark = node_of(phone, "payment_cash"), node_of(phone, "payment_cash_radio")
    assert (row.is_("clickable"), mark.is_("clickable")) == (True, False)
    phone.perform(Tap(at=box_of(mark).center))
    assert node_of(phone, "payment_cash_radio").is_("checked")


@pytest.mark.parametrize(
    ("language", "fewer", "more"),
    [("en", "Decrease quantity", "Increase quantity"), ("zh", "减少数量", "增加数量")],
)
def test_the_buttons_of_a_stepper_say_what_they_do(
    phone: Phone, language: str, fewer: str, more: str
) -> None:
    phone.reset(app="shop", language=language)
    phone.perform(Tap(at=box_of(node_of(phone, "cart")).center))
    assert node_of(phone, "quantity_minus").label == fewer
    assert node_of(phone, "quantity_plus").label == more


def test_the_minute_steps_say_what_they_do(phone: Phone) -> None:
    walk(phone, "clock", "add_alarm", "alarm_time", "hour_7")
    assert node_of(phone, "minute_step_minus").label == "Decrease minute"
    assert node_of(phone, "minute_step_plus").label == "Increase minute"


@pytest.mark.parametrize(
    ("app", "row"), [("notes", "note"), ("mail", "mail"), ("files", "file"), ("clock", "alarm")]
)
def test_the_rows_that_a_long_press_changes_are_long_clickable(
    phone: Phone, app: str, row: str
) -> None:
    walk(phone, app, *(["folder"] if app == "files" else []))
    rows = [node for node in tree_of(phone).nodes if node.short_id == row]
    assert rows
    assert all(node.is_("long-clickable") for node in rows)
    before, activity = tree_of(phone), phone.tab.evaluate("phone.screen().activity")
    phone.perform(LongPress(at=box_of(rows[0]).center))
    assert phone.tab.evaluate("phone.screen().activity") == activity  # the row was not opened
    assert tree_of(phone) != before


def test_contacts_have_no_long_press_and_say_so(phone: Phone) -> None:
    phone.reset(app="contacts")
    rows = [node for node in tree_of(phone).nodes if node.short_id == "contact"]
    assert rows
    assert not any(node.is_("long-clickable") for node in rows)
