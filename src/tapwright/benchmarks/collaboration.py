"""L4, task collaboration: tasks across apps, where something has to get from one to another.

As L3 (`benchmarks.automation`) in all but the score's detail. What is carried, such as a number or
a price, the task's definition reports by three extras, as lists of texts: `artefacts` are what is
needed, `seen` what was on the screen where it stands, `passed` what arrived where it should. Each
is reported at every step at which it holds. The definition's own score is how much was done.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from pydantic import JsonValue

from tapwright.benchmarks.automation import Automation, event_outcomes
from tapwright.benchmarks.benchmark import Score, TaskSample
from tapwright.core.episode import Episode
from tapwright.tasks.events.tree import EventOutcome

__all__ = ["Collaboration"]


class Collaboration(Automation):
    """The cross-app tasks of one suite, each played once, in the order of the suite."""

    name: ClassVar[str] = "l4"
    suite: ClassVar[str] = "phone-l4"

    def score(self, sample: TaskSample, episode: Episode) -> Score:
        """1 when the check reports success; the detail has what was done beside.

        `progress` is the check's own score at the end, 0 to 1; `artefacts` has of each whether it
        was "passed" on in the end, only "seen", or "missing". Of a check of another kind than a
        definition's events the rewards are added up, and nothing is known of artefacts.
        """
        score = super().score(sample, episode)
        outcomes = event_outcomes(sample.task, episode)
        if not outcomes:
            earned = sum(step.reward for step in episode.steps)
            return replace(score, detail={**score.detail, "progress": _normalize_score(earned)})
        seen, passed = _texts(outcomes, "seen"), _texts(outcomes[-1:], "passed")
        artefacts: dict[str, JsonValue] = {
            text: "passed" if text in passed else "seen" if text in seen else "missing"
            for text in _texts(outcomes, "artefacts")
        }
        progress = 1.0 if score.value == 1.0 else _normalize_score(outcomes[-1].score)
        return replace(score, detail={**score.detail, "progress": progress, "artefacts": artefacts})


def _normalize_score(score: float) -> float:
    return min(max(score, 0.0), 1.0)


def _texts(outcomes: Iterable[EventOutcome], extra: str) -> list[str]:
    """The texts of an extra, each once, in the order in which they were reported."""
    texts = (str(one) for outcome in outcomes for one in outcome.extras.get(extra, ()))
    return list(dict.fromkeys(texts))
