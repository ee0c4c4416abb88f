"""The agent's seat while an attempt is played: kept by its agent, or held by a person for a while.

`live` says by which files. A person who took over decides in the agent's place: what they do is a
step of the same episode, judged by the same check, and says in `by` that it was theirs.
"""

import asyncio
import shutil
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from tapwright.core.episode import Decision, Episode
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, keys_of
from tapwright.environment.live import (
    ANSWER,
    ANSWER_LINE,
    ASKED,
    ATTEMPT,
    HELD,
    HOLD,
    HOLD_LINE,
    LEASE_S,
    WATCHED,
    Answer,
    Asked,
    AttemptInfo,
    Held,
    Hold,
    Order,
    home_of,
    is_played,
    read_record,
)
from tapwright.errors import DiskError
from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.files.closing import Closing
from tapwright.files.jsonl import now_text, to_json
from tapwright.files.lock import wait_for_lock
from tapwright.store.ids import directory_name, new_id
from tapwright.store.work_log import WorkClock

__all__ = ["Seat", "Turn"]

T = TypeVar("T")

_POLL_S = 0.05
_LOOK_S = 0.1
_SCREENS = 8
_STALE_S = 60.0


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of a time in which the attempt was held.

    With a `decision`, `who` acts on the screen `seen`. Without, the agent goes on from there;
    `told` are lines for the log of its next step.
    """

    seen: Observation
    decision: Decision | None = None
    who: str = ""
    told: tuple[str, ...] = ()


class AskDevice(Protocol):
    """Makes a call of the device in a thread; raises when it does not come back."""

    async def __call__(self, call: Callable[[], T], /) -> T:
        """What the call gives."""
        ...


class Seat(Closing):
    """The seat of one attempt, whose episode is written into the store at `store`."""

    def __init__(self, store: Path, episode: Episode, max_steps: int) -> None:
        """Tell that it is played; what dead players left there is removed.

        Raises:
            DiskError: the store cannot be written to.
        """
        self._home = home_of(store, episode.id)
        self._hold = self._home / HOLD
        self._sitting = _Sitting(self._home)
        self._episode = store / directory_name(episode.id)
        self._who = "who held it"
        self._work: WorkClock | None = None
        info = AttemptInfo(
            episode=episode.id,
            task_id=episode.task_id,
            instruction=episode.instruction,
            agent=episode.agent,
            device=episode.device,
            max_steps=max_steps,
            begun=now_text(),
        )
        with wrap_disk_errors(self._home):
            self._home.mkdir(parents=True)
            self._file = (self._home / ATTEMPT).open("wb", buffering=0)
            wait_for_lock(self._file)
            self._file.write(to_json(info))
        _sweep(self._home.parent)

    def is_held(self) -> bool:
        """Whether somebody wants the attempt to wait, or had it; one call of the system."""
        return self._sitting.is_down or self._hold.exists()

    async def wait(self, device: Device, seen: Observation, ask: AskDevice) -> Turn:
        """Wait until the person who holds the attempt acts, or gives it back.

        A person of whom nothing is heard any more has given it back. `ask` makes what calls the
        device.

        Raises:
            DeviceError: the device is lost or broken.
        """
        sitting = self._sitting
        sitting.sit_down(device, seen)
        told = ""
        while (hold := await asyncio.to_thread(read_record, self._hold, HOLD_LINE)) is not None:
            self._who = hold.who
            if sitting.is_silent(hold):
                told = f", as nothing was heard of them for {LEASE_S:g} s"
                break
            if hold.acts:
                self._begin_work(hold.who)
            if hold.order is not None and self._work is not None and sitting.is_new(hold.order):
                self._work.note(step=True)
                return sitting.take(hold.order, hold.who)
            await ask(partial(sitting.show, hold))
            await asyncio.sleep(_POLL_S)
        self._end_work()
        fresh = await ask(device.observe)
        self._hold.unlink(missing_ok=True)
        line = f"tapwright: before it, {self._who} held it for {sitting.get_up():.1f} s{told}"
        return Turn(replace(fresh, message=seen.message), told=(line,))

    async def ask(self, action: str) -> Answer | None:
        """What a person says to an action that `--allow` forbids; None where nobody watches.

        A page that shows the attempt has `LEASE_S` seconds; without a word it is refused.
        """
        if not self._is_watched():
            return None
        asked = Asked(key=new_id(), action=action)
        write_atomically(self._home / ASKED, to_json(asked))
        until = time.monotonic() + LEASE_S
        try:
            while time.monotonic() < until:
                said = await asyncio.to_thread(read_record, self._home / ANSWER, ANSWER_LINE)
                if said is not None and said.key == asked.key:
                    return said
                await asyncio.sleep(_POLL_S)
            return None
        finally:
            for name in (ASKED, ANSWER):
                (self._home / name).unlink(missing_ok=True)

    def _is_watched(self) -> bool:
        with suppress(OSError):
            return time.time() - (self._home / WATCHED).stat().st_mtime < LEASE_S
        return False

    def tell_done(self, refused: str) -> None:
        """Tell the person that their action was done, or why the device refused it."""
        self._sitting.refused = refused

    def close(self) -> None:
        """Take its files away: the attempt is over."""
        self._end_work()
        self._file.close()
        shutil.rmtree(self._home, ignore_errors=True)
        with suppress(OSError):  # others are played into the store
            self._home.parent.rmdir()

    def _begin_work(self, who: str) -> None:
        if self._work is not None and self._work.who != who:
            self._end_work()
        if self._work is None:
            self._work = WorkClock(who, "act")
            self._work.note()

    def _end_work(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            work.note()
            with suppress(DiskError):  # the attempt counts
                work.write(self._episode)


class _Sitting:
    """What a person was shown who holds an attempt, and which of their orders were taken."""

    def __init__(self, home: Path) -> None:
        self.refused = ""
        self._home = home
        self._screens: OrderedDict[int, Observation] = OrderedDict()
        self._shown = 0
        self._heard: tuple[int, float] | None = None
        self._since_s: float | None = None
        self._look_s = 0.0
        self._told: Held | None = None
        self._done = ""

    @property
    def is_down(self) -> bool:
        """Whether somebody sat down, and has not got up: they may have given it back meanwhile."""
        return self._since_s is not None

    def sit_down(self, device: Device, seen: Observation) -> None:
        """Begin to show a device, or go on after an action, on the screen that it led to."""
        self._device = device
        self._heard = None
        self._since_s = self._since_s or time.monotonic()
        self._add(seen)

    def is_silent(self, hold: Hold) -> bool:
        """Whether the holder has given no sign for too long; clocks of two machines differ."""
        now = time.monotonic()
        if self._heard is None or self._heard[0] != hold.beat:
            self._heard = (hold.beat, now)
        return now - self._heard[1] > LEASE_S

    def is_new(self, order: Order) -> bool:
        """Whether this order was not taken yet."""
        return order.key != self._done

    def take(self, order: Order, who: str) -> Turn:
        """The turn of an order, on the screen that the person saw."""
        self._done, self.refused = order.key, ""
        last = next(reversed(self._screens.values()))
        known = self._screens.get(order.screen)
        seen = replace(last, stale=True) if known is None else known
        return Turn(seen, Decision(order.action), who)

    def show(self, hold: Hold) -> None:
        """Write what the device shows: a person who acts looks at it all the time."""
        now = time.monotonic()
        if hold.acts and now >= self._look_s:
            self._add(self._device.observe())
            after = time.monotonic()  # a slow device is left alone for as long as a look took
            self._look_s = after + max(_LOOK_S, after - now)
        seen = self._screens[self._shown]
        held = Held(
            who=hold.who,
            acts=hold.acts,
            screen=self._shown,
            width=seen.size.width,
            height=seen.size.height,
            done=self._done,
            refused=self.refused,
            apps=tuple(self._device.apps()) if self._told is None else self._told.apps,
            keys=keys_of(self._device),
        )
        if held != self._told:
            write_atomically(self._screen(self._shown), seen.screenshot.data)
            write_atomically(self._home / HELD, to_json(held))
            self._told = held

    def get_up(self) -> float:
        """Tell that nobody holds it any more; for how many seconds somebody did."""
        sat_s = time.monotonic() - (self._since_s or 0.0)
        self._told = self._since_s = None
        (self._home / HELD).unlink(missing_ok=True)
        return sat_s

    def _add(self, seen: Observation) -> None:
        last = self._screens.get(self._shown)
        if last is not None and last.screenshot == seen.screenshot:
            self._screens[self._shown] = seen
            return
        self._shown += 1
        self._screens[self._shown] = seen
        while len(self._screens) > _SCREENS:
            old, _ = self._screens.popitem(last=False)
            self._screen(old).unlink(missing_ok=True)

    def _screen(self, number: int) -> Path:
        return self._home / f"{number}.screen"


def _sweep(live: Path) -> None:
    """Remove what dead players left; one that has just begun may not have its lock yet."""
    for home in live.glob("*"):
        with suppress(OSError):
            is_young = time.time() - home.stat().st_mtime < _STALE_S
            if not is_young and not is_played(home):
                shutil.rmtree(home, ignore_errors=True)
