"""Laws of every reader of episodes, whatever stands in the files."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.episode import Episode
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.store.store import EpisodeStore
from tests.formats import (
    test_agentnet,
    test_android_control,
    test_dual_point,
    test_gui_odyssey,
    test_mobiagent,
    test_screenagent,
)

GOOD: Mapping[str, Callable[[Path], Path]] = {
    "agentnet": lambda root: test_agentnet.lay_out(root, "pyautogui.click(0.5, 0.5)"),
    "aitz": lambda root: test_dual_point.lay_out(root / "a", test_dual_point.aitz_step()),
    "gui-odyssey": lambda root: test_gui_odyssey.lay_out(
        root, {"action": "SCROLL", "info": [[1, 2], [3, 4]]}
    ),
    "mobiagent": lambda root: (
        test_mobiagent.lay_out(
            root,
            test_mobiagent.recording(test_mobiagent.CLICK, {"type": "swipe", "direction": "up"}),
        )
        / "actions.json"
    ),
    "screenagent": lambda root: next(
        test_screenagent.lay_out(root, [test_screenagent.mouse("click")]).glob("*.json")
    ),
}
ODD: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.sampled_from(["", "../..", "/etc/passwd", "\0", "\ud83d", "{", "1", "click", "a" * 999])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "type", "action"]), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(value: JsonValue) -> Iterator[tuple[str | int, ...]]:
    """The ways to everything within a value."""
    inner: list[tuple[str | int, JsonValue]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, held in inner:
        yield (key,)
        for place in places(held):
            yield (key, *place)


@pytest.mark.parametrize("name", GOOD)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
@pytest.mark.slow_but_one
def test_whatever_stands_in_a_field_an_episode_or_a_reason_comes_out(
    name: str, data: st.DataObject
) -> None:
    importer = formats.get(name)
    assert isinstance(importer, EpisodeImporter)
    with tempfile.TemporaryDirectory() as directory:
        file = GOOD[name](Path(directory))
        value = json.loads(file.read_text(encoding="utf-8"))
        *way, last = data.draw(st.sampled_from(list(places(value))))
        holder = value
        for key in way:
            holder = holder[key]
        holder[last] = data.draw(ODD)
        file.write_text(json.dumps(value), encoding="utf-8")
        for found in importer.read(Path(directory)):
            if isinstance(found, Episode):
                # What is let in can be kept.
                EpisodeStore(Path(directory, "store")).write(found)


@pytest.mark.parametrize("name", GOOD)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_a_file_that_was_cut_short_or_garbled_gives_only_reasons_or_episodes(
    name: str, data: st.DataObject
) -> None:
    importer = formats.get(name)
    assert isinstance(importer, EpisodeImporter)
    with tempfile.TemporaryDirectory() as directory:
        file = GOOD[name](Path(directory))
        whole = bytearray(file.read_bytes())
        at = data.draw(st.integers(0, len(whole) - 1))
        garbled = deepcopy(whole)
        garbled[at] = data.draw(st.integers(0, 255))
        file.write_bytes(data.draw(st.sampled_from([bytes(whole[:at]), bytes(garbled)])))
        importer.recognizes(file)
        found = list(importer.read(Path(directory)))
    assert all(isinstance(one, Episode | UnreadableEpisode) for one in found)


@pytest.mark.parametrize("name", [*GOOD, "aitw", "android-control"])
def test_a_reader_is_called_by_its_name_and_recognizes_only_its_own(
    name: str, tmp_path: Path
) -> None:
    importer = formats.get(name)
    assert isinstance(importer, EpisodeImporter)
    assert importer.name == name
    for other, make in GOOD.items():
        (tmp_path / other).mkdir()
        file = make(tmp_path / other)
        path = file.parent if other == "screenagent" else file
        assert importer.recognizes(path) == (other == name)
    (tmp_path / "lines.jsonl").write_text(
        test_android_control.line(test_android_control.CLICK), encoding="utf-8"
    )
    assert importer.recognizes(tmp_path / "lines.jsonl") == (name == "android-control")
    (tmp_path / "empty").write_bytes(b"")
    assert not importer.recognizes(tmp_path / "empty")
    assert not importer.recognizes(tmp_path / "nothing")


def test_reading_twice_gives_the_same_ids(tmp_path: Path) -> None:
    for name, make in GOOD.items():
        importer = formats.get(name)
        assert isinstance(importer, EpisodeImporter)
        (tmp_path / name).mkdir()
        make(tmp_path / name)
        first, second = (
            [one.id for one in importer.read(tmp_path / name) if isinstance(one, Episode)]
            for _ in range(2)
        )
        assert first == second != []
