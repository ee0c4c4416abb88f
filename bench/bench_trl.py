"""How long devices are idle while TRL trains: `python bench/bench_trl.py`.

Eight devices show MiniWoB++'s click-test, or cost no processor time and take 200 ms for an action.
`GRPOTrainer` plays and learns as the example `rl_with_trl` does; what plays for `AsyncGRPOTrainer`
(`trl.experimental.async_grpo`, TRL 1.16: its loop of rollouts, in this process, as the trainer
wants vLLM) asks a server that answers after a time (`--wait`) with a tap at random, or the end. A
device is busy while it is reset, acts, is looked at or judged; the time begins with the first
reset, and ends with the last use.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import transformers
import trl
from aiohttp import web
from trl.experimental.async_grpo.async_rollout_worker import _AsyncRolloutLoop

from datasets import Dataset
from tapwright.faces.session import Session
from tapwright.faces.task_set import TaskSet
from tapwright.faces.trl import environment
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.task import Task
from tapwright.testing.local_server import LocalServer

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import rl_with_trl

PAGE, ENVS = "click-test.0", 8
BUTTONS = Task("press", "Press it", apps=(), check=When(TreeShows("Button 2")), max_steps=5)
CALLS = ("reset", "act", "cut_short")


class Clock:
    """The time that devices are used, each by one thread at a time."""

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []
        self._kept = {name: getattr(Session, name) for name in CALLS}
        self._here = threading.local()

    def __enter__(self) -> "Clock":
        for name, call in self._kept.items():
            setattr(Session, name, self._timed(call))
        return self

    def __exit__(self, *_: object) -> None:
        for name, call in self._kept.items():
            setattr(Session, name, call)

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def timed(*given: Any, **more: Any) -> Any:
            if getattr(self._here, "is_timed", False):  # a reset cuts the one before short
                return call(*given, **more)
            self._here.is_timed, begun = True, time.monotonic()
            try:
                return call(*given, **more)
            finally:
                self._here.is_timed = False
                self.spans.append((begun, time.monotonic()))

        return timed

    def tell(self, what: str, limit_s: float = float("inf"), **more: object) -> None:
        """The share of the time in which devices were idle, in a line of JSON."""
        first = min(begin for begin, _ in self.spans)
        last = min(first + limit_s, max(end for _, end in self.spans))
        busy = sum(max(0.0, min(end, last) - begin) for begin, end in self.spans)
        whole = last - first
        idle = round(1 - busy / (whole * ENVS), 3)
        row = {"what": what, "idle": idle, "seconds": round(whole, 1), "busy_s": round(busy, 1)}
        print(json.dumps({**row, "load": round(os.getloadavg()[0], 1), **more}), flush=True)


class Completions(LocalServer):
    """vLLM's `/v1/completions` as the loop of rollouts asks it, but at random and after a time."""

    def __init__(self, wait_s: float, answers: list[list[int]]) -> None:
        super().__init__()
        self._wait_s = wait_s
        self._answers = answers

    def _application(self) -> web.Application:
        chance = random.Random(0)

        async def complete(request: web.Request) -> web.StreamResponse:
            await request.read()
            await asyncio.sleep(self._wait_s)
            said = chance.choice(self._answers)
            told = {"token_ids": said, "logprobs": {"token_logprobs": [-1.0] * len(said)}}
            return web.json_response({"choices": [told]})

        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/completions", complete)
        return app


def in_steps(page: TaskSet, device: str, updates: int) -> None:
    """`GRPOTrainer`, one environment after the other."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Clock() as clock,
        environment(page, device=device, actions=("tap",), envs=ENVS) as factory,
    ):
        rl_with_trl.teach(factory, Path(folder), updates, seed=0)
    clock.tell("GRPOTrainer", attempts=updates * ENVS)


def at_once(page: TaskSet, device: str, seconds: float, wait_s: float) -> None:
    """What plays for `AsyncGRPOTrainer`, whose attempts do not wait for each other."""
    _, eye = rl_with_trl.make_policy()
    tokenizer = eye.tokenizer
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text(encoding="utf-8")
    taps, end = rl_with_trl.CALLS, rl_with_trl.END
    answers = [tokenizer.encode(f"{tap}{end}") for tap in taps]
    answers += [tokenizer.encode(f"It is done.{end}")] * (len(taps) // 3)
    spawn = multiprocessing.get_context("spawn")
    samples, metrics = spawn.Queue(), spawn.Queue()
    metrics.cancel_join_thread()  # nobody reads them
    with (
        Completions(wait_s, answers) as server,
        environment(page, device=device, actions=("tap",), envs=ENVS, looks="tree") as factory,
        Clock() as clock,
    ):
        loop = _AsyncRolloutLoop(
            model_name="tiny", reward_funcs=[], processing_class=tokenizer,
            dataset=Dataset.from_list(factory.rows(seeds=range(1000))),
            eos_token_ids=[tokenizer.eos_token_id], rollout_buffer=samples,
            model_version_value=spawn.Value("i", 0), heartbeat_value=spawn.Value("d", 0.0),
            failed_event=spawn.Event(), exception_info_queue=spawn.Queue(maxsize=1),
            metrics_queue=metrics, environment_factory=factory, num_generations=ENVS,
            max_inflight_tasks=ENVS, vllm_server_url=server.url, max_tokens=400,
        )  # fmt: skip
        playing = threading.Thread(target=loop.run)
        playing.start()
        time.sleep(seconds)
        loop._loop.call_soon_threadsafe(loop._stop_event.set)
        while playing.is_alive():
            while not samples.empty():
                samples.get()
            playing.join(0.1)
    clock.tell(f"its async trainer's loop, answers after {wait_s:g} s", seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--updates", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=40.0, help="of each row of the loop")
    parser.add_argument("--wait", type=float, nargs="+", default=[0.1, 0.5, 2.0])
    given = parser.parse_args()
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    transformers.utils.logging.set_verbosity_error()
    page = TaskSet("miniwob", [TaskSet.read("miniwob").find(PAGE)])
    for tasks, device in (
        (page, "miniwob"),
        (TaskSet("buttons", [BUTTONS]), "fake:live,latency=200"),
    ):
        print(device)
        in_steps(tasks, device, given.updates)
        for wait_s in given.wait:
            at_once(tasks, device, given.seconds, wait_s)


if __name__ == "__main__":
    main()
