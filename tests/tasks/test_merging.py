from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import TaskError
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.errors import UpstreamFailureError
from tapwright.tasks.events.tree import EventTree
from tapwright.tasks.task_pb2 import EventSlot, EventSource, Task
from tapwright.tasks.templates.merge import TaskStep, join_steps


def step(text: str, options: str = "") -> TaskStep:
    return TaskStep(parse_task(text), "s.textproto.template", frozenset(options))


def one_step(name: str, extra: str = "") -> TaskStep:
    return step(
        f"""
        id: "{name}" name: "T - {name}" command: "Do {name}"
        event_sources {{ id: 1 repeatability: UNLIMITED log_event {{ pattern: "^{name}$" }} }}
        event_slots {{
          reward_listener {{ id: 2 events {{ id: 1 }} transformation: "y = 1" }}
          episode_end_listener {{ events {{ id: 2 }} transformation: "y = True" }}
          {extra}
        }}
        """
    )


IDS = st.lists(st.integers(1, 40), min_size=2, max_size=6, unique=True)


@given(st.lists(IDS, min_size=1, max_size=4), st.booleans())
def test_joined_steps_have_ids_of_their_own_and_keep_their_references(
    all_ids: list[list[int]], ordered: bool
) -> None:
    steps = []
    for number, (source, *slots) in enumerate(all_ids):
        task = Task(id=str(number), command=["Go"])
        task.event_sources.append(
            EventSource(id=source, log_event=EventSource.LogEvent(pattern=f"{number}/{source}"))
        )
        root = task.event_slots.reward_listener
        root.events.add().id = source
        for below, id_ in pairwise((source, *slots)):
            slot = root.events.add().event
            slot.id = id_
            slot.events.add().id = below
            slot.transformation.append(f"y = '{number}/{id_}/{below}'")
            slot.prerequisite.append(source)
            slot.cache_until.extend([slots[0], -1])
        task.event_slots.episode_end_listener.events.add().id = source
        steps.append(TaskStep(task, "s"))
    joined = join_steps(steps, ordered=ordered)
    by_id = {one.id: one.log_event.pattern for one in joined.event_sources}
    roots = [child.event for child in joined.event_slots.reward_listener.events]
    nested = [child.event for root in roots for child in root.events if child.HasField("event")]
    for slot in nested:
        by_id[slot.id] = slot.transformation[0].split("'")[1].rpartition("/")[0]
    assert len(by_id) == len(joined.event_sources) + len(nested)
    for slot in nested:
        was, _, under = slot.transformation[0].split("'")[1].rpartition("/")
        of = was.partition("/")[0]
        own, first = all_ids[int(of)][:2]
        assert by_id[slot.events[0].id] == f"{of}/{under}"
        assert by_id[slot.prerequisite[0]] == f"{of}/{own}"
        assert [by_id.get(id_, id_) for id_ in slot.cache_until] == [f"{of}/{first}", -1]
    EventTree(joined)


def test_a_later_null_listener_and_ids_of_0_are_kept() -> None:
    first = one_step("a", "null_listener { id: 5 events { id: 1 } }")
    second = one_step("b", "null_listener { id: 7 events { id: 2 } }")
    nameless = one_step("c")
    nameless.task.event_sources[0].ClearField("id")
    nameless.task.event_slots.reward_listener.events[0].id = 0
    joined = join_steps([first, second, nameless])
    nulls = [child.event for child in joined.event_slots.null_listener.events]
    assert [(slot.id, slot.events[0].id) for slot in nulls] == [(5, 1), (12, 7)]
    assert joined.event_slots.null_listener.type == EventSlot.OR
    ids = [source.id for source in joined.event_sources]
    assert len(set(ids)) == 3
    assert joined.event_slots.reward_listener.events[2].event.events[0].id == ids[2]


def test_the_original_drops_and_mixes_them() -> None:
    assert join_steps([one_step("a", "null_listener { id: 9 events { id: 1 } }"), one_step("b")],
        upstream=True).event_sources[1].id == 3  # fmt: skip
    second = one_step("b", "null_listener { id: 7 events { id: 2 } cache_until: 2 }")
    second.task.event_sources[0].id = 0
    second.task.event_slots.reward_listener.cache_until.append(2)
    joined = join_steps([one_step("a"), second], upstream=True)
    assert not joined.event_slots.HasField("null_listener")
    assert joined.event_sources[1].id == 2
    assert list(joined.event_slots.reward_listener.events[1].event.cache_until) == [2]


@pytest.mark.parametrize(("options", "kept"), [("", []), ("s", ["s"]), ("rc", ["r"])])
def test_later_steps_bring_set_up_and_reset_only_when_asked(options: str, kept: list[str]) -> None:
    later = one_step("b")
    later.task.setup_steps.add().sleep.time_sec = 1
    later.task.reset_steps.add().sleep.time_sec = 2
    joined = join_steps(
        [one_step("a"), TaskStep(later.task, "s", frozenset(options))], autocat=False
    )
    assert [s.sleep.time_sec for s in joined.setup_steps] == ([1] if "s" in kept else [])
    assert [s.sleep.time_sec for s in joined.reset_steps] == ([2] if "r" in kept else [])
    assert list(joined.command) == ["Do a"] + (["Then, do b"] if "c" in options else [])


def play(task: Task, log: list[str]) -> list[float]:
    """The rewards after the reset and after each line; the last one where it ended."""
    tree = EventTree(task)
    rewards = [tree.step({}).reward]
    for line in log:
        outcome = tree.step({"log": [line]})
        rewards.append(outcome.reward)
        if outcome.ended:
            break
    return rewards


def test_without_order_the_last_step_alone_ends_a_task() -> None:
    joined = join_steps([one_step("a"), one_step("b"), one_step("c")])
    assert play(joined, ["c", "a"]) == [0, 1]


def test_with_order_a_step_earns_nothing_before_those_before_it() -> None:
    joined = join_steps([one_step("a"), one_step("b"), one_step("c")], ordered=True)
    assert play(joined, ["c", "b", "a", "c", "b", "c"]) == [0, 0, 0, 1, 0, 1, 1]


def test_a_step_after_one_that_never_ends_cannot_be_ordered() -> None:
    first = one_step("a")
    first.task.event_slots.ClearField("episode_end_listener")
    with pytest.raises(TaskError, match="no episode_end_listener"):
        join_steps([first, one_step("b")], ordered=True)


def test_what_the_user_answers_in_each_step_is_kept_in_their_order() -> None:
    steps = []
    for number in range(2):
        task = Task(id=str(number), command=["Go"])
        task.event_sources.add().id = 1
        task.tapwright.replies.extend([f"{number} a", f"{number} b"])
        steps.append(TaskStep(task, ""))
    assert join_steps(steps).tapwright.replies == ["0 a", "0 b", "1 a", "1 b"]


def test_ids_past_the_largest_are_refused() -> None:
    for upstream, error in ((False, TaskError), (True, UpstreamFailureError)):
        second = one_step("b")
        second.task.event_sources[0].id = 2**31 - 1
        with pytest.raises(error):
            join_steps([one_step("a"), second], upstream=upstream)


def test_a_step_without_events_is_refused() -> None:
    with pytest.raises(TaskError, match="no event_sources"):
        join_steps([step('id: "a"')])
    with pytest.raises(UpstreamFailureError, match="ValueError"):
        join_steps([step('id: "a"')], upstream=True)
