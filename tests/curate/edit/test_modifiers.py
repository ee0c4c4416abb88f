from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import Wait
from tapwright.core.episode import Episode
from tapwright.curate.edit.errors import BadModifierError
from tapwright.curate.edit.modifiers import apply_modifiers
from tapwright.curate.edit.usage import USAGE
from tests.curate.edit.strategies import LONG, lists_of_modifiers
from tests.store.episodes import episode


@given(episode=LONG, data=st.data())
def test_a_list_of_modifiers_is_each_of_them_in_turn(episode: Episode, data: st.DataObject) -> None:
    modifiers = data.draw(lists_of_modifiers(episode))
    one_by_one = [episode]
    for modifier in modifiers:
        one_by_one = apply_modifiers(one_by_one, modifier)
    assert apply_modifiers([episode], ",".join(modifiers)) == one_by_one
    indexed = ",".join(f"0:{modifier}" for modifier in modifiers)
    assert apply_modifiers([episode], indexed) == one_by_one


def test_indices_are_those_after_the_modifiers_before() -> None:
    # The documented example: the third step after the delete is the fifth from the start.
    episodes = [episode(6, name) for name in "abc"]
    (a, b, c) = apply_modifiers(episodes, "2:delete:1:3,2:rewardize:3:-1")
    assert (a, b) == (episodes[0], episodes[1])
    assert [step.reward for step in c.steps] == [0, 0, 0, -1]
    assert c.steps[3].decision == episodes[2].steps[5].decision


def test_removed_split_and_merged_episodes_count_no_more_or_anew() -> None:
    episodes = [episode(4, name) for name in "abc"]
    assert [one.id for one in apply_modifiers(episodes, "0:remove,0:remove")] == ["c"]
    assert [one.id for one in apply_modifiers(episodes, "-1:remove")] == ["a", "b"]
    halves = apply_modifiers(episodes, "1:split:1,2:rewardize:0:5")
    assert [(one.id, len(one.steps)) for one in halves] == [
        ("a", 4), ("b", 1), ("b-1", 3), ("c", 4),
    ]  # fmt: skip
    assert halves[2].steps[0].reward == 5
    assert [len(one.steps) for one in apply_modifiers(episodes, "0:merge,0:merge")] == [12]


def test_every_modifier_does_what_it_is_for() -> None:
    whole = episode(3)
    (made,) = apply_modifiers(
        [whole],
        'insert:1:{"type":"wait","duration_s":2},relabel:0:target:"the bell, top right",'
        'relabel:0:reasoning:because,relabel:0:step_instruction:"tap the bell",'
        'outcome:failure,instruction:"打开, 闹钟: 7",'
        'instructionize:2:"go on",relabel:3:action:{"type":"press_key","key":"back"}',
    )
    assert made.steps[1].decision.action == Wait(duration_s=2)
    assert made.steps[1].observation == whole.steps[1].observation
    assert made.steps[0].decision.target == "the bell, top right"
    assert made.steps[0].decision.reasoning == "because"
    assert made.steps[0].step_instruction == "tap the bell"
    assert made.steps[2].instructions == ("go on",)
    assert made.steps[3].decision.action.type == "press_key"
    assert (made.outcome, made.instruction) == ("failure", "打开, 闹钟: 7")


def test_instructions_are_given_by_number_and_taken_by_minus_one() -> None:
    known = [["first"], ["second", "and more"]]
    (told,) = apply_modifiers([episode(3)], "instructionize:1:1", instructions=lambda _: known)
    assert told.steps[1].instructions == ("second", "and more")
    assert apply_modifiers([told], "instructionize:1:-1") == [episode(3)]
    assert apply_modifiers([episode(3)], "instructionize:1:-1") == [episode(3)]
    with pytest.raises(BadModifierError, match="no instruction 2; it has 2, counted from 0"):
        apply_modifiers([episode(3)], "instructionize:1:2", instructions=lambda _: known)


@pytest.mark.parametrize(
    ("modifiers", "message"),
    [
        ("delete:1:9", "modifier 1: demo has no steps 1 to before 9"),
        ("delete:0:1,delete:2:3", "modifier 2: demo has no steps 2 to before 3"),
        ("delte:1:2", "modifier 1: no modifier is called 'delte'"),
        ("__class__:1", "no modifier is called '__class__'"),
        ("delete:1", "a step is missing; expected delete:start:stop"),
        ("delete:1:2:3", "3 is one param too many; expected delete:start:stop"),
        ("rewardize:1:abc", "'abc' is not a number"),
        ("rewardize:x:1", "'x' is not a step"),
        ("rewardize:1:nan", "not by nan"),
        ("outcome:won", "'won' is not an outcome"),
        ('insert:1:{"type":"tap","at":{"x":3,"y":1}}', "is not an action"),
        ('insert:9:{"type":"wait"}', "no screen 9"),
        ("relabel:1:reward:2", "no field is called 'reward'"),
        ("1:delete:0:1", "there is no episode 1; of the 1 the first is 0"),
        ("remove,remove", "modifier 2: which of the 0 episodes"),
        ("0:remove,0:remove", "modifier 2: no episode is left"),
        ("merge", "no episode follows"),
        ("instructionize:1:0", "instructions of the task 'task' are not known"),
        ("split:0", "cannot be split at 0"),
    ],
)
def test_a_bad_modifier_is_named_with_the_reason(modifiers: str, message: str) -> None:
    with pytest.raises(BadModifierError, match=message) as caught:
        apply_modifiers([episode(3)], modifiers)
    assert "^" in str(caught.value)


def test_which_of_several_episodes_must_be_said() -> None:
    with pytest.raises(BadModifierError, match="which of the 2 episodes"):
        apply_modifiers([episode(3, "a"), episode(3, "b")], "delete:0:1")


def test_every_modifier_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "edit.md").read_text(encoding="utf-8")
    assert [name for name in USAGE if f"`{name}" not in page] == []
