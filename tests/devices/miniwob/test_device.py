from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import pytest

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiNode
from tapwright.devices.chromium import Browser
from tapwright.devices.miniwob.device import MiniWob
from tapwright.errors import (
    DeviceError,
    DeviceLostError,
    UnknownAppError,
    UnsupportedActionError,
    UsageError,
)
from tapwright.tasks.miniwob import PAGES

MIDDLE = Point(0.5, 0.6)


def node(seen: Observation, short_id: str) -> UiNode:
    assert seen.ui_tree is not None
    found = seen.ui_tree.find(short_id=short_id)
    assert found is not None
    assert found.box is not None
    return found


def place(seen: Observation, short_id: str) -> Point:
    box = node(seen, short_id).box
    assert box is not None
    return box.center


def test_the_suite_names_the_pages_that_the_package_has(miniwob: MiniWob) -> None:
    assert tuple(miniwob.apps()) == tuple(sorted(PAGES))
    assert len(PAGES) == 130


# Pages whose scripts keep something over an episode, draw by chance, move, or ask by an object.
@pytest.mark.parametrize(
    "page",
    ["choose-date", "click-pie", "email-inbox-forward-nl-turk", "moving-items", "social-media",
     "terminal", "text-editor"],
)  # fmt: skip
@pytest.mark.slow_but_one
def test_the_same_seed_shows_the_same_episode_whatever_was_done_before(
    miniwob: MiniWob, page: str
) -> None:
    miniwob.reset(app=page, seed=3)
    first, asked = miniwob.observe(), miniwob.state("utterance")
    assert isinstance(asked, str)
    assert asked
    for action in (
        actions.Tap(at=MIDDLE),
        actions.Drag(start=MIDDLE, end=Point(0.9, 0.9)),
        actions.Wait(duration_s=2),
    ):
        miniwob.perform(action)
    miniwob.reset(app=page, seed=3)
    again = miniwob.observe()
    assert miniwob.state("utterance") == asked
    assert again.ui_tree == first.ui_tree
    assert again.screenshot == first.screenshot


def test_time_runs_only_while_an_action_takes_it(miniwob: MiniWob) -> None:
    miniwob.reset(app="click-button", seed=0)
    assert [miniwob.observe().time_s for _ in range(2)] == [0, 0]
    miniwob.perform(actions.Wait(duration_s=3))
    assert miniwob.observe().time_s == 3
    miniwob.perform(actions.LongPress(at=Point(0.99, 0.99), duration_s=2))
    assert miniwob.observe().time_s == 5.5


def test_what_a_page_shows_for_a_moment_is_watched_by_short_waits(miniwob: MiniWob) -> None:
    miniwob.reset(app="simon-says", seed=0)
    shown = []
    for _ in range(5):
        miniwob.perform(actions.Wait(duration_s=0.6))
        button = miniwob._ask("document.querySelector('.push')?.id ?? null")
        if button is not None:
            shown.append(str(button))
    assert len(shown) >= 3
    for button in shown:
        miniwob.perform(actions.Tap(at=place(miniwob.observe(), button)))
    assert miniwob.state("raw_reward") == 1


def test_an_episode_takes_as_long_as_an_agent_likes_and_only_the_decayed_reward_tells(
    miniwob: MiniWob,
) -> None:
    rewards = []
    for wait_s in (0.0, 4.0, 60.0):
        miniwob.reset(app="click-test", seed=0)
        miniwob.perform(actions.Wait(duration_s=wait_s))
        miniwob.perform(actions.Tap(at=place(miniwob.observe(), "subbtn")))
        assert miniwob.state("raw_reward") == 1
        rewards.append(miniwob.state("reward"))
    assert miniwob.state("limit_s") == 10
    assert rewards == [pytest.approx(1, abs=0.01), pytest.approx(0.6, abs=0.01), 0]


def test_a_list_stays_closed_and_is_chosen_from_by_keys_or_by_typing(miniwob: MiniWob) -> None:
    miniwob.reset(app="choose-list", seed=3)
    at = place(miniwob.observe(), "options")
    before = node(miniwob.observe(), "options").text
    miniwob.perform(actions.Tap(at=at))
    miniwob.perform(actions.PressKey(key="down"))
    moved = node(miniwob.observe(), "options").text
    assert moved != before
    miniwob.perform(actions.TypeText(text=before))
    assert node(miniwob.observe(), "options").text == before
    miniwob.perform(actions.Tap(at=at))
    miniwob.perform(actions.TypeText(text="no such country"))
    assert node(miniwob.observe(), "options").text == before


def test_text_at_a_place_goes_into_the_field_there(miniwob: MiniWob) -> None:
    miniwob.reset(app="enter-text", seed=0)
    at = place(miniwob.observe(), "tt")
    miniwob.perform(actions.TypeText(text="first", at=at))
    miniwob.perform(actions.TypeText(text="second", at=at, clear=True))
    assert node(miniwob.observe(), "tt").text == "second"


def test_several_options_are_chosen_one_after_the_other(miniwob: MiniWob) -> None:
    miniwob.reset(app="click-scroll-list", seed=0)
    wanted = str(miniwob.state("utterance")).removeprefix("Select ").partition(" from the")[0]
    seen = miniwob.observe()
    miniwob.perform(actions.Tap(at=place(seen, "options")))
    miniwob.perform(actions.PressKey(key="up"))
    for name in wanted.split(", "):
        miniwob.perform(actions.TypeText(text=name))
    chosen = miniwob._ask("[...document.querySelectorAll('option:checked')].map(o => o.text)")
    assert isinstance(chosen, list)
    assert set(wanted.split(", ")) <= set(map(str, chosen))


def test_typing_is_heard_as_keys(miniwob: MiniWob) -> None:
    miniwob.reset(app="terminal", seed=0)
    miniwob.perform(actions.Tap(at=MIDDLE))
    miniwob.perform(actions.TypeText(text="help\n"))
    tree = miniwob.observe().ui_tree
    assert tree is not None
    said = " ".join(one.text for one in tree.nodes)
    assert "help" in said
    assert "rm: remove entries" in said


def test_text_of_any_language_arrives_in_a_field(miniwob: MiniWob) -> None:
    miniwob.reset(app="enter-text", seed=0)
    miniwob.perform(actions.Tap(at=place(miniwob.observe(), "tt")))
    miniwob.perform(actions.TypeText(text="aB 1~ 你好🙂"))
    assert node(miniwob.observe(), "tt").text == "aB 1~ 你好🙂"
    miniwob.perform(actions.Hotkey(keys=("control", "a")))
    miniwob.perform(actions.PressKey(key="backspace"))
    assert node(miniwob.observe(), "tt").text == ""


@pytest.mark.parametrize("action", [actions.Swipe(start=Point(0.5, 0.6), end=Point(0.5, 0.2)),
                                    actions.Scroll(at=Point(0.5, 0.5), dy=0.4)])  # fmt: skip
def test_swipes_and_the_wheel_scroll(miniwob: MiniWob, action: Action) -> None:
    miniwob.reset(app="social-media-all", seed=0)
    top = miniwob.observe()
    miniwob.perform(action)
    assert miniwob.observe().screenshot != top.screenshot


def test_a_drag_moves_what_it_grabs(miniwob: MiniWob) -> None:
    miniwob.reset(app="drag-circle", seed=0)
    before = miniwob.observe()
    assert before.ui_tree is not None
    circle = miniwob._ask(
        "(box => [box.x + box.width / 2, box.y + box.height / 2])"
        "(document.querySelector('circle').getBoundingClientRect())"
    )
    assert isinstance(circle, list)
    x, y = (float(str(one)) for one in circle)
    start = Point(x / 160, y / 210)
    miniwob.perform(actions.Drag(start=start, end=Point(start.x, start.y - 0.05)))
    assert miniwob.observe().screenshot != before.screenshot


@pytest.mark.parametrize("act", [actions.Hover, actions.DoubleTap])
def test_a_mouse_hovers_and_double_clicks(miniwob: MiniWob, act: Callable[..., Action]) -> None:
    miniwob.reset(app="click-test", seed=0)
    miniwob._ask(
        "for (const name of ['dblclick', 'mousemove']) "
        "addEventListener(name, () => globalThis[name] = true)"
    )
    miniwob.perform(act(at=Point(0.99, 0.99)))
    heard = miniwob._ask("[globalThis.mousemove, globalThis.dblclick ?? false]")
    assert heard == [True, act is actions.DoubleTap]


def test_a_page_takes_text_once_something_has_the_focus(miniwob: MiniWob) -> None:
    miniwob.reset(app="enter-text")
    assert not miniwob.takes_text()
    miniwob.tab.evaluate("document.querySelector('#tt').focus()")
    assert miniwob.takes_text()
    keys = set(miniwob.keys())
    assert "enter" in keys
    assert "back" not in keys


@pytest.mark.parametrize(
    "action",
    [
        actions.OpenApp(app="Settings"),
        actions.PressKey(key="back"),
        actions.Goto(url="http://example.test/"),
        actions.NewTab(),
        actions.CloseTab(),
        actions.SwitchTab(tab=0),
    ],
)
def test_what_a_page_on_a_desktop_cannot_do_is_refused(miniwob: MiniWob, action: Action) -> None:
    with pytest.raises(UnsupportedActionError):
        miniwob.perform(action)


def test_what_is_no_task_is_refused_with_the_nearest(miniwob: MiniWob) -> None:
    with pytest.raises(UnknownAppError) as caught:
        miniwob.reset(app="click-tset")
    assert "click-test" in caught.value.hint
    with pytest.raises(DeviceError, match="the seed alone"):
        miniwob.reset(state={"a": 1})


@pytest.mark.parametrize("leave", ["location.reload()", "location = 'http://elsewhere.test/'"])
def test_who_leaves_the_page_ends_the_episode_without_a_reward(
    miniwob: MiniWob, leave: str
) -> None:
    miniwob.reset(app="click-test", seed=0)
    with suppress(DeviceLostError):  # where the page is gone before it has answered
        miniwob._ask(f"void ({leave})")
    deadline = monotonic() + 60
    while miniwob.state("done") is not True:
        assert monotonic() < deadline
    assert (miniwob.state("raw_reward"), miniwob.state("reason")) == (0, "the page was left")


def test_a_reset_that_names_no_page_shows_the_first(miniwob: MiniWob) -> None:
    miniwob.reset(app="click-color", seed=0)
    miniwob.reset(seed=0)
    assert miniwob.observe().app == "click-test"


def test_a_name_says_the_task_and_the_scale() -> None:
    with MiniWob.named("click-color,x2") as device:
        assert (device.task, device.size) == ("click-color", Size(320, 420))
        assert device.observe().screenshot.size == Size(320, 420)
    with pytest.raises(UsageError, match="no task 'x9'"):
        MiniWob.named("x9")


@pytest.mark.slow
def test_a_page_that_hangs_is_replaced_at_the_next_reset() -> None:
    with Browser() as browser, MiniWob(browser=browser, timeout_s=10.0) as device:
        device.reset(seed=1)
        first = device.observe()
        with pytest.raises(DeviceLostError):
            device._ask("(() => { for (;;); })()")
        device.reset(seed=1)
        assert device.observe().screenshot == first.screenshot


def test_a_snapshot_carries_the_text_of_no_script(miniwob: MiniWob) -> None:
    miniwob.reset(app="click-tab-2")
    left = miniwob.tab.evaluate("[...document.scripts].map(one => one.textContent.length)")
    assert isinstance(left, list)
    assert sum(length == 0 for length in left) >= 5  # jQuery, its parts, MiniWoB++'s own
    assert sum(int(str(length)) for length in left) < 10_000
