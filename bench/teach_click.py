"""What `bench_teach.py` teaches by reward alone: where to click on a page of MiniWoB++.

REINFORCE (Williams 1992) over the environments of `tapwright.gym`: the policy sees the picture and
the words of the task, and clicks once. Clicks that were rewarded are kept and imitated beside the
new ones (self-imitation, https://arxiv.org/abs/1806.05635), as by chance they are rare.
"""

import random
import time
import zlib
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

from tapwright.benchmarks.confidence_intervals import wilson
from tapwright.gym.environments import MiniWobEnv
from teach_lessons import Figure, Lesson

PAGES = ("click-test", "click-test-2", "click-dialog")
ENVS = 4
BUDGET_S = 240
ASKED = 100  # episodes of other seeds, played by the likeliest click
CELL = 8  # pixels
WORDS = 64
BATCH = 16  # new clicks for each step of learning
AGAIN = 4  # steps of learning from the kept clicks, for each of them
KEPT = 2_000

_Click: TypeAlias = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""A screen, the words, the cell that was clicked, and the reward."""


class Policy(torch.nn.Module):  # type: ignore[misc]
    """The logits of a click in each cell of the picture, from left to right and down."""

    def __init__(self) -> None:
        super().__init__()
        self.see = torch.nn.Sequential(
            torch.nn.Conv2d(5, 16, 5, 2, 2), torch.nn.ReLU(),
            torch.nn.Conv2d(16, 32, 3, 2, 1), torch.nn.ReLU(),
            torch.nn.Conv2d(32, 48, 3, 2, 1),
        )  # fmt: skip
        self.read = torch.nn.Linear(WORDS, 48)
        self.choose = torch.nn.Sequential(
            torch.nn.ReLU(), torch.nn.Conv2d(48, 48, 3, 1, 1), torch.nn.ReLU(),
            torch.nn.Conv2d(48, 1, 1),
        )  # fmt: skip

    def forward(self, screens: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        pictures = screens.permute(0, 3, 1, 2).float() / 255 - 0.5
        count, _, height, width = pictures.shape
        # Where a cell is, as a convolution does not know it.
        x = torch.linspace(-1, 1, width).expand(count, 1, height, width)
        y = torch.linspace(-1, 1, height)[:, None].expand(count, 1, height, width)
        seen = self.see(torch.cat((pictures, x, y), 1)) + self.read(words)[:, :, None, None]
        return self.choose(seen).flatten(1)


def click(out: Path, pool: Path, seed: int, lesson: Lesson) -> None:
    """Each page for some minutes, then other seeds of it."""
    for page in PAGES:
        torch.manual_seed(seed)
        random.seed(seed)
        policy = Policy()
        lesson.scores[f"{page}: before"] = _measure(policy, page)
        with lesson.timed(page):
            episodes = _reinforce(policy, page, seed, BUDGET_S)
        lesson.seconds[f"{page}: episodes"] = episodes
        lesson.scores[page] = _measure(policy, page)
        torch.save(policy.state_dict(), out / f"{page}.pt")


def _reinforce(policy: Policy, page: str, seed: int, budget_s: float) -> int:
    """Let the policy learn until the time is up.

    Returns:
        How many episodes it played.
    """
    envs = AsyncVectorEnv(
        [lambda: MiniWobEnv(page, max_steps=1)] * ENVS, autoreset_mode=AutoresetMode.SAME_STEP
    )
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    played: list[_Click] = []
    won: deque[_Click] = deque(maxlen=KEPT)
    expected, episodes = 0.0, 0
    try:
        seen, _ = envs.reset(seed=seed * 1_000_000)
        ends = time.perf_counter() + budget_s  # browsers have started
        while time.perf_counter() < ends:
            screens, words = torch.tensor(seen["screen"]), _words(seen["instruction"])
            with torch.no_grad():
                chosen = torch.distributions.Categorical(logits=policy(screens, words)).sample()
            seen, rewards, *_ = envs.step(_taps(chosen, screens.shape[2], screens.shape[1]))
            played += zip(screens, words, chosen, torch.tensor(rewards).float(), strict=True)
            episodes += ENVS
            if len(played) >= BATCH:
                won.extend(one for one in played if one[3] > 0)
                expected += 0.1 * (float(np.mean([float(one[3]) for one in played])) - expected)
                _learn(policy, optimizer, played, expected, list(won))
                played = []
    finally:
        envs.close()
    return episodes


def _learn(
    policy: Policy, optimizer: torch.optim.Optimizer, played: Sequence[_Click],
    expected: float, won: Sequence[_Click],
) -> None:  # fmt: skip
    """What did better than expected becomes likelier, and what was ever rewarded."""
    clicks, chosen, rewards = _again(policy, played)
    gained = (
        (rewards - expected) * clicks.log_prob(chosen)
    ).mean() + 0.01 * clicks.entropy().mean()
    _climb(optimizer, gained)
    for _ in range(AGAIN if won else 0):
        clicks, chosen, _ = _again(policy, random.sample(won, min(2 * BATCH, len(won))))
        _climb(optimizer, clicks.log_prob(chosen).mean())


def _again(
    policy: Policy, played: Sequence[_Click]
) -> tuple[torch.distributions.Categorical, torch.Tensor, torch.Tensor]:
    """What the policy would do now where it clicked, the clicks, and their rewards."""
    screens, words, chosen, rewards = (torch.stack(one) for one in zip(*played, strict=True))
    return torch.distributions.Categorical(logits=policy(screens, words)), chosen, rewards


def _climb(optimizer: torch.optim.Optimizer, gained: torch.Tensor) -> None:
    optimizer.zero_grad()
    (-gained).backward()
    optimizer.step()


def _measure(policy: Policy, page: str) -> Figure:
    """How many of other seeds' episodes the likeliest click wins."""
    env = MiniWobEnv(page, max_steps=1)
    won = 0
    for number in range(ASKED):
        seen, _ = env.reset(seed=2_000_000_000 + number)
        screen = torch.tensor(seen["screen"])[None]
        with torch.no_grad():
            best = policy(screen, _words(seen["instruction"][None])).argmax(1)
        actions = _taps(best, screen.shape[2], screen.shape[1])
        action = {name: values[0] for name, values in actions.items()} | {"text": ""}
        won += env.step(action)[1] > 0
    env.close()
    found = wilson(won, ASKED)
    assert found is not None
    return Figure(100 * won / ASKED, round(100 * found.low, 1), round(100 * found.high, 1), ASKED)


def _taps(cells: torch.Tensor, width: int, height: int) -> dict[str, Any]:
    """The clicks at the middles of cells, as a vector of environments takes them."""
    row = -(-width // CELL)
    x = ((cells % row).numpy() * CELL + CELL / 2) / width
    y = ((cells // row).numpy() * CELL + CELL / 2) / height
    at = np.minimum(np.stack((x, y), 1), 0.999).astype(np.float32)
    nothing = np.zeros(len(cells), np.int64)  # the kind is the first one, a tap
    return {"kind": nothing, "at": at, "to": at, "text": ("",) * len(cells), "key": nothing}


def _words(instructions: Any) -> torch.Tensor:
    """Which words an instruction has, by a hash of each."""
    rows = torch.zeros(len(instructions), WORDS)
    for row, one in zip(rows, instructions, strict=True):
        for word in bytes(one).rstrip(b"\0").lower().split():
            row[zlib.crc32(word) % WORDS] = 1
    return rows
