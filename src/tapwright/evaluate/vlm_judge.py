"""A vision-language model that judges whether a screen shows a milestone.

It is queried where nothing cheaper can judge. Its answer is data: an answer that is neither yes nor
no is no answer, and the milestone is left to a person.
"""

import asyncio
import re
import warnings
from typing import Self

import json_repair

from tapwright.agents.asking import send_query
from tapwright.core.messages import Message, Part, Picture, Text
from tapwright.errors import ModelError
from tapwright.evaluate.errors import UnjudgedWarning
from tapwright.models.model import Model
from tapwright.models.query_endings import ENDINGS
from tapwright.tasks.milestones.frames import ScreenQuestion, Truth

__all__ = ["VlmJudge"]

_QUESTION = """\
These are screens of a phone on which somebody was asked to do this: {instruction}

Look at the {which}. Is this so: {prompt}

Give one JSON object and nothing else: {{"answer": "yes" or "no", "reason": "what you saw"}}"""
_SHOWN = 80
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class VlmJudge:
    """Asks `model` one question after the other.

    As a context manager it closes the model at the end.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._runner = asyncio.Runner()

    def __call__(self, question: ScreenQuestion) -> Truth:
        """Yes, no, or None when the query failed or had no such answer, which is told.

        Raises:
            ModelError: the model is down or needs a key, so that no further question has a chance.
        """
        shots = [frame.screen.screenshot for frame in question.frames if frame.screen is not None]
        if not all(shot.recorded for shot in shots):
            return None
        text = _QUESTION.format(
            instruction=question.instruction,
            which=("first of the two", "last of the two")[question.target]
            if len(shots) > 1
            else "screen",
            prompt=question.prompt,
        )
        parts: tuple[Part, ...] = (*map(Picture, shots), Text(text))
        try:
            completion = self._runner.run(send_query(self._model, [Message("user", parts)]))
        except ModelError as error:
            if error.fatal:
                raise
            _tell_unjudged(question, str(error))
            return None
        found = read_verdict(completion.text)
        if found is None:
            said = ENDINGS["unread" if completion.ending == "answered" else completion.ending]
            _tell_unjudged(question, f"{said.meaning}: {completion.text[:_SHOWN]!r}")
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._runner.run(self._model.close())
        self._runner.close()


def _tell_unjudged(question: ScreenQuestion, why: str) -> None:
    warnings.warn(f"{question.prompt[:_SHOWN]!r} stays unknown: {why}", UnjudgedWarning, 3)


def read_verdict(text: str) -> Truth:
    """The verdict of an answer; None when it is neither yes nor no."""
    found = _OBJECT.search(text)
    found_value = json_repair.loads(found[0]) if found else text.strip().strip(".!").lower()
    answer = found_value.get("answer") if isinstance(found_value, dict) else found_value
    if isinstance(answer, bool):
        return answer
    return {"yes": True, "no": False}.get(str(answer).strip().lower())
