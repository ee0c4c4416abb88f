"""The queue's laws, on both databases, whatever people, servers and clocks do."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tapwright.errors import TapwrightError, UsageError
from tapwright.web.errors import LeaseError
from tapwright.web.team.queue import LEASE_S
from tapwright.web.team.team import Team
from tests.web.team.conftest import MakeUrl

PEOPLE = ("anna", "bo", "李雷")


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self, session: object) -> float:
        return self.now


def new_team(url: str, clock: Clock | None = None) -> Team:
    team = Team(url, clock or Clock())
    for name in PEOPLE:
        team.accounts.add(name, "annotator")
    return team


@dataclass
class Known:
    """What the model knows of one person's go at an item."""

    until: float = 0.0
    episode: str | None = None
    done: bool = False


@dataclass
class Entry:
    task: str
    copies: int
    only: str | None
    goes: dict[str, Known] = field(default_factory=dict)


class QueueMachine(RuleBasedStateMachine):
    """People take, keep, give back and complete items on two servers while the clock jumps."""

    make_url: MakeUrl

    @initialize()
    def begin(self) -> None:
        self.clock = Clock()
        url = type(self).make_url()
        self.teams = [new_team(url, self.clock), Team(url, self.clock)]
        self.items: dict[int, Entry] = {}
        self.episodes = 0

    def teardown(self) -> None:
        for team in getattr(self, "teams", []):
            team.close()

    def taken(self, entry: Entry) -> int:
        return sum(go.done or go.until > self.clock.now for go in entry.goes.values())

    def mend(self) -> None:
        for entry in self.items.values():
            for go in entry.goes.values():
                go.until = min(go.until, self.clock.now + LEASE_S)

    servers = st.sampled_from([0, 1])
    people = st.sampled_from(PEOPLE)

    @rule(
        server=servers, task=st.sampled_from("tuvw"), copies=st.integers(1, 3),
        only=st.none() | people,
    )  # fmt: skip
    def assign(self, server: int, task: str, copies: int, only: str | None) -> None:
        copies = 1 if only else copies
        waits = any(
            (one.task, one.copies, one.only) == (task, copies, only)
            and sum(go.done for go in one.goes.values()) < copies
            for one in self.items.values()
        )
        added = self.teams[server].queue.assign("s", [task, task], copies=copies, only=only)
        assert len(added) == (not waits), "what waits is not appended again"
        for item in added:
            assert item not in self.items
            self.items[item] = Entry(task, copies, only)

    @rule(server=servers, name=people)
    def lease(self, server: int, name: str) -> None:
        peeked = self.teams[1 - server].queue.next(name)
        held = self.teams[server].queue.lease(name)
        self.mend()
        if held is None:
            assert peeked is None
            assert not any(self.open_to(name, entry) for entry in self.items.values())
            return
        assert peeked is not None
        assert peeked.item == held.item
        assert held.left_s == LEASE_S
        entry = self.items[held.item]
        assert self.open_to(name, entry)
        mine = entry.goes.setdefault(name, Known())
        already = [
            other.goes[name]
            for other in self.items.values()
            if name in other.goes and other.goes[name].until > self.clock.now
            and not other.goes[name].done
        ]  # fmt: skip
        assert not already or mine in already, "somebody who holds an item gets that one"
        mine.until = self.clock.now + LEASE_S

    def open_to(self, name: str, entry: Entry) -> bool:
        go = entry.goes.get(name, Known())
        if go.done or entry.only not in (None, name):
            return False
        return go.until > self.clock.now or self.taken(entry) < entry.copies

    @precondition(lambda self: self.items)
    @rule(server=servers, name=people, data=st.data())
    def keep(self, server: int, name: str, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.items)))
        entry = self.items[item]
        go = entry.goes.get(name)
        held = go is not None and go.until > self.clock.now
        if go is None or go.done or not (held or self.taken(entry) < entry.copies):
            with pytest.raises(LeaseError):
                self.teams[server].queue.renew(name, item)
        else:
            self.teams[server].queue.renew(name, item)
            self.mend()
            go.until = self.clock.now + LEASE_S

    @precondition(lambda self: self.items)
    @rule(server=servers, name=people, data=st.data())
    def release(self, server: int, name: str, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.items)))
        go = self.items[item].goes.get(name)
        if go is None or go.done:
            with pytest.raises(LeaseError):
                self.teams[server].queue.release(name, item)
        else:
            self.teams[server].queue.release(name, item)
            go.until = 0.0

    @precondition(lambda self: self.items)
    @rule(server=servers, name=people, ends=st.booleans(), data=st.data())
    def record(self, server: int, name: str, ends: bool, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.items)))
        go = self.items[item].goes.get(name)
        self.episodes += 1
        episode = f"episode {self.episodes}"
        tell = self.teams[server].queue.complete if ends else self.teams[server].queue.start
        if go is None or go.done:
            with pytest.raises(LeaseError):
                tell(name, item, episode)
        else:
            tell(name, item, episode)
            go.done, go.episode = ends, episode

    @precondition(lambda self: self.items)
    @rule(server=servers, name=people, data=st.data())
    def reopen(self, server: int, name: str, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.items)))
        go = self.items[item].goes.get(name)
        if go is None or not go.done or self.items[item].copies == 0:
            with pytest.raises(LeaseError):
                self.teams[server].queue.reopen(item, name)
        else:
            self.teams[server].queue.reopen(item, name)
            go.done, go.episode, go.until = False, None, 0.0

    @precondition(lambda self: self.items)
    @rule(server=servers, data=st.data())
    def withdraw(self, server: int, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(sorted(self.items)))
        self.teams[server].queue.withdraw(item)
        self.items[item].copies = 0

    @rule(server=servers, name=people)
    def leave_and_come_back(self, server: int, name: str) -> None:
        self.teams[server].accounts.remove(name)
        self.teams[1 - server].accounts.add(name, "annotator")
        for entry in self.items.values():
            if name in entry.goes:
                entry.goes[name].until = 0.0

    @rule(by_s=st.sampled_from([60.0, LEASE_S / 2, LEASE_S, 86_400.0, -60.0, -7200.0, -86_400.0]))
    def jump(self, by_s: float) -> None:
        self.clock.now += by_s

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "items"):
            return
        standings = self.teams[0].queue.items()
        assert [one.item for one in standings] == sorted(self.items)
        for one in standings:
            entry = self.items[one.item]
            done = {name: go.episode for name, go in entry.goes.items() if go.done}
            held = {n for n, go in entry.goes.items() if go.until > self.clock.now and not go.done}
            assert dict(one.done) == done
            assert set(one.held) == held
            assert set(one.lapsed) == set(entry.goes) - set(done) - held


@pytest.mark.slow
def test_nobody_gets_what_is_taken_and_nothing_is_lost(make_url: MakeUrl) -> None:
    machine = type("Machine", (QueueMachine,), {"make_url": staticmethod(make_url)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=12,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_many_who_ask_at_once_share_the_queue(url: str) -> None:
    people = [f"p{number}" for number in range(8)]
    team = Team(url)
    for name in people:
        team.accounts.add(name, "annotator")
    team.queue.assign("s", [f"t{number}" for number in range(12)], copies=2)
    teams = [team, Team(url)]

    def work(number: int) -> Iterator[tuple[int, str]]:
        queue, name = teams[number % 2].queue, people[number]
        while (held := queue.lease(name)) is not None:
            assert held.left_s > 0
            queue.complete(name, held.item, f"{held.item} by {name}")
            yield held.item, name

    with ThreadPoolExecutor(len(people)) as pool:
        got = [one for part in pool.map(lambda n: list(work(n)), range(8)) for one in part]
    standings = team.queue.items()
    for one in teams:
        one.close()
    assert sorted((item, name) for item, name in got) == sorted(
        (one.item, name) for one in standings for name, _ in one.done
    )
    assert [len({name for name, _ in one.done}) for one in standings] == [2] * 12


def test_what_was_recorded_counts_after_the_hold_has_lapsed_and_others_came(url: str) -> None:
    clock = Clock()
    team = new_team(url, clock)
    (item,) = team.queue.assign("s", ["t"])
    assert team.queue.lease("anna")
    team.queue.start("anna", item, "hers")
    clock.now += LEASE_S
    assert team.queue.lease("bo")
    with pytest.raises(LeaseError, match="others"):
        team.queue.renew("anna", item)
    assert [one.episode for one in team.queue.leases("anna")] == ["hers"]
    team.queue.complete("anna", item, "hers")
    team.queue.complete("bo", item, "his")
    (one,) = team.queue.items()
    assert one.done == (("anna", "hers"), ("bo", "his"))
    team.close()


def test_a_clock_that_was_set_back_keeps_nothing_from_others_for_long(url: str) -> None:
    clock = Clock()
    team = new_team(url, clock)
    team.queue.assign("s", ["t"])
    assert team.queue.lease("anna")
    clock.now -= 30 * 86_400
    assert team.queue.lease("bo") is None
    clock.now += LEASE_S
    assert team.queue.lease("bo") is not None
    team.close()


def test_what_ended_while_nobody_could_say_so_is_completed_later(url: str) -> None:
    team = new_team(url)
    one, two = team.queue.assign("s", ["a", "b"])
    for name, item in (("anna", one), ("bo", two)):
        assert team.queue.lease(name, item)
        team.queue.start(name, item, f"of {name}")
    assert team.queue.complete_ended(lambda episode: episode == "of anna") == 1
    assert [one.done for one in team.queue.items()] == [(("anna", "of anna"),), ()]
    team.close()


def test_completing_twice_is_once_and_another_episode_is_refused(url: str) -> None:
    team = new_team(url)
    (item,) = team.queue.assign("s", ["t"])
    assert team.queue.lease("anna")
    team.queue.complete("anna", item, "e")
    team.queue.complete("anna", item, "e")
    with pytest.raises(LeaseError, match="episode e"):
        team.queue.complete("anna", item, "f")
    assert team.queue.members()[0].done == 1
    team.close()


def test_who_was_removed_while_they_record_holds_nothing(url: str) -> None:
    team = new_team(url)
    (item,) = team.queue.assign("s", ["t"])
    assert team.queue.lease("李雷")
    team.queue.start("李雷", item, "e")
    team.accounts.remove("李雷")
    with pytest.raises(LeaseError, match="李雷 has left the team"):
        team.queue.renew("李雷", item)
    assert team.queue.lease("anna")
    team.queue.complete("李雷", item, "e")  # what they recorded counts
    assert team.queue.items()[0].done == (("李雷", "e"),)
    team.accounts.add("李雷", "annotator")
    (item,) = team.queue.assign("s", ["u"], only="李雷")
    assert team.queue.lease("李雷")
    team.queue.renew("李雷", item)
    team.close()


def test_what_makes_no_sense_is_refused(url: str) -> None:
    team = new_team(url)
    with pytest.raises(UsageError):
        team.queue.assign("s", ["t"], copies=2, only="anna")
    with pytest.raises(TapwrightError):
        team.queue.assign("s", ["t"], only="nobody")
    with pytest.raises(LeaseError):
        team.queue.withdraw(7)
    with pytest.raises(LeaseError):
        team.queue.lease("anna", 7)
    team.close()


def test_what_nobody_completed_is_not_reopened(url: str) -> None:
    team = new_team(url)
    (item,) = team.queue.assign("s", ["t"])
    for number, why in ((item, "not completed by anna"), (item + 1, "no item")):
        with pytest.raises(LeaseError, match=why) as raised:
            team.queue.reopen(number, "anna")
        assert raised.value.hint == "tapwright team progress"
    team.close()
