"""How group rollouts grow with workers: `python bench/bench_rollouts.py`.

Groups are played by 1, 2 and 4 workers of a Ray cluster of this machine with two devices each,
twice: asking a model server that answers after 100 ms (`--wait`), on devices that cost nothing,
where workers wait; and by taps that are drawn at random on the built-in phone, where every step
takes a core. The time is that from the begin of the first play to the end of the last one, so that
starting Ray is none of it; the set `trl-rollouts` is written meanwhile. Efficiency is the rate of a
worker, against that of one worker alone.
"""

import argparse
import asyncio
import json
import os
import tempfile
from pathlib import Path

from aiohttp import web

from tapwright.cli.host import read_host
from tapwright.conventions import conventions
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.testing.local_server import LocalServer
from tapwright.workflows.engine import Engine
from tapwright.workflows.record import RecordSettings
from tapwright.workflows.rollouts import play_rollouts
from tapwright.workflows.selecting import select_tasks

ENVS = 2
TASK = """
id: "%s" command: "Pay." max_num_steps: 6
event_sources { id: 1 finish_event {} }
event_slots { episode_end_listener { type: AND events { id: 1 } transformation: "y = True" }
  score_listener { type: AND events { id: 1 } transformation: "y = 1" } }
"""


class SlowModel(LocalServer):
    """Answers each request after a time, any number of them at a time, with the same tap."""

    def __init__(self, wait_s: float) -> None:
        super().__init__()
        self._wait_s = wait_s

    def _application(self) -> web.Application:
        tap = Decision(Tap(at=Point(0.5, 0.5)), reasoning="The button is there.")
        text = conventions.get("json").render(tap, Size(1080, 2400))

        async def complete(request: web.Request) -> web.StreamResponse:
            await request.read()
            await asyncio.sleep(self._wait_s)
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return web.json_response(
                {"id": "bench", "object": "chat.completion", "choices": [choice]}
            )

        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", complete)
        return app


def measure(suite: str, settings: RecordSettings, workers: int, tasks: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        report = asyncio.run(
            play_rollouts(
                select_tasks(suite, (), tasks), Path(folder, "out"), read_host(), settings,
                ("trl-rollouts",), engine=Engine(workers, read_host=read_host),
            )
        )  # fmt: skip
    return {
        "workers": workers,
        "plays": len(report.ended),
        "seconds": round(report.taken_s, 2),
        "plays a second": round(len(report.ended) / report.taken_s, 2),
        "devices": report.places,
        "idle": round(1 - report.busy_share, 3),
        "load": round(os.getloadavg()[0], 1),
    }


def grow(suite: str, settings: RecordSettings, counts: list[int], tasks: int) -> list[object]:
    rows: list[dict[str, object]] = []
    for workers in counts:
        rows.append(measure(suite, settings, workers, tasks))
        rate, first = float(str(rows[-1]["plays a second"])), float(str(rows[0]["plays a second"]))
        rows[-1]["efficiency"] = round(rate / first * counts[0] / workers, 3)
        print(json.dumps(rows[-1]), flush=True)
    return list(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--tasks", type=int, default=12)
    parser.add_argument("--wait", type=float, default=0.1, help="seconds of an answer")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, SlowModel(given.wait) as model:
        for number in range(given.tasks):
            Path(folder, f"pay-{number}.textproto").write_text(TASK % f"pay-{number}")
        os.environ["TAPWRIGHT_BASE_URL"] = f"{model.url}/v1"
        os.environ["OPENAI_API_KEY"] = "none"
        waiting = RecordSettings(folder, "openai/bench", devices=("fake",), envs=ENVS, plays=8)
        print(f"a model of {given.wait:g} s, devices that cost nothing")
        grow(folder, waiting, given.workers, given.tasks)
        busy = RecordSettings("phone", "random", devices=("phone:jpeg",), envs=ENVS, plays=4)
        print("random taps on the built-in phone: every step takes a core")
        grow("phone", busy, given.workers, 4)


if __name__ == "__main__":
    main()
