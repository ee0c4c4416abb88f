import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import UsageError
from tapwright.formats.exporters.job import choose_validation_ids


def many(tasks: int, each: int) -> dict[str, str]:
    return {f"{task}-{number}": str(task) for task in range(tasks) for number in range(each)}


@given(total=st.integers(0, 60), share=st.floats(0, 1, exclude_max=True), seed=st.integers(0, 9))
def test_the_share_is_kept_and_each_side_gets_some(total: int, share: float, seed: int) -> None:
    episodes = many(1, total)
    chosen = choose_validation_ids(episodes, share=share, seed=seed)
    assert chosen <= set(episodes)
    assert chosen == choose_validation_ids(dict(reversed(episodes.items())), share=share, seed=seed)
    if share == 0 or total < 2:
        assert not chosen
    else:
        assert 1 <= len(chosen) < total
        assert abs(len(chosen) - total * share) <= 1


def test_every_task_gives_its_share() -> None:
    chosen = choose_validation_ids(many(tasks=6, each=10), share=0.1, seed=3)
    assert sorted(id_.partition("-")[0] for id_ in chosen) == ["0", "1", "2", "3", "4", "5"]


def test_another_seed_chooses_others() -> None:
    episodes = many(tasks=5, each=8)
    picks = {choose_validation_ids(episodes, share=0.2, seed=seed) for seed in range(5)}
    assert len(picks) > 1


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_share_that_leaves_nothing_to_train_on_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="validation share"):
        choose_validation_ids(many(1, 3), share=share, seed=0)


def grouped(groups: dict[str, int]) -> tuple[dict[str, str], dict[str, int]]:
    return {name: name[0] for name in groups}, groups


def test_a_group_that_is_most_of_a_set_is_trained_on() -> None:
    tasks, sizes = grouped({"same": 40, **{str(number): 1 for number in range(8)}})
    for seed in range(20):
        chosen = choose_validation_ids(tasks, share=0.1, seed=seed, sizes=sizes)
        assert "same" not in chosen
        assert len(chosen) == 5


def test_groups_are_held_out_until_the_share_of_episodes_is_reached() -> None:
    tasks, sizes = grouped({f"{task}-{number}": 8 for task in range(5) for number in range(4)})
    chosen = choose_validation_ids(tasks, share=0.25, seed=0, sizes=sizes)
    assert sum(sizes[one] for one in chosen) == 40
    assert {one[0] for one in chosen} == {"0", "1", "2", "3", "4"}


@given(
    sizes=st.lists(st.integers(1, 9), max_size=30), share=st.floats(0, 0.99), seed=st.integers(0, 9)
)
def test_groups_never_hold_out_all_or_clearly_more_than_the_share(
    sizes: list[int], share: float, seed: int
) -> None:
    tasks, groups = grouped({str(number): size for number, size in enumerate(sizes)})
    chosen = choose_validation_ids(tasks, share=share, seed=seed, sizes=groups)
    held, total = sum(groups[one] for one in chosen), sum(sizes)
    assert held <= 2 * max(total * share + 0.5, 1)
    assert held < total or not total


def test_a_set_of_one_group_has_no_validation() -> None:
    assert not choose_validation_ids({"g": "t"}, share=0.1, seed=0, sizes={"g": 9})


def test_episodes_without_groups_are_those_that_were_always_chosen() -> None:
    chosen = choose_validation_ids(many(tasks=4, each=5), share=0.3, seed=1)
    assert sorted(chosen) == ["0-2", "1-3", "2-0", "2-2", "3-1", "3-4"]
