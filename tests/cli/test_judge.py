"""A recorded episode judged from the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright

DEFINITION = """
id: "press"
event_sources { id: 1 view_hierarchy_event {
  selector: '#$"button"' properties { property_name: "text" pattern: "1" } } }
event_slots {
  reward_listener { id: 2 events { id: 1 } transformation: "y = 1" }
  episode_end_listener { events { id: 1 } transformation: "y = True" }
}
"""


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    device = FakeDevice()
    device.reset()
    tap = Step(device.observe(), Decision(Tap(at=Point(0.5, 0.4))))
    device.perform(tap.decision.action)
    done = Step(device.observe(), Decision(Finish()))
    EpisodeStore(tmp_path / "store").write(
        Episode("one", "press", "Press", (tap, done), final=device.observe(), outcome="success")
    )
    return tmp_path / "store/one"


def definition(tmp_path: Path, text: str = DEFINITION) -> str:
    path = tmp_path / "press.textproto"
    path.write_text(text)
    return str(path)


def test_every_step_tells_what_fired_until_the_end(episode: Path, tmp_path: Path) -> None:
    run = tapwright("tasks", "judge", definition(tmp_path), str(episode), "--format", "json")
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)
    assert [(row["fired"], row["reward"], row["end"]) for row in rows] == [
        ("", 0.0, ""),
        ("1, 2", 1.0, "success"),
    ]


def test_what_was_not_recorded_is_told_and_the_command_ends_with_1(
    episode: Path, tmp_path: Path
) -> None:
    state = 'event_sources { id: 5 state_event { path: "a.b" } }'
    run = tapwright("tasks", "judge", definition(tmp_path, DEFINITION + state), str(episode))
    assert run.returncode == 1
    assert "not recorded: step 1: the state 'a.b'" in run.stderr


def test_a_definition_that_is_none_is_told_with_its_place(episode: Path, tmp_path: Path) -> None:
    run = tapwright("tasks", "judge", definition(tmp_path, "\nidd: 1"), str(episode))
    assert run.returncode == 1
    assert "press.textproto, line 2, column 1" in run.stderr
    assert "did you mean 'id'?" in run.stderr


def test_a_graph_that_is_wrong_is_told_the_same_way(episode: Path, tmp_path: Path) -> None:
    wrong = DEFINITION.replace("events { id: 1 } transformation", "events { id: 9 } transformation")
    run = tapwright("tasks", "judge", definition(tmp_path, wrong), str(episode))
    assert run.returncode == 1
    assert "event 9 is not defined" in run.stderr


def test_an_episode_without_a_step_cannot_be_judged(episode: Path, tmp_path: Path) -> None:
    store = EpisodeStore(episode.parent)
    store.write(replace(store.read("one"), id="none", steps=(), outcome="unknown"))
    run = tapwright("tasks", "judge", definition(tmp_path), str(episode.parent / "none"))
    assert run.returncode == 1
    assert "no step to judge" in run.stderr


RULE = """
task_id: press
description: Press the button twice
nodes:
  - {id: once, any: ["Button 1"], next: [asked]}
  - {id: asked, condition: {type: llm, params: {prompt: "Was it pressed?"}}}
"""


def rule_file(tmp_path: Path, text: str = RULE) -> str:
    path = tmp_path / "press.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_milestones_tell_where_each_was_seen_and_what_is_left_to_a_person(
    episode: Path, tmp_path: Path
) -> None:
    task = rule_file(tmp_path)
    run = tapwright("tasks", "judge", task, str(episode), "--gap", "0", "--format", "json")
    assert run.returncode == 1
    rows = {row["milestone"]: row for row in json.loads(run.stdout)}
    assert (rows["once"]["step"], rows["once"]["found"]) == (1, "'Button 1'")
    assert rows["asked"]["seen"] == "unknown"
    assert "to be reviewed: undecided are asked, 50% of the way" in run.stderr


def test_a_model_tells_what_words_cannot(episode: Path, tmp_path: Path) -> None:
    task = rule_file(tmp_path)
    run = tapwright("tasks", "judge", task, str(episode), "--gap", "0", "--model", "scripted/yes")
    assert run.returncode == 0, run.stderr
    assert "success, 100% of the way" in run.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nodes: [\n", "press.yaml, line 2: not YAML"),
        ("nodes:\n- &a {id: a}\n- *a\n", "press.yaml, line 3: not YAML: an alias"),
        ("nodes: []\nnodes: []\n", "press.yaml, line 2: not YAML: duplicate key 'nodes'"),
        ("- nodes\n", "found list; expected a mapping"),
        ("nodes: [{id: a, deps: [a]}]", "comes after itself"),
        ("nodes: !!python/object:os.system {}", "not YAML: could not determine a constructor"),
    ],
)
def test_a_rule_file_that_is_none_is_refused_with_its_place(
    episode: Path, tmp_path: Path, text: str, said: str
) -> None:
    run = tapwright("tasks", "judge", rule_file(tmp_path, text), str(episode))
    assert run.returncode == 1
    assert said in run.stderr
    assert "TW540" in run.stderr


def test_checking_a_rule_file_tells_what_is_doubtful(tmp_path: Path) -> None:
    lost = "  - {id: lost, any: [x], next: [asked], colour: red}\nsuccess: {any_of: [once]}\n"
    run = tapwright("tasks", "check", rule_file(tmp_path, RULE + lost), "--format", "json")
    told = [(row["place"].rpartition(", ")[2], row["what"]) for row in json.loads(run.stdout)]
    assert ("lost", "success does not depend on it, so it never counts") in told
    assert ("lost", "unknown key 'colour' has no effect; remove it, or correct its name") in told
    assert ("asked", "only a model can check it; add text, xml or ocr to it") in told


def test_outcomes_that_the_steps_do_not_prove_are_shown_and_then_mended(
    episode: Path, tmp_path: Path
) -> None:
    store = EpisodeStore(episode.parent)
    proved = store.read("one")
    store.write(replace(proved, id="two", outcome="failure"))
    store.write(replace(proved, id="three", task_id="other", outcome="failure"))
    words = ("episodes", "rejudge", str(store.root), "--tasks", definition(tmp_path))
    run = tapwright(*words, "--format", "json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [
        {
            "episode": "three",
            "stored": "failure",
            "proved": "failure",
            "note": "no definition of task 'other'",
        },
        {"episode": "two", "stored": "failure", "proved": "success", "note": ""},
    ]
    assert "1 of 3 outcomes are not what the steps prove; 1 cannot be judged" in run.stderr
    assert store.read("two").outcome == "failure"
    assert tapwright(*words, "--write").returncode == 0
    assert [store.read(id_).outcome for id_ in ("one", "two", "three")] == [
        "success",
        "success",
        "failure",
    ]
    assert tapwright("episodes", "undo", str(store.root), "two").returncode == 0
    assert store.read("two").outcome == "failure"
