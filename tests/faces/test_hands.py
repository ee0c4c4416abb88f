"""What a client's calls do to a device, without the protocol around them."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.geometry import Size
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.errors import NothingFoundError
from tapwright.faces.mcp.hands import EPISODES, TASK, Hands
from tapwright.faces.session import Session, make_free_task
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task

TASK_2 = Task("press", "Get to button 2", apps=(), check=When(TreeShows("Button 2")), max_steps=9)
PLACE: JsonValue = {"x": 100, "y": 200}


def hands(root: Path, *, size: Size | None = None, task: Task = TASK_2) -> Hands:
    size = size or Size(270, 600)
    store = EpisodeStore(root)
    session = Session(FakeDevice(EndlessScenes(size), size=size), agent="mcp", store=store)
    return Hands(session, task, recordings=store)


def test_an_action_returns_the_screen_that_it_led_to_and_is_recorded(tmp_path: Path) -> None:
    ours = hands(tmp_path)
    before = ours.call("screenshot", {})
    after = ours.call("tap", {"at": PLACE, "reasoning": "it is there"})
    assert before.picture is not None
    assert after.picture is not None
    assert after.picture != before.picture
    assert after.text.startswith("done: tap at (37 %, 33 %)\nscreen: 270x600 pixels")
    ours.call("tap", {"at": PLACE})
    assert "the attempt has ended: success" in ours.call("finish", {}).text
    refused = ours.call("tap", {"at": PLACE})
    assert refused.is_error
    assert "has ended (success)" in refused.text
    (episode,) = EpisodeStore(tmp_path)
    assert (episode.outcome, episode.steps[0].decision.reasoning) == ("success", "it is there")
    assert ours.read(EPISODES) == [
        {"id": episode.id, "task": "press", "instruction": "Get to button 2",
         "outcome": "success", "steps": 3}
    ]  # fmt: skip
    told = ours.read(f"{EPISODES}/{episode.id}")
    assert isinstance(told, dict)
    assert str(told["actions"]).startswith("[{'type': 'tap'")


def test_episodes_of_others_in_the_store_are_not_told(tmp_path: Path) -> None:
    theirs = hands(tmp_path)
    theirs.call("tap", {"at": PLACE})
    theirs.close()
    (episode,) = EpisodeStore(tmp_path)
    ours = hands(tmp_path)
    assert ours.read(EPISODES) == []
    with pytest.raises(NothingFoundError, match="no resource"):
        ours.read(f"{EPISODES}/{episode.id}")


def test_a_large_picture_is_shrunk_and_places_are_of_the_picture_that_was_sent(
    tmp_path: Path,
) -> None:
    ours = hands(tmp_path, size=Size(1000, 3136))
    seen = ours.call("screenshot", {}).picture
    assert seen is not None
    assert seen.size == Size(500, 1568)
    assert "off a 500x1568 screen" in ours.call("tap", {"at": {"x": 500, "y": 0}}).text
    ours.call("tap", {"at": {"x": 250, "y": 784}})
    ours.close()
    (episode,) = EpisodeStore(tmp_path)
    at = episode.steps[0].decision.action.model_dump()["at"]
    assert (at["x"], at["y"]) == pytest.approx((0.501, 0.50032), abs=1e-4)
    assert episode.steps[0].observation.size == Size(1000, 3136)


def test_what_is_asked_is_known_before_and_while_it_is_played(tmp_path: Path) -> None:
    ours = hands(tmp_path, task=make_free_task("Look around"))
    asked = ours.read(TASK)
    assert isinstance(asked, dict)
    assert (asked["instruction"], asked["step"], asked["outcome"]) == ("Look around", 0, None)
    ours.call("wait", {"duration_s": 0})
    assert "1" in str(ours.read(TASK))
    assert ours.call("start_over", {"seed": 3}).text.startswith("screen: ")
    assert [episode.outcome for episode in EpisodeStore(tmp_path)] == ["truncated"]


def test_every_tool_answers_a_call_without_arguments(tmp_path: Path) -> None:
    ours = hands(tmp_path)
    names = [tool.name for tool in ours.tools()]
    assert names[:3] == ["screenshot", "tree", "start_over"]
    for name in names:
        assert ours.call(name, {}).text
    assert ours.call("tree", {}).text.startswith("<hierarchy")


def test_a_lost_device_is_an_answer(tmp_path: Path) -> None:
    session = Session(FakeDevice(lost_after=1), agent="mcp")
    ours = Hands(session, make_free_task())
    ours.call("wait", {})
    lost = ours.call("screenshot", {})
    assert (lost.is_error, lost.text) == (True, "fake 270x600: lost after 1 actions")
