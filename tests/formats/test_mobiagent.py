import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.directions import finger_direction, swipe_toward
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UnsupportedByConventionError, UsageError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.mobiagent.importer import MOBIAGENT, actions_from_json
from tests.formats.foreign import picture, read_all, read_and_listen
from tests.strategies import WORDS

GOLDEN = Path(__file__).parent.parent / "golden" / "mobiagent" / "data"
SCREEN = Size(100, 200)
Item = dict[str, JsonValue]

X, Y = st.integers(0, SCREEN.width - 1), st.integers(0, SCREEN.height - 1)
# Names of files hold no half characters; texts in them do.
NAMES = st.text("abc商城./ ", max_size=6)


@st.composite
def touched(draw: st.DrawFn) -> Item:
    x, y = draw(X), draw(Y)
    item: Item = {"type": draw(st.sampled_from(["click", "long_press"]))}
    if draw(st.booleans()):
        item["position"] = {"x": x, "y": y}
    if "position" not in item or draw(st.booleans()):
        item |= {"position_x": x, "position_y": y}
    left, top = draw(st.integers(-5, 120)), draw(st.integers(-5, 220))
    box: list[JsonValue] = [left, top, left + draw(st.integers(0, 50)), top + draw(Y)]
    return item | {"bounds": draw(st.sampled_from([None, box]))}


@st.composite
def swiped(draw: st.DrawFn) -> Item:
    if draw(st.booleans()):
        places: Item = {
            f"{end}_position_{axis}": None for end in ("press", "release") for axis in "xy"
        }
        direction = draw(st.sampled_from(["up", "down", "left", "RIGHT"]))
        return {"type": "swipe", **draw(st.sampled_from([places, {}])), "direction": direction}
    numbers = {f"press_position_{axis}": draw(X) for axis in "xy"}
    numbers |= {f"release_position_{axis}": draw(X) for axis in "xy"}
    return {"type": "swipe", **numbers}


ITEMS: st.SearchStrategy[Item] = st.one_of(
    touched(),
    swiped(),
    st.builds(lambda text: {"type": "input", "text": text}, WORDS),
    st.builds(lambda app: {"type": "open_app", "app_name": app}, WORDS),
    st.just({"type": "wait"}),
    st.sampled_from(["start", "end"]).map(lambda which: {"type": "suspend", "action": which}),
    st.sampled_from(["success", "suspended", "failed", None]).map(
        lambda status: {"type": "done"} if status is None else {"type": "done", "status": status}
    ),
)
RECORDINGS = st.fixed_dictionaries(
    {
        "app_name": NAMES,
        "task_type": NAMES,
        "task_description": WORDS | st.lists(WORDS, min_size=1, max_size=3),
        "actions": st.lists(ITEMS, min_size=1, max_size=6).filter(
            lambda items: any(item["type"] != "suspend" for item in items)
        ),
    },
    optional={"old_task_description": WORDS},
)


def lay_out(
    root: Path,
    recording: JsonValue,
    *,
    reasons: JsonValue = None,
    pictures: list[int] | None = None,
    place: str = "商城/type1/1",
) -> Path:
    """A trajectory with the pictures of its actions, or those that are given."""
    directory = root / place
    directory.mkdir(parents=True)
    (directory / "actions.json").write_text(json.dumps(recording), encoding="utf-8")
    if reasons is not None:
        (directory / "react.json").write_text(json.dumps(reasons), encoding="utf-8")
    if pictures is None:
        assert isinstance(recording, dict)
        items = recording["actions"]
        assert isinstance(items, list)
        pictures = [
            number
            for number, item in enumerate(items, 1)
            if not (isinstance(item, dict) and item.get("type") == "suspend")
        ]
    for number in pictures:
        (directory / f"{number}.jpg").write_bytes(picture(number, kind="JPEG"))
    return directory


def recording(*items: JsonValue, **other: JsonValue) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {"app_name": "商城", "task_type": "type1", "task_description": "g"}
    return {**said, "actions": list(items), **other}


@settings(deadline=None, max_examples=40)
@given(recorded=RECORDINGS, with_final=st.booleans(), data=st.data())
@pytest.mark.slow
def test_what_is_read_written_and_read_again_is_equal(
    recorded: dict[str, JsonValue], with_final: bool, data: st.DataObject
) -> None:
    kinds = [str(item["type"]) for item in recorded_items(recorded)]
    numbers = [number for number, kind in enumerate(kinds, 1) if kind != "suspend"]
    touching = [number for number in numbers if kinds[number - 1] in ("click", "long_press")]
    reasons: list[JsonValue] = [
        {
            "reasoning": data.draw(WORDS),
            "function": {
                "name": kinds[number - 1],
                "parameters": {"target_element": data.draw(WORDS)},
            },
            "action_index": number,
        }
        for number in touching
        if data.draw(st.booleans())
    ]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        more = [len(kinds) + 1] if with_final else []
        lay_out(root / "a", recorded, reasons=reasons or None, pictures=[*numbers, *more])
        first, bad = read_all(MOBIAGENT, root / "a")
        assert not bad
        assert MOBIAGENT.write(first, root / "b") == 1
        again, bad = read_all(MOBIAGENT, root / "b")
        assert not bad
        assert [facts(one) for one in again] == [facts(one) for one in first]
        assert (first[0].final is not None) == with_final


def recorded_items(recorded: JsonValue) -> list[dict[str, JsonValue]]:
    assert isinstance(recorded, dict)
    items = recorded["actions"]
    assert isinstance(items, list)
    return [item for item in items if isinstance(item, dict)]


def facts(episode: Episode) -> object:
    """An episode as plain data, its hierarchies as their text."""

    def seen(observation: Observation | None) -> object:
        if observation is None:
            return None
        tree = observation.ui_tree.xml if observation.ui_tree is not None else None
        return (observation.screenshot, observation.size, tree, observation.stale)

    steps = [(seen(step.observation), step.decision, step.log) for step in episode.steps]
    return (
        episode.id,
        episode.task_id,
        episode.instruction,
        dict(episode.extra),
        steps,
        seen(episode.final),
    )


SAYABLE = st.one_of(
    st.builds(lambda x, y: actions.Tap(at=from_pixel(x, y, SCREEN)), X, Y),
    st.builds(lambda x, y: actions.LongPress(at=from_pixel(x, y, SCREEN)), X, Y),
    st.builds(
        lambda x, y, u, v: actions.Swipe(start=from_pixel(x, y, SCREEN),
         end=from_pixel(u, v, SCREEN)),
        X, Y, X, Y,
    ),
    st.builds(actions.TypeText, text=WORDS),
    st.builds(actions.OpenApp, app=WORDS),
    st.just(actions.Wait()),
    st.sampled_from([actions.Finish(), actions.Finish(outcome="failure")]),
)  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(
    decisions=st.lists(st.builds(Decision, SAYABLE, reasoning=WORDS), min_size=1, max_size=4),
    task=NAMES,
    app=NAMES,
    id_=st.sampled_from(["abc", "a/b/7", "../../x", "/", "a//b", "商城/type1/2/.."]),
)
def test_an_episode_of_our_own_comes_back_with_its_decisions(
    decisions: list[Decision], task: str, app: str, id_: str
) -> None:
    seen = Observation(Screenshot(picture()), SCREEN, app=app)
    steps = tuple(Step(seen, decision) for decision in decisions)
    episode = Episode(id=id_, task_id=task, instruction="g", steps=steps)
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "out")
        MOBIAGENT.write([episode, episode], out)
        assert [one for one in Path(name).iterdir() if one.name != "out"] == []
        again, bad = read_all(MOBIAGENT, out)
    assert not bad
    for one in again:
        assert [step.decision for step in one.steps] == decisions
        assert [step.observation.screenshot for step in one.steps] == [seen.screenshot] * len(steps)
        assert one.extra["task_type"] == task


def test_the_golden_trajectories_are_read() -> None:
    episodes, bad = read_all(MOBIAGENT, GOLDEN)
    assert not bad
    notes, shop = episodes
    assert (notes.id, notes.task_id) == ("Notes/type2/7", "Notes/type2")
    assert notes.final is not None
    assert [step.decision.action.type for step in notes.steps] == ["tap", "wait", "swipe"]
    assert notes.steps[0].decision.target == "plus button, bottom right"
    assert shop.instruction == "在商城搜索降噪耳机并打开第五个商品"
    assert len(json.loads(shop.extra["other_task_descriptions"])) == 6
    assert shop.steps[0].decision.action == actions.Tap(at=from_pixel(541, 235, Size(1080, 2400)))
    assert shop.steps[3].decision.target == "商品列表第五项"
    assert shop.steps[4].decision.action == actions.Finish()
    tree = shop.steps[0].observation.ui_tree
    assert tree is not None
    assert [node.attributes["bounds"] for node in tree.nodes] == ["[60,180][1020,290]"]


def test_the_golden_trajectories_are_written_as_they_were(tmp_path: Path) -> None:
    MOBIAGENT.write(read_all(MOBIAGENT, GOLDEN)[0], tmp_path / "out")
    for file in GOLDEN.rglob("*"):
        other = tmp_path / "out" / file.relative_to(GOLDEN)
        if file.suffix == ".jpg":
            assert other.read_bytes() == file.read_bytes()
        elif file.name == "react.json":
            assert _items(other) == _items(file)
        elif file.name == "actions.json":
            for was, now in zip(_items(file), _items(other), strict=True):
                assert was.items() <= now.items()


def _items(file: Path) -> list[dict[str, JsonValue]]:
    found = json.loads(file.read_text(encoding="utf-8"))
    items: list[dict[str, JsonValue]] = found["actions"] if isinstance(found, dict) else found
    return items


def test_a_swipe_of_which_only_the_direction_is_known_says_so(tmp_path: Path) -> None:
    nulls: Item = {f"{end}_position_{axis}": None for end in ("press", "release") for axis in "xy"}
    lay_out(tmp_path, recording({"type": "swipe", **nulls, "direction": "left"}))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert episode.steps[0].decision.action == swipe_toward("left")
    assert episode.steps[0].log == ("mobiagent: the places of the swipe were not recorded",)
    MOBIAGENT.write([episode], tmp_path / "out")
    [item] = _items(next((tmp_path / "out").rglob("actions.json")))
    assert item == {"type": "swipe", **nulls, "direction": "left"}


def test_a_takeover_leaves_a_hole_in_the_pictures_and_a_line_in_the_log(tmp_path: Path) -> None:
    start: Item = {"type": "suspend", "action": "start"}
    end: Item = {"type": "suspend", "action": "end"}
    lay_out(tmp_path, recording({"type": "wait"}, start, end, {"type": "done"}))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert [step.decision.action.type for step in episode.steps] == ["wait", "finish"]
    assert episode.steps[0].log == ("mobiagent: takeover start", "mobiagent: takeover end")
    MOBIAGENT.write([episode], tmp_path / "out")
    names = sorted(one.name for one in (tmp_path / "out").rglob("*.jpg"))
    assert names == ["1.jpg", "4.jpg"]


def test_bounds_of_our_own_are_the_smallest_that_can_be_clicked(tmp_path: Path) -> None:
    lay_out(tmp_path, recording({"type": "click", "position_x": 5, "position_y": 5}))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    from dataclasses import replace

    from tapwright.core.observation import UiTree

    xml = (
        '<hierarchy><node clickable="true" bounds="[0,0][100,200]">'
        '<node clickable="true" bounds="[0,0][50,50]"><node bounds="[0,0][9,9]"/></node>'
        "</node></hierarchy>"
    )
    step = episode.steps[0]
    step = replace(step, observation=replace(step.observation, ui_tree=UiTree(xml, SCREEN)))
    MOBIAGENT.write([replace(episode, steps=(step,))], tmp_path / "out")
    [item] = _items(next((tmp_path / "out").rglob("actions.json")))
    assert item["bounds"] == [0, 0, 50, 50]


CLICK: Item = {"type": "click", "position_x": 5, "position_y": 5}


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"type": "click"}, "a click without a position"),
        ({"type": "click", "position_x": 5}, "expected both or none"),
        ({"type": "click", "position_x": "5", "position_y": 5}, "position_x: Input should be"),
        ({**CLICK, "position": {"x": 6, "y": 5}}, "at once"),
        ({"type": "click", "position_x": 100, "position_y": 5}, r"pixel \(100, 5\) is off a"),
        ({"type": "click", "position_x": float("nan"), "position_y": 5}, "finite number"),
        ({**CLICK, "bounds": [9, 0, 5, 5]}, r"bounds \[9, 0, 5, 5\]; expected left, top"),
        ({"type": "swipe", "direction": "sideways"}, "a swipe 'sideways'; expected up, down"),
        ({"type": "swipe"}, "without places and direction"),
        ({"type": "swipe", "press_position_x": 1, "press_position_y": 1}, "only one of press"),
        ({"type": "input"}, "text: Field required"),
        ({"type": "open_app", "app_name": None}, "app_name: Input should be"),
        ({"type": "done", "status": 3}, "status: Input should be"),
        ({"type": "suspend", "action": "pause"}, "Input should be 'start' or 'end'"),
        ({"type": "back"}, "Input tag 'back' found using 'type' does not match any"),
        ("click", "Input should be"),
        (None, "Input should be"),
    ],
)  # fmt: skip
def test_a_malformed_action_is_one_clear_error(item: JsonValue, problem: str) -> None:
    with pytest.raises(ForeignDataError, match=f"^action 2: .*{problem}"):
        actions_from_json([{"type": "wait"}, item, {"type": "nonsense"}], screen=(100, 200))


@pytest.mark.parametrize("word", ["up", "left", "sideways"])
def test_a_swipe_goes_by_its_places_and_keeps_a_word_that_contradicts_them(
    word: str, tmp_path: Path
) -> None:
    places: Item = {
        "press_position": {"x": 1, "y": 1}, "press_position_x": 1, "press_position_y": 1,
        "release_position": {"x": 9, "y": 50}, "release_position_x": 9, "release_position_y": 50,
    }  # fmt: skip
    item: Item = {"type": "swipe", **places, "direction": word}
    lay_out(tmp_path, recording(item))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    swipe = actions.Swipe(start=from_pixel(1, 1, SCREEN), end=from_pixel(9, 50, SCREEN))
    assert episode.steps[0].decision.action == swipe
    assert any(f'"{word}"' in line for line in episode.steps[0].log)
    MOBIAGENT.write([episode], tmp_path / "out")
    assert _items(next((tmp_path / "out").rglob("actions.json"))) == [item]


def test_a_status_that_the_model_made_up_is_no_success_and_is_kept(tmp_path: Path) -> None:
    item: Item = {"type": "done", "status": "completed"}
    lay_out(tmp_path, recording(item))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert episode.steps[0].decision.action == actions.Finish(outcome="failure", reason="completed")
    MOBIAGENT.write([episode], tmp_path / "out")
    assert _items(next((tmp_path / "out").rglob("actions.json"))) == [item]


TREE = (
    '<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="0">'
    '<node class="a.Frame" package="org.example" bounds="[0,0][100,200]">'
    '<node text="首页" clickable="true" package="org.example" bounds="[0,0][50,50]" /></node>'
    "</hierarchy>"
)


def test_a_hierarchy_beside_the_picture_is_that_of_its_screen_and_comes_back(
    tmp_path: Path,
) -> None:
    items: list[JsonValue] = [{**CLICK, "bounds": [0, 0, 40, 40]}, {"type": "done"}]
    directory = lay_out(tmp_path, recording(*items), pictures=[1, 2, 3])
    for number in (1, 3):
        (directory / f"{number}.xml").write_text(TREE, encoding="utf-8")
    for where in (tmp_path, tmp_path / "out"):
        [episode], bad = read_all(MOBIAGENT, where)
        assert not bad
        first, second = episode.steps
        assert first.observation.ui_tree is not None
        assert first.observation.ui_tree.find(text="首页") is not None
        assert first.observation.ui_tree.xml == TREE
        assert first.observation.app == "org.example"
        assert second.observation.ui_tree is None
        assert second.observation.app == ""
        assert episode.final is not None
        assert episode.final.app == "org.example"
        if where == tmp_path:
            MOBIAGENT.write([episode], tmp_path / "out")
            [item, _] = _items(next((tmp_path / "out").rglob("actions.json")))
            assert item["bounds"] == [0, 0, 40, 40]


@pytest.mark.parametrize("content", [b"", b"<hierarchy>", b"\xff\xfe", b"<hierarchy></hierarchy>"])
def test_a_hierarchy_that_cannot_be_read_is_left_out_with_a_line_in_the_log(
    content: bytes, tmp_path: Path
) -> None:
    directory = lay_out(tmp_path, recording({"type": "done"}))
    (directory / "1.xml").write_bytes(content)
    [episode], bad = read_all(MOBIAGENT, tmp_path)
    assert not bad
    assert episode.steps[0].observation.ui_tree is None
    assert "1.xml left out" in episode.steps[0].log[0]


def test_the_actions_of_a_recording_are_read_without_pictures() -> None:
    contract: JsonValue = [
        {"type": "click", "position_x": 540, "position_y": 236, "bounds": [48, 180, 1032, 292]},
        {"type": "input", "text": "周报"},
        {"type": "suspend", "action": "start"},
        {"type": "swipe", "direction": "UP"},
        {"type": "long_press", "position_x": 540, "position_y": 1460, "bounds": None},
        {"type": "done"},
    ]
    size = Size(1080, 2400)
    expected = (
        actions.Tap(at=from_pixel(540, 236, size)),
        actions.TypeText(text="周报"),
        swipe_toward("up"),
        actions.LongPress(at=from_pixel(540, 1460, size)),
        actions.Finish(),
    )
    assert actions_from_json(contract, screen=(1080, 2400)) == expected
    assert actions_from_json({"actions": contract}, screen=(1080, 2400)) == expected
    with pytest.raises(ForeignDataError, match="actions are a str; expected a list"):
        actions_from_json("click", screen=(1080, 2400))


@pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
def test_the_finger_direction_a_swipe_is_the_one_it_was_made_for(direction: str) -> None:
    [action] = actions_from_json([{"type": "swipe", "direction": direction}], screen=(9, 9))
    assert isinstance(action, actions.Swipe)
    assert finger_direction(action, Size(9, 9)) == direction


WAIT: Item = {"type": "wait"}


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda root: lay_out(root, recording(WAIT, WAIT), pictures=[1]), "2.jpg is missing"),
        (
            lambda root: lay_out(root, recording(WAIT), pictures=[1, 2, 3]),
            "no action belongs to it",
        ),
        (lambda root: lay_out(root, recording(), pictures=[]), "has no actions"),
        (lambda root: lay_out(root, recording(WAIT, task_description=[])), ""),
        (lambda root: lay_out(root, recording(WAIT, task_description={})), "valid string"),
        (lambda root: lay_out(root, [], pictures=[]), "an object"),
        (lambda root: lay_out(root, recording({**WAIT, "action_index": 0})), "the number 0"),
        (lambda root: lay_out(root, recording(WAIT), reasons={}), "describes None"),
        (lambda root: lay_out(root, recording(WAIT), reasons=[]), "0 items for 1 actions"),
        (
            lambda root: lay_out(root, recording(WAIT), reasons=[{"action": "click"}]),
            "describes 'click', but action 1 is 'wait'",
        ),
        (
            lambda root: lay_out(
                root, recording(WAIT), reasons=[{"action": "wait", "action_index": 5}]
            ),
            "action 5 does not exist",
        ),
        (lambda root: (lay_out(root, recording(WAIT)) / "1.jpg").write_bytes(b"x"), "readable"),
        (lambda root: (lay_out(root, recording(WAIT)) / "actions.json").write_text("{"), "JSON"),
        (
            lambda root: (lay_out(root, recording(WAIT)) / "actions.json").write_text("[" * 10**5),
            "JSON",
        ),
    ],
)
def test_what_is_bad_is_told_and_the_rest_is_kept(
    make: Callable[[Path], object], problem: str, tmp_path: Path
) -> None:
    make(tmp_path)
    lay_out(tmp_path, recording(WAIT), place="商城/type1/2")
    episodes, told = read_and_listen(MOBIAGENT, tmp_path)
    assert episodes[-1].id == "商城/type1/2"
    assert not any(step.refused or step.log for step in episodes[-1].steps)
    if problem:
        assert any(problem in one for one in told)
    else:
        assert episodes[0].instruction == ""


def test_the_answer_for_done_may_be_missing(tmp_path: Path) -> None:
    reason: JsonValue = {"reasoning": "so", "function": {"name": "wait", "parameters": {}}}
    lay_out(tmp_path, recording(WAIT, {"type": "done"}), reasons=[reason])
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert [step.decision.reasoning for step in episode.steps] == ["so", ""]


def test_two_trajectories_of_the_same_name_are_both_read(tmp_path: Path) -> None:
    for half in ("one", "two"):
        lay_out(tmp_path / half, recording(WAIT))
    episodes, _ = read_all(MOBIAGENT, tmp_path)
    assert [one.id for one in episodes] == ["商城/type1/1", "two/商城/type1/1"]


def test_a_directory_keeps_its_own_names_but_for_what_no_name_has(tmp_path: Path) -> None:
    seen = Observation(Screenshot(picture()), SCREEN, app="app")
    made = Episode("a: b?/type#1/0 é", "t", "g", (Step(seen, Decision(actions.Wait())),))
    MOBIAGENT.write([made, replace(made, id="a_ b_/type#1/0 é")], tmp_path / "out")
    found = sorted(file.parent for file in tmp_path.rglob("actions.json"))
    assert [one.relative_to(tmp_path / "out").as_posix() for one in found] == [
        "a_ b_/type#1/0 é",
        "app/t/1",
    ]


def test_an_action_without_a_word_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    seen = Observation(Screenshot(picture()), SCREEN)
    steps = (
        Step(seen, Decision(actions.Wait())),
        Step(seen, Decision(actions.PressKey(key="back"))),
    )
    episode = Episode(id="mine", task_id="t", instruction="g", steps=steps)
    with pytest.raises(UnsupportedByConventionError, match="mine, step 1: MobiAgent has no action"):
        MOBIAGENT.write([episode], tmp_path / "out")
    empty = Episode(id="mine", task_id="t", instruction="g", steps=())
    with pytest.raises(UnsupportedByConventionError, match="mine: has no steps"):
        MOBIAGENT.write([empty], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="already exists"):
        MOBIAGENT.write([], tmp_path)


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no actions\.json in it"):
        list(MOBIAGENT.read(tmp_path))


def test_a_trajectory_is_recognized_and_what_is_above_it_is_not(tmp_path: Path) -> None:
    directory = lay_out(tmp_path, recording(WAIT))
    assert MOBIAGENT.recognizes(directory)
    assert MOBIAGENT.recognizes(directory / "actions.json")
    assert not MOBIAGENT.recognizes(tmp_path)
    assert not MOBIAGENT.recognizes(directory / "1.jpg")


def test_a_point_between_pixels_is_the_middle_of_its_pixel() -> None:
    item: Item = {"type": "click", "position_x": 5.75, "position_y": 5}
    assert actions_from_json([item], screen=(10, 10)) == (actions.Tap(at=Point(0.55, 0.55)),)


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ({"type": "done"}, "success"),
        ({"type": "done", "status": "success"}, "success"),
        ({"type": "done", "status": "suspended"}, "failure"),
        ({"type": "done", "status": "failed"}, "failure"),
        ({"type": "wait"}, "unknown"),
    ],
)
def test_done_says_what_became_of_the_task(last: Item, outcome: str, tmp_path: Path) -> None:
    lay_out(tmp_path, recording({"type": "wait"}, last))
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert episode.outcome == outcome


def test_a_hierarchy_of_another_scale_than_its_picture_is_scaled_and_said_so(
    tmp_path: Path,
) -> None:
    directory = lay_out(tmp_path, recording({"type": "click", "position_x": 50, "position_y": 90}))
    (directory / "1.xml").write_text(
        '<hierarchy><node bounds="[0,0][1080,2160]"><node clickable="true" text="Go"'
        ' bounds="[108,216][972,1080]"/></node></hierarchy>'
    )
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    (step,) = episode.steps
    tree = step.observation.ui_tree
    assert tree is not None
    size = step.observation.size
    assert tree.other_scale is None
    node = tree.find(text="Go")
    assert node is not None
    assert node.box is not None
    assert node.box.left == pytest.approx(0.1, abs=1 / size.width)
    assert node.box.bottom == pytest.approx(0.5, abs=1 / size.height)
    assert "1.xml was of 1080x2160, and is scaled to its picture" in step.log[-1]


@pytest.mark.parametrize(
    ("bounds", "other"),
    [
        ("[0,0][540,1200]", "540x1200"),
        ("[0,0][1080,2400]", ""),
        ("[0,0][1080,2340]", ""),
        ("[0,100][540,1200]", ""),
        ("[0,0][1080,1200]", ""),
        ("[0,0][0,0]", ""),
    ],
)
def test_another_scale_is_seen_by_the_shape_of_the_root(bounds: str, other: str) -> None:
    tree = UiTree(f'<hierarchy><node bounds="{bounds}"/></hierarchy>', Size(1080, 2400))
    assert str(tree.other_scale or "") == other


@pytest.mark.parametrize(
    ("pictures", "outcome"),
    [([1, 2], "unknown"), ([1, 2, 3], "success"), ([1, 2, 3, 4], "unknown")],
)
def test_a_picture_after_the_last_action_stands_for_done_unless_more_follow(
    pictures: list[int], outcome: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, recording(WAIT, WAIT), pictures=pictures)
    [episode], _ = read_all(MOBIAGENT, tmp_path)
    assert episode.outcome == outcome
