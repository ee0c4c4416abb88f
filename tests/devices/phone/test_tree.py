"""What the phone's view hierarchy says can be touched, and what a touch then does."""

from collections.abc import Iterator

import pytest

from tapwright.actions import Tap
from tapwright.devices.chromium import Browser
from tapwright.devices.phone.device import Phone
from tapwright.geometry import Box, Point, Size
from tapwright.observation import UiNode, UiTree


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
    ("shop", ("search_bar",), "search"),
]


@pytest.mark.parametrize(("app", "way", "short_id"), FIELDS)
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
