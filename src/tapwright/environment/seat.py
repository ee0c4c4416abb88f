"""The agent's seat while an attempt is played: kept by its agent, or held by a person for a while.

`live` says by which files. A person who took over decides in the agent's place: what they do is a
step of the same episode, judged by the same check, and says in `by` that it was theirs.
"""

import asyncio
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Protocol, TypeVar

from tapwright.core.episode import Decision, Episode
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, LiveFrame, StreamingDevice, keys_of
from tapwright.devices.live_pictures import StillDecoder
from tapwright.devices.watcher import DeviceWatcher
from tapwright.environment.held_pictures import HeldPictures
from tapwright.environment.live import (
    ANSWER,
    ANSWER_LINE,
    ASKED,
    ATTEMPT,
    HELD,
    HOLD,
    HOLD_LINE,
    LEASE_S,
    PICTURE,
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
from tapwright.errors import DeviceError, DiskError, MissingExtraError
from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.files.closing import Closing
from tapwright.files.jsonl import now_text, to_json
from tapwright.files.lock import wait_for_lock
from tapwright.store.ids import directory_name, new_id
from tapwright.store.work_log import WorkClock

__all__ = ["Seat", "Turn"]

T = TypeVar("T")

_POLL_S = 0.05
_LET_GO_S = 2.0
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
                return await ask(partial(sitting.take, hold.order, hold.who))
            await ask(partial(sitting.show, hold))
            await asyncio.sleep(_POLL_S)
        self._end_work()
        fresh = await ask(device.observe)
        self._hold.unlink(missing_ok=True)
        sat_s = await ask(sitting.get_up)
        line = f"tapwright: before it, {self._who} held it for {sat_s:.1f} s{told}"
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
        self._sitting.close()
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
    """What a person is shown who holds an attempt, and which of their orders were taken.

    Whatever calls the device is made in a thread, one call after the other.
    """

    def __init__(self, home: Path) -> None:
        self.refused = ""
        self._home = home
        self._watcher = DeviceWatcher(self._on_frame, lambda: None, has_pending=lambda: True)
        self._pictures: HeldPictures | None = None
        self._heard: tuple[int, float] | None = None
        self._since_s: float | None = None
        self._is_unseen = False
        self._told: Held | None = None
        self._done = ""

    @property
    def is_down(self) -> bool:
        """Whether somebody sat down, and has not got up: they may have given it back meanwhile."""
        return self._since_s is not None

    def sit_down(self, device: Device, seen: Observation) -> None:
        """Begin to show a device, or go on after an action, on the screen that it led to."""
        self._device, self._seen = device, seen
        self._heard = None
        if self._since_s is None:
            self._since_s = time.monotonic()
            self._is_unseen = True
            self._pictures = HeldPictures(self._home / PICTURE, _decoder_of(device))

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
        seen = self._watcher.observe_frame(order.screen) or replace(self._seen, stale=True)
        self._watcher.mark_action()
        return Turn(replace(seen, message=self._seen.message), Decision(order.action), who)

    def show(self, hold: Hold) -> None:
        """Tell what may be done, and let a person who acts see the device move."""
        if self._is_unseen:
            # Or a screen that has not changed since the last sitting would be no news.
            self._watcher.show(self._seen)
            self._is_unseen = False
        if hold.acts:
            self._watch()
        size = self._watcher.size or self._seen.size
        held = Held(
            who=hold.who,
            acts=hold.acts,
            screen=0 if self._pictures is None else self._pictures.number,
            width=size.width,
            height=size.height,
            done=self._done,
            refused=self.refused,
            apps=tuple(self._device.apps()) if self._told is None else self._told.apps,
            keys=keys_of(self._device),
        )
        if held != self._told and held.screen > 0:
            write_atomically(self._home / HELD, to_json(held))
            self._told = held

    def get_up(self) -> float:
        """Tell that nobody holds it any more; for how many seconds somebody did."""
        sat_s = time.monotonic() - (self._since_s or 0.0)
        (self._home / HELD).unlink(missing_ok=True)
        self._watcher.detach()
        if self._pictures is not None:
            self._pictures.close()
        self._told = self._since_s = self._pictures = None
        return sat_s

    def close(self) -> None:
        """Let go of the device; one that hangs is left."""
        if self.is_down:
            leaving = Thread(target=self.get_up, daemon=True)
            leaving.start()
            leaving.join(_LET_GO_S)

    def _watch(self) -> None:
        watcher, device = self._watcher, self._device
        if watcher.device is None:
            plays = not isinstance(device, StreamingDevice) or _decoder_of(device) is not None
            try:
                watcher.connect(device, plays=plays)
            except DeviceError:  # it may still be looked at
                watcher.connect(device, plays=False)
        watcher.poll()
        if watcher.device is None:
            device.observe()  # says why it was lost; or it is not

    def _on_frame(self, number: int, acts: int, frame: LiveFrame) -> None:
        if self._pictures is not None:
            self._pictures.add(number, acts, frame)


def _decoder_of(device: Device) -> StillDecoder | None:
    """What makes stills of a device's stream; None where it has none, or nothing decodes it."""
    with suppress(MissingExtraError):
        return StillDecoder() if isinstance(device, StreamingDevice) else None
    return None


def _sweep(live: Path) -> None:
    """Remove what dead players left; one that has just begun may not have its lock yet."""
    for home in live.glob("*"):
        with suppress(OSError):
            is_young = time.time() - home.stat().st_mtime < _STALE_S
            if not is_young and not is_played(home):
                shutil.rmtree(home, ignore_errors=True)
