"""Sessions of OpenEnv's own client for `bench_openenv.py`; runs where `openenv` is installed.

    python bench/peer_openenv.py URL SESSIONS SECONDS

Each session plays one page of MiniWoB++ over and over, by clicks at random places. Says "ready"
when each has begun an episode, waits for a line, and prints what was done in how many seconds.
"""

import asyncio
import json
import random
import sys
import time
from contextlib import AsyncExitStack

from openenv.core import GenericEnvClient

PAGE, STEPS = "click-test.0", 20


async def play(env: GenericEnvClient, number: int, until: float) -> tuple[int, int]:
    """The steps and resets of one session."""
    chance, steps, resets = random.Random(number), 0, 0
    while time.monotonic() < until:
        done = (await env.reset(seed=chance.randrange(1000), task=PAGE)).done
        resets += 1
        for _ in range(STEPS):
            if done or time.monotonic() >= until:
                break
            x, y = chance.uniform(0, 1), chance.uniform(0.24, 1)
            done = (await env.step({"action": {"type": "tap", "at": {"x": x, "y": y}}})).done
            steps += 1
    return steps, resets


async def main(url: str, sessions: int, seconds: float) -> None:
    async with AsyncExitStack() as stack:
        envs = [
            await stack.enter_async_context(GenericEnvClient(base_url=url, message_timeout_s=300.0))
            for _ in range(sessions)
        ]
        await asyncio.gather(*(env.reset(seed=0, task=PAGE) for env in envs))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        begun = time.monotonic()
        plays = (play(env, one, begun + seconds) for one, env in enumerate(envs))
        done = await asyncio.gather(*plays)
        spent = time.monotonic() - begun
    steps, resets = (sum(column) for column in zip(*done, strict=True))
    print(json.dumps({"steps": steps, "resets": resets, "seconds": spent}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
