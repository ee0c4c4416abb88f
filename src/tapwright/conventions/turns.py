"""Turns of a conversation for the latest steps: each screen a user's, each answer the model's.

The task stands in the first of them, before the picture or after it, and not again in the later
ones, as the agents of Qwen-VL, GUI-Owl and EvoCUA have it.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from tapwright.conventions.convention import Convention
from tapwright.conventions.prompting import assistant_message, user_message
from tapwright.conventions.rendering import render_step
from tapwright.core.episode import Step
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

__all__ = ["ask_in_turns"]

Order: TypeAlias = Literal["words first", "picture first"]


def ask_in_turns(
    convention: Convention,
    words: str,
    steps: Sequence[Step],
    observation: Observation,
    order: Order = "words first",
) -> list[Message]:
    """Screen and answer of each of `steps`, then the present screen; `words` stand in the first."""

    def ask(screen: Screenshot, words: str) -> Message:
        parts = (words, screen) if order == "words first" else (screen, words)
        return user_message(*parts)

    messages = []
    for step in steps:
        messages += [
            ask(step.observation.screenshot, words),
            assistant_message(render_step(convention, step)),
        ]
        words = ""
    return [*messages, ask(observation.screenshot, words)]
