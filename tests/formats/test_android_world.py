"""Checkpoints as AndroidWorld's `IncrementalCheckpointer` writes them, with its own class names."""

import gzip
import pickle
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tapwright.core.actions import Finish, OpenApp, Scroll, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.formats import formats
from tapwright.formats.errors import BrokenPickleError
from tapwright.formats.format import EpisodeExporter, EpisodeImporter, UnreadableEpisode
from tests.cli.running import tapwright
from tests.formats.foreign import picture

HEIGHT, WIDTH = 240, 108


@dataclass
class BoundingBox:
    x_min: Any
    x_max: Any
    y_min: Any
    y_max: Any


@dataclass
class UIElement:
    text: str | None = None
    class_name: str | None = None
    bbox_pixels: BoundingBox | None = None
    is_clickable: bool | None = None


@dataclass
class JSONAction:
    action_type: str
    index: int | None = None
    x: int | None = None
    text: str | None = None


class Response:
    """What a client of a model keeps of its answer."""

    def __init__(self) -> None:
        self._content = b"{}"


CLASSES = {
    "android_world.env.representation_utils": (BoundingBox, UIElement),
    "android_world.env.json_action": (JSONAction,),
    "some_client.models": (Response,),
}


@pytest.fixture(autouse=True)
def its_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, classes in CLASSES.items():
        parts = name.split(".")
        for length in range(1, len(parts)):
            package = ".".join(parts[:length])
            monkeypatch.setitem(sys.modules, package, ModuleType(package))
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        for one in classes:
            monkeypatch.setattr(one, "__module__", name)
            setattr(module, one.__name__, one)


def screen(level: int) -> np.ndarray[Any, Any]:
    return np.full((HEIGHT, WIDTH, 3), level, np.uint8)


ELEMENTS = [
    UIElement("Wi-Fi", "android.widget.TextView", BoundingBox(0, 50, 0, 20)),
    UIElement("On", "android.widget.Switch", BoundingBox(60.0, 100.0, 20.0, 40.0), True),
    UIElement("no place"),
]


def m3a(*answers: str, **more: list[Any]) -> dict[str, list[Any]]:
    count = len(answers)
    return {
        "raw_screenshot": [screen(number) for number in range(count)],
        "before_ui_elements": [ELEMENTS] * count,
        "action_output": list(answers),
        "action_output_json": [None] * count,
        "action_raw_response": [Response()] * count,
        "summary": ["done"] * count,
        "step_number": list(range(count)),
        **more,
    }


def attempt(data: Any, **more: Any) -> dict[str, Any]:
    return {
        "goal": "Turn Wi-Fi off.", "task_template": "SystemWifiTurnOff", "episode_data": data,
        "is_successful": 1.0, "exception_info": None, "seed": 30, "instance_id": 0,
        "agent_name": "M3A", "run_time": 12.5, **more,
    }  # fmt: skip


def checkpoint(path: Path, *attempts: dict[str, Any]) -> Path:
    path.write_bytes(gzip.compress(pickle.dumps(list(attempts))))
    return path


def read(path: Path) -> list[Episode | UnreadableEpisode]:
    importer = formats.get("androidworld")
    assert isinstance(importer, EpisodeImporter)
    return list(importer.read(path))


def read_one(path: Path) -> Episode:
    (episode,) = read(path)
    assert isinstance(episode, Episode), episode
    return episode


def test_an_attempt_becomes_an_episode(tmp_path: Path) -> None:
    data = m3a(
        'Reason: to the settings\nAction: {"action_type": "open_app", "app_name": "Settings"}',
        'Reason: it is on\nAction: {"action_type": "click", "index": 1}',
        'Reason: lower\nAction: {"action_type": "scroll", "direction": "down"}',
        'Action: {"action_type": "input_text", "text": "a", "x": 54, "y": 120}',
        'Reason: done\nAction: {"action_type": "status", "goal_status": "complete"}',
    )
    episode = read_one(checkpoint(tmp_path / "SystemWifiTurnOff_0.pkl.gz", attempt(data)))
    assert (episode.task_id, episode.instruction) == ("SystemWifiTurnOff", "Turn Wi-Fi off.")
    assert (episode.outcome, episode.agent) == ("success", "M3A")
    assert episode.extra["seed"] == "30"
    opened, tapped, scrolled, typed, ended = (step.decision.action for step in episode.steps)
    assert opened == OpenApp(app="Settings")
    assert isinstance(tapped, Tap)
    assert (tapped.at.x, tapped.at.y) == pytest.approx((80 / WIDTH, 30 / HEIGHT))
    assert isinstance(scrolled, Scroll)
    assert scrolled.dy > 0
    assert typed == TypeText(text="a\n", at=Point((54 + 0.5) / WIDTH, (120 + 0.5) / HEIGHT))
    assert ended == Finish()
    assert episode.steps[1].decision.reasoning == "it is on"
    seen = episode.steps[1].observation
    assert (seen.size.width, seen.size.height) == (WIDTH, HEIGHT)
    assert seen.screenshot.image().getpixel((5, 5)) == (1, 1, 1)
    assert seen.ui_tree is not None
    assert [node.text for node in seen.ui_tree.nodes] == ["Wi-Fi", "On", "no place"]


def test_an_answer_without_an_action_did_nothing(tmp_path: Path) -> None:
    data = m3a("I cannot see it.", 'Reason: x\nAction: {"action_type": "click", "index": 9}')
    episode = read_one(checkpoint(tmp_path / "T_0.pkl.gz", attempt(data, is_successful=0.0)))
    assert episode.outcome == "failure"
    assert [step.decision.action for step in episode.steps] == [Wait(duration_s=0)] * 2
    assert episode.steps[0].decision.reasoning == "I cannot see it."
    assert all(step.refused for step in episode.steps)


def test_an_action_is_read_where_the_answer_was_not_kept(tmp_path: Path) -> None:
    data = m3a("") | {"action_output_json": [JSONAction("click", index=1)]}
    episode = read_one(checkpoint(tmp_path / "T_0.pkl.gz", attempt(data)))
    assert isinstance(episode.steps[0].decision.action, Tap)


def test_t3a_has_the_screen_after_a_step(tmp_path: Path) -> None:
    data = {
        "before_screenshot": [screen(1)], "after_screenshot": [screen(9)],
        "before_element_list": [ELEMENTS], "after_element_list": [ELEMENTS[:1]],
        "action_output": ['Action: {"action_type": "navigate_home"}'], "step_number": [0],
    }  # fmt: skip
    episode = read_one(checkpoint(tmp_path / "T_0.pkl.gz", attempt(data, agent_name="T3A")))
    after = episode.steps[0].after
    assert after is not None
    assert after.screenshot.image().getpixel((0, 0)) == (9, 9, 9)
    assert episode.final == after


def test_attempts_that_ended_with_an_exception_are_told_and_others_are_read(
    tmp_path: Path,
) -> None:
    failed = attempt(np.nan, is_successful=np.nan, exception_info="Traceback:\nValueError: no adb")
    data = m3a('Action: {"action_type": "wait"}')
    first, second = read(checkpoint(tmp_path / "T_0.pkl.gz", failed, attempt(data)))
    assert isinstance(first, UnreadableEpisode)
    assert "was not played to its end: ValueError: no adb" in first.reason
    assert isinstance(second, Episode)


def test_the_command_finds_checkpoints_and_tells_the_broken_one(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    whole = checkpoint(runs / "A_0.pkl.gz", attempt(m3a('Action: {"action_type": "wait"}')))
    (runs / "B_0.pkl.gz").write_bytes(whole.read_bytes()[:-200])
    done = tapwright("episodes", "import", str(runs), "-o", str(tmp_path / "episodes"))
    assert done.returncode == 1
    assert "B_0.pkl.gz" in done.stderr
    listed = tapwright("episodes", "ls", str(tmp_path / "episodes"), "--format", "json")
    assert '"SystemWifiTurnOff"' in listed.stdout
    with pytest.raises(BrokenPickleError):
        read(runs / "B_0.pkl.gz")


def test_what_is_written_is_read_as_the_same_attempt(tmp_path: Path) -> None:
    seen = Observation(screenshot=Screenshot(picture()), size=Size(100, 200))
    steps = tuple(
        Step(seen, Decision(action, "Because."))
        for action in (OpenApp(app="Clock"), Tap(at=from_pixel(10, 20, Size(100, 200))), Finish())
    )
    first = Episode("e", "ClockStopWatchRunning", "Run it.", steps, outcome="success", agent="a")
    broken = replace(first, id="f", outcome="interrupted")
    importer = formats.get("androidworld")
    assert isinstance(importer, EpisodeExporter)
    assert importer.write([first, broken], tmp_path / "out") == 2
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["ClockStopWatchRunning_0.pkl.gz", "ClockStopWatchRunning_1.pkl.gz"]
    assert isinstance(importer, EpisodeImporter)
    episodes = [one for one in importer.read(tmp_path / "out") if isinstance(one, Episode)]
    assert [one.outcome for one in episodes] == ["success", "interrupted"]
    assert (episodes[0].task_id, episodes[0].outcome) == ("ClockStopWatchRunning", "success")
    assert [step.decision for step in episodes[0].steps] == [step.decision for step in steps]
    with gzip.open(tmp_path / "out" / names[0]) as file:
        (attempt,) = pickle.load(file)  # nothing of ours is needed to read it
    assert attempt["episode_length"] == len(attempt["episode_data"]["step_number"]) == 3
    assert attempt["episode_data"]["raw_screenshot"][0].shape == (200, 100, 3)
