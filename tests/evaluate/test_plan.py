import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tapwright.benchmarks.understanding import ChoiceQuestion
from tapwright.core.geometry import Size
from tapwright.errors import NothingFoundError
from tapwright.evaluate.plan import RunPlan, plan_samples


def questions(count: int, options: int = 4) -> list[ChoiceQuestion]:
    from pathlib import Path

    letters = "ABCDEF"[:options]
    return [
        ChoiceQuestion(
            id=str(number),
            instruction="?",
            labels={"difficulty": ("easy", "hard")[number % 2]},
            picture=Path("x.png"),
            size=Size(4, 4),
            options=tuple((letter, f"text {letter}") for letter in letters),
            answer=letters[number % options],
        )
        for number in range(count)
    ]


@given(seed=st.integers(), epochs=st.integers(1, 4), options=st.integers(2, 6))
def test_shuffled_options_keep_their_letters_and_the_right_text(
    seed: int, epochs: int, options: int
) -> None:
    asked = questions(6, options)
    count, chosen = plan_samples(asked, RunPlan(seed=seed, epochs=epochs, shuffle_options=True))
    made = list(chosen)
    assert len(made) == count == 6 * epochs
    for item in made:
        before = asked[int(item.sample.id)]
        assert [letter for letter, _ in item.sample.options] == [x for x, _ in before.options]
        assert sorted(text for _, text in item.sample.options) == [x for _, x in before.options]
        right = dict(before.options)[before.answer]
        assert dict(item.sample.options)[item.sample.answer] == right


@given(seed=st.integers())
def test_the_same_plan_chooses_the_same_items(seed: int) -> None:
    plan = RunPlan(seed=seed, sample=4, epochs=2, shuffle_options=True)
    assert list(plan_samples(questions(9), plan)[1]) == list(plan_samples(questions(9), plan)[1])


def test_options_do_change_places() -> None:
    _, made = plan_samples(questions(20), RunPlan(shuffle_options=True))
    assert any(item.sample != before for item, before in zip(made, questions(20), strict=True))


def test_a_sample_is_drawn_without_repeats_and_in_order() -> None:
    count, made = plan_samples(questions(50), RunPlan(sample=10, seed=3))
    numbers = [int(item.sample.id) for item in made]
    assert count == 10
    assert numbers == sorted(set(numbers))
    assert numbers != list(range(10))


def test_labels_choose_samples() -> None:
    count, made = plan_samples(questions(9), RunPlan(only={"difficulty": "hard"}, limit=3))
    assert (count, [item.sample.id for item in made]) == (3, ["1", "3", "5"])
    with pytest.raises(NothingFoundError, match="none of 9 samples"):
        plan_samples(questions(9), RunPlan(only={"difficulty": "odd"}))


def test_other_braces_in_a_prompt_of_ones_own_are_left_as_they_are() -> None:
    plan = RunPlan(user_prompt='{"find": "{instruction}"}')
    assert plan.fill_prompt("press {Enter}") == '{"find": "press {Enter}"}'
    with pytest.raises(ValidationError, match=r"no \{instruction\}"):
        RunPlan(user_prompt="Find it")
