"""What a reviewer waits for the server: `python bench/bench_review.py [--json] [--steps 30000]`.

A store of episodes of 30 annotated steps. An accept is the request that writes it and the one for
the next step; CPU time of the server's process, without the browser.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from starlette.testclient import TestClient

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.run import write_annotations
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import DEFAULT_SIZE, EndlessScenes
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.web.app import create_app
from tapwright.web.config import WebConfig

PER_EPISODE, ACCEPTS = 30, 40
HOST = "http://localhost:8765"
HEADERS = {"Origin": HOST, "X-Tapwright": "1"}
BUDGETS = {"accept_p50_ms": 50, "accept_p95_ms": 50}


def main() -> None:
    """Measure, and print; ends with 1 when a budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=30_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        make_store(Path(root), options.steps // PER_EPISODE)
        found = measure(Path(root))
    found |= {"steps": options.steps, "load_1_min": round(os.getloadavg()[0], 1)}
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:24}{value:>12}  {BUDGETS.get(name, '')}")
    if any(found[name] > most for name, most in BUDGETS.items()):
        raise SystemExit(1)


def make_store(root: Path, count: int) -> None:
    """Episodes of the same few screens, each step annotated."""
    store, scenes = EpisodeStore(root), EndlessScenes()
    seen = [
        Observation(Screenshot(scenes[number].picture), DEFAULT_SIZE)
        for number in range(PER_EPISODE)
    ]
    steps = tuple(Step(one, Decision(Tap(at=Point(0.5, 0.4)))) for one in seen)
    said = [Reasoning(number, f"I tap button {number}.", "it") for number in range(PER_EPISODE)]
    for number in range(count):
        episode = Episode(f"e{number:05}", "bench", "tap", steps, outcome="success")
        store.write(episode)
        directory = root / directory_name(episode.id)
        write_annotations(directory, episode, said, "vlm", "1", "2026-01-01T00:00:00+00:00")


def measure(root: Path) -> dict[str, float]:
    """The first look at the queue, then accepts one after the other, in ms of CPU."""
    browser = TestClient(create_app(WebConfig(episodes=root)), base_url=HOST, headers=HEADERS)
    with browser:
        begun = time.process_time()
        browser.get("/api/review/annotators").raise_for_status()
        item = _next(browser, {"annotator": "vlm"})
        first_s = time.process_time() - begun
        accepts, writes, facets = [], [], []
        for _ in range(ACCEPTS):
            begun = time.process_time()
            at = {"annotator": "vlm", "episode": item["episode"], "step": item["step"]}
            frame = item["before"]["sha"]
            body = {**at, "frame": frame, "lines": len(item["log"]), "state": "accept"}
            browser.post("/api/review", json=body).raise_for_status()
            writes.append(1000 * (time.process_time() - begun))
            item = _next(browser, at)
            accepts.append(1000 * (time.process_time() - begun))
            begun = time.process_time()
            browser.get("/api/review/facets", params={"annotator": "vlm"}).raise_for_status()
            facets.append(1000 * (time.process_time() - begun))
    return {
        "facets_p50_ms": round(median(facets), 1),
        "first_look_s": round(first_s, 2),
        "write_p50_ms": round(median(writes), 1),
        "accept_p50_ms": round(median(accepts), 1),
        "accept_p95_ms": round(quantiles(accepts, n=20)[18], 1),
    }


def _next(browser: TestClient, query: dict[str, Any]) -> dict[str, Any]:
    item: dict[str, Any] = browser.get("/api/review/next", params=query).json()["item"]
    return item


if __name__ == "__main__":
    main()
