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
