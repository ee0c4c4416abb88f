"""A tap at the record page while a list of many is made: `python bench/bench_web_list.py [--json]`.

Taps are timed with nothing beside them, and while the list of 5,000 episodes without a catalog is
asked for until all are read, in turns. The pages have to be built (`make frontend`).
"""

import argparse
import json
import shutil
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urljoin
from urllib.request import urlopen

from playwright.sync_api import Page, expect, sync_playwright

from bench_viewer import fill
from bench_web import WATCHES, Photographed, print_result, recording, tap
from tapwright.devices.chromium import find_chromium
from tapwright.devices.fake import EndlessScenes
from tapwright.store.store import EpisodeStore

EPISODES, TAPS, ALONE = 5000, 40, 10
BUDGETS = {"tap_beside_the_list_ratio": 1.2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    expect.set_options(timeout=60_000)  # the machine may be busy
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-web-list-") as directory,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCHES)
        result = _measure(page, EpisodeStore(Path(directory)))
        browser.close()
    print_result(result, BUDGETS, as_json=given.json)


def _measure(page: Page, store: EpisodeStore) -> dict[str, float]:
    alone: list[float] = []
    beside: list[float] = []
    lists: list[float] = []
    with recording(page, store.root, lambda: Photographed(EndlessScenes())):
        fill(store, EPISODES)
        for _ in range(ALONE):  # until all is warm
            tap(page, _count(page))
        while len(beside) < TAPS or len(alone) < TAPS:
            alone += [tap(page, _count(page)) for _ in range(ALONE)]
            # Nobody asks for the list meanwhile, and perhaps nobody has yet.
            shutil.rmtree(store.root / ".catalog", ignore_errors=True)
            asking = threading.Thread(target=_ask, args=(page.url, lists))
            asking.start()
            while asking.is_alive():
                beside.append(tap(page, _count(page)))
            asking.join()
    return {
        "taps_alone": len(alone),
        "taps_beside_the_list": len(beside),
        "tap_alone_p50_ms": round(median(alone), 1),
        "tap_beside_the_list_p50_ms": round(median(beside), 1),
        "tap_alone_p95_ms": round(quantiles(alone, n=20)[18], 1),
        "tap_beside_the_list_p95_ms": round(quantiles(beside, n=20)[18], 1),
        "tap_beside_the_list_ratio": round(median(beside) / median(alone), 2),
        "first_list_p50_ms": round(median(lists), 1),
    }


def _count(page: Page) -> int:
    return page.get_by_role("list", name="Steps").get_by_role("listitem").count()


def _ask(address: str, took_ms: list[float]) -> None:
    begun = time.perf_counter()
    with urlopen(urljoin(address, "/api/episodes")) as answer:
        found = json.load(answer)
    took_ms.append(1000 * (time.perf_counter() - begun))
    assert found["unread"], "the list had been read"
    with urlopen(urljoin(address, "/api/episodes/facets")) as answer:  # this waits for all
        answer.read()


if __name__ == "__main__":
    main()
