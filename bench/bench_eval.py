"""What a run costs beyond the model: wall time, CPU and memory for a sample, and scoring again.

Asks a chat server on this machine, in a process of its own, that answers after some latency and
may misbehave; the pictures are noisy PNGs of 1080x2400 with some questions each. Beside it, a bare
loop of aiohttp asks the same.

    python bench/bench_eval.py [--samples 1000] [--pictures 200] [--faults 0.1] [--json]
"""

import argparse
import asyncio
import base64
import json
import multiprocessing
import os
import random
import resource
import tempfile
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp
import numpy as np
from aiohttp import web
from PIL import Image

from tapwright.benchmarks.understanding import ChoiceQuestion, UnderstandingBenchmark
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run import evaluate
from tapwright.evaluate.run_log import RunLog, SampleRow, read_run, write_run
from tapwright.evaluate.scoring import rescore
from tapwright.models.openai import OpenAIModel

WIDTH, HEIGHT = 1080, 2400
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "The answer is B."}}]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--rows", type=int, default=100_000, help="rows to score again")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        result = measured(Path(directory), given)
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<28} {value}")


def measured(root: Path, given: argparse.Namespace) -> dict[str, float]:
    make_data(root / "bench", given.samples, given.pictures)
    benchmark = UnderstandingBenchmark(root / "bench")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs, given.latency, given.faults), daemon=True)
    server.start()
    port = ours.recv()
    wall, cpu = time.perf_counter(), time.process_time()
    run = asyncio.run(asked(benchmark, port, root / "run", given.concurrency))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    bare_wall, bare_cpu = asyncio.run(sent_bare(benchmark, port, given.concurrency))
    server.terminate()
    ideal = given.samples * given.latency / given.concurrency
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {
        "samples": given.samples,
        "picture_kb": round(next((root / "bench").rglob("*.png")).stat().st_size / 1e3),
        "wall_s": round(wall, 2),
        "wall_to_ideal": round(wall / ideal, 2),
        "wall_to_bare": round(wall / bare_wall, 2),
        "cpu_ms_per_sample": round(1000 * cpu / given.samples, 2),
        "cpu_to_bare": round(cpu / bare_cpu, 2),
        "rss_mb": round(rss),
        "rows_lost": given.samples - sum(row.status != "failed" for row in run.rows),
    }
    return result | scored_again(run, root / "many", given.rows)


def scored_again(run: RunLog, place: Path, rows: int) -> dict[str, float]:
    many: list[SampleRow] = [
        replace(run.rows[number % len(run.rows)], id=f"s{number}") for number in range(rows)
    ]
    write_run(RunLog(run.path, run.header, run.created, many), place)
    del many
    begun = time.process_time()
    again = read_run(place)
    read = time.process_time()
    rescore(again, RunPlan())
    return {
        "rows_scored_again": rows,
        "read_s": round(read - begun, 2),
        "score_s": round(time.process_time() - read, 2),
        "rss_after_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


async def asked(
    benchmark: UnderstandingBenchmark, port: int, out: Path, concurrency: int
) -> RunLog:
    model = OpenAIModel("any", base_url=f"http://127.0.0.1:{port}/v1")
    try:
        return await evaluate(benchmark, model, out, concurrency=concurrency, max_rounds=3)
    finally:
        await model.close()


async def sent_bare(
    benchmark: UnderstandingBenchmark, port: int, concurrency: int
) -> tuple[float, float]:
    """Wall and CPU seconds of the same questions in a loop of aiohttp alone."""
    wall, cpu = time.perf_counter(), time.process_time()
    room = asyncio.Semaphore(concurrency)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(sample: ChoiceQuestion) -> str:
            async with room:
                picture = base64.b64encode(sample.picture.read_bytes()).decode()
                image = {"url": f"data:image/png;base64,{picture}"}
                content = [
                    {"type": "image_url", "image_url": image},
                    {"type": "text", "text": sample.instruction},
                ]
                body = {"model": "any", "messages": [{"role": "user", "content": content}]}
                url = f"http://127.0.0.1:{port}/v1/chat/completions"
                while True:
                    try:
                        async with session.post(url, json=body) as answer:
                            found = await answer.json()
                        return str(found["choices"][0]["message"]["content"])
                    except (aiohttp.ClientError, ValueError, KeyError):
                        continue

        await asyncio.gather(*map(ask, benchmark.samples()))
    return time.perf_counter() - wall, time.process_time() - cpu


def serve(to: Connection, latency_s: float, faults: float) -> None:
    chance = random.Random(0)

    async def complete(request: web.Request) -> web.StreamResponse:
        await request.read()
        await asyncio.sleep(latency_s)
        if chance.random() < faults:
            kind = chance.choice(("busy", "broken", "reset", "cut"))
            if kind == "busy":
                return web.json_response({}, status=429, headers={"Retry-After": "1"})
            if kind == "broken":
                return web.json_response({}, status=500)
            if kind == "cut":
                return web.Response(body=b'{"choices": [{"mess', content_type="application/json")
            if request.transport is not None:
                request.transport.abort()
        return web.json_response(ANSWER)

    async def run() -> None:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        to.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


def make_data(root: Path, samples: int, pictures: int) -> None:
    folder = root / "offline_images" / "os_android"
    folder.mkdir(parents=True)
    chance = np.random.default_rng(0)
    noise = chance.integers(0, 255, (HEIGHT // 12, WIDTH // 2, 3), dtype=np.uint8)
    rows = []
    for number in range(pictures):
        frame = np.full((HEIGHT, WIDTH, 3), number % 250, dtype=np.uint8)
        frame[: HEIGHT // 12, : WIDTH // 2] = np.roll(noise, number, axis=0)
        Image.fromarray(frame).save(folder / f"{number}.png", compress_level=1)
    for number in range(samples):
        group = {
            "difficulty": "easy",
            "question": f"What does screen {number} show?",
            "options": {letter: f"thing {letter} of {number}" for letter in "ABCD"},
            "answer": "ABCD"[number % 4],
        }
        rows.append(
            {
                "index": number,
                "image_path": f"{number * pictures // samples}.png",
                "image_size": [WIDTH, HEIGHT],
                "platform": "os_android",
                "app_name": "bench",
                "groups": [group],
            }
        )
    (root / "L1_annotations.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
