import asyncio
from dataclasses import replace

import pytest

from tapwright.agents.tree import TreeAgent
from tapwright.benchmarks.pointing import ASK
from tapwright.core.actions import Action, Answer, Finish, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice, Scene
from tapwright.errors import UsageError

SIZE = Size(270, 600)


def look(scene: Scene) -> Observation:
    return FakeDevice([scene], size=SIZE).observe()


def decide(instruction: str, scene: Scene, *history: Step) -> Decision:
    return asyncio.run(TreeAgent().act(instruction, history, look(scene)))


def touched(decision: Decision, scene: Scene) -> str:
    assert isinstance(decision.action, Tap)
    tree = look(scene).ui_tree
    assert tree is not None
    node = tree.at(decision.action.at)
    assert node is not None
    return node.label or node.class_name


def done(scene: Scene, action: Action, target: str = "") -> Step:
    return Step(look(scene), Decision(action, target=target))


@pytest.mark.parametrize(
    ("instruction", "label"),
    [
        ("Open the sound settings", "Sound"),
        ("look at storage", "Storage 12 GB used"),
        ("search for something", "Search"),
    ],
)
def test_it_touches_what_the_instruction_names(
    instruction: str, label: str, settings_scene: Scene
) -> None:
    assert touched(decide(instruction, settings_scene), settings_scene) == label


def test_it_does_not_touch_the_same_thing_twice(settings_scene: Scene) -> None:
    first = decide("Open the sound settings", settings_scene)
    second = decide(
        "Open the sound settings", settings_scene, done(settings_scene, first.action, first.target)
    )
    assert second.action == Finish(reason="everything that was named has been touched")


def test_it_types_what_is_quoted_and_then_stops(editor_scene: Scene) -> None:
    task = 'Write a note called "Milk"'
    first = decide(task, editor_scene)
    assert first.action == TypeText(text="Milk")
    second = decide(task, editor_scene, done(editor_scene, first.action, first.target))
    assert isinstance(second.action, Finish)
    assert second.action.outcome == "success"


def test_asked_for_a_place_it_taps_the_element_that_is_named(settings_scene: Scene) -> None:
    assert touched(decide(ASK + 'the "Sound" item', settings_scene), settings_scene) == "Sound"


def test_it_answers_what_the_tree_supports(settings_scene: Scene) -> None:
    question = "Question: Which text is visible?\nOptions:\nA. Calendar\nB. Bluetooth\nC. Radio\n"
    assert decide(question, settings_scene).action == Answer(text="B")


def test_it_never_ends_in_an_error_and_never_plays_for_ever(settings_scene: Scene) -> None:
    history: list[Step] = []
    for _ in range(40):
        decision = decide("Make coffee in 厨房 for 'Anna'", settings_scene, *history)
        history.append(done(settings_scene, decision.action, decision.target))
        if isinstance(decision.action, Finish):
            return
    pytest.fail(f"still playing: {[step.decision.action for step in history][-3:]}")


@pytest.mark.parametrize("asked", ["go", "Which?\nOptions:\nA. one\nB. two\n", ASK + "it"])
def test_without_a_tree_it_says_so_and_ends_the_run(asked: str) -> None:
    blind = replace(FakeDevice().observe(), ui_tree=None)
    with pytest.raises(UsageError, match="without one") as caught:
        asyncio.run(TreeAgent().act(asked, (), blind))
    assert caught.value.fatal


def test_it_scrolls_a_list_that_does_not_show_what_is_wanted() -> None:
    scene = FakeDevice().scenes[0]
    xml = scene.xml.replace('class="android.widget.FrameLayout"', 'scrollable="true"')
    decision = decide("find the umbrella", replace(scene, xml=xml))
    assert isinstance(decision.action, Swipe)
    assert decision.action.start.y > decision.action.end.y
