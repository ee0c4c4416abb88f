"""How the pages behave under the device: looked at once, nothing hidden, nothing kept for ever."""

from collections.abc import Iterator

import pytest

from tapwright.core.actions import LongPress, PressKey, Swipe, Tap, TypeText
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import UiTree
from tapwright.devices.chromium import Browser
from tapwright.devices.phone.device import LANGUAGES, Phone

TOASTS = ("Added to cart", "请先选择尺码")


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


def box_of(phone: Phone, short_id: str) -> Box:
    found = tree_of(phone).find(short_id=short_id)
    assert found is not None, f"{short_id} is not on the screen"
    assert found.box is not None
    return found.box


def tap(phone: Phone, short_id: str) -> None:
    phone.perform(Tap(at=box_of(phone, short_id).center))


def epoch(phone: Phone) -> int:
    found = phone.tab.evaluate("phone.screen().epoch")
    assert isinstance(found, int)
    return found


def is_settled(phone: Phone) -> bool:
    """Whether the next frames change nothing, so that one look is enough."""
    before = epoch(phone)
    phone.tab.wait_for_frame()
    return epoch(phone) == before


def swipe_aside(phone: Phone, strip: str) -> None:
    y = box_of(phone, strip).center.y
    phone.perform(Swipe(start=Point(0.9, y), end=Point(0.1, y)))


def offset(phone: Phone, side: str, selector: str) -> object:
    return phone.tab.evaluate(f"document.querySelector('{selector}').{side}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow_but_one
def test_a_chip_out_of_sight_is_reached_by_sideways_swipes(phone: Phone, language: str) -> None:
    phone.reset(language=language, app="notes")
    assert tree_of(phone).find(short_id="folder_trash") is None
    swipe_aside(phone, "folders")
    tap(phone, "folder_trash")
    chip = tree_of(phone).find(short_id="folder_trash")
    assert chip is not None
    assert chip.is_("checked")


def test_an_offer_out_of_sight_is_reached_by_sideways_swipes(phone: Phone) -> None:
    phone.reset(app="shop")
    assert tree_of(phone).find(label="FREESHIP") is None
    swipe_aside(phone, "offers")
    swipe_aside(phone, "offers")
    assert "FREESHIP" in " ".join(node.label for node in tree_of(phone).nodes)


def test_a_redraw_puts_strips_and_lists_back_without_a_second_look(phone: Phone) -> None:
    phone.reset(app="notes")
    swipe_aside(phone, "folders")
    phone.perform(Swipe(start=Point(0.5, 0.7), end=Point(0.5, 0.5)))
    aside, down = offset(phone, "scrollLeft", ".chips"), offset(phone, "scrollTop", ".list")
    assert aside
    assert down
    phone.perform(LongPress(at=Point(0.4, 0.5)))  # selects a note, which draws everything anew
    assert is_settled(phone)
    phone.perform(PressKey(key="back"))
    assert is_settled(phone)
    assert offset(phone, "scrollTop", ".list") == down


@pytest.mark.parametrize(
    ("side", "selector", "start", "end"),
    [
        ("scrollTop", ".list", Point(0.5, 0.7), Point(0.5, 0.4)),
        ("scrollLeft", ".chips", Point(0.9, 0.19), Point(0.3, 0.19)),
    ],
)
def test_every_swipe_that_scrolls_counts_as_a_change(
    phone: Phone, side: str, selector: str, start: Point, end: Point
) -> None:
    phone.reset(app="notes")
    for swipe in (Swipe(start=start, end=end), Swipe(start=end, end=start)) * 2:
        # What the redraw puts back is the place that the swipe after next comes back to.
        phone.tab.evaluate("phone.advance(0)")
        before, place = epoch(phone), offset(phone, side, selector)
        phone.perform(swipe)
        assert offset(phone, side, selector) != place
        assert epoch(phone) >= before + 2  # the scroll's and the clock's


def test_one_look_is_enough_after_a_tap_on_a_field_under_the_keyboard(phone: Phone) -> None:
    phone.reset(app="contacts")
    tap(phone, "add")
    fields = [node for node in tree_of(phone).nodes if node.class_name.endswith("EditText")]
    assert len(fields) > 5
    assert fields[-1].box is not None
    phone.perform(Tap(at=fields[-1].box.center))
    assert is_settled(phone)
    phone.perform(TypeText(text="tea"))
    assert is_settled(phone)


@pytest.mark.slow
def test_a_toast_lies_over_nothing_that_can_be_tapped_at_the_bottom(phone: Phone) -> None:
    for language in LANGUAGES:
        phone.reset(language=language, app="shop")
        tap(phone, "product")
        tap(phone, "add_to_cart")
        toast = next(node for node in tree_of(phone).nodes if node.text in TOASTS)
        assert toast.box is not None
        assert toast.box.bottom < box_of(phone, "add_to_cart").top


def test_round_a_dialog_and_a_menu_is_where_a_tap_closes_them(phone: Phone) -> None:
    for app, opener in (("notes", "sort"), ("files", "add")):
        phone.reset(app=app)
        tap(phone, opener)
        assert not [
            node
            for node in tree_of(phone).nodes
            if node.is_("clickable") and not (node.short_id and node.label)
        ]
        # On the dialog itself, beside its buttons, nothing happens.
        phone.tab.evaluate("document.querySelector('.dialog, .sheet').click()")
        tap(phone, "touch_outside")
        assert phone.tab.evaluate("phone.screen().dialog") is False


@pytest.mark.slow
def test_many_seeds_do_not_fill_the_memory(phone: Phone) -> None:
    def used_mb() -> float:
        phone.tab.call("HeapProfiler.collectGarbage")
        return float(phone.tab.call("Runtime.getHeapUsage")["usedSize"]) / 1e6

    def visit(seed: int) -> None:
        phone.reset(seed=seed)
        phone.state("")  # seeds every app

    visit(0)
    before = used_mb()
    for seed in range(1, 13):
        visit(seed)
    assert used_mb() < before + 4


def test_a_seed_that_comes_back_has_the_same_data(phone: Phone) -> None:
    first = phone.state("")
    phone.reset(seed=1)
    assert phone.state("") != first
    phone.reset(language="zh")
    assert phone.state("") != first
    phone.reset()
    assert phone.state("") == first
