"""What annotating costs beside the model: a server that errs and fails, and two kills.

200 episodes of 12 steps; one answer in ten is bad, one request in twenty fails; the process is
killed twice. Then the overhead of a request: all there is but the server and drawing the pictures.

Run: python bench/bench_annotate.py [--episodes N] [--json]
"""

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.run import annotate_store
from tapwright.annotate.vlm import ModelAnnotator
from tapwright.core.actions import Action, Finish, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.models.openai import OpenAIModel
from tapwright.models.scripted import ScriptedModel
from tapwright.store.annotations import read_annotations
from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer, Fault, HttpError

SIZE = Size(360, 800)
STEPS = 12
LINE = re.compile(r"Step (\d+) of \d+: (\w+)")
NAMES = {"CLICK": "click", "SWIPE": "swipe", "INPUT": "input", "DONE": "done"}
PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "click": {"target_element": "the button in the middle"},
    "swipe": {"direction": "UP"},
    "input": {"text": "milk"},
    "done": {},
}
TURNS: tuple[Action, ...] = (
    Tap(at=Point(0.5, 0.5)),
    TypeText(text="milk"),
    Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", nargs=2, metavar=("STORE", "URL"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        asyncio.run(_annotate(Path(given.work[0]), given.work[1]))
        return
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-annotate-") as directory:
        result = _killed_twice(Path(directory), given.episodes)
        result["overhead_per_request_ms"] = round(asyncio.run(_overhead(Path(directory))), 2)
    result["load"] = round(os.getloadavg()[0], 1)
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name.replace('_', ' '):<40} {value}")


def _killed_twice(root: Path, episodes: int) -> dict[str, float]:
    store = EpisodeStore(root)
    pictures = [Screenshot(painted_scene(number, SIZE).picture) for number in range(STEPS)]
    for number in range(episodes):
        store.write(_episode(f"e{number}", pictures))
    answered = [0]
    kill_at = [episodes // 2, episodes]
    reached, lock = threading.Event(), threading.Lock()

    def answer(body: Mapping[str, JsonValue]) -> str | Fault:
        with lock:
            number = len(server.received)
            if kill_at and number >= kill_at[0]:
                reached.set()
            if number % 20 == 7:
                return HttpError(503, "busy")
            answered[0] += 1
        return "I would rather not." if number % 10 == 3 else _explained(body)

    begun = time.perf_counter()
    with FakeChatServer(answer) as server:
        command = [sys.executable, __file__, "--work", str(root), server.base_url]
        while kill_at:
            with subprocess.Popen(command) as process:
                reached.wait()
                process.send_signal(signal.SIGKILL)
            del kill_at[0]
            reached.clear()
        subprocess.run(command, check=True)
        requests = len(server.received)
    seconds = time.perf_counter() - begun
    said = [one for n in range(episodes) for one in read_annotations(root / f"e{n}", "openai/m")]
    written = sum(len(AnswerBook.of(root / f"e{n}", "openai/m").all()) for n in range(episodes))
    return {
        "episodes": episodes,
        "steps": len(said),
        "explained": sum(1 for one in said if one.reasoning),
        "listed": sum(1 for one in said if one.codes),
        "requests": requests,
        "answered": answered[0],
        "written_down": written,
        "lost_on_the_way_in_two_kills": answered[0] - written,
        "seconds": round(seconds, 1),
    }


async def _annotate(root: Path, url: str) -> None:
    async def at_once(_: float) -> None:
        return None

    model = OpenAIModel("m", base_url=url, sleep=at_once, retries=9)
    by = ModelAnnotator(model, lambda id_: AnswerBook.of(root / id_, model.name), concurrency=8)
    async for _ in annotate_store(EpisodeStore(root), by, concurrency=8):
        pass
    await model.close()


async def _overhead(root: Path) -> float:
    """CPU milliseconds of a request, less those of drawing its pictures, which are tiny here."""
    pictures = [Screenshot(painted_scene(number, Size(9, 9)).picture) for number in range(STEPS)]
    episode = _episode("overhead", pictures)
    model = ScriptedModel(lambda asked: _from_lines(asked[-1].text.splitlines()))
    whole, drawing = [], []
    for number in range(30):
        book = AnswerBook(root / "overhead" / f"{number}.jsonl")
        by = ModelAnnotator(model, lambda _, book=book: book, concurrency=1)  # type: ignore[misc]
        begun = time.process_time()
        await by.annotate(episode)
        whole.append(time.process_time() - begun)
        asked = [by.prompt.question(episode, *window) for window in by.windows(episode)]
        begun = time.process_time()
        for question in asked:
            question.messages()
        drawing.append(time.process_time() - begun)
    requests = len(by.windows(episode))
    return 1000 * (statistics.median(whole) - statistics.median(drawing)) / requests


def _episode(id_: str, pictures: list[Screenshot]) -> Episode:
    actions = [*(TURNS[number % len(TURNS)] for number in range(STEPS - 1)), Finish()]
    steps = tuple(
        Step(Observation(picture, SIZE), Decision(action))
        for picture, action in zip(pictures, actions, strict=True)
    )
    return Episode(id=id_, task_id="bench", instruction=f"Buy milk ({id_})", steps=steps)


def _explained(body: Mapping[str, JsonValue]) -> str:
    messages: Any = body["messages"]
    return _from_lines([part["text"] for part in messages[-1]["content"] if "text" in part])


def _from_lines(lines: list[str]) -> str:
    found = [match for match in map(LINE.match, lines) if match]
    return json.dumps(
        [
            {
                "step": int(one[1]),
                "reasoning": f"Part {one[1]} of the task is next.",
                "function": {"name": NAMES[one[2]], "parameters": PARAMETERS[NAMES[one[2]]]},
            }
            for one in found
        ]
    )


if __name__ == "__main__":
    main()
