"""A client of OpenEnv for the tests, which needs `openenv` alone; writes what it got as JSON.

Runs in an environment that has it: `python openenv_client.py URL`, and the name of a function.
"""

import asyncio
import json
import os
import sys
import time
from typing import Any

from openenv.core import GenericEnvClient
from websockets.exceptions import ConnectionClosed

TAP = {"action": {"type": "tap", "at": {"x": 0.5, "y": 0.42}}, "reasoning": "there"}
FINISH = {"action": {"type": "finish"}}
WRONG: list[dict[str, Any]] = [
    {"action": {"type": "fly"}},
    {},
    {"action": {"type": "tap", "at": {"x": 5, "y": 0.5}}},
]


async def play(url: str) -> Any:
    """One episode, with what is wrong on the way."""
    said: list[str] = []

    async def refused(call: Any) -> None:
        said.append(await _refused(call))

    async with GenericEnvClient(base_url=url) as env:
        await refused(env.step(TAP))
        await refused(env.reset(task="nonsense"))
        await refused(env.reset(index=999))
        first = await env.reset(index=0, seed=3)
        for wrong in WRONG:
            await refused(env.step(wrong))
        steps = [await env.step(TAP), await env.step(TAP), await env.step(FINISH)]
        await refused(env.step(FINISH))
        state = await env.state()
        turns = [
            {**one.observation, "reward": one.reward, "done": one.done} for one in (first, *steps)
        ]
        return {"turns": turns, "said": said, "state": state}


async def crowd(url: str) -> Any:
    """More clients than devices, each with an episode of its own; how long all took."""

    async def one() -> str:
        async with GenericEnvClient(base_url=url) as env:
            await env.reset()
            await env.step(TAP)
            return str((await env.step(FINISH)).observation["outcome"])

    begun = time.monotonic()
    outcomes = await asyncio.gather(*(one() for _ in range(6)))
    return {"outcomes": outcomes, "seconds": time.monotonic() - begun}


async def vanish(url: str) -> Any:
    """Begin an episode and be gone without a word."""
    env = GenericEnvClient(base_url=url)
    await env.connect()
    await env.reset()
    await env.step(TAP)
    os._exit(0)


async def large(url: str) -> Any:
    """A message over the limit, and what the next session sees."""
    async with GenericEnvClient(base_url=url) as env:
        await env.reset()
        said = await _refused(env.step({**TAP, "reasoning": "x" * 2_000_000}))
    async with GenericEnvClient(base_url=url) as env:
        return {"said": said, "after": (await env.reset()).observation["instruction"]}


async def two(url: str) -> Any:
    """Two sessions and one device: the second is told, and gets it after the first."""
    async with GenericEnvClient(base_url=url) as env, GenericEnvClient(base_url=url) as other:
        await env.reset()
        said = await _refused(other.reset())
        first = (await env.step(TAP)).observation["step"]
        await env.step(FINISH)
        after = (await other.reset()).observation["instruction"]
        return {"said": said, "first": first, "after": after}


async def many(url: str) -> Any:
    """As many sessions as may be, all of which play at once, and one more."""
    envs = [GenericEnvClient(base_url=url) for _ in range(4)]
    for env in envs:
        await env.connect()
    async with GenericEnvClient(base_url=url) as more:
        said = await _refused(more.reset())

    async def play_one(env: GenericEnvClient) -> str:
        await env.reset()
        return str((await env.step(FINISH)).observation["outcome"])

    return {"outcomes": await asyncio.gather(*map(play_one, envs)), "said": said}


async def _refused(call: Any) -> str:
    try:
        await call
    except (ConnectionClosed, RuntimeError, ValueError) as error:
        return str(error)
    raise AssertionError("it was not refused")


async def script(url: str) -> Any:
    """What standard input says: the arguments of a reset, and the actions after it."""
    told = json.load(sys.stdin)
    async with GenericEnvClient(base_url=url) as env:
        turns = [await env.reset(**told["reset"])]
        turns += [await env.step({"action": action}) for action in told["actions"]]
    return [{**one.observation, "reward": one.reward, "done": one.done} for one in turns]


if __name__ == "__main__":
    ways = (play, crowd, vanish, large, two, many, script)
    done = {way.__name__: way for way in ways}[sys.argv[2]]
    sys.stdout.write(json.dumps(asyncio.run(done(sys.argv[1]))))
