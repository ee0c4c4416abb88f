"""The queue of tasks to be recorded: who holds which item, and what was recorded for it.

An item is recorded `copies` times, each time by another person. A lease lasts `LEASE_S` and is
renewed while its holder works; otherwise it lapses, and the item is offered to anybody. A lapsed
recording stays linked to its item and may still be completed: it counts, though others may have
taken the item meanwhile, so that an item can have more recordings than copies, never fewer.

The clock may jump. Forward, it makes leases lapse early, as a long silence does; backward, no
lease lasts longer than `LEASE_S` from then on. In neither case is work lost, or done twice by one
person.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ScalarSelect, func, select, update
from sqlalchemy.orm import Session, aliased

from tapwright.errors import UsageError
from tapwright.web.errors import ACCOUNT, LeaseError
from tapwright.web.team.database import Database
from tapwright.web.team.tables import Account, Claim, QueueItem

__all__ = ["LEASE_S", "ItemProgress", "Lease", "MemberProgress", "Queue"]

LEASE_S = 30 * 60.0
"""How long a lease lasts after it was last renewed, in seconds."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that a member may record, leased or offered.

    `left_s` is how long the lease lasts, 0 without one. `episode` is their recording so far.
    """

    item: int
    suite: str
    task: str
    copies: int
    left_s: float
    episode: str | None


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """The progress of one item.

    `done` are the members who completed it with their episodes, `held` those who hold a lease, and
    `lapsed` those whose lease has ended; `waiting` is how many more could lease it.
    """

    item: int
    suite: str
    task: str
    copies: int
    only: str | None
    done: tuple[tuple[str, str], ...]
    held: tuple[str, ...]
    lapsed: tuple[str, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class MemberProgress:
    """How many items a member has completed, holds, and let lapse or released."""

    name: str
    done: int
    held: int
    lapsed: int


class Queue:
    """The queue of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def assign(
        self, suite: str, tasks: Iterable[str], *, copies: int = 1, only: str | None = None
    ) -> list[int]:
        """Append tasks to the queue; returns the items' numbers.

        A task that waits there for as many people, or for the same person, is not appended again.

        Raises:
            UsageError: one person cannot record several copies.
            TapwrightError: `only` is not in the team.
        """
        if only is not None and copies != 1:
            raise UsageError(
                f"{copies} copies are assigned to {only} alone; expected one", hint="--copies 1"
            )
        with self._database.writing() as session:
            if only is not None:
                account = session.get(Account, only)
                if account is None or account.token is None:
                    raise ACCOUNT(f"no member is named {only!r}", hint="tapwright team ls")
            waiting = _find_waiting(session, suite, copies, only)
            items = [
                QueueItem(suite=suite, task=one, copies=copies, only=only)
                for one in dict.fromkeys(tasks)
                if one not in waiting
            ]
            session.add_all(items)
            session.flush()
            return [item.id for item in items]

    def withdraw(self, item: int) -> None:
        """Withdraw an item from the queue; members who hold it may complete it.

        Raises:
            LeaseError: there is no such item.
        """
        with self._database.writing() as session:
            _find_item(session, item).copies = 0

    def reopen(self, item: int, name: str) -> None:
        """Ask for the recording of a member again: it counts no longer, and stays in the store.

        The item returns to the queue with the place that it had, for them or for anybody.

        Raises:
            LeaseError: they have not completed it, or it was withdrawn.
        """
        with self._database.writing() as session:
            entry, claim = _find_item(session, item), session.get(Claim, (item, name))
            if claim is None or claim.done is None:
                raise LeaseError(
                    f"item {item} is not completed by {name}", hint="tapwright team progress"
                )
            if entry.copies == 0:
                raise LeaseError(
                    f"item {item} was withdrawn", hint="add its task to the queue again"
                )
            claim.done, claim.episode, claim.until = None, None, 0.0

    def find_completed(self, episode: str) -> tuple[int, str] | None:
        """The item that an episode completed and its member; None for a withdrawn item, too."""
        with self._database.reading() as session:
            row = session.execute(
                select(Claim.item, Claim.name)
                .join(QueueItem, Claim.item == QueueItem.id)
                .where(Claim.episode == episode, Claim.done.is_not(None), QueueItem.copies > 0)
                .limit(1)
            ).first()
            return None if row is None else (row.item, row.name)

    def next(self, name: str) -> Lease | None:
        """The item that `lease` would give `name`."""
        with self._database.reading() as session:
            found = self._next(session, name)
            return found and self._lease(session, *found)

    def lease(self, name: str, item: int | None = None) -> Lease | None:
        """Lease the next item, or this one; None if the queue has none for `name`.

        First come items that they hold, then those that they have begun, then those that they have
        not released, each in the order of the queue.

        Raises:
            LeaseError: `item` is not available to `name`.
        """
        with self._database.writing() as session:
            now = self._clamp_leases(session)
            found = self._next(session, name, item)
            if found is None:
                if item is not None:
                    raise LeaseError(
                        f"item {item} is not available to {name}: it is leased, done, or another's",
                        hint="lease the next one",
                    )
                return None
            entry, claim = found
            if claim is None:
                claim = Claim(item=entry.id, name=name)
                session.add(claim)
            claim.until = now + LEASE_S
            session.flush()
            return self._lease(session, entry, claim)

    def renew(self, name: str, item: int) -> None:
        """Renew a lease; one that has lapsed too, if nobody else took the item.

        Raises:
            LeaseError: it was never leased, is completed, or was leased to others meanwhile, or
                `name` has left the team.
        """
        with self._database.writing() as session:
            now = self._clamp_leases(session)
            entry, claim = _find_item(session, item), _find_claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            account = session.get(Account, name)
            if account is None or account.token is None:  # while their demonstration is open
                raise LeaseError(f"{name} has left the team")
            if claim.until <= now and self._count_taken(session, entry) >= entry.copies:
                raise LeaseError(
                    f"the lease of item {item} has lapsed, and others have taken it",
                    hint="your recording is kept, and still counts when you finish it",
                )
            claim.until = now + LEASE_S

    def start(self, name: str, item: int, episode: str) -> None:
        """Link the episode that is being recorded to its item.

        Raises:
            LeaseError: it was never leased, or is completed.
        """
        with self._database.writing() as session:
            claim = _find_claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            claim.episode = episode

    def unlink(self, name: str, item: int, episode: str) -> None:
        """Forget an episode that was begun for an item and left nothing; the lease goes on.

        Raises:
            LeaseError: it was never leased.
        """
        with self._database.writing() as session:
            claim = _find_claim(session, name, item)
            if claim.done is None and claim.episode == episode:
                claim.episode = None

    def release(self, name: str, item: int) -> None:
        """Release a lease; the recording so far stays linked.

        Raises:
            LeaseError: it was never leased, or is completed.
        """
        with self._database.writing() as session:
            claim = _find_claim(session, name, item)
            if claim.done is not None:
                raise LeaseError(f"item {item} is completed")
            claim.until = 0.0

    def complete(self, name: str, item: int, episode: str) -> None:
        """Mark an item as recorded, after its lease has lapsed too; idempotent.

        Raises:
            LeaseError: it was never leased, or is completed with another episode.
        """
        with self._database.writing() as session:
            claim = _find_claim(session, name, item)
            if claim.done is not None:
                if claim.episode != episode:
                    raise LeaseError(
                        f"item {item} is completed with the episode {claim.episode}",
                        hint="this episode is kept, and does not count",
                    )
                return
            claim.done, claim.episode = self._database.now(session), episode

    def complete_ended(self, has_ended: Callable[[str], bool]) -> int:
        """Complete the items whose recordings ended while the queue was away; returns how many."""
        with self._database.reading() as session:
            unfinished = session.execute(
                select(Claim.name, Claim.item, Claim.episode).where(
                    Claim.done.is_(None), Claim.episode.is_not(None)
                )
            ).all()
        ended = [row for row in unfinished if row.episode is not None and has_ended(row.episode)]
        for name, item, episode in ended:
            assert episode is not None
            self.complete(name, item, episode)
        return len(ended)

    def leases(self, name: str) -> list[Lease]:
        """The unfinished items that `name` holds or has begun, in the order of the queue."""
        with self._database.reading() as session:
            now = self._database.now(session)
            rows = session.execute(
                select(QueueItem, Claim)
                .join(Claim, Claim.item == QueueItem.id)
                .where(
                    Claim.name == name,
                    Claim.done.is_(None),
                    (Claim.until > now) | Claim.episode.is_not(None),
                )
                .order_by(QueueItem.id)
            )
            return [self._lease(session, row[0], row[1]) for row in rows]

    def items(self) -> list[ItemProgress]:
        """The progress of every item, in the order of the queue."""
        with self._database.reading() as session:
            now = self._database.now(session)
            claims: dict[int, list[Claim]] = {}
            for claim in session.scalars(select(Claim).order_by(Claim.done, Claim.name)):
                claims.setdefault(claim.item, []).append(claim)
            entries = session.scalars(select(QueueItem).order_by(QueueItem.id))
            return [_progress(entry, claims.get(entry.id, []), now) for entry in entries]

    def members(self) -> list[MemberProgress]:
        """The progress of every member who ever leased an item, by name."""
        items = self.items()
        done = [name for one in items for name, _ in one.done]
        held = [name for one in items for name in one.held]
        lapsed = [name for one in items for name in one.lapsed]
        return [
            MemberProgress(name, done.count(name), held.count(name), lapsed.count(name))
            for name in sorted({*done, *held, *lapsed})
        ]

    def _clamp_leases(self, session: Session) -> float:
        """Shorten leases that are too long, as after a clock was set back; returns the time."""
        now = self._database.now(session)
        latest = now + LEASE_S
        session.execute(update(Claim).where(Claim.until > latest).values(until=latest))
        return now

    def _next(
        self, session: Session, name: str, item: int | None = None
    ) -> tuple[QueueItem, Claim | None] | None:
        now = self._database.now(session)
        mine = aliased(Claim)
        taken = _count_taken(now)
        wanted = (
            select(QueueItem, mine)
            .outerjoin(mine, (mine.item == QueueItem.id) & (mine.name == name))
            .where(
                mine.done.is_(None),
                (QueueItem.only.is_(None)) | (QueueItem.only == name),
                (mine.until > now) | (taken < QueueItem.copies),
            )
            .order_by(
                (func.coalesce(mine.until, 0.0) > now).desc(),
                mine.episode.is_(None),
                mine.item.is_not(None),
                QueueItem.id,
            )
            .limit(1)
        )
        if item is not None:
            wanted = wanted.where(QueueItem.id == item)
        row = session.execute(wanted).first()
        return None if row is None else (row[0], row[1])

    def _count_taken(self, session: Session, entry: QueueItem) -> int:
        now = self._database.now(session)
        count = select(_count_taken(now)).select_from(QueueItem).where(QueueItem.id == entry.id)
        return session.execute(count).scalar_one()

    def _lease(self, session: Session, entry: QueueItem, claim: Claim | None) -> Lease:
        left_s = max(0.0, claim.until - self._database.now(session)) if claim else 0.0
        episode = claim.episode if claim else None
        return Lease(entry.id, entry.suite, entry.task, entry.copies, left_s, episode)


def _find_waiting(session: Session, suite: str, copies: int, only: str | None) -> set[str]:
    """The tasks of a suite that were assigned in this way and are not yet completed by all."""
    done = select(func.count()).where(Claim.item == QueueItem.id, Claim.done.is_not(None))
    wanted = select(QueueItem.task).where(
        QueueItem.suite == suite,
        QueueItem.copies == copies,
        QueueItem.only == only,
        done.correlate(QueueItem).scalar_subquery() < copies,
    )
    return set(session.scalars(wanted))


def _count_taken(now: float) -> ScalarSelect[int]:
    """The number of members who completed an item or hold it, as a subquery of each item."""
    return (
        select(func.count())
        .select_from(Claim)
        .where(Claim.item == QueueItem.id, (Claim.done.is_not(None)) | (Claim.until > now))
        .correlate(QueueItem)
        .scalar_subquery()
    )


def _progress(entry: QueueItem, claims: Sequence[Claim], now: float) -> ItemProgress:
    done = tuple((one.name, one.episode or "") for one in claims if one.done is not None)
    held = tuple(one.name for one in claims if one.done is None and one.until > now)
    lapsed = tuple(one.name for one in claims if one.done is None and one.until <= now)
    waiting = max(0, entry.copies - len(done) - len(held))
    return ItemProgress(
        entry.id, entry.suite, entry.task, entry.copies, entry.only, done, held, lapsed, waiting
    )


def _find_item(session: Session, number: int) -> QueueItem:
    found = session.get(QueueItem, number)
    if found is None:
        raise LeaseError(f"there is no item {number}", hint="tapwright team progress")
    return found


def _find_claim(session: Session, name: str, item: int) -> Claim:
    found = session.get(Claim, (item, name))
    if found is None:
        raise LeaseError(f"{name} never leased item {item}", hint="lease the next one")
    return found
