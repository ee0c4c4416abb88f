"""Recording, from the first click to the end of a demonstration."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, expect

from tapwright.core.actions import AskUser, OpenApp, PressKey, Tap, TypeText
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.errors import DeviceLostError
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tests.web.acceptance.counting import (
    NOTES_WHAT_WAS_SEEN,
    SIZE,
    CountedScenes,
    number_in,
)
from tests.web.acceptance.recording import Recorder, recording

pytestmark = pytest.mark.slow

TASK = Task("press", "Get to button 2", ("fake",), When(TreeShows("Button 2")))
DIFFICULT = "héllo 你好 🙂 'quote\"$(x)"


def endless() -> FakeDevice:
    return FakeDevice(EndlessScenes())


@pytest.fixture
def recorder(browser_process: Browser, tmp_path: Path) -> Iterator[Recorder]:
    with recording(browser_process, tmp_path, endless, tasks=[TASK]) as found:
        yield found


def test_a_first_demonstration_takes_three_clicks_besides_its_own(recorder: Recorder) -> None:
    """Check 1; at most six are allowed."""
    recorder.start_task("Get to button 2")  # two: which task, and start
    for count in (1, 2):
        recorder.tap()
        recorder.saved(count)
    recorder.press("Finish").click()
    expect(recorder.page.get_by_role("heading", name="Demonstration saved")).to_be_visible()
    assert (recorder.episode.outcome, len(recorder.episode.steps)) == ("success", 3)


def test_each_further_demonstration_takes_two_clicks_or_keys(recorder: Recorder) -> None:
    """Check 2; five in ten minutes follows from what `bench/bench_web.py` measures."""
    recorder.start_task("Get to button 2")
    for number in range(1, 6):
        for count in (1, 2):
            recorder.tap()
            recorder.saved(count)
        recorder.page.keyboard.press("f")
        expect(recorder.page.get_by_text(f"Recorded in this tab: {number}")).to_be_visible()
        if number < 5:
            expect(recorder.press("Record it again")).to_be_visible()
            recorder.page.keyboard.press("n")
            recorder.ready()
    episodes = list(recorder.store)
    assert [episode.outcome for episode in episodes] == ["success"] * 5
    assert [len(episode.steps) for episode in episodes] == [3] * 5


def test_a_tab_that_was_closed_or_reloaded_goes_on_with_the_same_steps(recorder: Recorder) -> None:
    """Check 4."""
    recorder.start("Tap what is there")
    for count in (1, 2, 3):
        recorder.tap()
        recorder.saved(count)
    told = recorder.steps.all_inner_texts()
    recorder.page.reload()
    recorder.saved(3)
    assert recorder.steps.all_inner_texts() == told
    recorder.page.goto(recorder.address)
    unfinished = recorder.page.get_by_role("region", name="Unfinished demonstrations")
    expect(unfinished).to_contain_text("Tap what is there")
    expect(unfinished).to_contain_text("3 steps on fake")
    unfinished.get_by_role("link", name=re.compile("^Resume")).click()
    recorder.saved(3)
    assert recorder.steps.all_inner_texts() == told
    recorder.ready()
    recorder.tap()
    recorder.saved(4)


def test_every_step_holds_the_screen_that_was_seen_at_the_press(
    browser_process: Browser, tmp_path: Path
) -> None:
    """Check 10: after each tap the screen changes twice, the second time 50 ms later."""

    def counting() -> FakeDevice:
        return FakeDevice(CountedScenes(), size=SIZE, changes_s=0.05)

    with recording(browser_process, tmp_path, counting) as recorder:
        recorder.page.add_init_script(NOTES_WHAT_WAS_SEEN)
        recorder.start()
        for turn in range(100):
            recorder.tap()
            if turn % 3 == 0:  # else as quickly as the mouse can
                recorder.saved(turn + 1)
        recorder.saved(100)
        seen = recorder.page.evaluate("globalThis.seen")
        steps = recorder.episode.steps
    assert len(seen) == len(steps) == 100
    assert len(set(seen)) >= 34
    for number, step in zip(seen, steps, strict=True):
        tree = step.observation.ui_tree
        assert tree is not None
        words = [node.text for node in tree.nodes if node.text]
        kept = number_in(step.observation.screenshot.data)
        assert words == [f"Button {kept}"]
        # Of a screen that nobody could capture in its 50 ms there is no picture, and it is told.
        assert kept == number or step.observation.stale
    # Of one that rested there is, unless the machine is so busy that it only seemed to rest.
    assert sum(step.observation.stale for step in steps[1::3]) <= 5


def test_undo_redo_and_discard_change_what_is_on_disk(recorder: Recorder) -> None:
    """Check 11."""
    recorder.start_task("Get to button 2")
    for count in (1, 2, 3):
        recorder.tap(0.3 + count / 10)
        recorder.saved(count)
    whole = recorder.episode.steps
    recorder.page.keyboard.press("u")
    recorder.saved(2)
    assert recorder.episode.steps == whole[:2]
    expect(recorder.page.get_by_text("the device does not change.")).to_be_visible()
    recorder.page.keyboard.press("Shift+U")
    recorder.saved(3)
    assert recorder.episode.steps == whole
    recorder.page.keyboard.press("r")
    dialog = recorder.page.get_by_role("dialog", name="Discard this demonstration?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    assert recorder.episode.steps == whole
    recorder.page.keyboard.press("r")
    dialog.get_by_role("button", name="Discard the demonstration").click()
    expect(recorder.page.get_by_role("heading", name="Demonstration discarded")).to_be_visible()
    assert recorder.store.ids() == []
    recorder.press("Start again").click()
    recorder.ready()
    expect(recorder.page.get_by_text("Get to button 2")).to_be_visible()
    expect(recorder.steps).to_have_count(0)


def test_any_text_arrives_as_it_was_typed(browser_process: Browser, tmp_path: Path) -> None:
    """Check 12; the fake device has no shell, and phones are tested with their own."""
    device = endless()
    with recording(browser_process, tmp_path, lambda: device) as recorder:
        recorder.start()
        recorder.page.keyboard.press("t")
        field = recorder.page.get_by_role("textbox", name="Text to type")
        expect(field).to_be_focused()
        recorder.page.keyboard.insert_text(DIFFICULT)
        recorder.page.keyboard.press("Shift+Enter")
        recorder.page.keyboard.insert_text("2")
        recorder.page.keyboard.press("Enter")
        recorder.saved(1)
        expect(field).to_have_value("")
        text = TypeText(text=f"{DIFFICULT}\n2")
        assert device.performed == [text]
        assert recorder.episode.steps[0].decision.action == text


class Unfocused(FakeDevice):
    """A device none of whose fields has the focus."""

    def takes_text(self) -> bool:
        return False


def test_text_that_is_refused_stands_in_its_field_again(
    browser_process: Browser, tmp_path: Path
) -> None:
    with recording(browser_process, tmp_path, lambda: Unfocused(EndlessScenes())) as recorder:
        recorder.start()
        field = recorder.page.get_by_role("textbox", name="Text to type")
        field.fill("about the hub")
        field.press("Enter")
        expect(recorder.page.get_by_text("so the text was not typed")).to_be_visible()
        expect(field).to_have_value("about the hub")
        field.fill("")
        recorder.press("Wait 1 s").click()
        recorder.saved(1)
        expect(field).to_have_value("")


def test_whatever_a_person_does_on_a_phone_has_a_control(
    browser_process: Browser, tmp_path: Path
) -> None:
    device = endless()
    with recording(browser_process, tmp_path, lambda: device) as recorder:
        recorder.start()
        keys = ("Back", "Home", "Recents", "Rotate", "Enter", "Wait 1 s")
        for count, name in enumerate(keys, start=1):
            recorder.press(name).click()
            recorder.saved(count)
        recorder.page.get_by_role("combobox", name="App to open").fill("com.example.fake")
        recorder.press("Open").click()
        recorder.saved(7)
        recorder.page.get_by_text("Answer to the user").first.click()
        recorder.page.get_by_role("textbox", name="Answer to the user").fill("42")
        recorder.press("Answer").click()
        recorder.saved(8)
        recorder.page.get_by_text("Tap by name").click()
        recorder.page.get_by_role("button", name=re.compile("^Button 7")).click()
        recorder.saved(9)
        recorder.press("Write a note on step 9").click()
        note = recorder.page.get_by_role("dialog", name="Note on step 9")
        note.get_by_role("textbox", name="Note").fill("by its name")
        note.get_by_role("button", name="Save").click()
        expect(recorder.steps.last).to_contain_text("by its name")
        recorder.finish()
        steps = recorder.episode.steps
    kinds = [step.decision.action.type for step in steps]
    assert kinds == [*["press_key"] * 5, "wait", "open_app", "answer", "tap", "finish"]
    assert isinstance(device.performed[0], PressKey)
    assert OpenApp(app="com.example.fake") in device.performed
    assert isinstance(device.performed[-1], Tap)
    assert steps[8].decision.target == "Button 7"
    assert steps[8].note == "by its name"


def test_the_user_is_asked_and_answers_by_the_task_or_by_a_person(
    browser_process: Browser, tmp_path: Path
) -> None:
    task = replace(TASK, replies=("the blue one",))
    with recording(browser_process, tmp_path, endless, tasks=[task]) as recorder:
        recorder.start_task("Get to button 2")
        recorder.page.get_by_text("Question to the user").first.click()
        question = recorder.page.get_by_role("textbox", name="Question to the user")
        waiting = recorder.page.get_by_role("region", name="The user is asked:")
        for count, asked in enumerate(("Which one?", "Are you sure?"), start=1):
            question.fill(asked)
            question.press("Enter")
            recorder.saved(count)
        expect(recorder.steps.first).to_contain_text("The user: “the blue one”")
        expect(waiting).to_contain_text("Are you sure?")
        recorder.page.reload()
        recorder.ready()
        waiting.get_by_role("textbox").fill("Yes, quite")
        waiting.get_by_role("button", name="Reply").click()
        expect(waiting).to_have_count(0)
        expect(recorder.steps.last).to_contain_text("The user: “Yes, quite”")
        recorder.tap()
        recorder.saved(3)
        recorder.tap()
        recorder.saved(4)
        recorder.press("Finish").click()
        expect(recorder.page.get_by_role("heading", name="Demonstration saved")).to_be_visible()
        episode = recorder.episode
    first, second, then, *_ = episode.steps
    assert first.decision.action == AskUser(text="Which one?")
    assert second.observation.message == "the blue one"
    assert then.observation.message == "Yes, quite"
    assert episode.outcome == "success"


def test_a_device_that_vanishes_blocks_the_screen_and_leaves_no_phantom_step(
    browser_process: Browser, tmp_path: Path
) -> None:
    """Check 13; that the banner comes within two seconds is measured in `bench/bench_web.py`."""
    plugged_in = Event()
    devices = iter([FakeDevice(EndlessScenes(), lost_after=2)])

    def opened() -> FakeDevice:
        first = next(devices, None)
        if first is None and not plugged_in.is_set():
            raise DeviceLostError("it is not plugged in")
        return first or endless()

    with recording(browser_process, tmp_path, opened) as recorder:
        recorder.start()
        recorder.tap()
        recorder.saved(1)
        recorder.page.mouse.move(*recorder.at(0.5, 0.8))
        recorder.page.mouse.down()
        recorder.page.mouse.move(*recorder.at(0.5, 0.3), steps=5)
        recorder.page.mouse.up()
        banner = recorder.page.get_by_role("alert").filter(has_text="The device does not respond")
        expect(banner).to_be_visible()
        expect(recorder.press("Back")).to_be_disabled()
        recorder.tap()
        plugged_in.set()
        recorder.bring_back()
        recorder.ready()
        expect(banner).to_have_count(0)
        recorder.saved(2)
        recorder.tap()
        recorder.saved(3)
        steps = recorder.episode.steps
    kinds = [step.decision.action.type for step in steps]
    assert kinds in (["tap", "swipe", "tap"], ["tap", "drag", "tap"])  # as quick as the machine is


def test_a_device_that_another_demonstration_used_is_brought_back_first(
    recorder: Recorder,
) -> None:
    recorder.start_task("Get to button 2")
    recorder.tap()
    recorder.saved(1)
    recorder.start("Tap what is there")  # which takes the device at once: no tab shows the first
    recorder.tap()
    recorder.saved(1)
    recorder.page.goto(recorder.address)
    unfinished = recorder.page.get_by_role("region", name="Unfinished demonstrations")
    row = unfinished.get_by_role("listitem").filter(has_text="Get to button 2")
    row.get_by_role("link", name=re.compile("^Resume")).click()
    banner = recorder.page.get_by_role("alert").filter(has_text="Something else was done")
    expect(banner).to_be_visible()
    expect(recorder.press("Back")).to_be_disabled()
    recorder.bring_back()
    recorder.ready()
    recorder.tap()
    recorder.saved(2)
    expect(recorder.page.get_by_text("Goal reached")).to_be_visible()


def test_what_is_done_on_a_screen_that_takes_nothing_is_refused_and_counted(
    recorder: Recorder,
) -> None:
    recorder.start()
    recorder.tap()
    recorder.saved(1)
    recorder.press("Pause").click()
    expect(recorder.page.get_by_text("Paused. The screen takes no input.")).to_be_visible()
    for _ in range(3):
        recorder.tap()
    refusal = recorder.page.get_by_role("alert").filter(has_text="was not taken")
    expect(refusal).to_contain_text("3 times")
    recorder.page.mouse.wheel(0, 200)
    recorder.page.mouse.wheel(0, 200)
    expect(refusal).to_contain_text("4 times")
    recorder.press("Resume").click()
    recorder.ready()
    recorder.tap()
    recorder.saved(2)
    expect(refusal).to_contain_text("4 times")


def test_an_older_tab_says_that_it_controls_nothing(recorder: Recorder) -> None:
    recorder.start()
    other = recorder.page.context.new_page()
    other.goto(recorder.page.url)
    elsewhere = recorder.page.get_by_role("alert").filter(has_text="Another tab controls")
    expect(elsewhere).to_be_visible()
    expect(recorder.press("Back")).to_be_disabled()
    recorder.press("Control it here").click()
    expect(elsewhere).to_have_count(0)
    expect(other.get_by_role("alert").filter(has_text="Another tab controls")).to_be_visible()
    recorder.ready()
    recorder.tap()
    recorder.saved(1)


def test_reaching_the_goal_takes_no_letter_from_what_a_person_types(
    browser_process: Browser, tmp_path: Path
) -> None:
    """The goal is reached by itself, a while after the action that led to it."""
    recorder_task = Task("wait", "Get to button 1", ("fake",), When(TreeShows("Button 1")))
    with recording(browser_process, tmp_path, endless, tasks=[recorder_task]) as recorder:
        recorder.start_task("Get to button 1")
        field = recorder.page.get_by_role("textbox", name="Text to type")
        recorder.page.keyboard.press("w")
        recorder.page.keyboard.press("t")
        recorder.page.keyboard.type("about ")
        expect(recorder.page.get_by_text("Goal reached")).to_be_visible()
        recorder.page.keyboard.type("the hub")
        expect(field).to_be_focused()
        expect(field).to_have_value("about the hub")
        recorder.saved(1)


def test_the_goal_shows_when_it_is_reached_and_asks_why_when_it_is_not(recorder: Recorder) -> None:
    """Check 14; that it shows within half a second is measured in `bench/bench_web.py`."""
    recorder.start_task("Get to button 2")
    goal = recorder.page.get_by_role("region", name="Goal")
    recorder.press("Finish").click()
    dialog = recorder.page.get_by_role("dialog", name="Finish the demonstration")
    last = dialog.get_by_role("button", name="Finish", exact=True)
    expect(last).to_be_disabled()
    dialog.get_by_role("radio", name=re.compile("^Failure")).check()
    expect(last).to_be_disabled()
    dialog.get_by_role("textbox", name="Reason").fill("not yet")
    expect(last).to_be_enabled()
    dialog.get_by_role("button", name="Cancel").click()
    for count in (1, 2):
        expect(goal.get_by_text("Goal reached")).to_have_count(0)
        recorder.tap()
        recorder.saved(count)
    expect(goal.get_by_text("Goal reached")).to_be_visible()
    expect(recorder.press("Finish")).to_be_focused()
    recorder.page.keyboard.press("Enter")
    expect(recorder.page.get_by_role("heading", name="Demonstration saved")).to_be_visible()
    assert recorder.episode.outcome == "success"
