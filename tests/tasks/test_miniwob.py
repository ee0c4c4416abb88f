from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.devices.fake import FakeDevice
from tapwright.tasks.miniwob import PAGES, PageReward, tasks
from tapwright.tasks.task import Signals, Verdict

SCREEN = FakeDevice().observe()


def judged(said: Mapping[str, JsonValue] | None, *, decayed: bool = False) -> Verdict:
    def state(path: str) -> JsonValue:
        assert path == ""
        return dict(said) if said is not None else None

    signals = Signals(observation=SCREEN, log=(), state=state)
    return PageReward(decayed=decayed).start().step(signals)


def test_each_page_has_five_tasks_that_the_page_words_itself() -> None:
    found = tasks()
    assert len(found) == 5 * len(PAGES)
    assert len({task.id for task in found}) == len(found)
    assert {(task.instruction, task.instruction_at) for task in found} == {("", "utterance")}
    assert all(task.setup.app == task.apps[0] for task in found)


@given(raw=st.floats(-1, 1), share=st.floats(0, 1), done=st.booleans(), decayed=st.booleans())
def test_the_page_alone_ends_rewards_and_says_success(
    raw: float, share: float, done: bool, decayed: bool
) -> None:
    said: dict[str, JsonValue] = {
        "done": done,
        "raw_reward": raw,
        "reward": raw * share,
        "reason": "",
    }
    verdict = judged(said, decayed=decayed)
    assert verdict.ended == done
    assert verdict.success == (done and raw > 0)
    assert verdict.reward == (0 if not done else raw * share if decayed else raw)
    assert 0 <= verdict.score <= 1
    assert not verdict.truncated


def test_a_page_that_says_nothing_has_earned_nothing() -> None:
    verdict = judged(None)
    assert (verdict.reward, verdict.success, verdict.ended) == (0, False, False)
