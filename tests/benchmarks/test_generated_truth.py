"""What is asked about a recorded screen has one right answer: small trees that once had not."""

import io
import random
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import pytest
from PIL import Image

from tapwright.benchmarks.generated_next_touch import find_next_touch
from tapwright.benchmarks.generated_questions import QuestionGenerator
from tapwright.benchmarks.generated_reading import read_screens
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_targets import KnownPlaces, TargetDescription, TargetFinder
from tapwright.benchmarks.generated_wording import quote_task
from tapwright.benchmarks.system_ui import find_keyboard, find_system_parts
from tapwright.core.actions import Action, Finish, Tap
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tests.benchmarks.surveys import survey

SIZE = Size(100, 200)
ROOT = "android.widget.FrameLayout"
VIEW = "android.view.ViewGroup"
TEXT = "android.widget.TextView"
BUTTON = "android.widget.Button"
ICON = "android.widget.ImageButton"
SWITCH = "android.widget.Switch"
FIELD = "android.widget.EditText"


def node(
    kind: str, at: tuple[int, int, int, int], text: str = "", inner: str = "", **more: str
) -> str:
    left, top, right, bottom = at
    flags = "".join(f" {name.replace('_', '-')}={quoteattr(v)}" for name, v in more.items())
    touch = "" if kind in (TEXT, ROOT) or "clickable" in more else ' clickable="true"'
    return (
        f"<node class={quoteattr(kind)} text={quoteattr(text)}{touch}{flags} "
        f'bounds="[{left},{top}][{right},{bottom}]">{inner}</node>'
    )


def icon(name: str, at: tuple[int, int, int, int]) -> str:
    return node(ICON, at, content_desc=name)


def switch_row(name: str, top: int, *more: str, said: str = "") -> str:
    inner = node(TEXT, (10, top + 2, 70, top + 8), name) + "".join(more)
    inner += node(SWITCH, (80, top, 98, top + 10), content_desc=said or name, checkable="true")
    return node(VIEW, (0, top, 100, top + 14), inner=inner)


def keys(top: int = 150) -> str:
    letters = (
        node(BUTTON, (n % 9 * 11, top + n // 9 * 10, n % 9 * 11 + 10, top + n // 9 * 10 + 9), char)
        for n, char in enumerate("abcdefghijklmnopqrstuvwxyz")
    )
    return "".join(letters) + icon("Shift", (90, top + 20, 100, top + 29))


def look(*nodes: str, app: str = "org.example.notes", shade: int = 0) -> Observation:
    buffer = io.BytesIO()
    Image.new("RGB", (SIZE.width, SIZE.height), (shade, 0, 0)).save(buffer, "PNG")
    xml = f"<hierarchy>{node(ROOT, (0, 0, 100, 200), inner=''.join(nodes))}</hierarchy>"
    return Observation(Screenshot(buffer.getvalue()), SIZE, UiTree(xml, SIZE), app)


def record(
    instruction: str,
    *steps: tuple[Observation, Action],
    outcome: EpisodeOutcome = "success",
) -> Episode:
    return Episode(
        id=instruction or "e",
        task_id="t",
        instruction=instruction,
        steps=tuple(Step(seen, Decision(action)) for seen, action in steps),
        final=look(node(TEXT, (0, 20, 50, 30), "The end"), shade=250),
        outcome=outcome,
    )


def screens(episode: Episode) -> list[RecordedScreen]:
    """In the order of the steps."""
    order = [step.observation.screenshot.sha256 for step in episode.steps]
    found = [screen for screen in read_screens([episode]) if screen.sha256 in order]
    return sorted(found, key=lambda screen: order.index(screen.sha256))


def one(*nodes: str, task: str = "", action: Action | None = None) -> RecordedScreen:
    return screens(record(task, (look(*nodes), action or Finish())))[0]


def touch(x: int, y: int) -> Tap:
    return Tap(at=Point(x / 100, y / 200))


def all_aims(screen: RecordedScreen) -> list[TargetDescription]:
    finder = TargetFinder(frozenset(), KnownPlaces(own=True), by_heart=1)
    return list(finder.find(screen, 20, random.Random(0)))


def advanced(screen: RecordedScreen) -> list[str]:
    return [aim.instruction for aim in all_aims(screen) if aim.grounding_type == "advanced"]


def questions(
    screen: RecordedScreen, others: Sequence[RecordedScreen], kind: str
) -> list[list[str]]:
    """The wrong options of the questions of one difficulty that many chances make."""
    found = []
    for seed in range(30):
        asker = QuestionGenerator(survey([screen, *others]))
        for group in asker.groups(screen, random.Random(seed)):
            assert isinstance(group, dict)
            options = group["options"]
            assert isinstance(options, dict)
            if group["difficulty"] == kind:
                found.append([str(v) for k, v in options.items() if k != group["answer"]])
    return found


def page(app: str, *nodes: str, shade: int) -> RecordedScreen:
    return screens(record(app, (look(*nodes, app=app, shade=shade), Finish())))[0]


def far(app: str) -> RecordedScreen:
    rows = (node(BUTTON, (0, 20 * n + 20, 90, 20 * n + 34), f"Distant {n}x") for n in range(8))
    return page(app, *rows, shade=9)


def test_what_a_dialog_dims_is_no_wrong_option_also_under_another_apps_dialog() -> None:
    below = look(node(TEXT, (0, 30, 90, 44), "Holiday plans"), app="org.example.notes", shade=1)
    dialog = look(
        node(TEXT, (10, 90, 90, 100), "Allow access?"),
        node(BUTTON, (50, 110, 90, 120), "Allow"),
        app="com.android.permissioncontroller",
        shade=2,
    )
    page, asked = screens(record("Share it", (below, touch(5, 5)), (dialog, touch(70, 115))))
    wrong = questions(asked, [page, far("org.example.far")], "easy")
    assert wrong
    assert not any("Holiday plans" in options for options in wrong)


def test_what_a_dialog_dims_is_no_wrong_ability() -> None:
    below = look(node(BUTTON, (0, 30, 90, 44), "Holiday plans"), shade=1)
    dialog = look(node(BUTTON, (50, 110, 90, 120), "Allow"), app="com.example.other", shade=2)
    page, asked = screens(record("Share it", (below, touch(5, 5)), (dialog, Finish())))
    wrong = questions(asked, [page, far("org.example.far")], "hard")
    assert wrong
    assert not any('Choose "Holiday plans"' in options for options in wrong)


@pytest.mark.parametrize(
    ("there", "purpose"),
    [
        (node(FIELD, (0, 20, 100, 34), hint="Search notes"), "Find something by typing words"),
        (icon("Open menu", (80, 20, 98, 34)), "See more commands"),
        (icon("", (80, 20, 98, 34)), "Change the order of the entries"),
        (node(TEXT, (0, 20, 50, 34), "Home"), "Go back to the previous screen"),
    ],
)
def test_a_purpose_that_anything_here_may_serve_is_no_wrong_ability(
    there: str, purpose: str
) -> None:
    names = ("Search", "More options", "Sort", "Back")
    icons = [icon(name, (20 * n, 40, 20 * n + 15, 54)) for n, name in enumerate(names)]
    lender = page("org.example.b", *icons, shade=3)
    here = one(there, node(BUTTON, (0, 100, 50, 114), "Groceries"))
    wrong = questions(here, [lender, far("org.example.far")], "hard")
    assert wrong
    assert not any(purpose in options for options in wrong)


def test_a_chip_of_a_purposes_name_is_not_for_that_purpose() -> None:
    chip = node(BUTTON, (0, 40, 40, 54), "Archive", checkable="true")
    assert not any("without losing it" in told for told in advanced(one(chip)))
    assert any(
        "without losing it" in told for told in advanced(one(icon("Archive", (0, 40, 20, 54))))
    )


def test_the_keyboard_and_the_bars_are_the_systems() -> None:
    screen = one(
        node(TEXT, (2, 1, 20, 6), "09:41"),
        icon("Save", (80, 14, 98, 24)),
        keys(),
        node(ICON, (10, 190, 30, 200), content_desc="Back", resource_id="org.example:id/nav_back"),
    )
    names = {n.text or n.description for n in screen.tree.nodes if n.order in screen.system}
    assert {"09:41", "a", "z", "Shift", "Back"} <= names
    assert "Save" not in names
    assert [element.label for element in screen.content] == ["Save"]


def test_a_calendar_is_no_keyboard() -> None:
    days = "".join(
        node(BUTTON, (n % 7 * 14, 90 + n // 7 * 10, n % 7 * 14 + 12, 98 + n // 7 * 10), str(n + 1))
        for n in range(31)
    )
    tree = one(days).tree
    assert find_keyboard(tree) is None
    assert find_system_parts(tree) == frozenset()


def test_no_target_is_a_key() -> None:
    screen = one(node(FIELD, (0, 40, 100, 60), hint="Title"), keys())
    assert {aim.element.label for aim in all_aims(screen)} == {"Title"}


FORM = (
    node(FIELD, (0, 20, 100, 34), hint="Title"),
    node(FIELD, (0, 40, 100, 54), hint="Place"),
    node(FIELD, (0, 60, 100, 74), hint="Guests"),
    node(BUTTON, (0, 100, 30, 114), "Save"),
    node(BUTTON, (0, 120, 30, 134), "Pin"),
    node(BUTTON, (0, 140, 30, 154), "Color"),
    node(BUTTON, (0, 160, 30, 174), "Print"),
)


def test_what_is_touched_later_or_is_still_empty_is_no_wrong_option() -> None:
    first, second = look(*FORM, shade=1), look(*FORM, shade=2)
    episode = record(
        "Make an entry with the title Trip", (first, touch(50, 27)), (second, touch(10, 107))
    )
    following = find_next_touch(screens(episode)[0])
    assert following is not None
    assert following.element.label == "Title"
    assert {e.label for e in following.rivals} == {"Save", "Place", "Guests"}
    assert all(
        not {'the "Save" button', 'the "Place" text field'} & set(options)
        for options in questions(screens(episode)[0], [], "hard")
    )
    assert not any("touched next" in told for told in advanced(screens(episode)[0]))


def test_an_element_that_the_task_does_not_name_is_not_asked_for() -> None:
    seen, after = look(*FORM, shade=1), look(*FORM, shade=2)
    episode = record("Plan a trip", (seen, touch(10, 147)), (after, touch(10, 107)))
    assert find_next_touch(screens(episode)[0]) is None


def test_the_button_that_ends_a_success_is_asked_for_and_that_of_a_failure_not() -> None:
    for outcome, asked in (("success", True), ("failure", False)):
        given = record("Plan a trip", (look(*FORM), touch(10, 107)), outcome=outcome)  # type: ignore[arg-type]
        assert (find_next_touch(screens(given)[0]) is not None) is asked


def test_a_search_or_a_touch_that_changes_nothing_is_not_asked_for() -> None:
    field = node(FIELD, (0, 20, 100, 34), hint="Search contacts")
    names = [node(BUTTON, (0, 40 + 20 * n, 90, 54 + 20 * n), name) for n, name in enumerate("XYZ")]
    search = look(field, *names, shade=1)
    after = look(field, shade=2)
    episode = record("Find Anna in contacts", (search, touch(50, 27)), (after, Finish()))
    assert find_next_touch(screens(episode)[0]) is None
    same = look(*FORM)
    twice = record("Use the title Trip", (same, touch(50, 27)), (same, touch(10, 107)))
    assert find_next_touch(screens(twice)[0]) is None


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("What does it cost in the shop?", "What does it cost in the shop?"),
        ("Turn off Wi-Fi.", "Turn off Wi-Fi."),
        ("Turn off Wi-Fi", "Turn off Wi-Fi."),
    ],
)
def test_a_task_ends_with_one_mark(task: str, sentence: str) -> None:
    assert quote_task(task, "en") == sentence


def test_a_switch_reacts_with_the_row_that_is_there_for_it_alone() -> None:
    (box, *_) = {aim.box for aim in all_aims(one(switch_row("Wi-Fi", 40)))}
    assert box == Box(0, 0.2, 1, 0.27)


def test_a_switch_in_a_row_that_says_more_is_not_asked_for_by_what_it_does() -> None:
    alarm = switch_row("07:00", 40, node(TEXT, (10, 48, 70, 53), "Swim"), said="07:00 Swim")
    found = all_aims(one(alarm))
    assert [aim.grounding_type for aim in found] == ["basic"]
    assert found[0].box == Box(0.8, 0.2, 0.98, 0.25)


def test_a_field_reacts_with_the_frame_around_it() -> None:
    frame = node(
        VIEW,
        (4, 40, 96, 60),
        inner=node(TEXT, (8, 42, 90, 46), "Title") + node(FIELD, (8, 48, 90, 56), hint="Title"),
    )
    assert {aim.box for aim in all_aims(one(frame))} == {Box(0.04, 0.2, 0.96, 0.3)}


def test_below_holds_for_what_is_seen_and_not_for_a_wide_empty_box() -> None:
    tab = node(TEXT, (30, 20, 50, 28), "World")
    wide = one(tab, node(BUTTON, (4, 30, 90, 38), "Tea"))
    assert not any("below" in told for told in advanced(wide))
    straight = one(tab, node(BUTTON, (30, 30, 50, 38), "Teas"))
    assert any('below the text "World"' in told for told in advanced(straight))


def test_a_button_that_floats_over_a_list_stands_in_no_row() -> None:
    rows = "".join(
        node(TEXT, (4, top, 60, top + 10), name) for top, name in ((140, "Anna"), (160, "Ben"))
    )
    listed = node("android.widget.ListView", (0, 30, 100, 190), inner=rows, clickable="false")
    floating = one(listed, icon("Plan", (80, 138, 98, 152)))
    assert not any("Anna" in told for told in advanced(floating))
    inside = node("android.widget.ListView", (0, 30, 100, 190), clickable="false",
                  inner=rows + icon("Plan", (80, 138, 98, 152)))  # fmt: skip
    assert any('same row as the text "Anna"' in told for told in advanced(one(inside)))


def test_easy_questions_prefer_words_to_keys_and_numbers() -> None:
    screen = one(
        node(TEXT, (0, 20, 60, 30), "March plans"), node(TEXT, (0, 40, 60, 50), "24"), keys()
    )
    asker = QuestionGenerator(survey([screen, far("org.example.far")]))
    for seed in range(20):
        group = asker.groups(screen, random.Random(seed))[0]
        assert isinstance(group, dict)
        options = group["options"]
        assert isinstance(options, dict)
        assert options[str(group["answer"])] == "March plans"


def test_at_most_a_third_of_the_medium_questions_asks_for_the_app() -> None:
    apps = [
        page(f"o.app{n}", node(TEXT, (0, 30, 60, 44), f"Words {n}a"), shade=n) for n in range(9)
    ]
    states = [page(f"o.app{n}", switch_row(f"Thing {n}a", 40), shade=n + 20) for n in range(4)]
    every = [*states, *apps]
    asker = QuestionGenerator(survey(every))
    medium = [
        str(group["question"])
        for screen in every
        for group in asker.groups(screen, random.Random(1))
        if isinstance(group, dict) and group["difficulty"] == "medium"
    ]
    assert sum("Which app" in question for question in medium) == 2
    assert len(medium) == 6


def test_switches_are_not_counted_when_one_of_them_is_greyed_out() -> None:
    grey = node(SWITCH, (80, 120, 98, 130), content_desc="Old", checkable="true", enabled="false")
    screen = one(switch_row("Wi-Fi", 40), switch_row("Sound", 60), grey)
    asker = QuestionGenerator(survey([screen]))
    for seed in range(20):
        for group in asker.groups(screen, random.Random(seed)):
            assert isinstance(group, dict)
            assert "How many" not in str(group["question"])


def test_a_row_that_is_cut_off_is_not_asked_for() -> None:
    rows = "".join(
        node(BUTTON, (0, top, 100, bottom), name, resource_id="org.example:id/row")
        for top, bottom, name in ((40, 60, "Anna"), (60, 80, "Ben"), (80, 86, "Cleo"))
    )
    screen = one(node(VIEW, (0, 40, 100, 86), inner=rows, clickable="false"))
    assert [element.label for element in screen.content] == ["Anna", "Ben"]


def test_a_text_that_runs_off_the_screen_is_no_right_option() -> None:
    screen = one(
        node(TEXT, (70, 30, 100, 40), "Code SAVE15"), node(TEXT, (0, 50, 100, 60), "Deals of today")
    )
    assert list(screen.texts) == ["Deals of today"]


def test_a_chip_at_the_edge_may_be_cut_off_and_a_tab_there_is_not() -> None:
    def row(start: int) -> RecordedScreen:
        chips = node(BUTTON, (start, 30, 40, 40), "Work") + node(BUTTON, (40, 30, 100, 40), "Trav")
        return one(node(VIEW, (0, 30, 100, 40), inner=chips, clickable="false"))

    assert [element.label for element in row(4).content] == ["Work"]
    assert [element.label for element in row(0).content] == ["Work", "Trav"]


def test_a_radio_button_reacts_with_its_row_whatever_else_that_says() -> None:
    row = node(
        VIEW,
        (0, 40, 100, 54),
        inner=node(TEXT, (10, 41, 70, 46), "Express")
        + node(TEXT, (10, 47, 70, 52), "$12.90")
        + node("android.widget.RadioButton", (80, 40, 98, 50), checkable="true"),
    )
    assert {aim.box for aim in all_aims(one(row))} == {Box(0, 0.2, 1, 0.27)}


def test_the_bare_ground_beside_a_dialog_is_no_element() -> None:
    ground = node("android.view.View", (0, 0, 100, 60), content_desc="Dismiss")
    screen = one(ground, node(BUTTON, (50, 110, 90, 120), "Allow"))
    assert [element.label for element in screen.content] == ["Allow"]
