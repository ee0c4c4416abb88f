"""How many decisions a second run of a suite still has to ask for, when the first is recalled.

The "model" is a task's scripted solution behind a counter, so that only the recall is measured. The
second part shifts what is on the phone by another seed: targets move, and words change.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tapwright.agents.replay import ReplayAgent, ReplayCache
from tapwright.agents.script import ScriptAgent
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.devices.phone.device import Phone
from tapwright.devices.pool import DevicePool
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import TapwrightError
from tapwright.store.store import EpisodeStore
from tapwright.tasks import suites
from tapwright.tasks.task import Task


class Counting:
    """A task's solution, counted as if each decision were a question to a model.

    What was recalled meanwhile were the script's own moves, so it goes on behind them.
    """

    name = "script"

    def __init__(self, task: Task) -> None:
        self._script = ScriptAgent.for_task(task, 0)
        self._followed = 0
        self.asked = 0

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        for step in history[self._followed :]:
            await self._script.act(instruction, (), step.observation)
        self._followed = len(history) + 1
        self.asked += 1
        return await self._script.act(instruction, history, observation)


async def play(
    tasks: Sequence[Task], pool: DevicePool, cache: ReplayCache, runs: EpisodeStore
) -> None:
    """Play every task once, and print what had to be asked and how it went."""
    asked = recalled = successes = failures = 0

    async def one(task: Task) -> None:
        nonlocal asked, recalled, successes, failures
        inner = Counting(task)
        agent = ReplayAgent(inner, cache)
        episode: Episode | None = None
        try:
            async with pool.lease() as device:
                episode = await rollout(agent, Environment(device, task), store=runs)
        except TapwrightError:
            failures += 1
        asked, recalled = asked + inner.asked, recalled + agent.hits
        if episode is not None:
            successes += episode.outcome == "success"

    await asyncio.gather(*map(one, tasks))
    print(
        f"  {len(tasks)} tasks: {successes} successes, {failures} broken off; "
        f"{asked} asked, {recalled} recalled ({recalled / (asked + recalled):.0%})"
    )


def reseeded(task: Task) -> Task:
    """The same to do, with other things on the phone."""
    return replace(task, setup=replace(task.setup, seed=task.setup.seed + 1))


async def main() -> None:
    for suite in ("phone-l3", "phone-l4"):
        tasks = suites.get(suite)()
        with (
            tempfile.TemporaryDirectory() as directory,
            DevicePool(lambda: Phone(picture="jpeg"), 2) as pool,
        ):
            cache = ReplayCache(EpisodeStore(Path(directory, "cache")))
            runs = EpisodeStore(Path(directory, "runs"))
            print(f"{suite}, first run, nothing is known:")
            await play(tasks, pool, cache, runs)
            print(f"{suite}, second run:")
            await play(tasks, pool, cache, runs)
            print(f"{suite}, third run, another seed of what is on the phone:")
            await play([reseeded(task) for task in tasks], pool, cache, runs)


if __name__ == "__main__":
    asyncio.run(main())
