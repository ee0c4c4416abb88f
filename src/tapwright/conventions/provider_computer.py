"""What the computer tools of the three providers share: an answer is JSON, as the API gives it.

One call may stand alone with the reason before it, as the model clients hand it on; several are the
whole message of the API, with all its calls in order. A decision ends a task alone: that is a
message without a call, which reports no failure. Where the tool is not declared, the model is told
of it in words of our own.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.convention import Space
from tapwright.conventions.family import build_prompt
from tapwright.conventions.rendering import encode_json, unsupported
from tapwright.core.actions import Action, Finish
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

__all__ = ["ComputerTool", "Reading", "read_names", "read_xy", "skip_looks"]

Reading = tuple[list[Action], str]
"""The actions of an answer, and what is said beside them."""


class ComputerTool(ABC):
    """A convention whose answers are calls of one provider's computer tool."""

    name: str
    source: str
    space: ClassVar[Space]

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn; then the task, the calls so far, and the screen."""
        words = self._words(observation.size)
        return build_prompt(self, words, instruction, history, observation)

    def render(self, decision: Decision, size: Size) -> str:
        """The reason, if there is one, and the call, or the message with several."""
        answer = encode_json(self._answer(decision.actions, size))
        reasoning = decision.reasoning.strip()
        return f"{reasoning}\n{answer}" if reasoning else answer

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call, or message, that can be read."""
        thoughts, answer = parsing.read_answer(text)

        def read(found: parsing.JsonObject, before: str) -> Decision:
            actions, said = self._read(found, size)
            # A list of items is looked into: what stands in it before this one is no reason.
            reasoning = parsing.reasoning_before(before.partition("[{")[0])
            return parsing.make_decision(actions, reasoning or said.strip() or thoughts)

        return parsing.read_last_object(answer, read)

    def _answer(self, actions: Sequence[Action], size: Size) -> parsing.JsonObject:
        ends = [one for one in actions if isinstance(one, Finish)]
        if not ends:
            return self._call(actions, size)
        if len(actions) > 1:
            raise unsupported(self.name, ends[0], "a message with a call does not end the task")
        if ends[0].outcome != "success":
            raise unsupported(self.name, ends[0], "a message without a call reports no failure")
        return self._end(ends[0].reason)

    @abstractmethod
    def _words(self, size: Size) -> str:
        """The system turn for a model that is queried in text."""

    @abstractmethod
    def _call(self, actions: Sequence[Action], size: Size) -> parsing.JsonObject:
        """The call of one action, or the message with the calls of several."""

    @abstractmethod
    def _end(self, reason: str) -> parsing.JsonObject:
        """The message that ends a task."""

    @abstractmethod
    def _read(self, found: parsing.JsonObject, size: Size) -> Reading:
        """The actions of a call, a message, or an end.

        Raises:
            BadAnswerError: it is none of them.
        """


def read_xy(found: JsonValue, size: Size, space: Space) -> Point:
    """The place of two fields, or of two numbers.

    Raises:
        BadAnswerError: they are missing, no numbers, or off the screen.
    """
    if isinstance(found, list):
        return parsing.read_place(found, "x, y", size, space)
    if not isinstance(found, dict):
        raise parsing.bad_answer(f"a place is {parsing.shorten(found)}; expected x and y")
    at: list[JsonValue] = [parsing.read_number(found.get(name), name) for name in ("x", "y")]
    return parsing.read_place(at, "x, y", size, space)


def read_names(keys: JsonValue) -> list[str]:
    """The names of keys in a list; none where there is no list.

    Raises:
        BadAnswerError: it is something else.
    """
    if keys is None:
        return []
    if not isinstance(keys, list):
        raise parsing.bad_answer(
            f"the keys are {parsing.shorten(keys)}; expected a list of strings"
        )
    return [parsing.read_text(key, "a key") for key in keys]


def skip_looks(
    made: Sequence[parsing.JsonObject], key: str, looks: Collection[str]
) -> list[parsing.JsonObject]:
    """The calls of an answer without those that only look, as a look comes after each anyway.

    Raises:
        BadAnswerError: they all look.
    """
    acting = [call for call in made if call.get(key) not in looks]
    if made and not acting:
        word = made[0].get(key)
        raise parsing.bad_answer(
            f"a {word} alone; one comes after each step, so an action is expected"
        )
    return acting
