"""MiniWoB++ as a benchmark: agents play its pages, and each page reports itself how it went.

Follows https://github.com/Farama-Foundation/miniwob-plusplus (1.1.0). Success is a raw reward above
0, as BrowserGym counts it; the rewards themselves stand in the detail. Unlike there an agent may
think for as long as it likes: the pages' clock stands still meanwhile.
"""

from dataclasses import replace
from typing import ClassVar

from tapwright.benchmarks.automation import Automation
from tapwright.benchmarks.benchmark import Score, TaskSample
from tapwright.core.episode import Episode

__all__ = ["MiniWobPages"]


class MiniWobPages(Automation):
    """All pages, each with some seeds; the label "app" is the page."""

    name: ClassVar[str] = "miniwob"
    suite: ClassVar[str] = "miniwob"
    device: ClassVar[str] = "miniwob"

    def score(self, sample: TaskSample, episode: Episode) -> Score:
        """As any task's; the detail has `raw_reward`, and `reward`, which falls with the time.

        Of an episode that its page did not end both are 0, as published.
        """
        score = super().score(sample, episode)
        state = episode.steps[-1].state.get("") if episode.steps else None
        reported = state if isinstance(state, dict) else {}
        rewards = {name: reported.get(name, 0.0) for name in ("raw_reward", "reward")}
        return replace(score, detail={**score.detail, **rewards})
