"""What `bench_teach.py` teaches by reward alone: where to click on a page of MiniWoB++.

The environments are those of `tapwright.gym`. The model sees the picture and the words of the task,
and says how likely a click in each cell is to be rewarded; it clicks where it expects a reward, and
now and then by chance. Every click is kept and learnt from again: rewarded ones, punished ones and
those that did nothing in equal parts, as rewards are rare by chance, and moved about the picture
(https://arxiv.org/abs/2004.13649), as few of them have to teach what a place looks like.
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
from torch.nn.functional import binary_cross_entropy_with_logits

from tapwright.benchmarks.confidence_intervals import wilson
from tapwright.gym.environments import MiniWobEnv
from teach_lessons import Figure, Lesson

PAGES = ("click-test", "click-test-2", "click-dialog")
ENVS = 4
BUDGET_S = 240
ASKED = 100  # episodes of other seeds, played by the likeliest click
TRIES = 8  # clicks in an episode while it learns; where it is measured there is one
CELL = 8  # pixels
MOVED = 4  # by so many cells at most a kept click is moved
TOP = 7  # rows of cells with the words of the task, to which no click is moved
WORDS = 64
BATCH = 12  # kept clicks of each kind for a step of learning
AGAIN = 6  # steps of learning for each new round of clicks
FIRST = 100  # clicks before it learns
KEPT = 2_000  # of each kind
BY_CHANCE = 0.1

_Click: TypeAlias = tuple[torch.Tensor, torch.Tensor, int, bool]
"""A screen, the words, the cell that was clicked, and whether that was rewarded."""


class Policy(torch.nn.Module):  # type: ignore[misc]
    """The logits of a reward for a click in each cell, from left to right and down."""

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
            clicks = _learn(policy, page, seed, BUDGET_S)
        lesson.seconds[f"{page}: clicks"] = clicks
        lesson.scores[page] = _measure(policy, page)
        torch.save(policy.state_dict(), out / f"{page}.pt")


def _learn(policy: Policy, page: str, seed: int, budget_s: float) -> int:
    """Let the policy learn until the time is up.

    Returns:
        How many clicks it made.
    """
    envs = AsyncVectorEnv(
        [lambda: MiniWobEnv(page, max_steps=TRIES)] * ENVS, autoreset_mode=AutoresetMode.SAME_STEP
    )
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    kept: dict[int, deque[_Click]] = {sign: deque(maxlen=KEPT) for sign in (-1, 0, 1)}
    clicks = 0
    try:
        seen, _ = envs.reset(seed=seed * 1_000_000)
        ends = time.perf_counter() + budget_s  # browsers have started
        while time.perf_counter() < ends:
            screens, words = torch.tensor(seen["screen"]), _words(seen["instruction"])
            chosen = _choose(policy, screens, words)
            seen, rewards, *_ = envs.step(_taps(chosen, screens.shape[2], screens.shape[1]))
            for screen, said, cell, reward in zip(screens, words, chosen, rewards, strict=True):
                kept[int(np.sign(reward))].append((screen, said, int(cell), reward > 0))
            clicks += ENVS
            for _ in range(AGAIN if clicks > FIRST else 0):
                _learn_again(policy, optimizer, list(kept.values()))
    finally:
        envs.close()
    return clicks


def _choose(policy: Policy, screens: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """A cell for each screen, drawn by what is expected of it, or by chance alone."""
    with torch.no_grad():
        expected = torch.softmax(policy(screens, words), 1)
    chance = (1 - BY_CHANCE) * expected + BY_CHANCE / expected.shape[1]
    return torch.distributions.Categorical(chance).sample()


def _learn_again(
    policy: Policy, optimizer: torch.optim.Optimizer, kept: Sequence[Sequence[_Click]]
) -> None:
    """One step on kept clicks, as many of each kind where there are as many."""
    clicks = [_moved(one) for kind in kept for one in random.sample(kind, min(BATCH, len(kind)))]
    screens, words, cells, rewarded = zip(*clicks, strict=True)
    values = policy(torch.stack(screens), torch.stack(words))
    chosen = values.gather(1, torch.tensor(cells)[:, None])[:, 0]
    loss = binary_cross_entropy_with_logits(chosen, torch.tensor(rewarded).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _moved(click: _Click) -> _Click:
    """The same click and picture some cells aside; what comes in from the edge is white."""
    screen, words, cell, rewarded = click
    height, width, _ = screen.shape
    columns, rows = -(-width // CELL), -(-height // CELL)
    y, x = divmod(cell, columns)
    aside = random.randint(-min(x, MOVED), min(columns - 1 - x, MOVED))
    down = random.randint(-min(max(y - TOP, 0), MOVED), min(rows - 1 - y, MOVED))
    right, below = aside * CELL, down * CELL
    moved = torch.full_like(screen, 255)
    moved[max(0, below) : height + min(0, below), max(0, right) : width + min(0, right)] = screen[
        max(0, -below) : height - max(0, below), max(0, -right) : width - max(0, right)
    ]
    return moved, words, (y + down) * columns + x + aside, rewarded


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
