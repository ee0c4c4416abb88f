"""What a check finds, each on a store that was sound before."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from PIL import Image

from tapwright.core.actions import Action, Finish, LongPress, Tap, Touch, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.check import check_episode, is_same_action
from tapwright.curate.check.store import list_checked
from tapwright.devices.fake import painted_scene
from tapwright.store.store import EpisodeStore
from tests.strategies import EPISODES

SIZE = Size(40, 80)
_LOST = {"missing", "hash", "image", "size", "tree", "line", "header", "orphan", "end"}


def seen(number: int, *, tree: int | None = None) -> Observation:
    scene = painted_scene(number, SIZE)
    xml = painted_scene(number if tree is None else tree, SIZE).xml
    return Observation(Screenshot(scene.picture), SIZE, UiTree(xml, SIZE), time_s=float(number))


def step(number: int, action: Action | None = None) -> Step:
    return Step(seen(number), Decision(action or Tap(at=Point(0.1 * number, 0.5))))


def stored(tmp_path: Path, *steps: Step) -> EpisodeStore:
    store = EpisodeStore(tmp_path / "store")
    taken = steps or (step(0), step(1), step(2, Finish()))
    store.write(Episode("a", "t", "Do it", taken, seen(9), "success"))
    return store


def told(store: EpisodeStore) -> list[tuple[str, str, int | None]]:
    return [(one.severity, one.kind, one.step) for one in check_episode(store, "a")]


def files(store: EpisodeStore) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(episode=EPISODES)
@pytest.mark.slow
def test_what_was_just_written_has_lost_nothing_and_is_not_changed(
    episode: Episode, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = EpisodeStore(tmp_path_factory.mktemp("law"))
    store.write(episode)
    before = files(store)
    assert not _LOST & {one.kind for one in check_episode(store, episode.id)}
    assert files(store) == before


def test_a_sound_episode_and_its_edits_have_no_findings(tmp_path: Path) -> None:
    store = stored(tmp_path)
    episode = store.read("a")
    store.save(episode, replace(episode, steps=episode.steps[1:]), edit="delete")
    assert told(store) == []
    store.undo("a")
    assert told(store) == []


def edited(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Path], None]:
    def edit(directory: Path) -> None:
        path = directory / "steps.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        change(lines)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    return edit


def put(place: str, value: object) -> Callable[[list[dict[str, Any]]], None]:
    def change(lines: list[dict[str, Any]]) -> None:
        target: Any = lines[1]
        *path, last = place.split(".")
        for part in path:
            target = target[part]
        target[last] = value

    return change


def named(directory: Path) -> dict[str, str]:
    """What the second line says that was seen."""
    observation: dict[str, str] = json.loads(
        (directory / "steps.jsonl").read_text().splitlines()[1]
    )["observation"]
    return observation


def frame(directory: Path) -> Path:
    return directory / "frames" / named(directory)["frame"]


def tree(directory: Path) -> Path:
    return directory / "ui" / f"{named(directory)['ui']}.xml.zst"


def tear(directory: Path) -> None:
    with (directory / "steps.jsonl").open("ab") as file:
        file.write(b'{"type":"st')


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (lambda at: frame(at).unlink(), ("error", "missing", 1)),
        (lambda at: frame(at).write_bytes(b""), ("error", "hash", 1)),
        (lambda at: tree(at).write_bytes(b"x"), ("error", "tree", 1)),
        (lambda at: tree(at).unlink(), ("error", "missing", 1)),
        (lambda at: (at / "frames" / "stray.png").write_bytes(b""), ("warning", "orphan", None)),
        (edited(put("observation.width", 41)), ("error", "size", 1)),
        (edited(put("action.at.x", 1.2)), ("error", "line", 1)),
        (edited(put("action.at.x", float("nan"))), ("error", "line", 1)),
        (edited(put("action.type", "teleport")), ("error", "line", 1)),
        (edited(put("observation.time_s", 7.0)), ("error", "order", 2)),
        (edited(put("observation.stale", True)), ("warning", "stale", 1)),
        (edited(put("action", {"type": "finish"})), ("error", "finish", 1)),
        (edited(lambda lines: lines.insert(1, lines.pop())), ("error", "order", None)),
        (edited(lambda lines: lines.clear()), ("warning", "end", None)),
        (edited(lambda lines: lines.clear()), ("warning", "count", None)),
        (tear, ("warning", "line", None)),
    ],
)  # fmt: skip
def test_harm_is_found_where_it_was_done(
    tmp_path: Path, harm: Callable[[Path], None], expected: tuple[str, str, int | None]
) -> None:
    store = stored(tmp_path)
    harm(store.root / "a")
    assert expected in told(store)


def test_a_place_off_the_screen_is_told_with_line_and_reason(tmp_path: Path) -> None:
    store = stored(tmp_path)
    edited(put("action.at.x", 1.2))(store.root / "a")
    (found, *_) = check_episode(store, "a")
    assert found.file.endswith("steps.jsonl")
    assert "line 2: not a step: " in found.message
    assert "the point (1.2, 0.5) is off the screen" in found.message


def test_a_picture_that_was_recorded_broken_is_found(tmp_path: Path) -> None:
    whole = seen(1).screenshot
    for kind in ("PNG", "JPEG"):  # a WebP that is cut is not even recorded
        buffer = io.BytesIO()
        whole.image().save(buffer, kind)
        cut = Screenshot(buffer.getvalue()[:-20])
        one = replace(step(1), observation=replace(seen(1), screenshot=cut))
        assert ("error", "image", 0) in told(stored(tmp_path / kind, one))


def test_as_many_screens_as_touch_events_but_the_last(tmp_path: Path) -> None:
    events = (Touch(at=Point(0.5, 0.5)),) * 3
    one = replace(step(0), raw=events, between=(seen(4),))
    assert ("error", "count", 0) in told(stored(tmp_path, one))
    one = replace(one, between=(seen(4), seen(5)))
    assert told(stored(tmp_path / "sound", one)) == []


def test_the_same_action_on_the_same_screen_is_a_repeat_and_elsewhere_it_is_not(
    tmp_path: Path,
) -> None:
    tap = Tap(at=Point(0.5, 0.5))
    large = Size(400, 800)
    image = seen(0).screenshot.image().resize((400, 800))
    whole, nearly = io.BytesIO(), io.BytesIO()
    image.save(whole, "PNG")
    image.putpixel((0, 0), (250, 0, 0))
    image.save(nearly, "PNG")
    first = Observation(Screenshot(whole.getvalue()), large)
    near = Observation(Screenshot(nearly.getvalue()), large)
    close = Tap(at=Point(0.505, 0.5))
    assert told(stored(tmp_path, Step(first, Decision(tap)), Step(near, Decision(close)))) == [
        ("warning", "repeat", 1)
    ]
    other = Tap(at=Point(0.6, 0.5))
    for number, (screen, action) in enumerate([(near, other), (seen(3), tap)]):
        steps = Step(first, Decision(tap)), Step(screen, Decision(action))
        assert told(stored(tmp_path / str(number), *steps)) == []


def test_the_tree_of_the_step_before_under_another_screen_is_stale(tmp_path: Path) -> None:
    def plain(colour: str, number: int) -> Step:
        buffer = io.BytesIO()
        Image.new("RGB", (40, 80), colour).save(buffer, "PNG")
        look = replace(seen(number, tree=0), screenshot=Screenshot(buffer.getvalue()))
        return Step(look, Decision(Tap(at=Point(0.1 * number, 0.5))))

    assert told(stored(tmp_path, plain("white", 0), plain("black", 1))) == [("warning", "stale", 1)]


def test_an_episode_that_cannot_be_listed_is_found_by_its_directory(tmp_path: Path) -> None:
    store = stored(tmp_path)
    (store.root / "a" / "episode.json").write_text("{}")
    ids, (found,) = list_checked(store)
    assert ids == []
    assert (found.episode, found.kind, found.severity) == ("a", "header", "error")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (TypeText(text="a"), TypeText(text="a"), True),
        (TypeText(text="a"), TypeText(text="b"), False),
        (Tap(at=Point(0.5, 0.5)), LongPress(at=Point(0.5, 0.5)), False),
        (
            LongPress(at=Point(0.5, 0.5), duration_s=0.80),
            LongPress(at=Point(0.5, 0.5), duration_s=0.84),
            True,
        ),
        (Tap(at=Point(0.5, 0.5)), Tap(at=Point(0.5, 0.5), button="right"), False),
    ],
)
def test_actions_are_alike_when_nobody_could_tell_them_apart(
    one: Action, other: Action, expected: bool
) -> None:
    assert is_same_action(one, other) is expected


def test_a_picture_that_shows_nothing_and_a_refused_step_are_told(tmp_path: Path) -> None:
    one = step(1)
    blind = replace(one.observation, screenshot=Screenshot.stand_in(one.observation.size))
    unseen = replace(one, observation=blind)
    store = stored(tmp_path, unseen, unseen, replace(step(2), refused="no such app"))
    assert sorted(told(store)) == [
        ("warning", "picture", 0),
        ("warning", "picture", 1),
        ("warning", "refused", 2),
    ]


def test_a_hierarchy_that_counts_another_screen_is_told(tmp_path: Path) -> None:
    look = seen(0, tree=0)
    size = Size(look.size.width * 3, look.size.height * 3)
    xml = f'<hierarchy><node bounds="[0,0][{size.width},{size.height}]"/></hierarchy>'
    step = Step(replace(look, ui_tree=UiTree(xml, look.size)), Decision(Tap(at=Point(0.5, 0.5))))
    assert ("warning", "scale", 0) in told(stored(tmp_path, step))


def test_what_comes_after_the_end_in_one_answer_is_told(tmp_path: Path) -> None:
    tap = Tap(at=Point(0.1, 0.5))
    store = stored(tmp_path, Step(seen(0), Decision([tap, Finish(), tap])))
    [found] = [one for one in check_episode(store, "a") if one.kind == "finish"]
    assert found.message == "1 of its actions come after the end, and were not done"


def test_a_step_has_fewer_screens_between_than_actions(tmp_path: Path) -> None:
    tap = Tap(at=Point(0.1, 0.5))
    two = Step(seen(0), Decision([tap, tap]), between=(seen(1), seen(2)))
    assert ("error", "count", 0) in told(stored(tmp_path, two, step(3, Finish())))
