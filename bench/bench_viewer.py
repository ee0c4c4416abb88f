"""How quickly pages open and turn: a long episode, a store of many, a run of many rows.

Run: python bench/bench_viewer.py [--episodes N] [--rows N] [--json]
The pages have to be built (`make frontend`).
"""

import argparse
import json
import os
import random
import resource
import statistics
import tempfile
import threading
import time
from io import BytesIO
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, Response, sync_playwright
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import find_chromium
from tapwright.devices.fake import painted_scene
from tapwright.evaluate.run_log import FILE, RunHeader, RunLog, SampleInfo, SampleRow, write_run
from tapwright.models.model import Usage
from tapwright.store.store import EpisodeStore
from tapwright.web.app import WebConfig, create_app
from tapwright.web.episode_views import EpisodeView
from tapwright.web.library.episodes import Episodes

SIZE = Size(1080, 2400)
STEPS, TURNS = 300, 40
HOST = "http://localhost:8765"
NOISE_SIDE_PX = 380
TAP = Tap(at=Point(0.5, 0.5))
_VIEW = TypeAdapter(EpisodeView)
PAINTED = """() => new Promise(done => {
    const image = document.querySelector(".screen img");
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => done()));
    image.complete ? image.decode().then(painted) : (image.onload = painted);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-viewer-") as directory:
        store = EpisodeStore(Path(directory) / "long")
        steps = tuple(_step(number) for number in range(STEPS))
        store.write(Episode("long", "bench", "a long one", steps, outcome="success"))
        result = {**_words(store), **_pages(store)}
        result |= _many(EpisodeStore(Path(directory) / "many"), given.episodes)
        result |= _rows(Path(directory) / "runs", given.rows)
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<48}{value}")


def _words(store: EpisodeStore) -> dict[str, float]:
    episodes = Episodes(store)
    times = []
    for _ in range(5):
        begun = time.process_time()
        _VIEW.dump_json(episodes.view("long"))
        times.append(1000 * (time.process_time() - begun))
    return {
        "episode_as_json_first_ms": round(times[0], 1),
        "episode_as_json_again_ms": round(statistics.median(times[1:]), 1),
    }


def _many(store: EpisodeStore, count: int) -> dict[str, float]:
    fill(store, count)
    found: dict[str, float] = {}

    def ask(browser: TestClient, name: str) -> int:
        begun, since = time.process_time(), time.perf_counter()
        page = browser.get("/api/episodes").raise_for_status().json()
        assert page["found"] + page["unread"] == count
        found[f"list_of_many_{name}_cpu_ms"] = round(1000 * (time.process_time() - begun), 1)
        found[f"list_of_many_{name}_ms"] = round(1000 * (time.perf_counter() - since), 1)
        return int(page["unread"])

    for name in ("first_of_all", "first_after_start"):
        with TestClient(create_app(WebConfig(episodes=store.root)), base_url=HOST) as browser:
            begun, apart = time.process_time(), _apart_s()
            if ask(browser, name):
                browser.get("/api/episodes/facets").raise_for_status()  # this waits for all
                found["list_of_many_made_apart_cpu_ms"] = round(1000 * (_apart_s() - apart), 1)
                found["list_of_many_made_cpu_ms"] = round(1000 * (time.process_time() - begun), 1)
            ask(browser, "again")
    return found


def fill(store: EpisodeStore, count: int) -> None:
    """Put so many episodes of 8 steps into a store; only the first has its pictures."""
    step = _step(0)
    store.write(Episode("e0", "t0", "do it", (step,) * 8))
    model = store.root / "e0"
    header, lines = (model / "episode.json").read_text(), (model / "steps.jsonl").read_bytes()
    for number in range(1, count):
        directory = store.root / f"e{number}"
        directory.mkdir()
        (directory / "episode.json").write_text(header.replace('"e0"', f'"e{number}"'))
        (directory / "steps.jsonl").write_bytes(lines)


def _rows(root: Path, count: int) -> dict[str, float]:
    """A run of `count` rows of grounding, 60 % of them right, asked for as its page does."""
    draw = random.Random(1)
    header = RunHeader(
        tapwright="bench",
        benchmark="l2",
        source="",
        data_sha256="0" * 64,
        subject="bench",
        prompt_sha256="0" * 64,
        samples=count + 2,
        config={},
    )
    rows = [_row(draw, number) for number in range(count + 2)]
    whole = RunLog(root / "rows" / FILE, header, "2026-01-01T00:00:00+00:00", rows)
    write_run(whole, root / "rows")
    *begun, one, other = whole.path.read_bytes().splitlines(keepends=True)
    whole.path.write_bytes(b"".join(begun))
    os.utime(whole.path, (1, 1))  # it ended a while ago
    found: dict[str, float] = {}
    page = (("run", ""), ("run/rows", ""))

    def ask(browser: TestClient, name: str, *requests: tuple[str, str]) -> None:
        begun, apart, size = time.process_time(), _apart_s(), 0
        for path, query in requests:
            answer = browser.get(f"/api/{path}?name=rows&{query}")
            answer.raise_for_status()
            size += len(answer.content)
        found[f"run_{name}_cpu_ms"] = round(1000 * (time.process_time() - begun), 1)
        if _apart_s() > apart:
            found[f"run_{name}_apart_cpu_ms"] = round(1000 * (_apart_s() - apart), 1)
        found[f"run_{name}_kb"] = round(size / 1000, 1)

    for name in ("first_of_all", "first_after_start"):
        app = create_app(WebConfig(episodes=root / "none", runs=(root,)))
        with TestClient(app, base_url=HOST) as browser:
            ask(browser, name, *page)
    with TestClient(app, base_url=HOST) as browser:
        ask(browser, "opened", *page)
        for letters in ("4", "49", "thing number 49"):
            ask(browser, f"search_{len(letters)}_letters", ("run/rows", f"q={letters}"))
        ask(browser, "filter", ("run/rows", "verdict=miss&label=app:app3%0Adata_type:icon"))
        ask(browser, "sort_first", ("run/rows", "sort=-key"))
        ask(browser, "sort", ("run/rows", "sort=-key&page=3"))
        for name, row in (("opened_when_it_grows", one), ("opened_with_a_row_more", other)):
            with whole.path.open("ab") as file:
                file.write(row)
            ask(browser, name, *page)
    return found


def _apart_s() -> float:
    """The CPU time of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _row(draw: random.Random, number: int) -> SampleRow:
    x, y, right = 0.9 * draw.random(), 0.9 * draw.random(), draw.random() < 0.6
    at = (x + 0.02, y + 0.02) if right else (draw.random(), draw.random())
    about = SampleInfo(
        labels={
            "platform": draw.choice(["android", "ios", "web", "windows"]),
            "grounding_type": draw.choice(["basic", "advanced"]),
            "data_type": draw.choice(["icon", "text"]),
            "app": f"app{draw.randrange(40)}",
        },
        cluster=f"screen {number // 5}",
        truth=[x, y, x + 0.05, y + 0.05],
        instruction=f"Open the settings of thing number {number} and look",
        size=(SIZE.width, SIZE.height),
    )
    return SampleRow(
        id=str(number),
        about=about,
        status="ok",
        prompt_sha256="0" * 64,
        answer=f"({at[0]:.4f}, {at[1]:.4f})",
        parsed=[*at],
        score=float(right),
        usage=Usage(1200, 12),
        latency_s=0.7,
        finish="stop",
        started=number / 8,
        ended=number / 8 + 0.7,
    )


def _pages(store: EpisodeStore) -> dict[str, float]:
    server = uvicorn.Server(
        uvicorn.Config(create_app(WebConfig(episodes=store.root)), port=0, log_level="error")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium())
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            return _walk(page, address)
    finally:
        server.should_exit = True
        thread.join()


def _walk(page: Page, address: str) -> dict[str, float]:
    received = 0

    def count(response: Response) -> None:
        nonlocal received
        received += int(response.headers.get("content-length", 0))

    page.on("response", count)
    begun = time.perf_counter()
    page.goto(f"{address}/episodes/long")
    page.wait_for_selector(".screen img")
    page.evaluate(PAINTED)
    opened = time.perf_counter() - begun
    turned = []
    for _ in range(TURNS):
        before = page.get_attribute(".screen img", "src")
        begun = time.perf_counter()
        page.keyboard.press("j")
        page.wait_for_function(
            "before => document.querySelector('.screen img').getAttribute('src') !== before",
            arg=before,
        )
        page.evaluate(PAINTED)
        turned.append(1000 * (time.perf_counter() - begun))
        page.wait_for_timeout(150)  # as a person looks at each
    return {
        "open_300_steps_ms": round(1000 * opened),
        "next_step_painted_p50_ms": round(statistics.median(turned)),
        "next_step_painted_p95_ms": round(statistics.quantiles(turned, n=20)[18]),
        "network_after_40_steps_mb": round(received / 1e6, 1),
    }


def _step(number: int) -> Step:
    """A step as a phone gives it: a frame of about 480 kB, by noise, and a tree."""
    noise = random.Random(number).randbytes(NOISE_SIDE_PX * NOISE_SIDE_PX * 3)
    picture = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    picture.paste(Image.frombytes("RGB", (NOISE_SIDE_PX, NOISE_SIDE_PX), noise), (100, 100))
    buffer = BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    tree = UiTree(painted_scene(number, SIZE).xml, SIZE)
    return Step(Observation(Screenshot(buffer.getvalue()), SIZE, tree), Decision(TAP))


if __name__ == "__main__":
    main()
