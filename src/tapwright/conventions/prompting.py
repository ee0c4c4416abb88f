"""The prompts that families were trained with or document, and what is filled into them.

They are data, one file each under `prompts/`, byte for byte as the source that the convention's
own file names; one newline at the end of a file is the file's and not the prompt's.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

from tapwright.conventions.convention import Convention
from tapwright.conventions.rendering import render_step
from tapwright.core.episode import Step
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

__all__ = ["assistant_message", "build_prompt", "fill", "read_template", "user_message"]


@cache
def read_template(name: str) -> str:
    """The text of `prompts/<name>.txt`."""
    path = resources.files("tapwright.conventions") / "prompts" / f"{name}.txt"
    return path.read_text(encoding="utf-8").removesuffix("\n")


def fill(text: str, **values: str) -> str:
    """`text` with each `{name}` replaced once; braces in what is filled in stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def assistant_message(answer: str) -> Message:
    """An earlier answer of the model, as a message."""
    return Message("assistant", (Text(answer),))


def user_message(*parts: str | Screenshot) -> Message:
    """A message of the user: words and pictures in their order; empty words are left out."""
    return Message(
        "user",
        tuple(Text(part) if isinstance(part, str) else Picture(part) for part in parts if part),
    )


def build_prompt(
    convention: Convention,
    system: str,
    instruction: str,
    history: Sequence[Step],
    observation: Observation,
) -> list[Message]:
    """A prompt of our own: the grammar, then task, answers so far, and the screen."""
    past = "\n".join(
        f"{number}. {render_step(convention, step)}" for number, step in enumerate(history, start=1)
    )
    words = (
        f"Task: {instruction}\n\nWhat you did so far:\n{past or '(nothing yet)'}\n\nThe screen now:"
    )
    return [Message("system", (Text(system),)), user_message(words, observation.screenshot)]
