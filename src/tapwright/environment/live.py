"""Attempts that are played now: seen by others, held between two steps, and acted in by a person.

Player and watcher are processes of their own and speak by files beside the episodes, so that
nothing listens anywhere, and whoever may write the store, and nobody else, may take over.

    <store>/.live/<episode>/
        attempt.json   the player's, locked while it plays: who plays what
        hold.json      the watcher's, while it holds the attempt: who, and what is to be done
        held.json      the player's, while it is held: what may be done, and what was
        picture        the player's, while it is held: the newest live picture
        watched        the watcher's: when a page showed the attempt last
        asked.json     the player's, while it waits for a word on an action that `--allow` forbids
        answer.json    the watcher's: that word

Steps are read from the episode itself, so watching costs a player nothing. Before each step it
looks for `hold.json`, with one call of the system. A watcher writes that file anew all the time;
when nothing was heard of it for `LEASE_S`, the agent has the attempt back.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from tapwright.core.actions import Action, Key
from tapwright.devices.live_pictures import NumberedFrame
from tapwright.environment.errors import AttemptGoneError, AttemptHeldError
from tapwright.files.atomic import refuse_link, write_atomically
from tapwright.files.jsonl import from_json, to_json
from tapwright.files.lock import try_lock
from tapwright.files.regular import OWN, read_regular
from tapwright.store.ids import directory_name
from tapwright.store.records import FrozenRecord

__all__ = [
    "ANSWER", "ANSWER_LINE", "ASKED", "ATTEMPT", "HELD", "HOLD", "HOLD_LINE", "LEASE_S", "LIVE",
    "PICTURE", "WATCHED", "Answer", "Asked", "AttemptInfo", "Held", "Hold", "LiveAttempt",
    "Order", "answer", "find_attempts", "give_back", "home_of", "is_played", "note_watched",
    "read_picture", "read_record", "take_hold",
]  # fmt: skip

T = TypeVar("T")

LIVE, ATTEMPT, HOLD, HELD = ".live", "attempt.json", "hold.json", "held.json"
PICTURE, WATCHED, ASKED, ANSWER = "picture", "watched", "asked.json", "answer.json"
LEASE_S = 20.0
"""After so many seconds without a sign of who holds an attempt its agent goes on."""


class AttemptInfo(FrozenRecord):
    """Who plays what, since when: `begun` is an ISO 8601 time in UTC."""

    episode: str
    task_id: str
    instruction: str
    agent: str
    device: str
    max_steps: int
    begun: str


class Order(FrozenRecord):
    """An action that a person decided on the screen of this number; `key` is no other order's."""

    key: str
    action: Action
    screen: int


class Hold(FrozenRecord):
    """`who` holds an attempt: paused, or with `acts` taken over, with what is to be done next.

    `beat` is another each time.
    """

    who: str
    beat: int
    acts: bool = False
    order: Order | None = None


class Held(FrozenRecord):
    """A player waits for `who`: the number of its newest live picture, and its screen's size.

    `done` is the key of the order that was done last, `refused` why that one was not performed.
    `apps` and `keys` are the device's.
    """

    who: str
    acts: bool
    screen: int
    width: int
    height: int
    done: str = ""
    refused: str = ""
    apps: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()


class Asked(FrozenRecord):
    """The agent wants to do what `--allow` forbids: `action` in words; `key` is no other's."""

    key: str
    action: str


class Answer(FrozenRecord):
    """What `who` says to the question with this key: it may be done this once, or not."""

    key: str
    who: str
    allows: bool


@dataclass(frozen=True, slots=True)
class LiveAttempt:
    """An attempt that is played, or whose player has died; both of `hold` and `held` may lag."""

    info: AttemptInfo
    is_played: bool
    hold: Hold | None
    held: Held | None
    asked: Asked | None


_INFO, _HELD, _ASKED = TypeAdapter(AttemptInfo), TypeAdapter(Held), TypeAdapter(Asked)
HOLD_LINE, ANSWER_LINE = TypeAdapter(Hold), TypeAdapter(Answer)


def find_attempts(store: Path) -> Iterator[LiveAttempt]:
    """The attempts that are played into a store now, or were when their players died, by id."""
    for directory in sorted((store / LIVE).glob("*")):
        info = read_record(directory / ATTEMPT, _INFO)
        if info is not None:
            hold = read_record(directory / HOLD, HOLD_LINE)
            held = read_record(directory / HELD, _HELD)
            asked = read_record(directory / ASKED, _ASKED)
            yield LiveAttempt(info, is_played(directory), hold, held, asked)


def take_hold(
    store: Path,
    episode: str,
    who: str,
    *,
    acts: bool,
    order: Order | None = None,
    again: bool = False,
) -> None:
    """Hold an attempt, or go on to hold it, from its next step on; `acts` takes it over.

    With `again` it goes on as it is, and has no effect where `who` does not hold it any more.

    Raises:
        AttemptGoneError: it is not played any more.
        AttemptHeldError: somebody else holds it.
        DiskError: the store cannot be written to.
    """
    directory = home_of(store, episode)
    if not is_played(directory):
        raise AttemptGoneError(
            f"{episode[:40]}: is not played any more", hint="look at its episode"
        )
    before = read_record(directory / HOLD, HOLD_LINE)
    if again and (before is None or before.who != who):
        return
    if before is not None and before.who != who:
        raise AttemptHeldError(before.who)
    if before is not None:
        acts, order = before.acts if again else acts, order or before.order
    hold = Hold(who=who, beat=before.beat + 1 if before else 0, acts=acts, order=order)
    write_atomically(directory / HOLD, to_json(hold))


def give_back(store: Path, episode: str, who: str) -> None:
    """Let the agent go on; without an effect where `who` does not hold the attempt."""
    path = home_of(store, episode) / HOLD
    hold = read_record(path, HOLD_LINE)
    if hold is not None and hold.who == who:
        path.unlink(missing_ok=True)


def note_watched(store: Path, episode: str) -> None:
    """Note that a page shows an attempt, so that its player asks before it is refused an action."""
    with suppress(OSError):  # it has ended, or the store is read alone
        handle = os.open(home_of(store, episode) / WATCHED, os.O_WRONLY | os.O_CREAT | OWN)
        os.utime(handle)
        os.close(handle)


def answer(store: Path, episode: str, key: str, who: str, *, allows: bool) -> None:
    """Say whether what an agent asked for with this key may be done.

    Raises:
        AttemptGoneError: it does not ask that any more.
        DiskError: the store cannot be written to.
    """
    directory = home_of(store, episode)
    asked = read_record(directory / ASKED, _ASKED)
    if asked is None or asked.key != key:
        raise AttemptGoneError(
            f"{episode[:40]}: does not ask that any more", hint="it was refused, or has ended"
        )
    write_atomically(directory / ANSWER, to_json(Answer(key=key, who=who, allows=allows)))


def read_picture(store: Path, episode: str) -> NumberedFrame:
    """The newest live picture of a held attempt, a JPEG.

    Raises:
        AttemptGoneError: it is not held any more.
    """
    try:
        return NumberedFrame.unpack(read_regular(home_of(store, episode) / PICTURE))
    except (OSError, ValueError) as error:
        raise AttemptGoneError(f"{episode[:40]}: shows no live picture") from error


def read_record(path: Path, kind: TypeAdapter[T]) -> T | None:
    """A file of an attempt; None where it is gone, or cannot be read."""
    try:
        return from_json(kind, read_regular(path))
    except (OSError, ValueError, RecursionError):
        return None


def is_played(directory: Path) -> bool:
    """Whether the process lives that plays the attempt of this directory."""
    try:
        handle = os.open(directory / ATTEMPT, os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)


def home_of(store: Path, episode: str) -> Path:
    """The directory of the files of an attempt that is played into a store.

    Raises:
        DiskError: a link is in the place of all of them.
    """
    refuse_link(store / LIVE)
    return store / LIVE / directory_name(episode)
