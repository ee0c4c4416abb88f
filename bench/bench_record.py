"""How fast a demonstration is recorded: `python bench/bench_record.py [--steps N]`.

A server in this process, and a client on its sockets: from sending an action to the picture that
shows what it did (without the browser's painting), a step that is on disk, and pictures per second
of a screen that never rests. Wall-clock milliseconds; the machine's load is printed with them.
"""

import argparse
import asyncio
import json
import os
import socket
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point, Size
from tapwright.devices.device import LiveFrame
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.record.commands import Act
from tapwright.record.demonstration import Demonstration
from tapwright.record.journal import Journal, JournalHeader
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tapwright.web.app import create_app
from tapwright.web.config import WebConfig

SIZE = Size(1080, 2400)
SCENES = [painted_scene(number, SIZE) for number in range(60)]
TAP = Tap(at=Point(0.5, 0.4))
FRAME = os.urandom(166_000)
SECONDS = 3.0


class Restless(FakeDevice):
    """A screen that shows another picture of 166 kB sixty times a second."""

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        ended = Event()

        def show() -> None:
            while not ended.wait(1 / 60):
                on_frame(LiveFrame(FRAME, "jpeg", Size(540, 1200), time.monotonic()))

        thread = Thread(target=show)
        thread.start()
        yield
        ended.set()
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-record-") as directory:
        # First, as the fake device then has its live pictures ready, as a real one would.
        durable = _durable(Path(directory) / "steps", given.steps)
        result = {
            **asyncio.run(_served(Path(directory) / "served", given.steps)),
            **durable,
            "load_average": round(os.getloadavg()[0], 2),
        }
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def _durable(store: Path, steps: int) -> dict[str, float]:
    opening = JournalHeader(episode="bench", owner="b", place="fake", instruction="", created="now")
    task = Task("", "", (), Unchecked())
    demonstration = Demonstration(
        EpisodeStore(store), Journal.create(store, opening), task, has_pending=lambda: True
    )
    demonstration.attach(FakeDevice(SCENES, size=SIZE))
    times = []
    for number in range(steps):
        begun = time.perf_counter()
        frame = demonstration.frame_history.number
        demonstration.do(Act(key=str(number), action=TAP, frame=frame))
        times.append(1000 * (time.perf_counter() - begun))
    demonstration.close()
    return _told("durable_step", times)


async def _served(store: Path, steps: int) -> dict[str, float]:
    devices = {"fake": lambda: FakeDevice(SCENES, size=SIZE), "restless": Restless}
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        create_app(WebConfig(episodes=store, devices=devices)),
        log_level="error",
        ws_per_message_deflate=False,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        times = await _acts(port, await _begin(port, "fake"), steps)
        frames = await _frames(port, await _begin(port, "restless"))
    finally:
        server.should_exit = True
        await serving
    return {**_told("act_to_changed_frame", times), "frames_per_s": frames}


async def _begin(port: int, device: str) -> str:
    headers = {"X-Tapwright": "1", "Origin": f"http://127.0.0.1:{port}"}
    body = {"device": device, "instruction": "bench"}
    async with httpx.AsyncClient() as client:
        url = f"http://127.0.0.1:{port}/api/sessions"
        answer = await client.post(url, json=body, headers=headers)
    session: str = answer.raise_for_status().json()["session"]
    return session


def _open(port: int, kind: str, session: str) -> connect:
    origin = f"http://127.0.0.1:{port}"
    url = f"ws://127.0.0.1:{port}/ws/{kind}?session={session}"
    return connect(url, additional_headers={"Origin": origin}, compression=None)


async def _acts(port: int, session: str, steps: int) -> list[float]:
    times = []
    async with _open(port, "session", session) as control, _open(port, "frames", session) as feed:
        await control.send('{"t": "hello"}')
        number, _ = await _next(feed)
        for step in range(steps):
            action = {"type": "tap", "at": {"x": 0.5, "y": 0.4}}
            said = {"t": "act", "key": f"k{step}", "frame": number, "action": action}
            begun = time.perf_counter()
            await control.send(json.dumps(said))
            acts = 0
            while acts <= step:
                number, acts = await _next(feed)
            times.append(1000 * (time.perf_counter() - begun))
            while json.loads(await control.recv())["t"] != "saved":
                pass
    return times


async def _frames(port: int, session: str) -> float:
    count, until = 0, time.monotonic() + SECONDS
    async with _open(port, "frames", session) as feed:
        while time.monotonic() < until:
            await _next(feed)
            count += 1
    return round(count / SECONDS, 1)


async def _next(feed: ClientConnection) -> tuple[int, int]:
    data = await feed.recv()
    assert isinstance(data, bytes)
    await feed.send('{"t": "credit", "n": 1}')
    number, acts = struct.unpack_from("<II", data)
    return number, acts


def _told(name: str, times: list[float]) -> dict[str, float]:
    return {
        f"{name}_p50_ms": round(median(times), 1),
        f"{name}_p95_ms": round(quantiles(times, n=20)[18], 1),
    }


if __name__ == "__main__":
    main()
