"""Whether a farm loses a lease, and what it costs: `python bench/bench_farm.py`.

A pool of eight fake devices, three of them over the wire, plays episodes while one is killed in
every twentieth; each must be played exactly once, or counted as failed and then played. Then the
built-in phone is driven directly and through `tapwright devices serve` in a process of its own.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

from tapwright.core.actions import Action, Tap, TypeText
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.device import Device
from tapwright.devices.fake import FakeDevice
from tapwright.devices.phone.device import Phone
from tapwright.devices.pool import DevicePool
from tapwright.devices.remote.device import RemoteDevice, open_remote
from tapwright.errors import DeviceLostError
from tapwright.testing import DeviceServer

EPISODES = 1000
STEPS = 3
KILL_EVERY = 20
DEADLY = TypeText(text="die")
TAP = Tap(at=Point(0.3, 0.5))


class Mortal(FakeDevice):
    """A fake device that one text kills for good."""

    dead = False

    def reset(self, **given: object) -> None:
        self._breathe()
        self.performed.clear()

    def observe(self) -> Observation:
        self._breathe()
        return super().observe()

    def perform(self, action: Action) -> None:
        self.dead = self.dead or action == DEADLY
        self._breathe()
        super().perform(action)

    def _breathe(self) -> None:
        if self.dead:
            raise DeviceLostError("killed")


def play(device: Device, kill: int | None) -> None:
    """An episode; `kill` has the number of the kill, of which every other one cuts the line."""
    device.reset()
    for step in range(STEPS):
        device.observe()
        if kill is not None and step == 1:
            if kill % 2 and isinstance(device, RemoteDevice):
                device.close()
            device.perform(DEADLY)
        device.perform(TAP)


async def farm(server: DeviceServer, episodes: int) -> dict[str, object]:
    openers: dict[str, Callable[[], Device]] = {f"near-{number}": Mortal for number in range(5)}
    for number in range(3):
        url = server.url(f"far-{number}") + "?wait_s=10"
        openers[f"far-{number}"] = partial(open_remote, url)
    played: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    waits: list[float] = []
    left = list(range(episodes))

    async def work(pool: DevicePool) -> None:
        while left:
            number = left.pop(0)
            kill = None
            if number % KILL_EVERY == KILL_EVERY - 1 and not failed[number]:
                kill = number // KILL_EVERY
            asked = time.perf_counter()
            try:
                async with pool.lease(who=f"episode {number}") as device:
                    waits.append(time.perf_counter() - asked)
                    await asyncio.to_thread(play, device, kill)
                played[number] += 1
            except DeviceLostError:
                failed[number] += 1
                left.append(number)

    begun = time.perf_counter()
    with DevicePool.of(openers) as pool:
        await asyncio.gather(*(work(pool) for _ in range(pool.size)))
        spent = time.perf_counter() - begun
        states = Counter(place.state for place in pool.status())
    waits.sort()
    return {
        "episodes": episodes,
        "killed": failed.total(),
        "played exactly once": sum(count == 1 for count in played.values()),
        "lost": episodes - len(played),
        "seconds": round(spent, 2),
        "lease, ms (p50)": round(median(waits) * 1000, 2),
        "lease, ms (p95)": round(waits[int(len(waits) * 0.95)] * 1000, 2),
        "places at the end": dict(states),
    }


@contextmanager
def served(device: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tapwright", "devices", "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--device", device], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip().removeprefix("remote:")
        process.terminate()


def opened(spec: str) -> Device:
    name, _, argument = spec.partition(":")
    return Phone.named(argument) if name == "phone" else FakeDevice()


def overhead(spec: str, rounds: int) -> list[dict[str, object]]:
    """Both ways in turn, so that a busy moment hits both."""
    rows = []
    with (
        served(spec) as url,
        opened(spec) as near,
        open_remote(url) as far,
    ):
        near.reset()
        far.reset()
        calls: dict[str, Callable[[Device], object]] = {
            "tap": lambda device: device.perform(TAP),
            "observe after a tap": lambda device: device.observe(),
            "observe, nothing changed": lambda device: device.observe(),
        }
        spent: dict[tuple[str, bool], list[float]] = {}
        for _ in range(rounds):
            for device in (near, far):
                for name, call in calls.items():
                    begun = time.perf_counter()
                    call(device)
                    took = (time.perf_counter() - begun) * 1000
                    spent.setdefault((name, device is far), []).append(took)
        for name in calls:
            direct, remote = median(spent[name, False]), median(spent[name, True])
            rows.append(
                {
                    "what": f"{spec}: {name}",
                    "direct, ms": round(direct, 2),
                    "remote, ms": round(remote, 2),
                    "overhead, ms": round(remote - direct, 2),
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--rounds", type=int, default=60, help="calls per figure")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with DeviceServer({f"far-{number}": Mortal for number in range(3)}) as server:
        found = asyncio.run(farm(server, given.episodes))
    rows = overhead("fake", 10 * given.rounds)
    for spec in ("phone:1080x2400", "phone:1080x2400,jpeg"):
        rows += overhead(spec, given.rounds)
    after = os.getloadavg()[0]
    print(json.dumps({"load": [load, after], "farm": found, "remote": rows}, indent=2))
    if found["lost"] or found["played exactly once"] != given.episodes:
        sys.exit("a lease was lost")


if __name__ == "__main__":
    main()
