"""The tasks of MiniWoB++ (https://github.com/Farama-Foundation/miniwob-plusplus, 1.1.0) as a suite.

Each page is played with a few seeds. The instruction is known only once the page has been started
with its seed, so tasks take it from the device's state; reward and end are the page's own, too. The
package need not be installed to list the tasks, only to play them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tapwright.tasks.task import Judge, Setup, Signals, Task, Verdict

__all__ = ["PAGES", "PageReward", "tasks"]

_SEEDS = 5
_MAX_STEPS = 20

PAGES = (
    "ascending-numbers", "bisect-angle", "book-flight", "book-flight-nodelay", "button-delay",
    "buy-ticket", "chase-circle", "choose-date", "choose-date-easy", "choose-date-medium",
    "choose-date-nodelay", "choose-list", "circle-center", "click-button", "click-button-sequence",
    "click-checkboxes", "click-checkboxes-large", "click-checkboxes-soft",
    "click-checkboxes-transfer", "click-collapsible", "click-collapsible-2",
    "click-collapsible-2-nodelay", "click-collapsible-nodelay", "click-color", "click-dialog",
    "click-dialog-2", "click-link", "click-menu", "click-menu-2", "click-option", "click-pie",
    "click-pie-nodelay", "click-scroll-list", "click-shades", "click-shape", "click-tab",
    "click-tab-2", "click-tab-2-easy", "click-tab-2-hard", "click-tab-2-medium", "click-test",
    "click-test-2", "click-test-transfer", "click-widget", "copy-paste", "copy-paste-2",
    "count-shape", "count-sides", "daily-calendar", "drag-box", "drag-circle", "drag-cube",
    "drag-items", "drag-items-grid", "drag-shapes", "drag-shapes-2", "drag-single-shape",
    "drag-sort-numbers", "draw-circle", "draw-line", "email-inbox", "email-inbox-delete",
    "email-inbox-forward", "email-inbox-forward-nl", "email-inbox-forward-nl-turk",
    "email-inbox-important", "email-inbox-nl-turk", "email-inbox-noscroll", "email-inbox-reply",
    "email-inbox-star-reply", "enter-date", "enter-password", "enter-text", "enter-text-2",
    "enter-text-dynamic", "enter-time", "find-greatest", "find-midpoint", "find-word", "focus-text",
    "focus-text-2", "form-sequence", "form-sequence-2", "form-sequence-3", "generate-number",
    "grid-coordinate", "guess-number", "highlight-text", "highlight-text-2", "hot-cold",
    "hover-shape", "identify-shape", "login-user", "login-user-popup", "moving-items",
    "multi-layouts", "multi-orderings", "navigate-tree", "number-checkboxes", "odd-or-even",
    "order-food", "phone-book", "read-table", "read-table-2", "resize-textarea", "right-angle",
    "scroll-text", "scroll-text-2", "search-engine", "sign-agreement", "simon-says",
    "simple-algebra", "simple-arithmetic", "social-media", "social-media-all", "social-media-some",
    "stock-market", "terminal", "text-editor", "text-transform", "tic-tac-toe", "unicode-test",
    "use-autocomplete", "use-autocomplete-nodelay", "use-colorwheel", "use-colorwheel-2",
    "use-slider", "use-slider-2", "use-spinner", "visual-addition",
)  # fmt: skip
"""All pages of the package but the airlines' sites (`flight`)."""


@cache
def tasks() -> Sequence[Task]:
    """Returns the tasks of each page with the seeds 0 to 4: "click-test.0"."""
    return tuple(
        Task(
            id=f"{page}.{seed}",
            instruction="",
            instruction_at="utterance",
            apps=(page,),
            check=PageReward(),
            setup=Setup(seed=seed, app=page),
            max_steps=_MAX_STEPS,
        )
        for page in PAGES
        for seed in range(_SEEDS)
    )


@dataclass(frozen=True, slots=True)
class PageReward:
    """The page's own verdict: it ends the episode, and success is a raw reward above 0.

    BrowserGym counts the same. The step's reward is the raw one (-1 to 1), or, when `decayed`, the
    one that falls to 0 over the page's own limit of time. `extras` has both.
    """

    decayed: bool = False

    def start(self) -> Judge:
        """Return a judge without state, as the page has it."""
        return _RewardJudge(self.decayed)


class _RewardJudge:
    def __init__(self, decayed: bool) -> None:
        self._decayed = decayed

    def step(self, signals: Signals) -> Verdict:
        state = signals.state("")
        episode = state if isinstance(state, dict) else {}
        raw, reward = (_number(episode.get(name)) for name in ("raw_reward", "reward"))
        ended = episode.get("done") is True
        return Verdict(
            score=max(0.0, raw),
            reward=(reward if self._decayed else raw) if ended else 0.0,
            success=ended and raw > 0,
            ended=ended,
            extras={"raw_reward": raw, "reward": reward, "reason": episode.get("reason", "")},
        )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
