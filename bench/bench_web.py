"""What a person at the record page feels: `python bench/bench_web.py [--json]`.

A real server in this process and a real browser: from a press to the server, from a press to the
changed picture on the page, pictures per second, a long drag, a slow page, the banners, five
demonstrations, twenty reviews. Wall-clock; the machine's load is printed with it. The
pages have to be built (`make frontend`).
"""

import argparse
import json
import os
import random
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.run import write_annotations
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import find_chromium
from tapwright.devices.device import Device, LiveFrame
from tapwright.devices.fake import DEFAULT_SIZE, EndlessScenes, FakeDevice
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.web.app import create_app
from tapwright.web.config import WebConfig

LIVE = Size(540, 1200)
TASK = Task("press", "Get to button 8", ("fake",), When(TreeShows("Button 8")))
TAPS, MOVES, SLOW_TAPS, SECONDS = 60, 60, 60, 5.0
PERSON_S = 1.2
"""How long a person takes for an action, by which five demonstrations are reckoned."""

WATCHES = """
    globalThis.pressed = [];
    globalThis.moved = [];
    globalThis.drawn = [];
    addEventListener("pointerdown", event =>
        pressed.push(performance.timeOrigin + event.timeStamp), true);
    addEventListener("pointermove", event => {
        if (event.buttons & 1) moved.push(performance.timeOrigin + event.timeStamp);
    }, true);
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (...what) {
        draw.apply(this, what);
        requestAnimationFrame(() => drawn.push(Date.now()));
    };
"""
"""Keeps when there was a press, a move, and a picture painted, in milliseconds since 1970."""

BUDGETS = {
    "press_to_server_p95_ms": 20,
    "press_to_changed_picture_p50_ms": 50,
    "press_to_changed_picture_p95_ms": 150,
    "pictures_painted_per_s": 20,
    "drag_backlog_ms": 100,
    "slow_page_press_to_server_p95_ms": 50,
    "slow_page_pictures_under_way": 2,
    "goal_banner_ms": 500,
    "lost_device_banner_ms": 2000,
    "unsaved_banner_ms": 1000,
    "five_demonstrations_min": 10,
    "twenty_approvals_s": 40,
}


class Ear:
    """The app, and when it heard of each touch: its phase, and the time in ms since 1970."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.heard: list[tuple[str, float]] = []
        self.under_way = 0
        self.most_under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return

        async def hearing() -> Message:
            message = await receive()
            text = message.get("text") or ""
            if '"t":"touch"' in text:
                self.heard.append((json.loads(text)["phase"], 1000 * time.time()))
            if '"t":"credit"' in text:
                self.under_way -= 1
            return message

        async def telling(message: Message) -> None:
            if message.get("bytes"):
                self.under_way += 1
                self.most_under_way = max(self.most_under_way, self.under_way)
            await send(message)

        await self._app(scope, hearing, telling)

    def times(self, phase: str) -> list[float]:
        """When touches of this phase were heard of."""
        return [at for one, at in self.heard if one == phase]


class Restless(FakeDevice):
    """A screen of noise, 166 kB as JPEG, that changes thirty times a second."""

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        ended = threading.Event()

        def show() -> None:
            number = 0
            while not ended.wait(1 / 30):
                number += 1
                on_frame(LiveFrame(_noise(number % 8), "jpeg", LIVE, time.monotonic()))

        thread = threading.Thread(target=show)
        thread.start()
        yield
        ended.set()
        thread.join()


class Photographed(FakeDevice):
    """A screen whose every picture is 166 kB, and that changes with each action."""

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        numbers = iter(range(1_000_000))

        def show(frame: LiveFrame) -> None:
            on_frame(LiveFrame(_noise(next(numbers) % 8), "jpeg", LIVE, frame.time_s))

        with super().live(show):
            yield


@lru_cache
def _noise(seed: int) -> bytes:
    side = random.Random(seed)
    small = Image.frombytes("RGB", (270, 600), side.randbytes(270 * 600 * 3)).resize((540, 1200))
    buffer = BytesIO()
    small.save(buffer, "JPEG", quality=38)
    return buffer.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    expect.set_options(timeout=60_000)  # the machine may be busy
    for number in range(8):
        _noise(number)
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-web-") as directory,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium())
        result: dict[str, float] = {"picture_bytes": len(_noise(0))}
        for number, measure in enumerate(MEASURES):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            page = context.new_page()
            page.add_init_script(WATCHES)
            result |= measure(page, Path(directory) / str(number))
            context.close()
        browser.close()
    print_result(result, BUDGETS, as_json=given.json)


def print_result(result: dict[str, float], budgets: Mapping[str, float], *, as_json: bool) -> None:
    """Print what was measured, with the machine's load and the budgets."""
    result["load_average"] = round(os.getloadavg()[0], 2)
    if as_json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        budget = budgets.get(name)
        print(f"{name:<40}{value:<10}{'' if budget is None else f'budget {budget}'}")


@contextmanager
def _serving(config: WebConfig) -> Iterator[tuple[str, Ear]]:
    """A server's address, and what it hears."""
    ear = Ear(create_app(config))
    settings = uvicorn.Config(
        ear, port=0, log_level="error", ws="websockets-sansio", ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", ear
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def recording(page: Page, store: Path, device: Callable[[], Device]) -> Iterator[Ear]:
    """A demonstration of the task that has begun on the page."""
    config = WebConfig(episodes=store, devices={"fake": device}, suites={"mine": lambda: [TASK]})
    with _serving(config) as (address, ear):
        page.goto(address)
        page.get_by_role("radio", name="Get to button 8").check()
        page.get_by_role("button", name="Start recording").click()
        _wait_ready(page)
        yield ear
        page.goto("about:blank")


def _wait_ready(page: Page) -> None:
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_enabled()
    expect(page.get_by_text("Waiting for the first picture")).to_have_count(0)


def tap(page: Page, before: int) -> float:
    """Tap on a screen that rests, after so many steps; milliseconds until its change is painted."""
    page.evaluate("() => { drawn.length = 0 }")
    _tap(page)
    _wait_steps(page, before + 1)
    page.wait_for_function("() => drawn.some(at => at > pressed.at(-1))")
    pressed, drawn = page.evaluate("() => [pressed.at(-1), drawn]")
    return min(float(at) for at in drawn if at > pressed) - float(pressed)


def _tap(page: Page, x: float = 0.5, y: float = 0.4) -> None:
    page.mouse.click(*_at(page, x, y))


def _at(page: Page, x: float, y: float) -> tuple[float, float]:
    box = page.locator("canvas").bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def _wait_steps(page: Page, count: int) -> None:
    expect(page.get_by_role("list", name="Steps").get_by_role("listitem")).to_have_count(count)


def _taps(page: Page, store: Path) -> Mapping[str, float]:
    """Taps, each on a screen that rests."""
    with recording(page, store, lambda: Photographed(EndlessScenes())) as ear:
        shown = [tap(page, number) for number in range(TAPS)]
        presses = page.evaluate("() => pressed")[-TAPS:]
        ways = [heard - at for heard, at in zip(ear.times("down"), presses, strict=True)]
    return {**_told("press_to_server", ways), **_told("press_to_changed_picture", shown)}


def _stream(page: Page, store: Path) -> Mapping[str, float]:
    """A screen that shows another picture thirty times a second."""
    with recording(page, store, Restless):
        page.evaluate("() => { drawn.length = 0 }")
        page.wait_for_timeout(1000 * SECONDS)
        count = len(set(page.evaluate("() => drawn")))
    return {"pictures_painted_per_s": round(count / SECONDS, 1)}


def _drag(page: Page, store: Path) -> Mapping[str, float]:
    """A finger that moves sixty times, on a screen that never rests."""
    with recording(page, store, Restless) as ear:
        page.mouse.move(*_at(page, 0.5, 0.9))
        page.mouse.down()
        for number in range(MOVES):
            page.mouse.move(*_at(page, 0.5, 0.9 - 0.8 * (number + 1) / MOVES))
        released = 1000 * time.time()
        page.mouse.up()
        _wait_steps(page, 1)
        moved = page.evaluate("() => moved")
        heard = ear.times("move")
        ways = [one - other for one, other in zip(heard, moved, strict=True)]
    return {
        "drag_moves_heard": len(heard),
        "drag_backlog_ms": round(max(0.0, ear.times("up")[-1] - released), 1),
        **_told("drag_move_to_server", ways),
    }


def _slow(page: Page, store: Path) -> Mapping[str, float]:
    """A page that computes at a quarter of its speed, with a line of 2 Mbit/s."""
    with recording(page, store, Restless) as ear:
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        session.send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": 0, "downloadThroughput": 250_000, "uploadThroughput": -1},
        )
        page.evaluate("() => { drawn.length = 0 }")
        ear.heard.clear()
        ear.most_under_way = 0
        before, begun = _memory_mb(), time.perf_counter()
        for _ in range(SLOW_TAPS):
            _tap(page)
            page.wait_for_timeout(1000)
        painted = len(set(page.evaluate("() => drawn"))) / (time.perf_counter() - begun)
        _wait_steps(page, SLOW_TAPS)
        presses = page.evaluate("() => pressed")[-SLOW_TAPS:]
        ways = [heard - at for heard, at in zip(ear.times("down"), presses, strict=True)]
        grown = _memory_mb() - before
    return {
        **_told("slow_page_press_to_server", ways),
        "slow_page_pictures_under_way": ear.most_under_way,
        "slow_page_pictures_painted_per_s": round(painted, 1),
        "slow_page_memory_grown_mb": round(grown, 1),
    }


def _goal(page: Page, store: Path) -> Mapping[str, float]:
    """From the tap that reaches the goal to the words that say so."""
    with recording(page, store, lambda: FakeDevice(EndlessScenes())):
        for number in range(7):
            _tap(page)
            _wait_steps(page, number + 1)
        begun = time.perf_counter()
        _tap(page)
        page.get_by_text("Goal reached").wait_for()
        return {"goal_banner_ms": round(1000 * (time.perf_counter() - begun), 1)}


def _lost(page: Page, store: Path) -> Mapping[str, float]:
    """From the swipe in which a device is unplugged to the banner."""
    devices = iter([FakeDevice(EndlessScenes(), lost_after=2)])
    with recording(page, store, lambda: next(devices, None) or FakeDevice(EndlessScenes())):
        _tap(page)
        _wait_steps(page, 1)
        page.mouse.move(*_at(page, 0.5, 0.8))
        page.mouse.down()
        page.mouse.move(*_at(page, 0.5, 0.4), steps=4)
        begun = time.perf_counter()
        page.mouse.up()
        lost = page.get_by_role("alert").filter(has_text="The device does not answer")
        # Another one is there at once, and has to be brought where the recording is.
        lost.or_(page.get_by_role("button", name="Bring the device back")).first.wait_for()
        return {"lost_device_banner_ms": round(1000 * (time.perf_counter() - begun), 1)}


def _full(page: Page, store: Path) -> Mapping[str, float]:
    """From a tap that the disk has no room for to the words that it is not saved."""
    with recording(page, store, lambda: FakeDevice(EndlessScenes())):
        _tap(page)
        _wait_steps(page, 1)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            begun = time.perf_counter()
            _tap(page)
            page.get_by_role("alert").filter(has_text="Not saved").first.wait_for()
            return {"unsaved_banner_ms": round(1000 * (time.perf_counter() - begun), 1)}
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def _five(page: Page, store: Path) -> Mapping[str, float]:
    """Five demonstrations of eight actions; the app's own time, and with a person's beside it."""
    with recording(page, store, lambda: FakeDevice(EndlessScenes())):
        begun = time.perf_counter()
        for number in range(5):
            for step in range(8):
                _tap(page)
                _wait_steps(page, step + 1)
            page.keyboard.press("f")
            page.get_by_text(f"Recorded in this tab: {number + 1}").wait_for()
            if number < 4:
                page.get_by_role("button", name="Record it again").wait_for()
                page.keyboard.press("n")
                _wait_ready(page)
        own_s = time.perf_counter() - begun
    whole_s = own_s + 5 * (8 + 2) * PERSON_S
    return {
        "five_demonstrations_own_s": round(own_s, 1),
        "five_demonstrations_min": round(whole_s / 60, 1),
    }


def _approvals(page: Page, root: Path) -> Mapping[str, float]:
    """Twenty steps' words accepted, each by one key once its step is shown."""
    store, scenes = EpisodeStore(root), EndlessScenes()
    seen = [Observation(Screenshot(scenes[number].picture), DEFAULT_SIZE) for number in range(21)]
    steps = tuple(Step(one, Decision(Tap(at=Point(0.5, 0.4)))) for one in seen)
    episode = Episode("long", "bench", "tap", steps, outcome="success")
    store.write(episode)
    said = [Reasoning(number, f"I tap button {number}.", "it") for number in range(len(steps))]
    directory = root / directory_name("long")
    write_annotations(directory, store.read("long"), said, "vlm", "1", "2026-01-01T00:00:00+00:00")
    with _serving(WebConfig(episodes=root)) as (address, _):
        page.goto(f"{address}/review")
        begun = time.perf_counter()
        for number in range(20):
            expect(page.get_by_role("heading", name=f"Step {number + 1} of")).to_be_focused()
            page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Step 21 of")).to_be_focused()
        return {"twenty_approvals_s": round(time.perf_counter() - begun, 1)}


def _memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _told(name: str, times: list[Any]) -> dict[str, float]:
    return {
        f"{name}_p50_ms": round(median(times), 1),
        f"{name}_p95_ms": round(quantiles(times, n=20)[18], 1),
    }


MEASURES = (_taps, _stream, _drag, _slow, _goal, _lost, _full, _five, _approvals)

if __name__ == "__main__":
    main()
