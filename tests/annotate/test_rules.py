import asyncio
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.rules import RULES, instruction_language
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tests.annotate.screens import episode, node, screen
from tests.strategies import EPISODES

WIFI_ROW = node("Wi-Fi", at=(0, 60, 60, 80))
UP = actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))


def switch(*, on: bool) -> str:
    flags = {"clickable": "true", "checkable": "true", "checked": str(on).lower()}
    return node(at=(80, 60, 100, 80), kind="android.widget.Switch", **flags)


def button(text: str, *, top: int = 60, left: int = 0, kind: str = "android.widget.Button") -> str:
    return node(text, at=(left, top, left + 30, top + 20), kind=kind, clickable="true")


def said(given: Episode) -> Sequence[Reasoning]:
    return asyncio.run(RULES.annotate(given))


def only(instruction: str, seen: Observation, action: Action, after: Observation) -> Reasoning:
    (entry,) = said(episode(instruction, (seen, action), final=after))
    return entry


@settings(max_examples=50)
@given(given=EPISODES)
@pytest.mark.slow
def test_every_step_of_any_episode_gets_a_reason(given: Episode) -> None:
    entries = said(given)
    assert [entry.step for entry in entries] == list(range(len(given.steps)))
    assert all(entry.reasoning for entry in entries)
    assert entries == said(given)


@pytest.mark.parametrize(
    ("instruction", "language"),
    [
        ("Turn Wi-Fi off", "en"),
        ("关闭 Wi-Fi", "zh"),
        ("Write “你好” to Lin", "en"),
        ("给 Lin 写“hello”", "zh"),
        ("“打开设置”", "zh"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_instruction(instruction: str, language: str) -> None:
    assert instruction_language(instruction) == language


def test_a_named_button_is_told_with_its_place_and_where_it_leads() -> None:
    seen = screen(button("Network", top=170), title="Settings")
    after = screen(title="Network and internet")
    entry = only("Open the network page", seen, actions.Tap(at=Point(0.1, 0.9)), after)
    assert entry.target == "the button “Network” at the bottom left"
    assert "“Settings”" in entry.reasoning
    assert "“Network”" in entry.reasoning
    assert "“Network and internet”" in entry.reasoning
    assert "task speaks of" in entry.reasoning or "is in the task" in entry.reasoning


def test_a_switch_is_told_by_its_row_and_what_it_comes_to() -> None:
    entry = only(
        "Save power",
        screen(WIFI_ROW, switch(on=True)),
        actions.Tap(at=Point(0.9, 0.35)),
        screen(WIFI_ROW, switch(on=False)),
    )
    assert entry.target == "the switch beside “Wi-Fi” on the right"
    assert entry.reasoning.endswith(("That turns it off.", "It is on and should be off."))


def test_elements_of_one_name_are_counted() -> None:
    seen = screen(button("Delete"), button("Delete", top=100))
    entry = only("Tidy up", seen, actions.Tap(at=Point(0.1, 0.55)), seen)
    assert entry.target == "the button “Delete” on the left, number 2 of 2 so named"


def test_nothing_is_promised_that_did_not_come() -> None:
    seen = screen(button("Save"), title="Note")
    entry = only("Tidy up", seen, actions.Tap(at=Point(0.1, 0.35)), seen)
    assert not re.search("lead|bring|open|turn|close", entry.reasoning.partition("“Note”")[2][10:])


def test_a_dialog_is_expected_and_then_answered() -> None:
    box = node(
        "Delete it?",
        at=(10, 80, 90, 140),
        kind="android.app.AlertDialog",
        children=button("Cancel", top=110, left=20),
    )
    seen = screen(button("Delete"), title="Note")
    asked = screen(button("Delete"), box, title="Note")
    opens, closes = said(
        episode(
            "Keep the note",
            (seen, actions.Tap(at=Point(0.1, 0.35))),
            (asked, actions.Tap(at=Point(0.3, 0.6))),
            final=seen,
        )
    )
    assert "dialog “Delete it?”" in opens.reasoning
    assert "dialog “Delete it?”" in closes.reasoning
    assert closes.target == "the button “Cancel” in the middle"
    assert closes.reasoning.endswith(("The dialog is done with then.", "That closes the dialog."))


def test_a_field_is_tapped_to_type_and_then_named_as_what_has_the_focus() -> None:
    field = {"at": (0, 40, 100, 60), "kind": "android.widget.EditText"}
    empty = screen(node(hint="Search", clickable="true", **field))  # type: ignore[arg-type]
    ready = screen(node(hint="Search", clickable="true", focused="true", **field))  # type: ignore[arg-type]
    tap, typing = said(
        episode(
            "Look for “maps”",
            (empty, actions.Tap(at=Point(0.5, 0.25))),
            (ready, actions.TypeText(text="maps")),
        )
    )
    assert tap.target == typing.target == "the text field “Search” at the top"
    assert re.search("focus|type there", tap.reasoning)
    assert "“maps”" in typing.reasoning
    assert "the task" in typing.reasoning.lower()


def test_scrolling_tells_what_it_looks_for() -> None:
    first = screen(button("Alpha"))
    second = screen(button("Zulu"), picture=1)
    scroll, tap = said(episode("Open it", (first, UP), (second, actions.Tap(at=Point(0.1, 0.35)))))
    assert "“Zulu”" in scroll.reasoning
    assert "further down" in scroll.reasoning
    assert scroll.target == ""
    assert tap.target == "the button “Zulu” on the left"


@pytest.mark.parametrize(
    ("action", "way"),
    [
        (UP, "further down"),
        (actions.Swipe(start=UP.end, end=UP.start), "back up"),
        (actions.Swipe(start=Point(0.9, 0.5), end=Point(0.1, 0.5)), "further right"),
        (actions.Scroll(at=Point(0.5, 0.5), dy=-1.0), "back up"),
        (actions.Scroll(at=Point(0.5, 0.5), dx=-1.0), "back left"),
    ],
)
def test_the_view_goes_against_the_finger_and_with_the_wheel(action: Action, way: str) -> None:
    assert way in only("Look", screen(), action, screen()).reasoning


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (actions.PressKey(key="back"), "back"),
        (actions.PressKey(key="page_up"), "page_up"),
        (actions.Hotkey(keys=("control", "c")), "control+c"),
        (actions.OpenApp(app="Mail"), "Mail"),
        (actions.LongPress(at=Point(0.1, 0.35)), "Save"),
        (actions.Drag(start=Point(0.1, 0.35), end=Point(0.9, 0.9)), "Save"),
        (actions.Tap(at=Point(0.1, 0.35), button="right"), "right button"),
        (actions.Answer(text="Save"), "The screen shows “Save”"),
        (actions.Answer(text="42"), "I tell the user: “42”"),
        (actions.Wait(), "screen a moment|wait"),
        (actions.Finish(), "so I finish|I end here"),
        (actions.Finish(outcome="failure", reason="No such app."), "The reason: No such app."),
        (actions.Finish(outcome="infeasible"), "cannot be done"),
    ],
)
def test_every_action_has_its_words(action: Action, words: str) -> None:
    seen = screen(button("Save"))
    assert re.search(re.escape(words).replace(r"\|", "|"), only("Go", seen, action, seen).reasoning)


def test_a_success_that_the_task_did_not_grant_is_called_a_belief() -> None:
    (entry,) = said(episode("Go", (screen(), actions.Finish()), outcome="failure"))
    assert entry.reasoning.endswith("I take the task for done and end here.")


def test_chinese_is_spoken_to_a_chinese_task() -> None:
    seen = screen(WIFI_ROW, switch(on=True), title="设置")
    entry = only(
        "关闭 Wi-Fi", seen, actions.Tap(at=Point(0.9, 0.35)), screen(WIFI_ROW, switch(on=False))
    )
    assert entry.target == "右侧“Wi-Fi”旁边的开关"
    assert "设置" in entry.reasoning
    assert not re.search("[a-zA-Z]{3}", entry.reasoning.replace("Wi-Fi", ""))


def test_repeated_steps_are_not_told_in_the_same_words() -> None:
    seen = screen(button("More"))
    entries = said(episode("Go on", *[(seen, actions.Tap(at=Point(0.1, 0.35)))] * 3))
    assert len({entry.reasoning for entry in entries}) == 3


def test_a_page_that_can_be_clicked_as_a_whole_lends_no_label() -> None:
    page = node(at=(0, 0, 100, 200), clickable="true", children=node("Hello", at=(0, 90, 99, 99)))
    entry = only("Go", screen(page), actions.Tap(at=Point(0.5, 0.9)), screen(page))
    assert entry.target == "the area at the bottom"


def test_braces_in_a_label_are_only_a_label() -> None:
    seen = screen(button("{target} {0}"))
    assert "“{target} {0}”" in only("Go", seen, actions.Tap(at=Point(0.1, 0.35)), seen).target


def keys() -> str:
    return "".join(
        node(chr(ord("a") + n), at=(n * 3, 150, n * 3 + 3, 160), clickable="true")
        for n in range(26)
    )


def test_back_that_closes_the_keyboard_leads_nowhere() -> None:
    back = actions.PressKey(key="back")
    entry = only("Write", screen(keys(), title="Note"), back, screen(title="Note"))
    assert "keyboard" in entry.reasoning
    assert "out of here" not in entry.reasoning


def test_back_that_closes_a_dialog_leads_nowhere() -> None:
    box = node("Sure?", at=(10, 80, 90, 140), kind="android.app.AlertDialog")
    entry = only(
        "Go on", screen(box, title="Note"), actions.PressKey(key="back"), screen(title="Note")
    )
    assert "dialog" in entry.reasoning
    assert "out of here" not in entry.reasoning


def test_back_that_changes_nothing_to_be_seen_is_only_pressed() -> None:
    seen = screen(title="Note")
    assert "I press the back key." in only("Go", seen, actions.PressKey(key="back"), seen).reasoning


def test_back_that_comes_to_another_page_leads_out() -> None:
    entry = only("Go", screen(title="Note"), actions.PressKey(key="back"), screen(title="Notes"))
    assert "back" in entry.reasoning
    assert "I press the back key." not in entry.reasoning


@pytest.mark.parametrize(
    "task", ["Turn off Wi-Fi.", "What does it cost?", "打开手机的蓝牙。", "多少钱？"]
)
def test_no_sentence_ends_twice(task: str) -> None:
    seen = screen(button("Save"), title="Note")
    for name in ("e1", "e2", "e3", "e4"):
        (entry,) = said(
            episode(task, (seen, actions.Tap(at=Point(0.1, 0.35))), final=seen, id=name)
        )
        assert not re.search(r"[.?。？]”[.。]", entry.reasoning)


def test_a_label_that_repeats_itself_is_said_once() -> None:
    row = node(
        at=(0, 60, 100, 80),
        clickable="true",
        children=node("Cash on delivery", at=(20, 60, 100, 80))
        + node("Cash on delivery", at=(0, 60, 20, 80)),
    )
    seen = screen(row)
    entry = only("Order it", seen, actions.Tap(at=Point(0.5, 0.35)), seen)
    assert entry.target.count("Cash on delivery") == 1
