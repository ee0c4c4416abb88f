"""What a million episodes, ten thousand devices and a hundred thousand requests an hour need.

`--measure` plays tasks on the built-in phone, packs what was recorded, asks a model that is none,
and writes what a step costs to `scale.json`. Without it the needs are computed from that file and
printed, as `docs/concepts/scale.md` shows them.

Run: python bench/scale.py [--measure]
"""

import argparse
import asyncio
import json
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from tapwright.agents.script import ScriptAgent
from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.vlm import ModelAnnotator
from tapwright.core.episode import Episode
from tapwright.core.messages import Message, Picture
from tapwright.devices.phone.device import Phone
from tapwright.devices.pool import DevicePool
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.formats.pack.pack import pack_store
from tapwright.models.scripted import ScriptedModel
from tapwright.store.store import EpisodeStore
from tapwright.tasks import suites

MEASURED = Path(__file__).with_name("scale.json")
TASKS = 40

# What cannot be measured here, said once: change a number and run this again.
MODEL_LATENCY_S = 10.0
MODEL_INPUT_TOKENS = 1500
MODEL_OUTPUT_TOKENS = 120
SERVER_TOKENS_PER_S = 2500.0
DECISION_S = 5.0
BUSY = 0.7


@dataclass(frozen=True)
class Measured:
    """What was measured on one machine: CPU seconds and bytes, for a step or a request each."""

    machine: str
    commit: str
    load: float
    steps_per_episode: float
    record_cpu_s: float
    record_wall_s: float
    record_bytes: float
    small_cpu_s: float
    small_wall_s: float
    small_bytes: float
    pack_cpu_s: float
    packed_bytes: float
    steps_per_request: float
    request_cpu_s: float
    request_bytes: float


def cpu_s() -> float:
    """CPU seconds of this process and of all those below it, the browser's among them."""
    spent: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except OSError:
            continue  # it has ended meanwhile
        fields = rest.rpartition(")")[2].split()
        ticks = sum(map(int, fields[11:15]))  # user and system, of its ended children too
        spent[int(pid)] = int(fields[1]), ticks / os.sysconf("SC_CLK_TCK")
    own = {os.getpid()}
    while more := {pid for pid, (parent, _) in spent.items() if parent in own} - own:
        own |= more
    return sum(spent[pid][1] for pid in own)


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


async def record(
    store: EpisodeStore, picture: Literal["png", "jpeg"]
) -> tuple[list[Episode], float, float]:
    """The episodes, and the CPU and wall seconds that they took."""
    tasks = suites.get("phone-l3")()[:TASKS]
    cpu, wall = cpu_s(), time.monotonic()
    with DevicePool(lambda: Phone(picture=picture), 2) as pool:

        async def one(number: int) -> Episode:
            async with pool.lease() as device:
                task = tasks[number]
                agent = ScriptAgent.for_task(task, 0)
                return await rollout(agent, Environment(device, task), store=store)

        episodes = await asyncio.gather(*map(one, range(len(tasks))))
        return list(episodes), cpu_s() - cpu, time.monotonic() - wall


async def pack_all(store: EpisodeStore, directory: Path) -> None:
    async for _ in pack_store(store, directory):
        pass


async def measure(root: Path) -> Measured:
    kinds: dict[str, tuple[float, float, float]] = {}
    kind: Literal["png", "jpeg"]
    for kind in ("png", "jpeg"):
        store = EpisodeStore(root / kind)
        episodes, cpu, wall = await record(store, kind)
        steps = sum(len(episode.steps) for episode in episodes)
        # Two devices at a time: a step of one device takes twice its share of the clock.
        kinds[kind] = cpu / steps, 2 * wall / steps, size_of(store.root) / steps
    store = EpisodeStore(root / "png")
    cpu = cpu_s()
    await pack_all(store, root / "packed")
    pack_cpu = (cpu_s() - cpu) / steps
    asked, requests, sent = 0.0, 0, 0
    for episode in store:
        book = AnswerBook(root / "answers" / f"{episode.id}.jsonl")
        by = ModelAnnotator(ScriptedModel(["{}"]), lambda _, book=book: book, reasks=0)  # type: ignore[misc]
        cpu = cpu_s()
        await by.annotate(episode)
        asked += cpu_s() - cpu
        for window in by.windows(episode):
            requests += 1
            sent += bytes_of(by.prompt.question(episode, *window).messages())
    commit = subprocess.run(  # noqa: ASYNC221 - nothing else runs in this loop
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return Measured(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        commit=commit,
        load=round(os.getloadavg()[0], 1),
        steps_per_episode=round(steps / TASKS, 2),
        record_cpu_s=round(kinds["png"][0], 4),
        record_wall_s=round(kinds["png"][1], 3),
        record_bytes=round(kinds["png"][2]),
        small_cpu_s=round(kinds["jpeg"][0], 4),
        small_wall_s=round(kinds["jpeg"][1], 3),
        small_bytes=round(kinds["jpeg"][2]),
        pack_cpu_s=round(pack_cpu, 4),
        packed_bytes=round(size_of(root / "packed") / steps),
        steps_per_request=round(steps / requests, 2),
        request_cpu_s=round(asked / requests, 4),
        request_bytes=round(sent / requests),
    )


def bytes_of(messages: Sequence[Message]) -> int:
    """What a request takes on the wire: pictures grow by a third there."""
    parts = [part for message in messages for part in message.parts]
    pictures = sum(len(part.screenshot.data) for part in parts if isinstance(part, Picture))
    return pictures * 4 // 3 + sum(len(message.text.encode()) for message in messages)


def needs(measured: Measured) -> str:
    """The tables of the page, in Markdown."""
    one = measured
    steps = one.steps_per_episode
    million = 1_000_000
    cores_day = one.record_cpu_s * steps * million / 86_400 / BUSY
    per_device_s = one.record_wall_s + DECISION_S
    rate = 10_000 / per_device_s
    asked = 100_000 / 3600
    tokens = asked * (MODEL_INPUT_TOKENS * one.steps_per_request + MODEL_OUTPUT_TOKENS)
    tables = [
        table(
            f"Measured ({one.machine}, commit {one.commit}, load {one.load})",
            ("what", "a step", f"an episode of {steps:g} steps"),
            {
                "playing and recording, full pictures: CPU": time_of(one.record_cpu_s, steps),
                "by the clock, on one device": time_of(one.record_wall_s, steps),
                "on disk as recorded": space_of(one.record_bytes, steps),
                "playing and recording, small pictures: CPU": time_of(one.small_cpu_s, steps),
                "small pictures on disk": space_of(one.small_bytes, steps),
                "packing: CPU": time_of(one.pack_cpu_s, steps),
                "packed, every pixel kept": space_of(one.packed_bytes, steps),
                "asking for its reasoning: CPU": time_of(
                    one.request_cpu_s / one.steps_per_request, steps
                ),
                "sent for that": space_of(one.request_bytes / one.steps_per_request, steps),
            },
        ),
        table(
            "1,000,000 episodes",
            ("what", "needs"),
            {
                "recorded, full pictures": [size(one.record_bytes * steps * million)],
                "recorded, small pictures": [size(one.small_bytes * steps * million)],
                "packed, every pixel kept": [size(one.packed_bytes * steps * million)],
                "playing them on built-in phones in a day": [f"{cores_day:,.0f} cores"],
                "packing them in a day": [
                    f"{one.pack_cpu_s * steps * million / 86_400 / BUSY:,.1f} cores"
                ],
                "files": [f"{million * (2 * steps + 4) / 1e6:,.0f} million (packed: shards)"],
            },
        ),
        table(
            f"10,000 devices, each a decision in {DECISION_S:g} s",
            ("what", "needs"),
            {
                "steps": [f"{rate:,.0f} a second, {rate * 86_400 / 1e6:,.0f} million a day"],
                "written, full pictures": [
                    f"{rate * one.record_bytes / 1e6:,.0f} MB/s, "
                    f"{size(rate * one.record_bytes * 86_400)} a day"
                ],
                "workers, built-in phones": [f"{rate * one.record_cpu_s / BUSY:,.0f} cores"],
                "decisions in the air": [f"{rate * DECISION_S:,.0f}"],
            },
        ),
        table(
            "100,000 annotation requests an hour",
            ("what", "needs"),
            {
                "requests": [
                    f"{asked:,.0f} a second for {asked * one.steps_per_request:,.0f} steps"
                ],
                "in the air at a time": [f"{asked * MODEL_LATENCY_S:,.0f}"],
                "sent": [f"{asked * one.request_bytes / 1e6:,.0f} MB/s"],
                "workers": [f"{asked * one.request_cpu_s / BUSY:,.1f} cores"],
                "tokens": [f"{tokens:,.0f} a second"],
                "model servers": [f"{tokens / SERVER_TOKENS_PER_S:,.0f}"],
            },
        ),
    ]
    return "\n\n".join(tables)


def table(title: str, head: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [f"**{title}**", "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join((name, *cells)) + " |" for name, cells in rows.items()]
    return "\n".join(lines)


def time_of(seconds: float, steps: float) -> list[str]:
    return [f"{1000 * seconds:,.3g} ms", f"{seconds * steps:,.3g} s"]


def space_of(count: float, steps: float) -> list[str]:
    return [size(count), size(count * steps)]


def size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:,.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} PB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure first, some minutes")
    if parser.parse_args().measure:
        with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-scale-") as directory:
            measured = asyncio.run(measure(Path(directory)))
        MEASURED.write_text(json.dumps(asdict(measured), indent=1) + "\n", encoding="utf-8")
    print(needs(Measured(**json.loads(MEASURED.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()
