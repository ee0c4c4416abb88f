from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.tasks.checks import (
    AllConditions,
    AnswerHas,
    Condition,
    LogHas,
    NotCondition,
    StateHas,
    StateIs,
    TreeShows,
    When,
)
from tapwright.tasks.task import Signals

SIZE = Size(90, 160)
ITEMS: JsonValue = [{"title": "Milk", "done": True}, {"title": "Bread and butter", "done": False}]


def signals(
    state: Mapping[str, JsonValue] | None = None, answer: str | None = None, log: str = ""
) -> Signals:
    scene = painted_scene(7, SIZE)
    return Signals(
        observation=Observation(Screenshot(scene.picture), SIZE, UiTree(scene.xml, SIZE)),
        log=log.splitlines(),
        state=(state or {}).get,
        answer=answer,
    )


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        (StateIs("wifi", True), True),
        (StateIs("wifi", False), False),
        (StateIs("missing", None), True),
        (StateHas("items", {"title": "Milk", "done": True}), True),
        (StateHas("items", {"title": "Milk", "done": False}), False),
        (StateHas("items", contains={"title": "butter"}), True),
        (StateHas("items", {"title": "Milk"}, count=2), False),
        (StateHas("wifi", {"title": "Milk"}), False),
        (TreeShows("Button 7"), True),
        (TreeShows("Button"), False),
        (TreeShows("utton", part=True), True),
        (LogHas(r"NotesApp: note_saved id=\d+"), True),
        (LogHas("note_deleted"), False),
        (AllConditions((StateIs("wifi", True), TreeShows("Button 7"))), True),
        (AllConditions((StateIs("wifi", True), TreeShows("Button 8"))), False),
        (NotCondition(TreeShows("Button 8")), True),
    ],
)
def test_a_condition_holds_when_its_words_say_so(condition: Condition, held: bool) -> None:
    now = signals({"wifi": True, "items": ITEMS}, log="x\n03-14 I NotesApp: note_saved id=12")
    assert condition.holds(now) is held


@pytest.mark.parametrize(
    ("answer", "held"),
    [("It is 42.", True), ("142", False), ("42nd", False), ("共 42 个", True), (None, False)],
)
def test_an_answer_counts_when_a_word_of_it_stands_alone(answer: str | None, held: bool) -> None:
    assert AnswerHas(("42", "forty-two")).holds(signals(answer=answer)) is held


def test_the_reward_is_earned_once_and_taken_back_when_undone() -> None:
    judge = When(StateIs("wifi", True)).start()
    rewards = [judge.step(signals({"wifi": on})).reward for on in (False, True, True, False)]
    assert rewards == [0.0, 1.0, 0.0, -1.0]


def test_each_judge_starts_without_memory() -> None:
    check = When(StateIs("wifi", True))
    assert check.start().step(signals({"wifi": True})).reward == 1.0
    assert check.start().step(signals({"wifi": True})).reward == 1.0
