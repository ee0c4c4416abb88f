"""Long use of one server: `python bench/soak.py [--seconds N]`; exit 1 when it does not hold.

Sockets that record as fast as people do, lists that are asked for all the while, and the same
episodes edited, removed, exported and packed meanwhile. Measured are the server's memory, at the
end and after the first tenth (the first minute of ten); from a press to the first picture that
answers it, and until its step is saved, which waits for the screen to rest for 0.1 s; and how late
this process itself is, whose lists and sockets share one loop: under another load the figures hold
that, too. Every step that was saved has to be in the store, and every pack and training set that
was made has to be whole. `short` names what was less than ten minutes are for: 10,000 steps, 500
edits, the lists, a press that is answered within 100 ms.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tapwright.store.store import EpisodeStore

MOST_GROWTH = 1.2
STEPS, EVERY_S = 10, 1.0
LEAST_STEPS, LEAST_EDITS, MOST_PRESS_MS = 10_000, 500, 100.0
LEAST_LISTS = 0.95
# Of the changes, as many remove an episode; and some find one that is changed already.
REMOVALS, CHANGES_PER_S = 0.2, 1.25
UNDER_WAY = 60
TAP = {"type": "tap", "at": {"x": 0.5, "y": 0.4}}


@dataclass
class Soak:
    """One server, what is done to it until `until`, and what it said."""

    url: str
    store: Path
    until: float
    lists_per_s: float
    presses_ms: list[float] = field(default_factory=list)
    saves_ms: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    lists_ms: list[float] = field(default_factory=list)
    saved: dict[str, int] = field(default_factory=dict)
    edited: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    refused: int = 0
    wrong: list[str] = field(default_factory=list)
    checked: int = 0
    cookie: str = ""
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def goes_on(self) -> bool:
        """Whether anything more is begun."""
        return time.monotonic() < self.until

    async def run(self) -> None:
        """Do all of it at once, to the end."""
        origin = f"http://{urlsplit(self.url).netloc}"
        # The server ends those that rest for 5 s, perhaps as one is taken again.
        limits = httpx.Limits(max_connections=40, keepalive_expiry=2)
        async with httpx.AsyncClient(
            base_url=origin, headers={"X-Tapwright": "1", "Origin": origin}, limits=limits,
            timeout=60, follow_redirects=True,
        ) as http:  # fmt: skip
            await http.get(self.url)  # which signs in
            self.cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
            devices = [one["name"] for one in (await http.get("/api/devices")).json()]
            async with asyncio.TaskGroup() as tasks:
                for device in devices:
                    tasks.create_task(self._record(http, device))
                tasks.create_task(self._list(http))
                tasks.create_task(self._change(http))
                tasks.create_task(self._export())
                tasks.create_task(self._note_lateness())

    async def _record(self, http: httpx.AsyncClient, device: str) -> None:
        await asyncio.sleep(self.chance.random() * EVERY_S)
        while self.goes_on:
            answer = await http.post(
                "/api/sessions", json={"device": device, "instruction": "soak"}
            )
            if answer.status_code != 200:
                self.wrong.append(f"{device}: {answer.text[:200]}")
                return
            session = str(answer.json()["session"])
            async with (
                self._socket("session", session) as control,
                self._socket("frames", session) as feed,
            ):
                pressed_s: list[float] = []
                drawing = asyncio.create_task(self._draw(feed, pressed_s))
                await control.send('{"t": "hello"}')
                steps = 0
                for number in range(STEPS):
                    if not self.goes_on:
                        break
                    begun = time.monotonic()
                    pressed_s.append(begun)
                    await self._command(control, {"t": "act", "key": f"k{number}", "action": TAP})
                    self.saves_ms.append(1000 * (time.monotonic() - begun))
                    steps += 1
                    await asyncio.sleep(max(0.0, EVERY_S - (time.monotonic() - begun)))
                await self._command(control, {"t": "finish", "key": "end", "outcome": "success"})
                self.saved[session] = steps + 1  # with the claim that ends it
                drawing.cancel()

    def _socket(self, kind: str, session: str) -> connect:
        at = urlsplit(self.url).netloc
        headers = {"Origin": f"http://{at}", "Cookie": self.cookie}
        url = f"ws://{at}/ws/{kind}?session={session}"
        return connect(url, additional_headers=headers, compression=None)

    async def _draw(self, feed: ClientConnection, pressed_s: list[float]) -> None:
        """Take each picture, as a page does, and note when the first after a press is there."""
        answered = 0
        while True:
            _, acts = struct.unpack_from("<II", bytes(await feed.recv(decode=False)))
            if answered < acts <= len(pressed_s):
                self.presses_ms.append(1000 * (time.monotonic() - pressed_s[acts - 1]))
                answered = acts
            await feed.send('{"t": "credit", "n": 1}')

    async def _note_lateness(self) -> None:
        while self.goes_on:
            begun = time.monotonic()
            await asyncio.sleep(0.05)
            self.late_ms.append(1000 * (time.monotonic() - begun - 0.05))

    async def _command(self, control: ClientConnection, said: dict[str, object]) -> None:
        await control.send(json.dumps(said))
        while True:
            told = json.loads(await asyncio.wait_for(control.recv(), 60))
            if told.get("key") == said["key"]:
                if told["t"] == "failed":
                    self.wrong.append(str(told)[:300])
                return

    async def _list(self, http: httpx.AsyncClient) -> None:
        under_way: set[asyncio.Task[None]] = set()
        begun, due = time.monotonic(), 0
        while self.goes_on:
            while due < (time.monotonic() - begun) * self.lists_per_s:
                due += 1
                if len(under_way) < UNDER_WAY:
                    task = asyncio.create_task(self._one_list(http))
                    under_way.add(task)
                    task.add_done_callback(under_way.discard)
            await asyncio.sleep(0.005)
        await asyncio.gather(*under_way)

    async def _one_list(self, http: httpx.AsyncClient) -> None:
        begun = time.monotonic()
        query = self.chance.choice(({}, {"sort": "-steps"}, {"q": "soak"}, {"page": 2}))
        try:
            answer = await http.get("/api/episodes", params=query)
        except httpx.TransportError as error:
            self.wrong.append(f"a list: {error!r}")
            return
        self.lists_ms.append(1000 * (time.monotonic() - begun))
        if answer.status_code >= 500:
            self.wrong.append(f"a list: {answer.status_code} {answer.text[:200]}")

    async def _change(self, http: httpx.AsyncClient) -> None:
        begun = time.monotonic()
        for number in count(1):
            await asyncio.sleep(max(0.0, begun + number / CHANGES_PER_S - time.monotonic()))
            if not self.goes_on:
                return
            known = [one for one in self.saved if one not in self.removed | self.edited]
            if not known:
                continue
            id_ = self.chance.choice(known)
            if self.chance.random() < REMOVALS:
                answer = await http.post("/api/episodes/remove", json={"ids": [id_]})
                self.removed.add(id_)  # or was refused, and is still there
            else:
                body = {"id": id_, "version": 1, "modifiers": "delete:0:1"}
                answer = await http.post("/api/edit", json=body)
                if answer.status_code == 200:
                    self.edited.add(id_)
            self.refused += answer.status_code in range(400, 500)
            if answer.status_code >= 500:
                self.wrong.append(f"a change: {answer.status_code} {answer.text[:200]}")

    async def _export(self) -> None:
        number = 0
        while self.goes_on:
            await asyncio.sleep(10)
            number += 1
            store, out = str(self.store), str(self.store.parent / f"out-{number}")
            make, check = (
                (("episodes", "pack", store, "-o", out),
                 ("episodes", "unpack", out, "-o", f"{out}-again")),
                (("sft", "export", store, "--to", "trl", "--convention", "json", "-o", out),
                 ("sft", "check", out)),
            )[number % 2]  # fmt: skip
            if await self._is_made(make, refusals=(1, 5)):
                self.checked += await self._is_made(check)
            for made in (out, f"{out}-again"):
                shutil.rmtree(made, ignore_errors=True)

    async def _is_made(self, words: Sequence[str], refusals: Sequence[int] = ()) -> bool:
        """Run a command; false when it refused, and what else it said is wrong."""
        job = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tapwright", *words,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        told = (await job.communicate())[1].decode()
        if "Traceback" in told or job.returncode not in (0, *refusals):
            self.wrong.append(f"{words[:2]}: {job.returncode} {told[-300:]}")
        return job.returncode == 0

    def short(self, seconds: float) -> list[str]:
        """What there was too little of, or what took too long, for so many seconds."""
        share = seconds / 600
        told = {
            f"{len(self.saves_ms)} steps": len(self.saves_ms) >= share * LEAST_STEPS,
            f"{len(self.edited)} edits": len(self.edited) >= share * LEAST_EDITS,
            f"{len(self.lists_ms)} lists": len(self.lists_ms)
            >= LEAST_LISTS * self.lists_per_s * seconds,
            f"a press takes {_p95(self.presses_ms)} ms": _p95(self.presses_ms) <= MOST_PRESS_MS,
        }
        return [name for name, is_enough in told.items() if not is_enough]

    def lost(self) -> list[str]:
        """Episodes that are not in the store with every step that was saved."""
        store, missing = EpisodeStore(self.store), []
        there = set(store.ids())
        for id_, steps in self.saved.items():
            if id_ not in there:
                if id_ not in self.removed:
                    missing.append(f"{id_} is gone")
            elif (found := len(store.read(id_).steps)) != steps - (id_ in self.edited):
                missing.append(f"{id_} has {found} steps of {steps}")
        return missing


def _memory_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _measure(soak: Soak, pid: int, seconds: float) -> tuple[float, float]:
    """The server's memory after the first tenth and at the end, each the most of some looks."""
    running = asyncio.create_task(soak.run())
    early: list[float] = []
    late: list[float] = []
    begun = time.monotonic()
    while not running.done():
        passed = (time.monotonic() - begun) / seconds
        if 0.08 < passed < 0.12:
            early.append(_memory_mb(pid))
        elif passed > 0.95:
            late.append(_memory_mb(pid))
        await asyncio.sleep(0.2)
    await running
    return max(early), max(late)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--sockets", type=int, default=20)
    parser.add_argument("--lists", type=float, default=200.0, help="requests a second")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as directory:
        store = Path(directory) / "store"
        server = subprocess.Popen(
            [sys.executable, "-m", "tapwright", "serve", "--port", "0",
             "--episodes", str(store), "--runs", directory, *["--device", "fake"] * given.sockets],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            soak = Soak(url, store, time.monotonic() + given.seconds, given.lists)
            early, late = asyncio.run(_measure(soak, server.pid, given.seconds))
        finally:
            server.terminate()
            server.wait(30)
        lost = soak.lost()
    growth, short = late / early, soak.short(given.seconds)
    print(
        json.dumps(
            {
                "seconds": given.seconds,
                "steps": len(soak.saves_ms),
                "episodes": len(soak.saved),
                "lists": len(soak.lists_ms),
                "edited": len(soak.edited),
                "removed": len(soak.removed),
                "refused": soak.refused,
                "press_p95_ms": _p95(soak.presses_ms),
                "save_p95_ms": _p95(soak.saves_ms),
                "list_p95_ms": _p95(soak.lists_ms),
                "late_p95_ms": _p95(soak.late_ms),
                "memory_mb": [round(early, 1), round(late, 1)],
                "growth": round(growth, 3),
                "whole": soak.checked,
                "lost": lost[:5],
                "wrong": soak.wrong[:5],
                "short": short,
                "load_average": round(os.getloadavg()[0], 2),
            }
        )
    )
    return int(bool(lost or soak.wrong or short) or growth > MOST_GROWTH)


def _p95(found: list[float]) -> float:
    return round(quantiles(found, n=20)[18], 1)


if __name__ == "__main__":
    sys.exit(main())
