"""The queue of what is to be recorded: who holds which item, and what came of it.

An item is recorded `copies` times, each time by another person. Whoever takes one holds it for
`HOLD_S` and keeps it by saying so; when they do not, it lapses and waits for anybody. What they
recorded stays linked to it, and they may still complete it: that counts, though others may have
taken their place, so that there can be more of an item than were asked for, and never less.

The clock may jump. Forward, it makes holds lapse early, as a long silence does; backward, no hold
lasts longer than `HOLD_S` from then on. In neither case is work lost or anything done twice by one
person.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlalchemy import ScalarSelect, func, select, update
from sqlalchemy.orm import Session, aliased

from tapwright.errors import UsageError
from tapwright.web.errors import AccountError, LeaseError
from tapwright.web.team.database import Database
from tapwright.web.team.tables import Account, Claim, Item

__all__ = ["HOLD_S", "Held", "Queue", "Standing", "Work"]

HOLD_S = 30 * 60.0
"""How long an item is held after its holder last said so, in seconds."""


@dataclass(frozen=True, slots=True)
class Held:
    """What somebody may record. `left_s` is how long they hold it, 0 while they do not.

    `episode` is what they have recorded of it so far.
    """

    item: int
    suite: str
    task: str
    copies: int
    left_s: float
    episode: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How one item stands: `done` by whom with which episode, `held` by whom, `lapsed` too.

    `waiting` is how many copies nobody has taken.
    """

    item: int
    suite: str
    task: str
    copies: int
    only: str | None
    done: tuple[tuple[str, str], ...]
    held: tuple[str, ...]
    lapsed: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """How many more people could take it."""
        return max(0, self.copies - len(self.done) - len(self.held))


@dataclass(frozen=True, slots=True)
class Work:
    """What one person has done, holds, and let lapse or gave back."""

    name: str
    done: int
    held: int
    lapsed: int


class Queue:
    """The queue of one database."""

    def __init__(self, database: Database, hold_s: float = HOLD_S) -> None:
        self._database = database
        self._hold_s = hold_s

    def assign(
        self, suite: str, tasks: Iterable[str], *, copies: int = 1, only: str | None = None
    ) -> list[int]:
        """Put tasks at the end of the queue, and return the items' numbers.

        Raises:
            UsageError: one person cannot do several copies.
            AccountError: `only` is not in the team.
        """
        if only is not None and copies != 1:
            raise UsageError(f"{copies} copies, and {only} alone to do them", hint="--copies 1")
        with self._database.writing() as session:
            if only is not None:
                account = session.get(Account, only)
                if account is None or account.token is None:
                    raise AccountError(f"nobody is called {only!r}", hint="tapwright team ls")
            items = [Item(suite=suite, task=one, copies=copies, only=only) for one in tasks]
            session.add_all(items)
            session.flush()
            return [item.id for item in items]

    def withdraw(self, item: int) -> None:
        """Let nobody take an item any more; who holds it may complete it.

        Raises:
            LeaseError: there is no such item.
        """
        with self._database.writing() as session:
            _item(session, item).copies = 0

    def next(self, name: str) -> Held | None:
        """What `name` would get by `lease`, without taking it."""
        with self._database.reading() as session:
            found = self._next(session, name)
            return found and self._told(session, *found)

    def lease(self, name: str, item: int | None = None) -> Held | None:
        """Take what is to be recorded next, or this item; None if nothing waits for `name`.

        First comes what they hold already, then what they held and began, then what nobody of
        their own has turned down, in the order of the queue.

        Raises:
            LeaseError: `item` does not wait for `name`.
        """
        with self._database.writing() as session:
            now = self._mend(session)
            found = self._next(session, name, item)
            if found is None:
                if item is not None:
                    raise LeaseError(
                        f"item {item} does not wait for {name}: it is taken, done, or not theirs",
                        hint="take the next one",
                    )
                return None
            entry, claim = found
            if claim is None:
                claim = Claim(item=entry.id, name=name)
                session.add(claim)
            claim.until = now + self._hold_s
            session.flush()
            return self._told(session, entry, claim)

    def keep(self, name: str, item: int) -> None:
        """Hold an item for another while; one that has lapsed too, if nobody took it.

        Raises:
            LeaseError: it was never taken, is completed, or has gone to others meanwhile.
        """
        with self._database.writing() as session:
            now = self._mend(session)
            entry, claim = _item(session, item), _claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            if claim.until <= now and self._taken(session, entry) >= entry.copies:
                raise LeaseError(
                    f"item {item} lapsed, and others have taken it",
                    hint="what you recorded is kept, and still counts when you finish it",
                )
            claim.until = now + self._hold_s

    def began(self, name: str, item: int, episode: str) -> None:
        """Say which episode is being recorded for an item, so that it is found again.

        Raises:
            LeaseError: it was never taken, or is completed.
        """
        with self._database.writing() as session:
            claim = _claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            claim.episode = episode

    def release(self, name: str, item: int) -> None:
        """Give an item back; what was recorded of it stays linked.

        Raises:
            LeaseError: it was never taken, or is completed.
        """
        with self._database.writing() as session:
            claim = _claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            claim.until = 0.0

    def complete(self, name: str, item: int, episode: str) -> None:
        """Say that an item was recorded; late is as good, and saying it again changes nothing.

        Raises:
            LeaseError: it was never taken, or is completed with another episode.
        """
        with self._database.writing() as session:
            claim = _claim(session, name, item)
            if claim.done is not None:
                if claim.episode != episode:
                    raise LeaseError(
                        f"item {item} is completed with the episode {claim.episode}",
                        hint="the other episode is kept, and is not counted",
                    )
                return
            claim.done, claim.episode = self._database.now(session), episode

    def settle(self, has_ended: Callable[[str], bool]) -> int:
        """Complete what was recorded to its end while nobody could say so; how many there were."""
        with self._database.reading() as session:
            open_ = session.execute(
                select(Claim.name, Claim.item, Claim.episode).where(
                    Claim.done.is_(None), Claim.episode.is_not(None)
                )
            ).all()
        ended = [row for row in open_ if row.episode is not None and has_ended(row.episode)]
        for name, item, episode in ended:
            assert episode is not None
            self.complete(name, item, episode)
        return len(ended)

    def claims(self, name: str) -> list[Held]:
        """What `name` holds, or has begun and not completed, in the order of the queue."""
        with self._database.reading() as session:
            now = self._database.now(session)
            rows = session.execute(
                select(Item, Claim)
                .join(Claim, Claim.item == Item.id)
                .where(
                    Claim.name == name,
                    Claim.done.is_(None),
                    (Claim.until > now) | Claim.episode.is_not(None),
                )
                .order_by(Item.id)
            )
            return [self._told(session, row[0], row[1]) for row in rows]

    def standings(self) -> list[Standing]:
        """How every item stands, in the order of the queue."""
        with self._database.reading() as session:
            now = self._database.now(session)
            claims: dict[int, list[Claim]] = {}
            for claim in session.scalars(select(Claim).order_by(Claim.done, Claim.name)):
                claims.setdefault(claim.item, []).append(claim)
            return [
                Standing(
                    entry.id,
                    entry.suite,
                    entry.task,
                    entry.copies,
                    entry.only,
                    tuple((one.name, one.episode or "") for one in mine if one.done is not None),
                    tuple(one.name for one in mine if one.done is None and one.until > now),
                    tuple(one.name for one in mine if one.done is None and one.until <= now),
                )
                for entry in session.scalars(select(Item).order_by(Item.id))
                for mine in [claims.get(entry.id, [])]
            ]

    def works(self) -> list[Work]:
        """What everybody who ever took something did, by name."""
        standings = self.standings()
        done = [name for one in standings for name, _ in one.done]
        held = [name for one in standings for name in one.held]
        lapsed = [name for one in standings for name in one.lapsed]
        return [
            Work(name, done.count(name), held.count(name), lapsed.count(name))
            for name in sorted({*done, *held, *lapsed})
        ]

    def _mend(self, session: Session) -> float:
        """What time it is; no hold is longer than one can be, as after a clock was set back."""
        now = self._database.now(session)
        latest = now + self._hold_s
        session.execute(update(Claim).where(Claim.until > latest).values(until=latest))
        return now

    def _next(
        self, session: Session, name: str, item: int | None = None
    ) -> tuple[Item, Claim | None] | None:
        now = self._database.now(session)
        mine = aliased(Claim)
        taken = _taken(now)
        wanted = (
            select(Item, mine)
            .outerjoin(mine, (mine.item == Item.id) & (mine.name == name))
            .where(
                mine.done.is_(None),
                (Item.only.is_(None)) | (Item.only == name),
                (mine.until > now) | (taken < Item.copies),
            )
            .order_by(
                (func.coalesce(mine.until, 0.0) > now).desc(),
                mine.episode.is_(None),
                mine.item.is_not(None),
                Item.id,
            )
            .limit(1)
        )
        if item is not None:
            wanted = wanted.where(Item.id == item)
        row = session.execute(wanted).first()
        return None if row is None else (row[0], row[1])

    def _taken(self, session: Session, entry: Item) -> int:
        now = self._database.now(session)
        count = select(_taken(now)).select_from(Item).where(Item.id == entry.id)
        return session.execute(count).scalar_one()

    def _told(self, session: Session, entry: Item, claim: Claim | None) -> Held:
        left_s = max(0.0, claim.until - self._database.now(session)) if claim else 0.0
        episode = claim.episode if claim else None
        return Held(entry.id, entry.suite, entry.task, entry.copies, left_s, episode)


def _taken(now: float) -> ScalarSelect[int]:
    """How many have done an item or hold it, to be asked of each row of the items."""
    return (
        select(func.count())
        .select_from(Claim)
        .where(Claim.item == Item.id, (Claim.done.is_not(None)) | (Claim.until > now))
        .correlate(Item)
        .scalar_subquery()
    )


def _item(session: Session, number: int) -> Item:
    found = session.get(Item, number)
    if found is None:
        raise LeaseError(f"there is no item {number}")
    return found


def _claim(session: Session, name: str, item: int) -> Claim:
    found = session.get(Claim, (item, name))
    if found is None:
        raise LeaseError(f"{name} never took item {item}", hint="take the next one")
    return found
